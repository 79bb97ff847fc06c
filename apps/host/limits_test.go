// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host"
	reimbursement "github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/server"
)

// scripted is an agent that answers with the same events always.
type scripted struct {
	a2a.Service
	events func(a2a.ContextID) []a2a.Event
}

func (scripted) CancelTask(context.Context, *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return nil, a2a.ErrTaskNotCancelable
}

func (s scripted) StreamMessage(_ context.Context, req *a2a.SendMessageRequest) (events, error) {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for _, e := range s.events(req.Message.ContextID) {
			if !yield(a2a.NewStreamEvent("", e), nil) {
				return
			}
		}
	}, nil
}

// The size of an answer counts in each form, and a repetition does not count again.
func TestTheLimitOfAnAnswerHoldsForAllOfIt(t *testing.T) {
	t.Parallel()
	const limit = 100_000
	long := func(n int) []a2a.Part { return []a2a.Part{a2a.TextPart(strings.Repeat("x", n))} }
	says := func(state a2a.TaskState, text int) a2a.TaskStatus {
		return a2a.TaskStatus{State: state, Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: long(text)}}
	}
	task := func(c a2a.ContextID, s a2a.TaskStatus, artifacts ...*a2a.Artifact) a2a.Event {
		return &a2a.Task{ID: "mine", ContextID: c, Status: s, Artifacts: artifacts}
	}
	working, completed := a2a.TaskStatus{State: a2a.TaskStateWorking}, a2a.TaskStatus{State: a2a.TaskStateCompleted}
	times := func(n int, last a2a.TaskStatus, event func(a2a.ContextID, int) a2a.Event) func(
		a2a.ContextID) []a2a.Event {
		return func(c a2a.ContextID) []a2a.Event {
			all := []a2a.Event{task(c, working)}
			for i := range n {
				all = append(all, event(c, i))
			}
			return append(all, &a2a.StatusUpdate{TaskID: "mine", ContextID: c, Status: last})
		}
	}
	id := func(i int) a2a.ArtifactID { return a2a.ArtifactID(fmt.Sprint("a", i)) }
	for name, test := range map[string]struct {
		events func(a2a.ContextID) []a2a.Event
		want   a2a.TaskState
	}{
		"snapshots with ever more artifacts": {times(40, completed, func(c a2a.ContextID, i int) a2a.Event {
			return task(c, working, &a2a.Artifact{ID: id(i), Parts: long(50_000)})
		}), a2a.TaskStateFailed},
		"final words": {times(0, says(a2a.TaskStateCompleted, 2_000_000), nil), a2a.TaskStateFailed},
		"a question":  {times(0, says(a2a.TaskStateInputRequired, 2_000_000), nil), a2a.TaskStateFailed},
		"descriptions": {times(40, completed, func(c a2a.ContextID, i int) a2a.Event {
			return &a2a.ArtifactUpdate{TaskID: "mine", ContextID: c,
				Artifact: &a2a.Artifact{ID: id(i), Description: strings.Repeat("d", 50_000), Parts: long(1)}}
		}), a2a.TaskStateFailed},
		"metadata": {times(40, completed, func(c a2a.ContextID, i int) a2a.Event {
			a := &a2a.Artifact{ID: id(i), Parts: long(1)}
			if err := a.Metadata.Set("m", strings.Repeat("d", 50_000)); err != nil {
				t.Error(err)
			}
			return &a2a.ArtifactUpdate{TaskID: "mine", ContextID: c, Artifact: a}
		}), a2a.TaskStateFailed},
		"one artifact in ever new forms": {times(40, completed, func(c a2a.ContextID, i int) a2a.Event {
			return &a2a.ArtifactUpdate{TaskID: "mine", ContextID: c,
				Artifact: &a2a.Artifact{ID: "a", Parts: long(50_000 + i)}}
		}), a2a.TaskStateFailed},

		"one snapshot many times": {times(40, completed, func(c a2a.ContextID, _ int) a2a.Event {
			return task(c, says(a2a.TaskStateWorking, 30_000), &a2a.Artifact{ID: "a", Parts: long(60_000)})
		}), a2a.TaskStateCompleted},
		"an artifact that grows": {times(6, completed, func(c a2a.ContextID, i int) a2a.Event {
			return task(c, working, &a2a.Artifact{ID: "a", Parts: long(15_000 * (i + 1))})
		}), a2a.TaskStateCompleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			card := cardOf("Mixer", "Mixes drinks", "drinks")
			srv, err := server.New(scripted{events: test.events}, &server.Options{Card: card, Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			ts := httptest.NewServer(srv)
			t.Cleanup(func() {
				ts.CloseClientConnections()
				ts.Close()
			})
			r := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) { o.MaxAnswer = limit },
				ts.URL).Send("mix drinks")
			if r.State() != test.want {
				t.Errorf("%v: %.100s", r.State(), r.StatusText())
			}
			if test.want == a2a.TaskStateFailed && !strings.Contains(r.StatusText(), "more than 100000 bytes") {
				t.Errorf("%.200s", r.StatusText())
			}
			if raw, err := r.Task.AppendJSON(nil); err != nil || len(raw) > 4*limit {
				t.Errorf("a task of %d bytes, %v", len(raw), err)
			}
		})
	}
}

// A text that is too long is refused with the limit, by the host and by the one agent that the request is for.
func TestLongRequestsAreRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) { o.MaxText = 20_000 },
		serve(t, reimbursement.New(reimbursement.Options{}), reimbursement.Card()))
	must(t, w.Send(strings.Repeat("lunch ", 4000)), a2a.TaskStateRejected,
		"That text is too long: I read up to 20000 bytes.")
	must(t, w.Send("reimburse lunch "+strings.Repeat("lunch ", 2000)), a2a.TaskStateRejected,
		"Reimbursement Agent will not do that: That text is too long: I read up to 8192 bytes.")
	if limit := (host.Options{}).Defaults().MaxText; limit != 1<<20 {
		t.Errorf("%d bytes", limit)
	}
}

// A task is there before its cards are, so that it can be cancelled.
func TestATaskIsThereBeforeItsCards(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(ts.Close)
	w := newWorld(t, func(_ *host.Options, o *host.DirectoryOptions) { o.CardTimeout = time.Minute }, ts.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	stream, err := w.Service.StreamMessage(ctx,
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hi"))})
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	for e, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		if task, ok := e.Event.(*a2a.Task); !ok || task.Status.State.Terminal() {
			t.Errorf("%+v", e.Event)
		}
		break
	}
	close(answer)
}

// The last message of an agent is its answer if the agent ends without a word and without an artifact, as agents of
// Microsoft's framework do.
func TestTheLastWordsAreTheAnswer(t *testing.T) {
	t.Parallel()
	says := func(state a2a.TaskState, text string) a2a.TaskStatus {
		return a2a.TaskStatus{State: state,
			Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}}
	}
	completed := a2a.TaskStatus{State: a2a.TaskStateCompleted}
	for name, events := range map[string]func(a2a.ContextID) []a2a.Event{
		"words while it worked": func(c a2a.ContextID) []a2a.Event {
			return []a2a.Event{
				&a2a.Task{ID: "mine", ContextID: c, Status: says(a2a.TaskStateWorking, "a moment")},
				&a2a.StatusUpdate{TaskID: "mine", ContextID: c, Status: says(a2a.TaskStateWorking, "one caipirinha")},
				&a2a.StatusUpdate{TaskID: "mine", ContextID: c, Status: completed},
			}
		},
		"messages amid the task": func(c a2a.ContextID) []a2a.Event {
			piece := func(text string) *a2a.Message {
				return &a2a.Message{ID: "m2", TaskID: "mine", ContextID: c, Role: a2a.RoleAgent,
					Parts: []a2a.Part{a2a.TextPart(text)}}
			}
			return []a2a.Event{
				&a2a.Task{ID: "mine", ContextID: c, Status: says(a2a.TaskStateWorking, "a moment")},
				piece("one "), piece("caipirinha"),
				&a2a.StatusUpdate{TaskID: "mine", ContextID: c, Status: completed},
			}
		},
		"words in the history": func(c a2a.ContextID) []a2a.Event {
			return []a2a.Event{&a2a.Task{ID: "mine", ContextID: c, Status: completed, History: []*a2a.Message{
				{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("mix drinks")}},
				says(0, "one caipirinha").Message,
			}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, err := server.New(scripted{events: events},
				&server.Options{Card: cardOf("Mixer", "Mixes drinks", "drinks"), Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			ts := httptest.NewServer(srv)
			t.Cleanup(func() {
				ts.CloseClientConnections()
				ts.Close()
			})
			must(t, newWorld(t, nil, ts.URL).Send("mix drinks"), a2a.TaskStateCompleted, "one caipirinha")
		})
	}
}
