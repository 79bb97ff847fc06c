// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	google "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
)

func inState(s a2a.TaskState) *a2a.StatusUpdate {
	return &a2a.StatusUpdate{TaskID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: s}}
}

func chunk(text string) *a2a.ArtifactUpdate {
	return &a2a.ArtifactUpdate{TaskID: "t1", ContextID: "c1", Append: true,
		Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(text)}}}
}

// numbered returns a stream of events with ids from 1, which are shared by all its readers.
func numbered(events ...a2a.Event) iter.Seq2[a2a.StreamEvent, error] {
	shared := make([]a2a.StreamEvent, len(events))
	for i, ev := range events {
		shared[i] = a2a.NewStreamEvent(fmt.Sprint(i+1), ev)
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for _, ev := range shared {
			if !yield(ev, nil) {
				return
			}
		}
	}
}

func working() *a2a.Task {
	return &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}
}

// A stream has the events in their order. In a2a.v1 the last one is marked, and nothing comes behind it.
func TestStream(t *testing.T) {
	svc := func() *fake {
		return &fake{events: numbered(working(), chunk("x"), inState(a2a.TaskStateInputRequired),
			inState(a2a.TaskStateWorking), inState(a2a.TaskStateCompleted))}
	}
	eachWay(t, svc, nil, func(t *testing.T, l *lab, f *fake) {
		s10, err := l.v10.SendStreamingMessage(versioned(t), &pb10.SendMessageRequest{Message: message10()})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for r, err := s10.Recv(); err != io.EOF; r, err = s10.Recv() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%T %v", r.Payload, r.GetStatusUpdate().GetStatus().GetState()))
		}
		if len(got) != 5 || !strings.HasPrefix(got[0], "*a2apb.StreamResponse_Task") ||
			!strings.HasSuffix(got[4], "TASK_STATE_COMPLETED") {
			t.Errorf("1.0: %q", got)
		}
		s03, err := l.v03.SendStreamingMessage(plain(t), &pb03.SendMessageRequest{Request: message03()})
		if err != nil {
			t.Fatal(err)
		}
		got = nil
		for r, err := s03.Recv(); err != io.EOF; r, err = s03.Recv() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%T %v", r.Payload, r.GetStatusUpdate().GetFinal()))
		}
		want := []string{"*a2apb.StreamResponse_Task false", "*a2apb.StreamResponse_ArtifactUpdate false",
			"*a2apb.StreamResponse_StatusUpdate true"}
		if !slices.Equal(got, want) {
			t.Errorf("0.3: %q", got)
		}
	})
}

// A subscription of a2a.v1 to a task that has ended returns the task and closes; one of lf.a2a.v1 is refused.
func TestSubscribeToFinished(t *testing.T) {
	svc := func() *fake { return &fake{} }
	eachWay(t, svc, nil, func(t *testing.T, l *lab, f *fake) {
		f.onCall = func(ctx context.Context) {
			f.err = nil
			if r, _ := f.last(); fmt.Sprintf("%T", r) == "*a2a.SubscribeRequest" {
				f.err = a2a.NewError(a2a.ErrUnsupportedOperation, "the task has ended")
			}
		}
		s03, err := l.v03.TaskSubscription(plain(t), &pb03.TaskSubscriptionRequest{Name: "tasks/t1"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s03.Recv()
		if err != nil || r.GetTask().GetStatus().GetState() != pb03.TaskState_TASK_STATE_COMPLETED {
			t.Errorf("0.3: %v, %v", r, err)
		}
		if r, err := s03.Recv(); err != io.EOF {
			t.Errorf("0.3 goes on: %v, %v", r, err)
		}
		err = drain(l.v10.SubscribeToTask(versioned(t), &pb10.SubscribeToTaskRequest{Id: "t1"}))
		if code, reason := reasonOf(err); code != codes.FailedPrecondition || reason != "UNSUPPORTED_OPERATION" {
			t.Errorf("1.0: %v", err)
		}
	})
}

// An error within a stream is its status.
func TestStreamFails(t *testing.T) {
	svc := func() *fake {
		return &fake{events: func(yield func(a2a.StreamEvent, error) bool) {
			if yield(a2a.NewStreamEvent("1", working()), nil) {
				yield(a2a.StreamEvent{}, a2a.NewError(a2a.ErrUnavailable, "gone"))
			}
		}}
	}
	eachWay(t, svc, nil, func(t *testing.T, l *lab, f *fake) {
		err := drain(l.v10.SendStreamingMessage(versioned(t), &pb10.SendMessageRequest{Message: message10()}))
		if code, reason := reasonOf(err); code != codes.Unavailable || reason != "UNAVAILABLE" {
			t.Errorf("%v", err)
		}
		if x := l.over(t); x.Err == nil || x.Err.Kind != a2a.ErrUnavailable || x.Status != 200 {
			t.Errorf("the log has %v", x.Err)
		}
	})
}

// A panic of the service is an error that tells the caller nothing.
func TestPanics(t *testing.T) {
	svc := func() *fake {
		return &fake{
			onCall: func(context.Context) { panic("secret") },
			events: func(func(a2a.StreamEvent, error) bool) { panic("secret") },
		}
	}
	eachWay(t, svc, nil, func(t *testing.T, l *lab, f *fake) {
		_, err := l.v10.GetTask(versioned(t), &pb10.GetTaskRequest{Id: "t"})
		f.onCall = nil
		err2 := drain(l.v03.SendStreamingMessage(plain(t), &pb03.SendMessageRequest{Request: message03()}))
		for _, err := range []error{err, err2} {
			if code, reason := reasonOf(err); code != codes.Internal || reason != "INTERNAL_ERROR" ||
				strings.Contains(err.Error(), "secret") {
				t.Error(err)
			}
		}
	})
}

// The caller is answered at once, before the agent says anything.
func TestStreamOpensAtOnce(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		speak := make(chan struct{})
		f.events = func(yield func(a2a.StreamEvent, error) bool) {
			<-speak
			yield(a2a.NewStreamEvent("1", aTask()), nil)
		}
		s, err := l.v10.SendStreamingMessage(versioned(t, "a2a-extensions", a2a.ReplayExtension),
			&pb10.SendMessageRequest{Message: message10()})
		if err != nil {
			t.Fatal(err)
		}
		header, err := s.Header()
		if err != nil || !slices.Equal(header.Get("a2a-extensions"), []string{a2a.ReplayExtension}) {
			t.Errorf("%v, %v", header, err)
		}
		close(speak)
		if err := drain(s, nil); err != nil {
			t.Error(err)
		}
	})
}

// With the replay extension each event has its id in its metadata, and last-event-id is where a subscription goes on.
func TestReplay(t *testing.T) {
	svc := func() *fake {
		task := working()
		task.Metadata = a2a.Metadata{"k": []byte(`1`)}
		return &fake{events: numbered(task, inState(a2a.TaskStateCompleted))}
	}
	eachWay(t, svc, nil, func(t *testing.T, l *lab, f *fake) {
		open := func(pairs ...string) (ids []string) {
			s, err := l.v10.SubscribeToTask(versioned(t, pairs...), &pb10.SubscribeToTaskRequest{Id: "t1"})
			if err != nil {
				t.Fatal(err)
			}
			for r, err := s.Recv(); err != io.EOF; r, err = s.Recv() {
				if err != nil {
					t.Fatal(err)
				}
				fields := r.GetTask().GetMetadata().GetFields()
				if r.GetTask() == nil {
					fields = r.GetStatusUpdate().GetMetadata().GetFields()
				} else if fields["k"].GetNumberValue() != 1 {
					t.Errorf("the task's own metadata is %v", fields)
				}
				ids = append(ids, fields[a2a.ReplayExtension].GetStringValue())
			}
			return ids
		}
		if ids := open("last-event-id", "7"); !slices.Equal(ids, []string{"", ""}) {
			t.Errorf("without the extension the ids are %q", ids)
		}
		if r, _ := f.last(); r.(*a2a.SubscribeRequest).After != "" {
			t.Error("without the extension last-event-id counts")
		}
		if ids := open("last-event-id", "7", "a2a-extensions", a2a.ReplayExtension); !slices.Equal(ids,
			[]string{"1", "2"}) {
			t.Errorf("the ids are %q", ids)
		}
		if r, _ := f.last(); r.(*a2a.SubscribeRequest).After != "7" {
			t.Errorf("the subscription is %+v", r)
		}
	})
}

// A caller's time and its leaving reach the service.
func TestDeadlineAndCancel(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		ended := make(chan error, 1)
		f.onCall = func(ctx context.Context) {
			<-ctx.Done()
			ended <- ctx.Err()
		}
		f.err = context.DeadlineExceeded
		ctx, cancel := context.WithTimeout(versioned(t), 50*time.Millisecond)
		defer cancel()
		if _, err := l.v10.GetTask(ctx, &pb10.GetTaskRequest{Id: "t"}); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("%v", err)
		}
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			t.Errorf("the service saw %v", err)
		}
		if x := l.over(t); x.Cut == nil {
			t.Error("the log does not say that the caller left")
		}
		ctx, cancel = context.WithCancel(versioned(t))
		f.onCall = func(ctx context.Context) {
			cancel()
			<-ctx.Done()
			ended <- ctx.Err()
		}
		if _, err := l.v10.GetTask(ctx, &pb10.GetTaskRequest{Id: "t"}); status.Code(err) != codes.Canceled {
			t.Errorf("%v", err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the service saw %v", err)
		}
		l.over(t)
	})
}

// A reader that takes nothing is cut, and holds nobody up.
func TestStuckReader(t *testing.T) {
	eachWay(t, aFake, func(c *binding.Core) { c.WriteTimeout = 200 * time.Millisecond },
		func(t *testing.T, l *lab, f *fake) {
			var sent atomic.Int64
			ended := make(chan struct{})
			f.events = func(yield func(a2a.StreamEvent, error) bool) {
				defer close(ended)
				large := chunk(strings.Repeat("x", 16<<10))
				for yield(a2a.NewStreamEvent("", large), nil) {
					sent.Add(1)
				}
			}
			conn, err := google.NewClient(l.addr, insecureCreds, google.WithStaticStreamWindowSize(64<<10),
				google.WithStaticConnWindowSize(64<<10))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			stuck, err := pb10.NewA2AServiceClient(conn).SendStreamingMessage(versioned(t),
				&pb10.SendMessageRequest{Message: message10()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := stuck.Header(); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Fatal("the stream of a reader that takes nothing goes on")
			}
			if x := l.over(t); x.Cut == nil || x.Err != nil {
				t.Errorf("the log has cut %v, error %v", x.Cut, x.Err)
			}
			if n := sent.Load(); n > 100 {
				t.Errorf("%d events were taken from the service", n)
			}
			f.events = nil
			if err := drain(l.v10.SendStreamingMessage(versioned(t),
				&pb10.SendMessageRequest{Message: message10()})); err != nil {
				t.Errorf("another reader: %v", err)
			}
		})
}

// A stream may last longer than a body may take to arrive.
func TestLongStream(t *testing.T) {
	short := func(c *binding.Core) { c.BodyTimeout, c.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond }
	eachWay(t, aFake, short, func(t *testing.T, l *lab, f *fake) {
		f.events = func(yield func(a2a.StreamEvent, error) bool) {
			for range 4 {
				<-time.After(100 * time.Millisecond)
				if !yield(a2a.NewStreamEvent("", chunk("x")), nil) {
					return
				}
			}
		}
		if err := drain(l.v10.SendStreamingMessage(versioned(t),
			&pb10.SendMessageRequest{Message: message10()})); err != nil {
			t.Error(err)
		}
	})
}

// A caller that sends no message is not waited for.
func TestSlowWriter(t *testing.T) {
	eachWay(t, aFake, func(c *binding.Core) { c.BodyTimeout = 100 * time.Millisecond },
		func(t *testing.T, l *lab, f *fake) {
			stream, err := l.conn.NewStream(versioned(t), &google.StreamDesc{ClientStreams: true},
				"/lf.a2a.v1.A2AService/GetTask", google.ForceCodec(rawCodec{}))
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.RecvMsg(&raw{}); err == nil || err == io.EOF {
				t.Errorf("%v", err)
			}
			if x := l.over(t); x.Err == nil || x.Err.Kind != a2a.ErrTimeout {
				t.Errorf("the log has %v", x.Err)
			}
		})
}

// Streams are counted for each caller, together with those of the other bindings.
func TestStreamLimits(t *testing.T) {
	tune := func(c *binding.Core) {
		identified(c)
		c.Streams = &binding.StreamLimits{PerOwner: 2, Total: 10}
	}
	eachWay(t, aFake, tune, func(t *testing.T, l *lab, f *fake) {
		end := make(chan struct{})
		f.events = func(yield func(a2a.StreamEvent, error) bool) {
			yield(a2a.NewStreamEvent("", working()), nil)
			<-end
		}
		var open []google.ServerStreamingClient[pb10.StreamResponse]
		for range 2 {
			s, err := l.v10.SubscribeToTask(versioned(t), &pb10.SubscribeToTaskRequest{Id: "t1"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Recv(); err != nil {
				t.Fatal(err)
			}
			open = append(open, s)
		}
		err := drain(l.v03.TaskSubscription(plain(t), &pb03.TaskSubscriptionRequest{Name: "tasks/t1"}))
		if code, reason := reasonOf(err); code != codes.ResourceExhausted || reason != "RATE_LIMITED" {
			t.Errorf("the third: %v", err)
		}
		close(end)
		for _, s := range open {
			if err := drain(s, nil); err != nil {
				t.Error(err)
			}
		}
	})
}

// When the server shuts down open calls are told, and streams get their status.
func TestShutdownIsTold(t *testing.T) {
	eachWay(t, aFake, nil, func(t *testing.T, l *lab, f *fake) {
		f.events = func(yield func(a2a.StreamEvent, error) bool) {
			if yield(a2a.NewStreamEvent("", working()), nil) {
				l.end(binding.ShuttingDown)
				<-f.ended()
				yield(a2a.StreamEvent{}, context.Canceled)
			}
		}
		f.onCall = func(ctx context.Context) { f.ctx.Store(&ctx) }
		err := drain(l.v10.SendStreamingMessage(versioned(t), &pb10.SendMessageRequest{Message: message10()}))
		if code, reason := reasonOf(err); code != codes.Unavailable || reason != "UNAVAILABLE" ||
			!strings.Contains(err.Error(), "shutting down") {
			t.Errorf("%v", err)
		}
	})
}

// An event is encoded once for all readers of a package.
func TestEventsAreEncodedOnce(t *testing.T) {
	svc := func() *fake { return &fake{events: numbered(working(), inState(a2a.TaskStateCompleted))} }
	eachWay(t, svc, nil, func(t *testing.T, l *lab, f *fake) {
		for range 2 {
			if err := drain(l.v10.SendStreamingMessage(versioned(t),
				&pb10.SendMessageRequest{Message: message10()})); err != nil {
				t.Fatal(err)
			}
		}
		for ev := range f.events {
			_, err := ev.Encoded("lf.a2a.v1.A2AService", func(a2a.Event) ([]byte, error) {
				t.Error("an event was not encoded under the name of its package")
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}
