// SPDX-License-Identifier: Apache-2.0

// Package mask shows a task under another id than its own: that which a client of 0.1 made, where the task behind it
// has an id that the client never saw.
package mask

import (
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Mask is the id under which a task is shown. The empty Mask shows it under its own.
type Mask a2a.TaskID

// Task returns t as it is shown: as a task of 0.1, since only its clients make ids.
func (m Mask) Task(t *a2a.Task) *a2a.Task {
	if m == "" {
		return t
	}
	masked := *t
	masked.ID, masked.Origin = a2a.TaskID(m), a2a.Generation01
	masked.Status.Message = m.message(t.Status.Message)
	if t.History != nil {
		masked.History = make([]*a2a.Message, len(t.History))
		for i, msg := range t.History {
			masked.History[i] = m.message(msg)
		}
	}
	return &masked
}

func (m Mask) message(msg *a2a.Message) *a2a.Message {
	if msg == nil || msg.TaskID == "" {
		return msg
	}
	masked := *msg
	masked.TaskID = a2a.TaskID(m)
	return &masked
}

// Result returns the result of a send as it is shown.
func (m Mask) Result(r a2a.SendResult) a2a.SendResult {
	if t, ok := r.(*a2a.Task); ok {
		return m.Task(t)
	}
	return r
}

// Event returns an event of the task as it is shown.
func (m Mask) Event(ev a2a.Event) a2a.Event {
	if m == "" {
		return ev
	}
	switch e := ev.(type) {
	case *a2a.Task:
		return m.Task(e)
	case *a2a.StatusUpdate:
		masked := *e
		masked.TaskID, masked.Status.Message = a2a.TaskID(m), m.message(e.Status.Message)
		return &masked
	case *a2a.Message:
		return m.message(e)
	case *a2a.ArtifactUpdate:
		masked := *e
		masked.TaskID = a2a.TaskID(m)
		return &masked
	}
	return ev
}

// Stream returns the events of the task as they are shown. see, which may be nil, gets each one first as it is.
func (m Mask) Stream(events iter.Seq2[a2a.StreamEvent, error], see func(a2a.Event)) iter.Seq2[a2a.StreamEvent, error] {
	if m == "" && see == nil {
		return events
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for ev, err := range events {
			if err != nil {
				yield(ev, err)
				return
			}
			if see != nil {
				see(ev.Event)
			}
			if m != "" {
				ev = a2a.NewStreamEvent(ev.ID, m.Event(ev.Event)).WithMore(ev.More())
			}
			if !yield(ev, nil) {
				return
			}
		}
	}
}
