// SPDX-License-Identifier: Apache-2.0

// Command table serves a dice agent that asks back, remembers, and shows each die as it falls.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
)

func main() {
	if err := dragoman.Serve("127.0.0.1:8090", dice.Card(), agent.Func(run)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, t *agent.Turn) error {
	d, err := choose(ctx, t)
	if err != nil {
		return err
	}
	if err := t.SaveContext(ctx, d); err != nil {
		return err
	}
	if err := t.Working(a2a.TextPart("Rolling " + d.String())); err != nil {
		return err
	}
	return roll(ctx, t, d)
}

// choose returns the dice that the message names, or those of the last roll when it says "again". Otherwise its error
// is the question that ends the turn.
func choose(ctx context.Context, t *agent.Turn) (d dice.Dice, err error) {
	if d, ok := dice.Find(t.Text()); ok {
		return d, nil
	}
	known, err := t.LoadContext(ctx, &d)
	if err != nil {
		return d, err
	}
	if known && strings.Contains(strings.ToLower(t.Text()), "again") {
		return d, nil
	}
	return d, t.Ask(a2a.TextPart("Which dice? For example 2d6."))
}

// roll writes the artifact bit by bit: whoever watches sees each write, all others the whole.
func roll(ctx context.Context, t *agent.Turn, d dice.Dice) error {
	out := t.NewArtifact("roll")
	sum := 0
	for range d.Count {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx) // the task was cancelled, or the server ends
		}
		n := d.Roll()
		sum += n
		if _, err := fmt.Fprintln(out, n); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(out, "Sum:", sum); err != nil {
		return err
	}
	return out.Close()
}
