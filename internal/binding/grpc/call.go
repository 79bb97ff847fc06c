// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A call is one request of the binding.
type call struct {
	server  *Server
	form    Form
	op      wire.Operation
	stream  grpc.ServerStream
	request *http.Request
	body    *body  // nil when the call came to a port of gRPC's own
	guard   *guard // nil when the call came over net/http, which has the deadlines
	refused error  // what gRPC has answered by itself
}

// run runs a call and returns its status.
func (c *call) run() (err error) {
	defer func() {
		if recover() != nil { // http.ErrAbortHandler: everything else is caught further in
			err = status.Error(codes.Aborted, "the call was aborted")
		}
	}()
	var x *binding.Exchange
	c.server.Host.Exchange(&answer{header: http.Header{}}, c.request, func(exchange *binding.Exchange) {
		x = exchange
		x.OwnPort = c.guard != nil
		x.Route = binding.Route{Operation: c.op, Generation: c.form.Generation()}
		if e := c.serve(x); e != nil {
			c.fail(x, e)
		}
	})
	switch {
	case c.refused != nil:
		return c.refused
	case x.Cut != nil:
		return status.FromContextError(context.Cause(x.R.Context())).Err()
	case x.Err != nil:
		return statusOf(c.server.Host.Core.GRPCCode(x.Generation, x.Err), x.Err)
	}
	return nil
}

// fail notes what goes wrong, and sends what else the caller is to know.
func (c *call) fail(x *binding.Exchange, e *a2a.Error) {
	x.Err = e
	if x.Status == 0 {
		x.Status = c.server.Host.Core.HTTPStatus(x.Generation, e)
		if c.guard == nil { // net/http has trailers that it refuses, such as WWW-Authenticate
			c.stream.SetHeader(headersOf(x.W.Header()))
			return
		}
		// so that all is in one frame, as a call is answered that never opened
		c.stream.SetTrailer(headersOf(x.W.Header()))
	}
}

// serve answers, unless it returns an error.
func (c *call) serve(x *binding.Exchange) *a2a.Error {
	core := c.server.Host.Core
	if e := core.Admit(x); e != nil {
		return e
	}
	route, e := core.RoutePackage(x.R, c.form.Generation(), c.op)
	if e != nil {
		return e
	}
	if e := core.Prepare(x, route, a2a.BindingGRPC); e != nil {
		return e
	}
	message, e := c.receive(x)
	if e != nil || c.refused != nil {
		return e
	}
	if e := core.Count(x, len(message)); e != nil {
		return e
	}
	request, err := c.form.DecodeRequest(c.op, message)
	if err != nil {
		return a2a.AsError(err)
	}
	if c.op.Streams() {
		return c.answerStream(x, request)
	}
	result, e := core.Call(x, request)
	if e != nil {
		x.Left()
		return e
	}
	return c.answer(x, result)
}

// answer sends the result of an operation that answers once.
func (c *call) answer(x *binding.Exchange, result any) *a2a.Error {
	b, err := c.form.EncodeResult(c.op, result)
	if err != nil {
		return a2a.AsError(fmt.Errorf("encoding the result: %w", err))
	}
	x.Note(result)
	x.Status = http.StatusOK
	if x.Left() {
		return nil
	}
	c.stream.SetHeader(headersOf(x.W.Header()))
	x.Cut = c.send(b)
	return nil
}

// send sends one message. Its error means that the caller does not get it. A large one is waited for, with a write's
// time for each MiB: gRPC queues it at once, so it would count as sent while it is still in memory.
func (c *call) send(b []byte) error {
	f, timeout := &frame{bytes: b}, c.server.Host.Core.WriteTimeout
	if len(b) > binding.SmallBody {
		f.written = make(chan struct{})
		timeout *= time.Duration(1 + len(b)>>20)
	}
	return c.guard.do(timeout, func() error {
		err := c.stream.SendMsg(f)
		if err != nil || f.written == nil {
			return err
		}
		select {
		case <-f.written:
			return nil
		case <-c.stream.Context().Done():
			return context.Cause(c.stream.Context())
		}
	})
}

// answerStream sends a stream. The header goes first: the caller learns that it was heard before the agent says
// anything.
func (c *call) answerStream(x *binding.Exchange, request any) *a2a.Error {
	core := c.server.Host.Core
	events, end, e := core.Open(x, request)
	if e != nil {
		return e
	}
	defer end()
	x.Status = http.StatusOK
	if x.Cut = c.stream.SendHeader(headersOf(x.W.Header())); x.Cut != nil {
		return nil
	}
	return core.Range(x, events, &sink{call: c, ids: x.Active(a2a.ReplayExtension)})
}

// A sink sends the events of a stream.
type sink struct {
	*call
	ids    bool // the caller wants the ids of events
	failed error
}

// Send sends an event.
func (s *sink) Send(ev a2a.StreamEvent) (done bool, err error) {
	u, ok := ev.Event.(*a2a.ArtifactUpdate)
	if ok && u.OnlyEnds() && s.form.Generation() == a2a.Generation10 {
		return false, nil
	}
	b, err := s.encode(ev, s.ids)
	if err != nil {
		return false, fmt.Errorf("encoding an event: %w", err)
	}
	s.failed = s.send(b)
	return s.form.Final(ev.Event), s.failed
}

// End has nothing to send: the status ends the stream.
func (*sink) End() error { return nil }

// Failed returns why the last event could not be sent.
func (s *sink) Failed() error { return s.failed }

// encode returns the bytes of an event, which all its readers in this form share.
func (c *call) encode(ev a2a.StreamEvent, ids bool) ([]byte, error) {
	if !ids || ev.ID == "" {
		return ev.Encoded(c.form.Service(), c.form.EncodeEvent)
	}
	return ev.Encoded(c.form.Service()+" with ids", func(e a2a.Event) ([]byte, error) {
		return c.form.EncodeEvent(withID(e, ev.ID))
	})
}

// answer is the ResponseWriter of an exchange. It takes headers, and nothing else.
type answer struct{ header http.Header }

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
func (a *answer) WriteHeader(int)             {}

// watched runs a call of gRPC's own transport, which bounds neither how long a message may take to arrive nor how long
// it may take to leave: only the end of the handler makes it give up. So the call runs beside the handler.
func (c *call) watched() error {
	c.guard = newGuard()
	defer c.guard.end()
	done := make(chan error, 1)
	go func() { done <- c.run() }()
	select {
	case err := <-done:
		return err
	case <-c.guard.late:
		e := a2a.NewError(a2a.ErrTimeout, "the call was cut: its caller neither read nor wrote for too long")
		return statusOf(c.server.Host.Core.GRPCCode(c.form.Generation(), e), e)
	}
}

// A guard bounds the time of what has no deadline of its own.
type guard struct {
	late  chan struct{} // closed when time was up
	timer *time.Timer
	once  sync.Once
}

func newGuard() *guard {
	g := &guard{late: make(chan struct{})}
	g.timer = time.AfterFunc(time.Hour, g.cut)
	g.timer.Stop()
	return g
}

var errLate = errors.New("the caller neither read nor wrote in time")

// do runs f. When f takes longer than the limit late is closed, which should end f.
func (g *guard) do(limit time.Duration, f func() error) error {
	if g == nil {
		return f()
	}
	g.timer.Reset(limit)
	err := f()
	if !g.timer.Stop() && err != nil {
		return errors.Join(errLate, err)
	}
	return err
}

func (g *guard) cut() { g.once.Do(func() { close(g.late) }) }

func (g *guard) end() { g.timer.Stop() }
