// SPDX-License-Identifier: Apache-2.0

// Package slow is a sample agent that takes its time: it counts, and shows how far it is. It is there to try what long
// tasks are about: progress, cancelling, leaving a stream and joining it again, and going on after a crash.
package slow

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// ArtifactName is the name of the artifact that carries the result.
const ArtifactName = "count"

// Options configure the agent.
type Options struct {
	Pause time.Duration // before each number, when the message does not say; 0 means 1 s
}

// New returns the slow agent. "count to 5 every 200ms" becomes a task whose status says "1 of 5", "2 of 5" and so on,
// one every 200 ms, with one artifact at the end. Without a number the agent asks how far it shall count.
//
// How far it is it keeps after each number: when the server is killed and started again, the task goes on where it was.
// A message to a task that counts is another count, which begins when the first is done.
func New(o Options) agent.Agent {
	return &counter{pause: cmp.Or(o.Pause, time.Second)}
}

// counter implements [agent.Agent] and [agent.Resumable].
type counter struct{ pause time.Duration }

// Resumable says that a turn that was interrupted can be run again.
func (*counter) Resumable() bool { return true }

// A count is what is kept of a task.
type count struct {
	MessageID a2a.MessageID `json:"messageId"` // the message that asked for it
	Steps     int           `json:"steps"`
	Pause     int64         `json:"pause"` // ns
	Done      int           `json:"done"`
}

// Run counts.
func (c *counter) Run(ctx context.Context, t *agent.Turn) error {
	var n count
	if _, err := t.LoadTask(ctx, &n); err != nil {
		return fmt.Errorf("load the count: %w", err)
	}
	if n.MessageID != t.Message().ID { // else the turn was interrupted
		steps, pause, question := parse(t.Text(), c.pause)
		if question != "" {
			return t.Ask(a2a.TextPart(question))
		}
		n = count{MessageID: t.Message().ID, Steps: steps, Pause: int64(pause)}
	}
	for ; n.Done < n.Steps; n.Done++ {
		// Save the state before the message that it permits: a crash here may show a number twice, but skips none.
		if err := t.SaveTask(ctx, n); err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(n.Pause)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := t.Working(a2a.TextPart(fmt.Sprintf("%d of %d", n.Done+1, n.Steps))); err != nil {
			return err
		}
	}
	return t.Artifact(ArtifactName, a2a.TextPart(fmt.Sprintf("Counted to %d.", n.Steps)))
}

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Slow Agent",
		Description: "Counts slowly and shows how far it is, to try long tasks with: progress, cancel, " +
			"leaving and coming back",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{
			ID:          "count",
			Name:        "Count",
			Description: "Counts to a number, one step after another",
			Tags:        []string{"testing", "progress", "long-running"},
			Examples:    []string{"count to 10", "count to 100 every 200ms"},
		}},
	}
}

// Limits of what can be asked for. A count is one turn, and a turn may take an hour unless its engine says otherwise.
const (
	maxSteps = 10_000
	maxTime  = 50 * time.Minute
)

var (
	steps = regexp.MustCompile(`\b[0-9]{1,9}\b`)
	pause = regexp.MustCompile(`\bevery\s+(\S+)`)
)

// parse reads how far to count and how long to wait before each number, the usual time when the text does not say. The
// question is what to ask instead, if anything.
func parse(text string, usual time.Duration) (n int, every time.Duration, question string) {
	text, every = strings.ToLower(text), usual
	if m := pause.FindStringSubmatch(text); m != nil {
		var err error
		text = strings.Replace(text, m[0], "", 1)
		if every, err = time.ParseDuration(m[1]); err != nil || every <= 0 || every > time.Hour {
			return 0, 0, `How long shall I wait before each number? For example: "count to 5 every 200ms".`
		}
	}
	n, _ = strconv.Atoi(steps.FindString(text)) // nine digits fit; 0: none
	switch {
	case n < 1 || n > maxSteps:
		return 0, 0,
			fmt.Sprintf(`How far shall I count, from 1 to %d? For example: "count to 5", or "count to 5 every 200ms".`,
				maxSteps)
	case time.Duration(n)*every > maxTime:
		return 0, 0, fmt.Sprintf("That would take longer than %v. Please ask for fewer numbers, or for less time "+
			"between them.", maxTime)
	}
	return n, every, ""
}
