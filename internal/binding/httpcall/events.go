// SPDX-License-Identifier: Apache-2.0

package httpcall

import (
	"io"
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Events says how to read the events of a Stream in a dialect.
type Events struct {
	Source  *Stream
	Decoder wire.StreamDecoder
	// Unwrap returns the payload of an event, or the error that it carries.
	Unwrap func(sse.Event) ([]byte, error)
	// Snapshot returns the task of a subscription that a peer did not begin with it, as peers before 1.0 do not. Nil
	// means that what the peer says will do.
	Snapshot func(a2a.TaskID) (*a2a.Task, error)
}

// All returns the events. The sequence can be ranged over once, and closes the source.
func (s *Events) All() iter.Seq2[a2a.StreamEvent, error] {
	return func(yield func(a2a.StreamEvent, error) bool) {
		defer s.Source.Close()
		r := reader{Events: s, yield: yield}
		for !r.over {
			r.next()
		}
	}
}

// A reader is one run over a stream.
type reader struct {
	*Events
	yield   func(a2a.StreamEvent, error) bool
	id      string // of the event that is being read
	partial *a2a.Task
	context a2a.ContextID // of the task, as far as it was told
	over    bool
}

func (r *reader) next() {
	e, err := r.Source.Next()
	if err == io.EOF {
		r.over = true
		return
	}
	var payload []byte
	if err == nil {
		payload, err = r.Unwrap(e)
	}
	if err != nil {
		r.fail(err)
		return
	}
	r.id, r.partial = e.ID, nil
	done, err := r.Decoder.Decode(payload, r.take)
	switch {
	case r.over:
	case err != nil:
		r.fail(wire.Unreadable(err))
	case done:
		r.finish()
	}
}

func (r *reader) fail(err error) {
	r.over = true
	r.yield(a2a.StreamEvent{}, err)
}

// take yields an event. A snapshot stands for all that the payload says.
func (r *reader) take(ev a2a.Event, partial bool) {
	if r.over || r.partial != nil && r.Snapshot != nil {
		return
	}
	r.partial = nil
	if task, ok := ev.(*a2a.Task); ok && partial {
		r.partial = task
		if r.Snapshot != nil {
			whole, err := r.Snapshot(task.ID)
			if err != nil {
				r.fail(err)
				return
			}
			ev = whole
		}
	}
	r.remember(ev)
	r.over = !r.yield(a2a.NewStreamEvent(r.id, ev).WithMore(r.Source.Ready()), nil)
}

// remember notes the context of the task, and gives it to updates that lack it, as those of 0.1 do.
func (r *reader) remember(ev a2a.Event) {
	var id *a2a.ContextID
	switch e := ev.(type) {
	case *a2a.Task:
		id = &e.ContextID
	case *a2a.StatusUpdate:
		id = &e.ContextID
	case *a2a.ArtifactUpdate:
		id = &e.ContextID
	default:
		return
	}
	if *id == "" {
		*id = r.context
	}
	r.context = *id
}

// finish ends the stream. A task that was made of a status is not yet that status to those who follow the task.
func (r *reader) finish() {
	if r.partial != nil {
		t := r.partial
		r.yield(a2a.NewStreamEvent(r.id, &a2a.StatusUpdate{TaskID: t.ID, ContextID: t.ContextID, Status: t.Status}),
			nil)
	}
	r.over = true
}
