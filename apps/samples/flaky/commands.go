// SPDX-License-Identifier: Apache-2.0

package flaky

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// A family is a number of commands that show one side of agents.
type family struct {
	id, name, what string
	commands       []command
}

// A command is what the agent does when a message begins with its words.
type command struct {
	words string // in lower case
	rest  string // what may follow them
	what  string
	try   string // an example of the rest
	run   func(ctx context.Context, t *agent.Turn, rest string) error
}

// refuseCancelWords begin the command whose task cannot be cancelled.
const refuseCancelWords = "refuse cancel"

// families are all commands. It is filled by init, because the help of a command is made of this table.
var families []family

func init() {
	families = []family{
		{"end", "Ends", "Ends a task in each way in which a task can end", []command{
			{"complete", "[TEXT]", "completes the task with one artifact", "", complete},
			{"fail publicly", "[TEXT]", "fails with a reason that you may read", "no luck today", failPublicly},
			{"fail", "", "fails with a reason that is only for the log", "", fail},
			{"panic", "", "fails by a panic", "", panics},
			{"reject", "[TEXT]", "rejects the task", "", reject},
			{"reply", "[TEXT]", "answers with a message and makes no task", "hello", reply},
		}},
		{"wait", "Waits", "Waits for the client in each way in which a task can wait", []command{
			{"ask", "[QUESTION]", "asks, and ends with the next message", "", ask},
			{"auth", "[TEXT]", "wants an authorization, and ends with the next message", "", needAuth},
			{"suspend", "[TIME]", "works without a turn until the time has passed, or a message comes", "2s", suspend},
		}},
		{"linger", "Lingers", "Works on and on, for clients that cancel or lose patience", []command{
			{"hang", "", "works until it is cancelled, or takes too long", "", hang},
			{refuseCancelWords, "", "cannot be cancelled; ends with the next message", "", refuseCancel},
		}},
		{"output", "Much output", "Makes more output than is handy", []command{
			{"chunks", "N", "streams one artifact in N chunks, 10000 at most", "5", chunks},
		}},
		{"errors", "Protocol errors", "Makes errors of the protocol, by the names that A2A gives their reasons",
			[]command{{"error", "KIND", "refuses the message with that error", "TASK_NOT_FOUND", noService}}},
	}
}

func complete(_ context.Context, t *agent.Turn, rest string) error {
	return finish(t, cmp.Or(rest, "Done."))
}

func failPublicly(_ context.Context, _ *agent.Turn, rest string) error {
	return agent.Public(cmp.Or(rest, "You asked for a failure."), nil)
}

func fail(context.Context, *agent.Turn, string) error {
	return errors.New("the client asked for a failure; this text is for the log only")
}

func panics(context.Context, *agent.Turn, string) error { panic("the client asked for a panic") }

func reject(_ context.Context, _ *agent.Turn, rest string) error {
	return agent.Reject(a2a.TextPart(cmp.Or(rest, "You asked for a rejection.")))
}

func reply(_ context.Context, t *agent.Turn, rest string) error {
	return t.Reply(a2a.TextPart(cmp.Or(rest, "Here is a message.")))
}

func ask(ctx context.Context, t *agent.Turn, rest string) error {
	return wait(ctx, t, t.Ask(a2a.TextPart(cmp.Or(rest, "What shall I do next?"))))
}

func needAuth(ctx context.Context, t *agent.Turn, rest string) error {
	return wait(ctx, t, t.NeedAuth(a2a.TextPart(cmp.Or(rest, "Please authorize me, then send any message."))))
}

// find returns the command that a text begins with, and the rest of the text.
func find(text string) (*command, string) {
	for i := range families {
		for j := range families[i].commands {
			c := &families[i].commands[j]
			n := len(c.words)
			if len(text) >= n && strings.EqualFold(text[:n], c.words) &&
				(len(text) == n || text[n] == ' ' || text[n] == '\n') {
				return c, strings.TrimSpace(text[n:])
			}
		}
	}
	return nil, ""
}

func help() string {
	var b strings.Builder
	b.WriteString("I do what I am told, above all what goes wrong. Commands:\n")
	for _, f := range families {
		for _, c := range f.commands {
			fmt.Fprintf(&b, "  %s: %s\n", strings.TrimSpace(c.words+" "+c.rest), c.what)
		}
	}
	fmt.Fprintf(&b, "KIND is one of %s.", strings.Join(kinds(), ", "))
	return b.String()
}

// wait remembers that the task waits, and ends the turn with an outcome.
func wait(ctx context.Context, t *agent.Turn, outcome error) error {
	if err := t.SaveTask(ctx, memory{Waits: true}); err != nil {
		return err
	}
	return outcome
}

func suspend(ctx context.Context, t *agent.Turn, rest string) error {
	d, err := time.ParseDuration(cmp.Or(rest, "1h"))
	if err != nil || d <= 0 || d > time.Hour {
		return finish(t, `Give a time of at most an hour, as in "suspend 2s", or none.`)
	}
	if err := t.Working(a2a.TextPart("Suspended.")); err != nil {
		return err
	}
	return wait(ctx, t, t.Suspend(time.Now().Add(d)))
}

func hang(ctx context.Context, t *agent.Turn, _ string) error {
	if err := t.Working(a2a.TextPart("Hanging.")); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func refuseCancel(ctx context.Context, t *agent.Turn, _ string) error {
	if err := t.Working(a2a.TextPart("Cannot be cancelled now; send any message to end this.")); err != nil {
		return err
	}
	if _, err := t.Next(ctx); err != nil {
		return err
	}
	return finish(t, "Done, and never cancelled.")
}

func chunks(_ context.Context, t *agent.Turn, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 || n > 10_000 {
		return finish(t, `Give a number from 1 to 10000, as in "chunks 5".`)
	}
	w := t.NewArtifact(ArtifactName)
	for i := range n {
		if _, err := fmt.Fprintf(w, "chunk %d\n", i+1); err != nil {
			return err
		}
	}
	return w.Close()
}

// noService answers what should never have come this far.
func noService(_ context.Context, _ *agent.Turn, rest string) error {
	if _, ok := kindOf(rest); !ok {
		return agent.Reject(a2a.TextPart(fmt.Sprintf("Which error? One of %s.", strings.Join(kinds(), ", "))))
	}
	return agent.Public("Protocol errors need flaky.Service in front of the agent, and here is none.", nil)
}
