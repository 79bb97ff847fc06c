// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// watch knows of a stream what tells its end from a cut: a stream may end when its task has, when the task waits for
// input, or after the one message that is the whole answer (A2A 1.0 §3.1.2, §3.1.6).
type watch struct {
	taskID   a2a.TaskID
	lastID   string // of the last event
	state    a2a.TaskState
	answered bool // with a message instead of a task
	unknown  bool // the agent said that it does not know the state

	// the stream is of a generation before 1.0, in which it also ends when the task waits for authorization or its
	// state is unknown
	old       bool
	continues bool // the stream began with a message to a task that was there before
	begun     bool // an event came
	stale     bool // that event showed the task waiting, which may be as it was before the message
}

// note takes an event, which came with a resume token or without.
func (w *watch) note(id string, event a2a.Event) {
	first := !w.begun
	w.lastID, w.begun, w.stale = id, true, false
	switch e := event.(type) {
	case *a2a.Task:
		w.taskID, w.state = e.ID, e.Status.State
		w.unknown = w.state == a2a.TaskStateUnspecified
		w.stale = first && w.continues && w.state == a2a.TaskStateInputRequired
	case *a2a.StatusUpdate:
		w.taskID, w.state = e.TaskID, e.Status.State
		w.unknown = w.state == a2a.TaskStateUnspecified
	case *a2a.ArtifactUpdate:
		w.taskID = e.TaskID
	case *a2a.Message:
		w.answered = w.answered || w.taskID == ""
	}
}

// over reports whether the stream may end after what came.
func (w *watch) over() bool {
	return w.final() || w.state == a2a.TaskStateInputRequired && !w.stale ||
		w.old && (w.state == a2a.TaskStateAuthRequired || w.unknown)
}

// final reports whether nothing can follow what came.
func (w *watch) final() bool { return w.answered || w.state.Terminal() }

// grace is how long a stream may stay open after its task has ended before it is closed from this side.
const grace = time.Second

// errEarly is why a stream was cut that the agent, or a proxy on the way, closed in good order but too soon.
var errEarly = errors.New("it was closed while the task was going on")

// early reports whether a stream was cut in good order.
func early(err error) bool {
	cut, ok := errors.AsType[*CutError](err)
	return ok && cut.Err == errEarly
}

// stream is an open stream and what closes it.
type stream struct {
	seq    events
	cancel context.CancelFunc
}

func openStream(ctx context.Context, open func(context.Context) (events, error)) (*stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	seq, err := open(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	return &stream{seq, cancel}, nil
}

// judged opens a stream and returns what it yields, with an error when it ends otherwise than a stream does.
func (c *Client) judged(ctx context.Context, w *watch, open func(context.Context) (events, error)) (events, error) {
	s, err := openStream(ctx, open)
	if err != nil {
		return nil, err
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		left, err := c.pass(s, w, w.final, func(e a2a.StreamEvent) bool { return yield(e, nil) })
		if w.stale && early(err) {
			err = nil // the agent may mean it: there is nothing here to ask it by
		}
		if !left && err != nil {
			yield(a2a.StreamEvent{}, err)
		}
	}, nil
}

// pass hands on the events of a stream until it ends or yield wants no more, and closes it. Once done reports that the
// stream should end, the agent has the time of grace to end it. The error is nil after an end in good order, a
// [*CutError] after a cut, and else what the stream yielded.
func (c *Client) pass(s *stream, w *watch, done func() bool, yield func(a2a.StreamEvent) bool) (left bool, err error) {
	defer s.cancel()
	late := time.AfterFunc(grace, s.cancel)
	late.Stop()
	defer late.Stop()
	ending, replays := false, c.replays()
	w.old = c.old()
	for e, err := range s.seq {
		if err != nil {
			return false, w.verdict(err, ending)
		}
		if !replays {
			e.ID = ""
		}
		w.note(e.ID, e.Event)
		if !yield(e) {
			return true, nil
		}
		switch was := ending; {
		case done() && !was:
			ending = true
			late.Reset(grace)
		case was && !done():
			ending = false
			late.Stop()
		}
	}
	return false, w.verdict(errEarly, ending)
}

// verdict says what an end for this reason means. A stream that was ending anyway has ended well.
func (w *watch) verdict(reason error, ending bool) error {
	conn, broken := errors.AsType[*wire.ConnError](reason)
	cut := broken || reason == errEarly
	switch {
	case ending, cut && w.over():
		return nil
	case !cut:
		return reason
	case broken:
		reason = conn.Err
	}
	return &CutError{TaskID: w.taskID, LastID: w.lastID, Err: reason}
}
