// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

// chatty says several things in JSON that has line breaks in it.
func chatty() agent.Agent {
	return agent.Func(func(_ context.Context, t *agent.Turn) error {
		for range 3 {
			if err := t.Artifact("data", a2a.Part{Content: a2a.Data("{\n\t\"n\": 1.50\n}"),
				MediaType: "application/json"}); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestStreamIsOneObjectALine(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, chatty(), nil)
	got := run(t.Context(), "send", "-a", url, "--stream", "-o", "json", "Hello")
	if got.code != cmdline.ExitOK || got.stderr != "" {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	var events []a2a.Event
	for _, line := range lines {
		event, err := a2a.DecodeStreamResponse([]byte(line))
		if err != nil {
			t.Fatalf("%v in line %q", err, line)
		}
		events = append(events, event)
	}
	if _, ok := events[0].(*a2a.Task); !ok {
		t.Errorf("the first event is a %T", events[0])
	}
	last, ok := events[len(events)-1].(*a2a.StatusUpdate)
	if !ok || last.Status.State != a2a.TaskStateCompleted {
		t.Errorf("the last line is %s", lines[len(lines)-1])
	}
	if len(events) != 5 {
		t.Errorf("%d events, want a task, three artifacts and a status", len(events))
	}
}

func TestHistoryOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	m := func(id string) *a2a.Message {
		return &a2a.Message{ID: a2a.MessageID(id), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(id)}}
	}
	task := &a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateWorking},
		History: []*a2a.Message{m("1"), m("2")}}
	for limit, want := range map[int]int{0: 0, 1: 1, 2: 2, 9: 2} {
		got := fold.ShowHistory(task, limit).History
		if len(got) != want || want == 1 && got[0].ID != "2" {
			t.Errorf("%d: %d messages", limit, len(got))
		}
	}
	if len(task.History) != 2 {
		t.Error("the task itself was changed")
	}
}

// A task that waits and is waited for, until somebody answers it.
func TestSubscribeWaits(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() == "yes" {
			return t.Artifact("result", a2a.TextPart("done"))
		}
		return t.Ask(a2a.TextPart("Shall I?"))
	}), nil)
	got := run(t.Context(), "send", "-a", url, "Hello", "-o", "json")
	_, rest, _ := strings.Cut(got.stderr, "--task-id ")
	id, _, _ := strings.Cut(rest, " ")
	for _, args := range [][]string{nil, {"-o", "json"}, {"-o", "json", "--stream"}} {
		if got := run(t.Context(), append([]string{"task", "subscribe", "-a", url, id},
			args...)...); got.code != cmdline.ExitOK || !strings.Contains(got.stderr, "Resume: ") {
			t.Errorf("%v: exit code %d:\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	waiting, asked := make(chan result), make(lineWriter, 100)
	go func() {
		var out strings.Builder
		r := Run{Program: "dragoman", Args: []string{"task", "subscribe", "-a", url, id, "--wait"},
			Stdin:  strings.NewReader(""),
			Stdout: &out, Stderr: asked, LookupEnv: func(string) (string, bool) { return "", false }}
		waiting <- result{code: r.Do(t.Context()), stdout: out.String()}
	}()
	for !strings.HasPrefix(asked.next(t), "Resume: ") {
	}
	if got := run(t.Context(), "send", "-a", url, "--task-id", id, "yes"); got.code != cmdline.ExitOK {
		t.Fatal(got.stderr)
	}
	if got := <-waiting; got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Text: done") ||
		!strings.Contains(got.stdout, "Status: completed\n") {
		t.Errorf("exit code %d:\n%s", got.code, got.stdout)
	}
}

func TestResultIsOneDocument(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, chatty(), nil)
	for _, args := range [][]string{{"send", "Hello"}, {"send", "--async", "Hello"}, {"task", "list"}, {"card", "get"},
		{"config", "show"}} {
		got := run(t.Context(), append(args, "-a", url, "-o", "json")...)
		if got.code != cmdline.ExitOK || !jsontext.Value(got.stdout).IsValid() {
			t.Errorf("%v: exit code %d, not one document of JSON:\n%s%s", args, got.code, got.stdout, got.stderr)
		}
		if !strings.HasSuffix(got.stdout, "}\n") {
			t.Errorf("%v: no line break at the end", args)
		}
	}
}

// silentAgent says that it does not stream.
type silentAgent struct{ a2a.Service }

func (silentAgent) Capabilities() a2a.AgentCapabilities {
	no := false
	return a2a.AgentCapabilities{Streaming: &no}
}

func TestAgentThatDoesNotStreamIsPolled(t *testing.T) {
	t.Parallel()
	looked := make(chan struct{})
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	slow := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		if err := turn.Working(); err != nil {
			return err
		}
		<-looked
		return turn.Artifact("result", a2a.TextPart("done"))
	})
	svc := &counted{Service: eng.Agent("slow", slow, nil), third: looked}
	url := serveService(t, silentAgent{svc}, nil, func() { eng.Shutdown(context.Background()) })
	got := run(t.Context(), "send", "-a", url, "--poll-interval", "10ms", "--stream", "Hello")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Text: done") ||
		!strings.HasSuffix(got.stdout, "\n\n") {
		t.Errorf("exit code %d:\n%s", got.code, got.stdout)
	}
	if !strings.Contains(got.stderr, "Warning: the agent does not stream") {
		t.Errorf("it does not say that it polls: %s", got.stderr)
	}
}

// counted tells when a task was looked at for the third time.
type counted struct {
	a2a.Service
	n     int // requests of one run follow each other
	third chan struct{}
}

func (c *counted) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if c.n++; c.n == 3 {
		close(c.third)
	}
	return c.Service.GetTask(ctx, req)
}

// The command to type next activates the same extensions and reads the same settings.
func TestResumeCommandIsWhole(t *testing.T) {
	t.Parallel()
	const uri = "https://example.com/extensions/x"
	url := serveAgent(t, agent.Func(func(_ context.Context,
		turn *agent.Turn) error {
		return turn.Ask(a2a.TextPart("What?"))
	}), nil)
	settings := writeEnv(t, t.TempDir(), "")
	got := run(t.Context(), "send", "-a", url, "--config", settings, "--extension", uri, "--bearer", "hunter2", "Hello")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stderr,
		"--config "+settings+" --extension "+uri+` --text "..."`) || strings.Contains(got.stderr, "hunter2") {
		t.Errorf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
}
