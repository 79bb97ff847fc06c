// SPDX-License-Identifier: Apache-2.0

package httpcall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Stream is an open stream of server-sent events. Next and Close are not safe for concurrent use.
type Stream struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	reader *sse.Reader
	idle   time.Duration
	alarm  *time.Timer
	whole  bool

	peeked bool // next and failed are what Peek found
	next   sse.Event
	failed error
}

func newStream(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser, c *Caller) *Stream {
	s := &Stream{ctx: ctx, cancel: cancel, body: body, idle: c.IdleTimeout}
	s.alarm = time.AfterFunc(c.IdleTimeout, func() {
		cancel(&idleError{c.IdleTimeout})
	})
	s.alarm.Stop()
	s.reader = sse.NewReader(awake{s}, c.MaxEvent)
	return s
}

// awake reads the body and lets the alarm run only meanwhile: a consumer that takes long over an event is no silence
// of the peer.
type awake struct{ s *Stream }

func (a awake) Read(p []byte) (int, error) {
	a.s.alarm.Reset(a.s.idle)
	n, err := a.s.body.Read(p)
	a.s.alarm.Stop()
	return n, err
}

// Whole reports whether the peer said how long the stream is: it has come to its end, and Peek does not wait for more.
func (s *Stream) Whole() bool { return s.whole }

// Peek returns what Next will.
func (s *Stream) Peek() (sse.Event, error) {
	if !s.peeked {
		s.next, s.failed = s.Next()
		s.peeked = true
	}
	return s.next, s.failed
}

// Next returns the next event, whose data is valid until the next call. At the end the error is io.EOF when the peer
// ended the stream between two events, a [*wire.ConnError] when it was cut, that of the context when this ended,
// or an [*a2a.Error] when the event is over the limit. The first error is final.
func (s *Stream) Next() (sse.Event, error) {
	if s.peeked {
		s.peeked = false
		return s.next, s.failed
	}
	e, err := s.reader.Next()
	if err == nil || err == io.EOF {
		return e, err
	}
	if large, ok := errors.AsType[*sse.TooLargeError](err); ok {
		return e, &a2a.Error{Kind: a2a.ErrInvalidAgentResponse, Message: "cannot read the stream", Cause: large}
	}
	if s.ctx.Err() == nil {
		return e, &wire.ConnError{Sent: true, Err: err}
	}
	if idle, ok := errors.AsType[*idleError](context.Cause(s.ctx)); ok {
		return e, &wire.ConnError{Sent: true, Err: idle}
	}
	return e, ended(s.ctx)
}

// Ready reports whether Next surely returns an event without waiting. It may miss one.
func (s *Stream) Ready() bool { return s.reader.Ready() }

type idleError struct{ limit time.Duration }

func (e *idleError) Error() string { return fmt.Sprintf("the stream was silent for %v", e.limit) }

// Close closes the stream at once.
func (s *Stream) Close() {
	s.cancel(nil)
	s.alarm.Stop()
	s.body.Close()
}
