// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// streamCase is a peer and what Stream makes of it.
type streamCase struct {
	capabilities string
	peer         func(*exchange)
	opts         client.Options
	req          *a2a.SendMessageRequest
	want         string
	ops          string
	wantErr      string // "" means none
}

func (tc *streamCase) run(t *testing.T) {
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, tc.peer)
		req := tc.req
		if req == nil {
			req = send("hi")
		}
		got, err := updates(p.dial(t, tc.capabilities, tc.opts).Stream(t.Context(), req))
		if got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
		if tc.wantErr == "" && err != nil || tc.wantErr != "" &&
			(err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
			t.Errorf("error %v, want %q", err, tc.wantErr)
		}
		if ops := p.ops(); ops != tc.ops {
			t.Errorf("calls %s\nwant  %s", ops, tc.ops)
		}
	})
}

const (
	opSend      = "SendMessage"
	opStream    = "SendStreamingMessage"
	opSubscribe = "SubscribeToTask"
	opGet       = "GetTask"
)

func TestStreamOfATask(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer: func(x *exchange) {
			x.event("1", taskEvent("SUBMITTED"))
			x.raw(": alive\n\n")
			x.event("4", status("WORKING"))
			x.event("5", chunk("12:"))
			x.event("6", chunk("30"))
			x.event("7", status("COMPLETED"))
		},
		want: "1=task:submitted 4=working 5=+12: 6=+30 7=completed",
		ops:  opStream,
	}).run(t)
}

func TestStreamOfAMessage(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer:         func(x *exchange) { x.event("", message("12:30")) },
		want:         "message:12:30",
		ops:          opStream,
	}).run(t)
}

func TestStreamEndsAtInputRequired(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			x.event("", taskEvent("WORKING"))
			x.event("", status("INPUT_REQUIRED"))
		},
		want: "task:working input",
		ops:  opStream,
	}).run(t)
}

// Some agents keep the stream open for longer than the task lasts.
func TestStreamIsClosedWhenTheTaskHasEnded(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"COMPLETED", "INPUT_REQUIRED"} {
		(&streamCase{
			capabilities: streams,
			peer: func(x *exchange) {
				x.event("", taskEvent("WORKING"))
				x.event("", status(state))
				x.hang()
			},
			want: "task:working " + map[string]string{"COMPLETED": "completed", "INPUT_REQUIRED": "input"}[state],
			ops:  opStream,
		}).run(t)
	}
}

// A message to a task that waits: the first event may still show it waiting.
func TestStreamDoesNotEndAtTheOldState(t *testing.T) {
	t.Parallel()
	req := send("more")
	req.Message.TaskID = "t1"
	(&streamCase{
		capabilities: streams,
		req:          req,
		peer: func(x *exchange) {
			x.event("", taskEvent("INPUT_REQUIRED"))
			x.event("", status("WORKING"))
			x.event("", status("COMPLETED"))
		},
		want: "task:input working completed",
		ops:  opStream,
	}).run(t)
}

// The same, when the stream is cut there: by replay after a broken connection, by asking anew after an orderly end.
func TestCutAtTheOldState(t *testing.T) {
	t.Parallel()
	req := send("more")
	req.Message.TaskID = "t1"
	broken := func(x *exchange) {
		if x.op == opStream {
			x.event("4", taskEvent("INPUT_REQUIRED"))
			x.cut()
		}
		if x.r.Header.Get("Last-Event-ID") != "4" {
			panic("no replay")
		}
		x.event("5", status("WORKING"))
		x.event("6", status("COMPLETED"))
	}
	(&streamCase{capabilities: all, req: req, peer: broken, want: "4=task:input 5=working 6=completed",
		ops: opStream + " " + opSubscribe}).run(t)
	for state, want := range map[string]string{"COMPLETED": "4=task:input 9=task:completed(resync)",
		"INPUT_REQUIRED": "4=task:input"} {
		closed := func(x *exchange) {
			if x.op == opStream {
				x.event("4", taskEvent("INPUT_REQUIRED"))
				return
			}
			if x.r.Header.Get("Last-Event-ID") != "" {
				x.hang() // nothing has happened since
			}
			x.event("9", taskEvent(state))
			if state == "INPUT_REQUIRED" {
				x.hang()
			}
		}
		(&streamCase{capabilities: all, req: req, peer: closed, want: want, ops: opStream + " " + opSubscribe}).run(t)
	}
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, broken)
		seq, err := p.dial(t, all, client.Options{}).StreamMessage(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := streamEvents(seq); err == nil {
			t.Error("the cut was taken for the end")
		}
	})
}

// Replay: each missed event once, in order, also when a cut falls into an event or the stream ends in good order.
func TestStreamComesBackByReplay(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer: func(x *exchange) {
			if uri := x.r.Header.Get("A2A-Extensions"); uri != replayURI {
				panic("extension not activated: " + uri)
			}
			switch after := x.r.Header.Get("Last-Event-ID"); after {
			case "": // cut between two events
				x.event("1", taskEvent("SUBMITTED"))
				x.event("2", status("WORKING"))
				x.cut()
			case "2": // cut in mid-event
				x.event("3", chunk("a"))
				x.event("5", chunk("b"))
				x.raw("id: 6\ndata: {\"jsonrpc\":\"2.0\",\"res")
				x.cut()
			case "5": // ended in mid-event, in good order as far as HTTP is concerned
				x.event("6", chunk("c"))
				x.raw("id: 7\ndata: {")
			case "6": // ended between two events
				x.event("7", chunk("d"))
			case "7":
				x.event("8", status("COMPLETED"))
			default:
				panic(after)
			}
		},
		want: "1=task:submitted 2=working 3=+a 5=+b 6=+c 7=+d 8=completed",
		ops:  strings.TrimSpace(opStream + strings.Repeat(" "+opSubscribe, 4)),
	}).run(t)
}

// An agent that sends the event again after which it was to go on.
func TestReplayThatOverlaps(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer: func(x *exchange) {
			if x.op == opStream {
				x.event("1", taskEvent("SUBMITTED"))
				x.event("2", chunk("a"))
				x.cut()
			}
			x.event("2", chunk("a"))
			x.event("3", chunk("b"))
			x.event("4", status("COMPLETED"))
		},
		want: "1=task:submitted 2=+a 3=+b 4=completed",
		ops:  opStream + " " + opSubscribe,
	}).run(t)
}

func TestReplayThatIsRefused(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer: func(x *exchange) {
			switch {
			case x.op == opStream:
				x.event("1", taskEvent("SUBMITTED"))
				x.event("2", chunk("a"))
				x.cut()
			case x.r.Header.Get("Last-Event-ID") != "":
				x.fail(-32602, 400, "INVALID_PARAMS", "no such event")
			default:
				x.event("9", taskEvent("WORKING", artifact("ab")))
				x.event("10", status("COMPLETED"))
			}
		},
		want: "1=task:submitted 2=+a 9=task:working:ab(resync) 10=completed",
		ops:  opStream + " " + opSubscribe + " " + opSubscribe,
	}).run(t)
}

func TestStreamComesBackWithASnapshot(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			if x.r.Header.Get("Last-Event-ID") != "" || x.r.Header.Get("A2A-Extensions") != "" {
				panic("replay without the extension")
			}
			if x.op == opStream {
				x.event("1", taskEvent("SUBMITTED"))
				x.event("2", chunk("a"))
				x.cut()
			}
			switch x.n {
			case 0:
				x.event("3", taskEvent("WORKING", artifact("ab")))
				x.cut()
			case 1: // nothing happened meanwhile: it is not said twice
				x.event("3", taskEvent("WORKING", artifact("ab")))
				x.event("4", chunk("c"))
				x.event("5", status("COMPLETED"))
			}
		},
		want: "task:submitted +a task:working:ab(resync) +c completed",
		ops:  opStream + " " + opSubscribe + " " + opSubscribe,
	}).run(t)
}

// A subscription stays open while the task waits for input; a stream that began with a message ends there.
func TestStreamEndsAtInputRequiredAfterComingBack(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			if x.op == opStream {
				x.event("", taskEvent("SUBMITTED"))
				x.cut()
			}
			x.event("", taskEvent("INPUT_REQUIRED"))
			x.hang()
		},
		want: "task:submitted task:input(resync)",
		ops:  opStream + " " + opSubscribe,
	}).run(t)
}

// auth-required is no end: the stream comes back.
func TestStreamStaysAtAuthRequired(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			if x.op == opStream {
				x.event("", taskEvent("WORKING"))
				x.event("", status("AUTH_REQUIRED"))
				return
			}
			x.event("", taskEvent("AUTH_REQUIRED"))
			x.event("", status("COMPLETED"))
		},
		want: "task:working auth task:auth(resync) completed",
		ops:  opStream + " " + opSubscribe,
	}).run(t)
}

// The task ended while the stream was broken: it cannot be subscribed to any more.
func TestStreamOfATaskThatEndedMeanwhile(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			switch x.op {
			case opStream:
				x.event("", taskEvent("WORKING"))
				x.cut()
			case opSubscribe:
				x.fail(-32004, 400, "UNSUPPORTED_OPERATION", "the task has ended")
			case opGet:
				x.result(task("COMPLETED", artifact("12:30")))
			}
		},
		want: "task:working task:completed:12:30(polled)",
		ops:  opStream + " " + opSubscribe + " " + opGet,
	}).run(t)
}

// Something on the way does not let streams through.
func TestStreamFallsBackToPolling(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			switch {
			case x.op != opGet:
				x.event("", taskEvent("WORKING"))
				x.cut()
			case x.n < 3:
				x.result(task("WORKING"))
			default:
				x.result(task("COMPLETED"))
			}
		},
		want: "task:working task:completed(polled)",
		ops:  strings.Join([]string{opStream, opSubscribe, opSubscribe, opSubscribe, opGet, opGet, opGet, opGet}, " "),
	}).run(t)
}

func TestStreamWithoutStreaming(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: nothing,
		peer: func(x *exchange) {
			switch {
			case x.op == opSend:
				if !strings.Contains(string(x.body), `"returnImmediately":true`) {
					panic(string(x.body))
				}
				x.result(taskEvent("SUBMITTED"))
			case x.n < 2:
				x.result(task("WORKING"))
			default:
				x.result(task("COMPLETED", artifact("12:30")))
			}
		},
		want: "task:submitted(polled) task:working(polled) task:completed:12:30(polled)",
		ops:  strings.Join([]string{opSend, opGet, opGet, opGet}, " "),
	}).run(t)
}

// A message to a task that waits: the agent answers when it has worked on it.
func TestStreamWithoutStreamingToATask(t *testing.T) {
	t.Parallel()
	req := send("more")
	req.Message.TaskID = "t1"
	(&streamCase{
		req: req,
		peer: func(x *exchange) {
			if strings.Contains(string(x.body), `"returnImmediately":true`) {
				panic(string(x.body))
			}
			x.result(taskEvent("INPUT_REQUIRED"))
		},
		want: "task:input(polled)",
		ops:  opSend,
	}).run(t)
}

func TestStreamWithoutStreamingOfAMessage(t *testing.T) {
	t.Parallel()
	(&streamCase{
		peer: func(x *exchange) { x.result(message("12:30")) },
		want: "message:12:30",
		ops:  opSend,
	}).run(t)
}

// A message is not sent again when nobody knows whether it arrived.
func TestStreamThatIsCutBeforeItsFirstEvent(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer:         func(x *exchange) { x.start(); x.cut() },
		ops:          opStream,
		wantErr:      "before the agent named a task",
	}).run(t)
	(&streamCase{
		capabilities: all,
		peer:         func(x *exchange) { x.cut() },
		ops:          opStream,
		wantErr:      "was not sent again",
	}).run(t)
}

func TestStreamSaysWhenItCannotGoOn(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			switch x.op {
			case opStream:
				x.event("7", taskEvent("WORKING"))
				x.cut()
			default:
				x.fail(-32001, 404, "TASK_NOT_FOUND", "no such task")
			}
		})
		got, err := updates(p.dial(t, all, client.Options{}).Stream(t.Context(), send("hi")))
		cut, ok := errors.AsType[*client.CutError](err)
		if !ok || cut.TaskID != "t1" || cut.LastID != "7" || !errors.Is(err, a2a.ErrTaskNotFound) ||
			got != "7=task:working" {
			t.Errorf("%s, error %v", got, err)
		}
	})
}

func TestStreamGivesUpInTime(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		var p *peer
		p = newPeer(t, binding, func(x *exchange) {
			x.event("", taskEvent("WORKING"))
			go p.CloseClientConnections()
			x.hang()
		})
		c := p.dial(t, streams, client.Options{ResumeTimeout: 50 * time.Millisecond})
		var err error
		for _, e := range c.Stream(t.Context(), send("hi")) {
			if err = e; err == nil {
				p.Config.SetKeepAlivesEnabled(false)
				p.Listener.Close() // nobody is there when the client comes back
			}
		}
		if cut, ok := errors.AsType[*client.CutError](err); !ok || cut.TaskID != "t1" {
			t.Errorf("error %v", err)
		}
	})
}

func TestStreamGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer: func(x *exchange) {
			switch {
			case x.op == opStream:
				x.event("1", taskEvent("WORKING"))
				x.eventError(-31503, 503, "UNAVAILABLE", "the server goes away") // it drains
			case x.n == 0:
				x.w.Header().Set("Retry-After", "0")
				x.w.WriteHeader(http.StatusServiceUnavailable)
			case x.n == 1:
				x.cut()
			default:
				x.event("2", status("COMPLETED"))
			}
		},
		want: "1=task:working 2=completed",
		ops:  strings.Join([]string{opStream, opSubscribe, opSubscribe, opSubscribe}, " "),
	}).run(t)
}

func TestErrorWithinAStream(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer: func(x *exchange) {
			x.event("1", taskEvent("WORKING"))
			x.eventError(-32603, 500, "INTERNAL", "the agent broke")
		},
		want:    "1=task:working",
		ops:     opStream,
		wantErr: "the agent broke",
	}).run(t)
}

// Some agents open a stream even to refuse it.
func TestErrorAsTheFirstEvent(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.eventError(-31503, 503, "UNAVAILABLE", "come back later") })
		_, err := updates(p.dial(t, all, client.Options{}).Stream(t.Context(), send("hi")))
		if e, ok := errors.AsType[*a2a.Error](err); !ok || e.Kind != a2a.ErrUnavailable || !e.Remote ||
			p.ops() != opStream {
			t.Errorf("error %#v after %s", err, p.ops())
		}
	})
	(&streamCase{
		capabilities: streams,
		peer: func(x *exchange) {
			switch x.op {
			case opStream:
				x.event("", taskEvent("WORKING"))
				x.cut()
			case opSubscribe:
				x.eventError(-32004, 400, "FAILED_PRECONDITION", "the task has ended")
			case opGet:
				x.result(task("COMPLETED"))
			}
		},
		want: "task:working task:completed(polled)",
		ops:  opStream + " " + opSubscribe + " " + opGet,
	}).run(t)
}

func TestErrorBeforeAStream(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		peer:         func(x *exchange) { x.fail(-32005, 400, "CONTENT_TYPE_NOT_SUPPORTED", "no images please") },
		ops:          opStream,
		wantErr:      "no images please",
	}).run(t)
}

func TestSilentStreamIsCut(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		opts:         client.Options{IdleTimeout: time.Second}, // long enough for a busy machine
		peer: func(x *exchange) {
			switch x.r.Header.Get("Last-Event-ID") {
			case "":
				x.event("1", taskEvent("WORKING"))
				x.hang()
			default: // comments keep a stream alive
				for range 15 {
					select {
					case <-time.After(100 * time.Millisecond):
						x.raw(": alive\n\n")
					case <-x.r.Context().Done():
						return
					}
				}
				x.event("2", status("COMPLETED"))
			}
		},
		want: "1=task:working 2=completed",
		ops:  opStream + " " + opSubscribe,
	}).run(t)
}

// A consumer that takes long over an event is no silence of the agent.
func TestSlowConsumer(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		wait := make(chan struct{})
		p := newPeer(t, binding, func(x *exchange) {
			x.event("", taskEvent("WORKING"))
			<-wait
			x.event("", status("COMPLETED"))
		})
		c := p.dial(t, streams, client.Options{IdleTimeout: 50 * time.Millisecond})
		for u, err := range c.Stream(t.Context(), send("hi")) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := u.Event.(*a2a.Task); ok {
				<-time.After(150 * time.Millisecond) // longer than the limit: the slowness is what is tested
				close(wait)
			}
		}
		if ops := p.ops(); ops != opStream {
			t.Errorf("calls %s", ops)
		}
	})
}

func TestLeavingTheLoopClosesTheStream(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		closed := make(chan struct{})
		p := newPeer(t, binding, func(x *exchange) {
			x.event("", taskEvent("WORKING"))
			x.hang()
			close(closed)
		})
		for range p.dial(t, streams, client.Options{}).Stream(t.Context(), send("hi")) {
			break
		}
		select {
		case <-closed:
		case <-time.After(5 * time.Second):
			t.Error("the stream is still open")
		}
	})
}

func TestStreamHonoursItsContext(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			x.event("", taskEvent("WORKING"))
			x.hang()
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for _, err := range p.dial(t, streams, client.Options{}).Stream(ctx, send("hi")) {
			last = err
			cancel()
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("error %v", last)
		}
		if _, ok := errors.AsType[*client.CutError](last); ok {
			t.Errorf("error %v is a cut", last)
		}
	})
}

func TestStreamThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: streams,
		opts:         client.Options{HeaderTimeout: 30 * time.Millisecond},
		peer:         func(x *exchange) { x.hang() },
		ops:          opStream,
		wantErr:      "did not open within 30ms",
	}).run(t)
}

func TestOversizedEvent(t *testing.T) {
	t.Parallel()
	(&streamCase{
		capabilities: all,
		opts:         client.Options{MaxEvent: 1000},
		peer: func(x *exchange) {
			x.event("1", taskEvent("WORKING"))
			x.event("2", chunk(strings.Repeat("x", 2000)))
			x.hang()
		},
		want:    "1=task:working",
		ops:     opStream,
		wantErr: "1000 bytes",
	}).run(t)
}

// StreamMessage and Subscribe do what the operation says and no more; but a cut is told.
func TestPlainStreams(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		for name, tc := range map[string]struct {
			peer func(*exchange)
			want string
			cut  bool
		}{
			"completed": {func(x *exchange) { x.event("1", taskEvent("WORKING")); x.event("2", status("COMPLETED")) },
				"1=task:working 2=completed", false},
			"input": {func(x *exchange) {
				x.event("1", taskEvent("WORKING"))
				x.event("2",
					status("INPUT_REQUIRED"))
			}, "1=task:working 2=input", false},
			"message": {func(x *exchange) { x.event("", message("hello")) }, "message:hello", false},
			"auth": {func(x *exchange) {
				x.event("1", taskEvent("WORKING"))
				x.event("2",
					status("AUTH_REQUIRED"))
			}, "1=task:working 2=auth", true},
			"working": {func(x *exchange) { x.event("1", taskEvent("WORKING")) }, "1=task:working", true},
			"empty":   {func(x *exchange) { x.start() }, "", true},
			"broken":  {func(x *exchange) { x.event("1", taskEvent("WORKING")); x.cut() }, "1=task:working", true},
			"late": {func(x *exchange) { x.event("1", taskEvent("COMPLETED")); x.cut() }, "1=task:completed",
				false},
		} {
			p := newPeer(t, binding, tc.peer)
			c := p.dial(t, all, client.Options{})
			for _, open := range []func() (func(func(a2a.StreamEvent, error) bool), error){
				func() (func(func(a2a.StreamEvent, error) bool), error) {
					return c.StreamMessage(t.Context(), send("hi"))
				},
				func() (func(func(a2a.StreamEvent, error) bool), error) {
					return c.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: "t1"})
				},
			} {
				if name == "message" && len(p.requests()) > 0 {
					continue // no answer to a subscription
				}
				seq, err := open()
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				got, err := streamEvents(seq)
				if _, cut := errors.AsType[*client.CutError](err); cut != tc.cut || !cut && err != nil ||
					got != tc.want {
					t.Errorf("%s: %s, error %v; want %s, cut %t", name, got, err, tc.want, tc.cut)
				}
			}
		}
	})
}

func TestSubscribeSendsTheLastEventID(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		for _, tc := range []struct{ capabilities, want string }{{all, "41"}, {streams, ""}} {
			p := newPeer(t, binding, func(x *exchange) { x.event("42", taskEvent("COMPLETED")) })
			seq, err := p.dial(t, tc.capabilities, client.Options{}).Subscribe(t.Context(),
				&a2a.SubscribeRequest{ID: "t1", After: "41"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := streamEvents(seq); err != nil {
				t.Error(err)
			}
			if got := p.requests()[0].r.Header.Get("Last-Event-ID"); got != tc.want {
				t.Errorf("Last-Event-ID %q, want %q", got, tc.want)
			}
		}
	})
}

func TestFollow(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			switch x.n {
			case 0:
				x.event("5", taskEvent("WORKING"))
				x.cut()
			default:
				x.event("6", status("INPUT_REQUIRED"))
				x.event("7", status("WORKING")) // somebody else answered
				x.event("8", status("COMPLETED"))
			}
		})
		got, err := updates(p.dial(t, all, client.Options{}).Follow(t.Context(), &a2a.SubscribeRequest{ID: "t1"}))
		if want := "5=task:working 6=input 7=working 8=completed"; got != want || err != nil {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	})
}

func TestFollowOfAnUnknownTask(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) { x.fail(-32001, 404, "TASK_NOT_FOUND", "no such task") })
		_, err := updates(p.dial(t, all, client.Options{}).Follow(t.Context(), &a2a.SubscribeRequest{ID: "t1"}))
		if !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("error %v", err)
		}
	})
}

func TestWait(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		capabilities string
		peer         func(*exchange)
		want         string
		ops          []string
	}{
		"ended before": {streams, func(x *exchange) { x.result(task("FAILED")) }, "task:failed", []string{opGet}},
		"by subscription": {streams, func(x *exchange) {
			switch {
			case x.op == opSubscribe:
				x.event("", taskEvent("WORKING"))
				x.event("", status("AUTH_REQUIRED"))
				x.hang()
			case x.n == 0:
				x.result(task("WORKING"))
			default:
				x.result(task("AUTH_REQUIRED"))
			}
		}, "task:auth", []string{opGet, opSubscribe, opGet}},
		"by polling": {nothing, func(x *exchange) {
			if x.n < 3 {
				x.result(task("WORKING"))
				return
			}
			x.result(task("COMPLETED", artifact("12:30")))
		}, "task:completed:12:30", []string{opGet, opGet, opGet, opGet, opGet}},
	} {
		t.Run(name, func(t *testing.T) {
			bothBindings(t, func(t *testing.T, binding string) {
				p := newPeer(t, binding, tc.peer)
				got, err := p.dial(t, tc.capabilities, client.Options{}).Wait(t.Context(), "t1")
				if err != nil || show(got) != tc.want {
					t.Errorf("got %v, %v", got, err)
				}
				if ops := strings.Join(tc.ops, " "); p.ops() != ops {
					t.Errorf("calls %s\nwant  %s", p.ops(), ops)
				}
			})
		})
	}
}
