// SPDX-License-Identifier: Apache-2.0

// Package moved has the two agents of docs/migrate-from-a2a-go.md as they are with Dragoman.
package moved

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// Greeter answers with a message and makes no task.
var Greeter = agent.Func(func(_ context.Context, t *agent.Turn) error {
	return t.Reply(a2a.TextPart("Hello, " + t.Text() + "!"))
})

// Counter asks how far to count, and streams the numbers. It waits before each.
func Counter(pace time.Duration) agent.Agent {
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		to, err := strconv.Atoi(t.Text())
		if err != nil {
			return t.Ask(a2a.TextPart("How far shall I count?"))
		}
		if err := t.Working(a2a.TextPart("Counting.")); err != nil {
			return err
		}
		numbers := t.NewArtifact("numbers")
		for i := 1; i <= to; i++ {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pace):
			}
			if _, err := fmt.Fprintf(numbers, "%d ", i); err != nil {
				return err
			}
		}
		return numbers.Close()
	})
}

// Card is the card of the counter.
var Card = &a2a.AgentCard{
	Name: "Counter", Description: "Counts to a number", Version: "1.0.0",
	Skills: []a2a.AgentSkill{{
		ID: "count", Name: "Count", Description: "Counts to a number", Tags: []string{"numbers"},
	}},
}
