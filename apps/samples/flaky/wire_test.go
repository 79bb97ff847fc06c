// SPDX-License-Identifier: Apache-2.0

package flaky_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sample is the agent, run with some options.
func sample(o engine.Options) wiretest.Sample {
	return wiretest.Sample{Agent: func() agent.Agent { return flaky.New(flaky.Options{}) }, Card: flaky.Card(),
		Engine: o, Wrap: flaky.Service}
}

// An outcome is what came of a message: a task, a message or an error.
type outcome struct {
	task    *a2a.Task
	message *a2a.Message
	err     error
}

func (o outcome) String() string {
	switch {
	case o.err != nil:
		return "error: " + a2a.AsError(o.err).PublicMessage()
	case o.message != nil:
		return "message: " + o.message.Text()
	}
	var all []string
	for _, a := range o.task.Artifacts {
		all = append(all, a.Text())
	}
	return strings.TrimSpace(strings.TrimPrefix(o.task.Status.State.String(), "TASK_STATE_") + ": " +
		o.task.Status.Message.Text() + strings.Join(all, "|"))
}

// say sends a message and returns what comes of it.
func say(t *testing.T, c *wiretest.Caller, m *a2a.Message) outcome {
	t.Helper()
	result, err := c.Do(t, m)
	o := outcome{err: err}
	o.task, _ = result.(*a2a.Task)
	o.message, _ = result.(*a2a.Message)
	return o
}

// each runs a test in each way of 1.0.
func each(t *testing.T, test func(t *testing.T, c *wiretest.Caller)) {
	t.Helper()
	wiretest.Each(t, sample(engine.Options{}), test)
}

func words(text string) *a2a.Message { return wiretest.Message(text) }

func to(task *a2a.Task, text string) *a2a.Message { return wiretest.Answer(task, a2a.TextPart(text)) }

// The commands that one message is enough for.
var single = []struct{ text, want string }{
	{"complete", "COMPLETED: Done."},
	{"Complete  the Thing", "COMPLETED: the Thing"},
	{"fail", "FAILED: The agent failed because of an internal error, which ended this task. To try again, start a " +
		"new one."},
	{"fail publicly No luck today", "FAILED: No luck today"},
	{"fail publicly", "FAILED: You asked for a failure."},
	{"panic", "FAILED: The agent failed because of an internal error, which ended this task. To try again, start a " +
		"new one."},
	{"reject", "REJECTED: You asked for a rejection."},
	{"reject not mine", "REJECTED: not mine"},
	{"reply Hello", "message: Hello"},
	{"reply", "message: Here is a message."},
	{"chunks 2", "COMPLETED: chunk 1\nchunk 2"},
	{"chunks 0", `COMPLETED: Give a number from 1 to 10000, as in "chunks 5".`},
	{"suspend 1ms", "COMPLETED: The time has come."},
	{"suspend 2h", `COMPLETED: Give a time of at most an hour, as in "suspend 2s", or none.`},
	{"error NOTHING", "REJECTED: Which error? One of INTERNAL_ERROR, TASK_NOT_FOUND"},
	{"completely different", "COMPLETED: I do what I am told"},
	{"", "COMPLETED: I do what I am told"},
}

func TestSingleCommands(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *wiretest.Caller) {
		for _, tt := range single {
			if got := say(t, c, words(tt.text)).String(); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
			}
		}
	})
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, first, answer, last string }{
		{"ask", "INPUT_REQUIRED: What shall I do next?", "nothing", "COMPLETED: You answered: nothing"},
		{"ask Which one?", "INPUT_REQUIRED: Which one?", "reject", "REJECTED: You asked for a rejection."},
		{"auth", "AUTH_REQUIRED: Please authorize me, then send any message.", "a token",
			"COMPLETED: You answered: a token"},
	}
	each(t, func(t *testing.T, c *wiretest.Caller) {
		for _, tt := range tests {
			first := say(t, c, words(tt.text))
			if first.String() != tt.first {
				t.Errorf("%q: %q, want %q", tt.text, first, tt.first)
				continue
			}
			if last := say(t, c, to(first.task, tt.answer)); last.String() != tt.last || last.task.ID != first.task.ID {
				t.Errorf("%q, then %q: %q, want %q", tt.text, tt.answer, last, tt.last)
			}
		}
	})
}

// begin starts a task that works on without its caller.
func begin(t *testing.T, c *wiretest.Caller, text string) *a2a.Task {
	t.Helper()
	events, err := c.Client.StreamMessage(t.Context(), &a2a.SendMessageRequest{Message: words(text)})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.Event.(*a2a.StatusUpdate); ok && s.Status.Message != nil {
			return &a2a.Task{ID: s.TaskID, ContextID: s.ContextID}
		}
	}
	t.Fatalf("%q does not work on", text)
	return nil
}

func TestSuspendUntilAMessage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *wiretest.Caller) {
		task := begin(t, c, "suspend")
		if got := say(t, c, to(task, "go on")).String(); got != "COMPLETED: You answered: go on" {
			t.Error(got)
		}
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *wiretest.Caller) {
		for _, text := range []string{"hang", "suspend"} {
			task := begin(t, c, text)
			got, err := c.Client.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID})
			if err != nil || got.Status.State != a2a.TaskStateCanceled {
				t.Errorf("%q: %v %v", text, got, err)
			}
		}
		task := begin(t, c, "refuse cancel")
		if _, err := c.Client.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: task.ID}); !errors.Is(err,
			a2a.ErrTaskNotCancelable) {
			t.Errorf("refuse cancel: %v", err)
		}
		if got := say(t, c, to(task, "enough")).String(); got != "COMPLETED: Done, and never cancelled." {
			t.Error(got)
		}
	})
}

func TestHangPassesTheTurnLimit(t *testing.T) {
	t.Parallel()
	c := wiretest.Dial(t, sample(engine.Options{TurnLimit: 10 * time.Millisecond}))
	if got := say(t, c, words("hang")).String(); got != "FAILED: The agent did not finish in time." {
		t.Error(got)
	}
}

// Each error of the protocol arrives as what it is.
func TestErrors(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *wiretest.Caller) {
		for _, row := range wire.Table {
			if o := say(t, c, words("error "+row.Reason)); !errors.Is(o.err, row.Kind) || !a2a.AsError(o.err).Remote {
				t.Errorf("error %s: %v", row.Reason, o)
			}
		}
		o := say(t, c, words("error RATE_LIMITED"))
		if got := a2a.AsError(o.err).RetryAfter; got != time.Second {
			t.Errorf("try again after %v", got)
		}
	})
}

// The card names a skill for each family of commands, and its examples are commands.
func TestCardAndHelp(t *testing.T) {
	t.Parallel()
	c := wiretest.Dial(t, sample(engine.Options{}))
	help := say(t, c, words("help")).String()
	if !strings.Contains(help, "error KIND: ") || !strings.Contains(help, "TASK_NOT_CANCELABLE") {
		t.Errorf("help: %s", help)
	}
	ids := make(map[string]bool)
	for _, s := range flaky.Card().Skills {
		ids[s.ID] = true
		for _, e := range s.Examples {
			if !strings.Contains(help, "\n  "+strings.Fields(e)[0]) {
				t.Errorf("%q of the card is no command of the help", e)
			}
		}
	}
	if fmt.Sprint(ids) != "map[end:true errors:true linger:true output:true wait:true]" {
		t.Errorf("skills %v", ids)
	}
}

// Without the Service in front the agent says what is missing.
func TestNoServiceInFront(t *testing.T) {
	t.Parallel()
	e, err := engine.New(&engine.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Shutdown(t.Context())
	svc := e.Agent("flaky", flaky.New(flaky.Options{}), nil)
	result, err := svc.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: words("error TIMEOUT")})
	if err != nil || !strings.Contains(outcome{task: result.(*a2a.Task)}.String(),
		"FAILED: Protocol errors need flaky.Service") {
		t.Errorf("%v %v", result, err)
	}
}
