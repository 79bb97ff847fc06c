// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/server"
)

// counting is a Service whose only task counts up to a number and can be replayed.
type counting struct {
	a2a.Service // panics where a test goes beyond what is here
	to          int
	sent        atomic.Int32
}

func (s *counting) Capabilities() a2a.AgentCapabilities {
	return a2a.AgentCapabilities{Extensions: []a2a.AgentExtension{{URI: server.ReplayExtension}}}
}

func (s *counting) task(state a2a.TaskState) *a2a.Task {
	return &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: state}}
}

func (s *counting) event(n int) a2a.StreamEvent {
	var e a2a.Event
	switch n {
	case 0:
		e = s.task(a2a.TaskStateWorking)
	case s.to:
		e = &a2a.StatusUpdate{TaskID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
	default:
		e = &a2a.ArtifactUpdate{TaskID: "t1", ContextID: "c1", Append: true,
			Artifact: &a2a.Artifact{ID: "a1", Parts: []a2a.Part{a2a.TextPart(strconv.Itoa(n))}}}
	}
	return a2a.NewStreamEvent(strconv.Itoa(n), e)
}

func (s *counting) from(n int) iter.Seq2[a2a.StreamEvent, error] {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for ; n <= s.to; n++ {
			if !yield(s.event(n), nil) {
				return
			}
		}
	}
}

func (s *counting) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return s.task(a2a.TaskStateCompleted), nil
}

func (s *counting) StreamMessage(context.Context, *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	s.sent.Add(1)
	return s.from(0), nil
}

func (s *counting) Subscribe(_ context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	if req.After == "" {
		return nil, a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
	}
	n, err := strconv.Atoi(req.After)
	return s.from(n + 1), err
}

func (s *counting) GetTask(_ context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if req.ID != "t1" {
		return nil, a2a.NewError(a2a.ErrTaskNotFound, "")
	}
	return s.task(a2a.TaskStateCompleted), nil
}

// fragile is a listener whose connections break after some bytes of answers.
type fragile struct {
	net.Listener
	bytes func() int64
}

func (l fragile) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	conn := &fragileConn{Conn: c}
	conn.left.Store(l.bytes())
	return conn, nil
}

type fragileConn struct {
	net.Conn
	left atomic.Int64
}

func (c *fragileConn) Write(p []byte) (int, error) {
	left := c.left.Add(-int64(len(p)))
	if left >= 0 {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:max(0, int64(len(p))+left)])
	c.Close()
	return n, errors.New("the line went dead")
}

// serveOver serves a Service on a line that breaks after some bytes, and returns the base URL.
func serveOver(t testing.TB, svc a2a.Service, binding string, bytes func() int64) string {
	t.Helper()
	ts := httptest.NewUnstartedServer(nil)
	srv, err := server.New(svc, &server.Options{
		Card: &a2a.AgentCard{
			Name: "Counter", Description: "Counts.", Version: "1", DefaultInputModes: []string{"text/plain"},
			DefaultOutputModes: []string{"text/plain"},
			Skills: []a2a.AgentSkill{{ID: "count", Name: "Count", Description: "Counts.",
				Tags: []string{"numbers"}}},
		},
		URL:      "http://" + ts.Listener.Addr().String(),
		Bindings: []string{binding},
		Logger:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ts.Config.Handler = srv
	ts.Config.ErrorLog = quiet
	if bytes != nil {
		ts.Listener = fragile{ts.Listener, bytes}
	}
	ts.Start()
	t.Cleanup(ts.Close)
	return ts.URL
}

// On a line that breaks anywhere, each event comes once and in order, and the message goes out once.
func TestEachEventOnceOverABadLine(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		const events = 300
		svc := &counting{to: events}
		url := serveOver(t, svc, binding, func() int64 { return 2500 + rand.Int64N(3000) })
		c, err := client.Dial(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		next := 0
		for u, err := range c.Stream(t.Context(), send("count")) {
			if err != nil {
				t.Fatal(err)
			}
			if u.ID != strconv.Itoa(next) || u.Resync || u.Polled {
				t.Fatalf("got %+v after %d events", u, next)
			}
			next++
		}
		if next != events+1 || svc.sent.Load() != 1 {
			t.Errorf("%d events, message sent %d times", next, svc.sent.Load())
		}
	})
}

// A Client is a Service, so a server over a client is a gateway.
func TestAServerOverAClient(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		inner, err := client.Dial(t.Context(), serveOver(t, &counting{to: 3}, binding, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer inner.Close()
		other := a2a.BindingJSONRPC
		if binding == other {
			other = a2a.BindingHTTPJSON
		}
		c, err := client.Dial(t.Context(), serveOver(t, inner, other, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		got, err := updates(c.Stream(t.Context(), send("count")))
		if want := "0=task:working 1=+1 2=+2 3=completed"; got != want || err != nil {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
		_, err = c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t2"})
		if !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

// example is a server for the examples.
func example(answer string) *httptest.Server {
	svc := &answering{answer: answer}
	ts := httptest.NewUnstartedServer(nil)
	srv, err := server.New(svc, &server.Options{
		Card: &a2a.AgentCard{Name: "Clock", Description: "Tells the time.", Version: "1",
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
			Skills: []a2a.AgentSkill{{ID: "now", Name: "Now", Description: "The time.", Tags: []string{"time"}}}},
		URL:    "http://" + ts.Listener.Addr().String(),
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	ts.Config.Handler = srv
	ts.Start()
	return ts
}

// answering is a Service that answers with a task with one artifact.
type answering struct {
	a2a.Service
	answer string
}

func (s *answering) task(state a2a.TaskState) *a2a.Task {
	return &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: state}}
}

func (s *answering) artifact() *a2a.Artifact {
	return &a2a.Artifact{ID: "a1", Parts: []a2a.Part{a2a.TextPart(s.answer)}}
}

func (s *answering) StreamMessage(context.Context, *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for i, e := range []a2a.Event{
			s.task(a2a.TaskStateWorking),
			&a2a.ArtifactUpdate{TaskID: "t1", ContextID: "c1", Artifact: s.artifact()},
			&a2a.StatusUpdate{TaskID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}},
		} {
			if !yield(a2a.NewStreamEvent(strconv.Itoa(i), e), nil) {
				return
			}
		}
	}, nil
}

func (s *answering) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) {
	t := s.task(a2a.TaskStateCompleted)
	t.Artifacts = []*a2a.Artifact{s.artifact()}
	return t, nil
}

func ExampleClient_Ask() {
	agent := example("It is half past twelve.")
	defer agent.Close()
	ctx := context.Background()

	c, err := client.Dial(ctx, agent.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	answer, err := c.Ask(ctx, "What time is it?")
	if paused, ok := errors.AsType[*client.PausedError](err); ok {
		fmt.Println("the agent asks back:", paused.Task.Status.Message)
		return
	}
	fmt.Println(answer, err)
	// Output: It is half past twelve. <nil>
}
