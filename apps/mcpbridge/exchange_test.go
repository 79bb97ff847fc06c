// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// scripted is an agent that says what a test wants.
type scripted struct {
	events    []a2a.Event
	after     time.Duration // of the first event
	now       *a2a.Task     // what GetTask returns
	refusal   error         // and that
	cancelled []a2a.TaskID
}

func (s *scripted) Stream(ctx context.Context, _ *a2a.SendMessageRequest) iter.Seq2[client.Update, error] {
	return func(yield func(client.Update, error) bool) {
		select {
		case <-time.After(s.after):
		case <-ctx.Done():
			yield(client.Update{}, ctx.Err())
			return
		}
		for _, e := range s.events {
			if update, ok := e.(*a2a.StatusUpdate); ok {
				s.now = taskIn(update.Status.State)
			}
			if !yield(client.Update{StreamEvent: a2a.StreamEvent{Event: e}}, nil) {
				return
			}
		}
	}
}

func (s *scripted) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) {
	return s.now, s.refusal
}

func (s *scripted) CancelTask(_ context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	s.cancelled = append(s.cancelled, req.ID)
	return s.now, nil
}

func bridgeTo(t *testing.T, s *scripted, opts *Options) *Bridge {
	t.Helper()
	b, err := New([]Agent{{Service: s, Card: &a2a.AgentCard{Name: "x"}}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func taskIn(state a2a.TaskState) *a2a.Task {
	task := &a2a.Task{ID: "t", ContextID: "c"}
	task.Status.State = state
	return task
}

func say(to a2a.TaskID) *a2a.Message {
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("x"))
	m.TaskID = to
	return m
}

// The bridge does not take the state of a task before the answer to its question for a further question.
func TestAnswerIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	artifact := &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c",
		Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("the ")}}}
	s := &scripted{
		events: []a2a.Event{taskIn(a2a.TaskStateInputRequired), artifact,
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}},
		now: taskIn(a2a.TaskStateInputRequired),
	}
	b := bridgeTo(t, s, nil)
	o := b.exchange(t.Context(), b.agents[0], say("t"),
		&progress{})
	if o.asks() || o.task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("%+v", o)
	}
}

// The content that an agent streamed is its answer, though it does not show the task afterwards.
func TestAnswerIsWhatTheStreamSaid(t *testing.T) {
	t.Parallel()
	s := &scripted{events: []a2a.Event{
		taskIn(a2a.TaskStateWorking),
		&a2a.ArtifactUpdate{TaskID: "t", ContextID: "c",
			Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("12:00")}}},
		&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}},
	}, refusal: a2a.NewError(a2a.ErrMethodNotFound, "Method not found")}
	b := bridgeTo(t, s, nil)
	o := b.exchange(t.Context(), b.agents[0], say(""),
		&progress{})
	if o.err != nil || len(o.task.Artifacts) != 1 || o.task.Artifacts[0].Parts[0].Content != a2a.Text("12:00") {
		t.Errorf("%+v", o)
	}
}

// A call that is cancelled before the agent has named the task cancels it all the same, as soon as it has; and gives up
// on an agent that says nothing.
func TestCancelBeforeTheTaskHasAName(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]int{3 * time.Second: 1, time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{events: []a2a.Event{taskIn(a2a.TaskStateWorking),
				&a2a.StatusUpdate{TaskID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}}, after: after,
				now: taskIn(a2a.TaskStateCanceled)}
			b := bridgeTo(t, s, nil)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begun := time.Now()
			o := b.exchange(ctx, b.agents[0], say(""),
				&progress{})
			if len(s.cancelled) != want || o.err == nil {
				t.Errorf("%v: cancelled %v, %+v", after, s.cancelled, o)
			}
			if took := time.Since(begun); took > time.Second+nameWithin {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// A wait that ends before the agent has named the task still tells which one it is.
func TestWaitEndsBeforeTheTaskHasAName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{events: []a2a.Event{taskIn(a2a.TaskStateWorking)}, after: 3 * time.Second,
			now: taskIn(a2a.TaskStateWorking)}
		b := bridgeTo(t, s, nil)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errWaited)
		defer cancel()
		o := b.exchange(ctx, b.agents[0], say(""), &progress{})
		if o.err != nil || o.task == nil || o.task.ID != "t" || len(s.cancelled) > 0 {
			t.Errorf("%+v, cancelled %v", o, s.cancelled)
		}
	})
}

// The beginning of an address is another address, and no link.
func TestLinksAreWhole(t *testing.T) {
	t.Parallel()
	b := bridgeTo(t, &scripted{}, &Options{MaxOutput: 40})
	result := b.result(b.agents[0], outcome{message: &a2a.Message{Parts: []a2a.Part{
		a2a.TextPart("0123456789"), a2a.URLPart("https://bank.example.com.evil.example/long/path", "text/html", "f"),
		a2a.URLPart("https://a.example/x", "", ""),
	}}})
	var links []string
	for _, c := range result.Content {
		if link, ok := c.(*sdk.ResourceLink); ok {
			links = append(links, link.URI)
		}
	}
	if len(links) != 1 || links[0] != "https://a.example/x" {
		t.Errorf("links to %q", links)
	}
}
