// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// scripted is a Transport without a network, for tests in fake time.
type scripted struct {
	a2a.Service
	subscribe func(after string) events
	get       func() (*a2a.Task, error)
}

func (s *scripted) Close() error { return nil }

func (s *scripted) StreamMessage(context.Context, *a2a.SendMessageRequest) (events, error) {
	return func(yield func(a2a.StreamEvent, error) bool) {
		if yield(a2a.NewStreamEvent("1", &a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}),
			nil) {
			yield(a2a.StreamEvent{}, broken())
		}
	}, nil
}

func (s *scripted) Subscribe(_ context.Context, req *a2a.SubscribeRequest) (events, error) {
	if s.subscribe == nil {
		return nil, &wire.ConnError{Err: errors.New("refused")}
	}
	return s.subscribe(req.After), nil
}

func (s *scripted) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) { return s.get() }

type events = iter.Seq2[a2a.StreamEvent, error]

func broken() error { return &wire.ConnError{Sent: true, Err: errors.New("reset")} }

// withTransport returns a client over a Transport of a binding of its own.
func withTransport(t *testing.T, s *scripted) *client.Client {
	t.Helper()
	binding := "urn:test:" + t.Name()
	client.RegisterTransport(binding, func(a2a.AgentInterface, *client.Options) (client.Transport, error) {
		return s,
			nil
	})
	return dial(t, cardText(all, iface("memory", binding, "")), client.Options{})
}

// A stream may be silent for longer than a broken one is tried to be continued, and may break often when it is.
func TestSilentStreamsThatBreakAreContinued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		c := withTransport(t, &scripted{subscribe: func(after string) events {
			opened++
			return func(yield func(a2a.StreamEvent, error) bool) {
				time.Sleep(5 * time.Minute) // of the bubble
				if opened < 10 {
					yield(a2a.StreamEvent{}, broken())
					return
				}
				yield(a2a.NewStreamEvent("2",
					&a2a.StatusUpdate{TaskID: "t1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}), nil)
			}
		}})
		got, err := updates(c.Stream(t.Context(), send("hi")))
		if want := "1=task:working 2=completed"; got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	})
}

func TestGivesUpAfterResumeTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := updates(withTransport(t, &scripted{}).Stream(t.Context(), send("hi")))
		cut, ok := errors.AsType[*client.CutError](err)
		if !ok || cut.TaskID != "t1" || cut.LastID != "1" {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took < time.Minute || took > 70*time.Second {
			t.Errorf("gave up after %v", took)
		}
	})
}

// Pauses between two looks at a task grow up to a bound.
func TestPollingBacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var looks []time.Time
		c := withTransport(t, &scripted{
			subscribe: func(string) events {
				return func(yield func(a2a.StreamEvent, error) bool) { yield(a2a.StreamEvent{}, broken()) }
			},
			get: func() (*a2a.Task, error) {
				looks = append(looks, time.Now())
				state := a2a.TaskStateWorking
				if len(looks) == 100 {
					state = a2a.TaskStateFailed
				}
				return &a2a.Task{ID: "t1", Status: a2a.TaskStatus{State: state}}, nil
			},
		})
		got, err := updates(c.Stream(t.Context(), send("hi")))
		if want := "1=task:working task:failed(polled)"; got != want || err != nil {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
		for i, at := range looks[1:] {
			pause := at.Sub(looks[i])
			if pause > 12*time.Second || i > 20 && pause < 8*time.Second {
				t.Errorf("pause %d is %v", i, pause)
			}
		}
	})
}
