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

// Limits of what can be asked for.
const (
	maxArtifacts = 1000
	maxChunks    = 10_000
	maxBig       = 4 << 20 // bytes
	maxLinger    = 30 * time.Second
	maxSuspend   = time.Hour
)

// A family is a number of commands that show one side of agents.
type family struct {
	id, name, what string
	commands       []command
}

// A command is what the agent does when a message begins with its words.
type command struct {
	words   string // in lower case
	usage   string // the words and what may follow them
	what    string
	example string
	run     func(ctx context.Context, t *agent.Turn, rest string) error
}

// refuseCancelWords begin the command whose task cannot be cancelled.
const refuseCancelWords = "refuse cancel"

// families are all commands. It is filled by init, because the help of a command is made of this table.
var families []family

func init() {
	families = []family{
		{"end", "Ends", "Ends a task in each way in which a task can end", []command{
			{"complete", "complete [TEXT]", "completes the task with one artifact", "complete", complete},
			{"fail publicly", "fail publicly [TEXT]", "fails with a reason that you may read", "fail publicly no luck today", failPublicly},
			{"fail", "fail", "fails with a reason that is only for the log", "fail", fail},
			{"panic", "panic", "fails by a panic", "panic", doPanic},
			{"reject", "reject [TEXT]", "rejects the task", "reject", reject},
			{"reply", "reply [TEXT]", "answers with a message and makes no task", "reply hello", reply},
		}},
		{"wait", "Waits", "Waits for the client in each way in which a task can wait", []command{
			{"ask", "ask [QUESTION]", "asks, and ends with the next message", "ask", ask},
			{"auth", "auth [TEXT]", "wants an authorization, and ends with the next message", "auth", needAuth},
			{"await", "await [QUESTION]", "asks within a turn that goes on", "await", await},
			{"suspend", "suspend [TIME]", "works without a turn until the time has passed, or a message comes", "suspend 2s", suspend},
		}},
		{"linger", "Lingers", "Works on and on, for clients that cancel or lose patience", []command{
			{"hang", "hang", "works until it is cancelled, or takes too long", "hang", hang},
			{refuseCancelWords, refuseCancelWords, "cannot be cancelled; ends with the next message", refuseCancelWords, refuseCancel},
			{"slow cancel", "slow cancel [TIME]", "takes that long to end once it is cancelled; 2s if no time is given, 30s at most", "slow cancel 3s", slowCancel},
		}},
		{"output", "Much output", "Brings forth more than is handy", []command{
			{"many artifacts", "many artifacts N", fmt.Sprintf("makes N artifacts, %d at most", maxArtifacts), "many artifacts 3", manyArtifacts},
			{"chunks", "chunks N", fmt.Sprintf("streams one artifact in N chunks, %d at most", maxChunks), "chunks 5", chunks},
			{"big", "big N", "makes one artifact of N bytes; 64K and 2M are understood, 4M at most", "big 64K", big},
		}},
		{"errors", "Protocol errors", "Makes errors of the protocol, by the names that A2A gives their reasons", []command{
			{"error", "error KIND", "refuses the message with that error", "error TASK_NOT_FOUND", noService},
			{"break", "break KIND", "takes the message, and ends the call or the stream with that error; the task goes on", "break UNAVAILABLE", breakOff},
		}},
	}
}

// find returns the command that a text begins with, and the rest of the text.
func find(text string) (*command, string) {
	for i := range families {
		for j := range families[i].commands {
			c := &families[i].commands[j]
			n := len(c.words)
			if len(text) >= n && strings.EqualFold(text[:n], c.words) && (len(text) == n || text[n] == ' ' || text[n] == '\n') {
				return c, strings.TrimSpace(text[n:])
			}
		}
	}
	return nil, ""
}

// help lists the commands.
func help() string {
	var b strings.Builder
	b.WriteString("I do what I am told, above all what goes wrong. Commands:\n")
	for _, f := range families {
		for _, c := range f.commands {
			fmt.Fprintf(&b, "  %s: %s\n", c.usage, c.what)
		}
	}
	fmt.Fprintf(&b, "KIND is one of %s.\n", strings.Join(kinds(), ", "))
	fmt.Fprintf(&b, "To get, cancel or subscribe to the task %sKIND has that error, too.", errorTask)
	return b.String()
}

func complete(_ context.Context, t *agent.Turn, rest string) error {
	return finish(t, cmp.Or(rest, "Done."))
}

func fail(context.Context, *agent.Turn, string) error {
	return errors.New("the client asked for a failure; this text is for the log only")
}

func failPublicly(_ context.Context, _ *agent.Turn, rest string) error {
	return agent.Public(cmp.Or(rest, "You asked for a failure."), nil)
}

func doPanic(context.Context, *agent.Turn, string) error { panic("the client asked for a panic") }

func reject(_ context.Context, _ *agent.Turn, rest string) error {
	return agent.Reject(a2a.TextPart(cmp.Or(rest, "You asked for a rejection.")))
}

func reply(_ context.Context, t *agent.Turn, rest string) error {
	return t.Reply(a2a.TextPart(cmp.Or(rest, "Here is a message.")))
}

func ask(ctx context.Context, t *agent.Turn, rest string) error {
	if err := t.SaveTask(ctx, memory{Waits: true}); err != nil {
		return err
	}
	return t.Ask(a2a.TextPart(cmp.Or(rest, "What shall I do next?")))
}

func needAuth(ctx context.Context, t *agent.Turn, rest string) error {
	if err := t.SaveTask(ctx, memory{Waits: true}); err != nil {
		return err
	}
	return t.NeedAuth(a2a.TextPart(cmp.Or(rest, "Please authorize me, then send any message.")))
}

func await(ctx context.Context, t *agent.Turn, rest string) error {
	// Should the server be restarted meanwhile, the answer starts a turn of its own.
	if err := t.SaveTask(ctx, memory{Waits: true}); err != nil {
		return err
	}
	answer, err := t.Await(ctx, a2a.TextPart(cmp.Or(rest, "I wait for your answer.")))
	if err != nil {
		return err
	}
	if err := t.SaveTask(ctx, memory{}); err != nil {
		return err
	}
	return finish(t, "You answered: "+answer.Text())
}

func suspend(ctx context.Context, t *agent.Turn, rest string) error {
	var until time.Time
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d <= 0 || d > maxSuspend {
			return finish(t, `Give a time of at most an hour, as in "suspend 2s", or none.`)
		}
		until = time.Now().Add(d)
	}
	if err := t.SaveTask(ctx, memory{Waits: true}); err != nil {
		return err
	}
	if err := t.Working(a2a.TextPart("Suspended.")); err != nil {
		return err
	}
	return t.Suspend(until)
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

func slowCancel(ctx context.Context, t *agent.Turn, rest string) error {
	d, err := time.ParseDuration(cmp.Or(rest, "2s"))
	if err != nil || d < 0 || d > maxLinger {
		return finish(t, `Give a time of at most 30s, as in "slow cancel 3s".`)
	}
	if err := t.Working(a2a.TextPart("Cancel me, and I take my time.")); err != nil {
		return err
	}
	<-ctx.Done()
	if errors.Is(context.Cause(ctx), agent.ErrCanceled) {
		time.Sleep(d) // bad manners on purpose: the engine's grace ends the task if this takes too long
	}
	return context.Cause(ctx)
}

func manyArtifacts(_ context.Context, t *agent.Turn, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 || n > maxArtifacts {
		return finish(t, fmt.Sprintf(`Give a number from 1 to %d, as in "many artifacts 3".`, maxArtifacts))
	}
	for i := range n {
		if err := t.Artifact(fmt.Sprintf("%s-%d", ArtifactName, i+1), a2a.TextPart(fmt.Sprintf("Artifact %d of %d.", i+1, n))); err != nil {
			return err
		}
	}
	return nil
}

func chunks(_ context.Context, t *agent.Turn, rest string) error {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 || n > maxChunks {
		return finish(t, fmt.Sprintf(`Give a number from 1 to %d, as in "chunks 5".`, maxChunks))
	}
	w := t.NewArtifact(ArtifactName)
	for i := range n {
		if _, err := fmt.Fprintf(w, "chunk %d\n", i+1); err != nil {
			return err
		}
	}
	return w.Close()
}

func big(_ context.Context, t *agent.Turn, rest string) error {
	n := bytes(rest)
	if n < 1 || n > maxBig {
		return finish(t, `Give a number of bytes up to 4M, as in "big 64K".`)
	}
	const line = "The quick brown fox jumps over the lazy dog, and then again.\n"
	return finish(t, strings.Repeat(line, n/len(line)+1)[:n])
}

// bytes reads "100", "64K" and "2M"; 0 means that it is something else.
func bytes(s string) int {
	unit := 1
	switch s = strings.ToUpper(s); {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "KM"))
	if err != nil || n > maxBig {
		return 0
	}
	return n * unit
}

// noService answers what should never have come this far.
func noService(_ context.Context, _ *agent.Turn, rest string) error {
	if _, ok := kindOf(rest); !ok {
		return agent.Reject(a2a.TextPart(fmt.Sprintf("Which error? One of %s.", strings.Join(kinds(), ", "))))
	}
	return agent.Public("Protocol errors need flaky.Service in front of the agent, and here is none.", nil)
}

// breakOff is the work behind a call that [Service] breaks off.
func breakOff(ctx context.Context, t *agent.Turn, rest string) error {
	if _, ok := kindOf(rest); !ok {
		return noService(ctx, t, rest)
	}
	if err := t.Working(a2a.TextPart("This goes on although the call breaks off.")); err != nil {
		return err
	}
	return finish(t, "Done behind your back.")
}
