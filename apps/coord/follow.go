// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Last returns the number of the newest event of a project, after which [Hub.Events] yields what comes from now on.
func (h *Hub) Last(ctx context.Context, project string) (int64, error) {
	var newest int64
	err := h.with(ctx, project, func(r *projectActor) error {
		r.mu.Lock()
		o := outcome{last: r.last, reads: true}
		newest = r.project.state.Seq
		r.mu.Unlock()
		return o.settled(ctx)
	})
	return newest, err
}

// Events yields the events of a project after a number, and then new ones, until ctx or the Hub ends. Old events come
// as far as the store has them. The last event of a project is [KindEnded], also if it is deleted during the call;
// after it come those of the next project of the name. A number above the newest one is of a deleted project, and means
// 0. While events cannot be stored, it waits.
func (h *Hub) Events(ctx context.Context, project string, after int64) iter.Seq2[Event, error] {
	return h.Follow(project).Events(ctx, after)
}

// A Follower follows a project from when [Hub.Follow] made it.
type Follower struct {
	hub     *Hub
	project string
	ends    int64 // how many projects were deleted before
}

// Follow returns a Follower, for callers that look at a project before they read its events: it knows if the project is
// deleted in between.
func (h *Hub) Follow(project string) Follower { return Follower{h, project, h.endings.total()} }

// Ended reports whether the project was deleted since the Follower was made. While it is being deleted it waits.
func (f Follower) Ended() bool {
	if f.hub.endings.wait(f.hub.ctx, f.project) != nil {
		return false
	}
	_, ended := f.hub.endings.since(f.project, f.ends)
	return ended
}

// Events yields events as [Hub.Events] does, with [KindEnded] first if the project was deleted since [Hub.Follow].
func (f Follower) Events(ctx context.Context, after int64) iter.Seq2[Event, error] {
	h, project, ends := f.hub, f.project, f.ends
	return func(yield func(Event, error) bool) {
		var pause time.Duration
		for first := true; ; {
			events, err := h.eventsAfter(ctx, project, &after, first, ends)
			over, isOver := errors.AsType[*endedError](err)
			switch {
			case ctx.Err() != nil || h.ctx.Err() != nil:
				return
			case errors.Is(err, errGone) || errors.Is(err, ErrNotKept):
				pause = longer(pause)
				sleep(ctx, h.ctx, pause)
				continue
			case isOver:
				over.event.Seq = after + 1
				if !yield(over.event, nil) {
					return
				}
				after, ends, first = 0, over.nth, true
				continue
			case err != nil:
				yield(Event{}, err)
				return
			}
			pause, first = 0, false
			for _, e := range events {
				after = e.Seq
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// sleep waits, unless one of two contexts ends before.
func sleep(ctx, other context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-other.Done():
	case <-ctx.Done():
	}
}

type endedError struct{ ended }

func (e *endedError) Error() string { return "the project has been forgotten" }

// still returns an error when a project was deleted after the first ends deletions, or goes out of use.
func (h *Hub) still(r *projectActor, ends int64) error {
	if e, is := h.endings.since(r.id, ends); is {
		return &endedError{e}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return errGone
	}
	return nil
}

// eventsAfter waits for events after a number. It may return none, to be called again. At the first call a number of a
// deleted project becomes 0; later calls return an endedError.
func (h *Hub) eventsAfter(ctx context.Context, project string, from *int64, first bool, ends int64) ([]Event, error) {
	r, leave, err := h.use(ctx, project)
	if err != nil {
		return nil, err
	}
	defer leave()
	if e, is := h.endings.since(project, ends); is {
		return nil, &endedError{e}
	}
	r.mu.Lock()
	news, seq, gone := r.news, r.project.state.Seq, r.gone
	if first && *from > seq {
		*from = 0
	}
	after := *from
	var events []Event
	for i := range r.tail {
		if r.tail[i].Seq > after {
			events = append(events, r.tail[i:]...)
			break
		}
	}
	o := outcome{last: r.last, reads: true}
	r.mu.Unlock()
	if gone {
		return nil, errGone
	}
	if err := o.settled(ctx); err != nil {
		return nil, err
	}
	if missing := seq > after && (len(events) == 0 || events[0].Seq > after+1); missing && h.opts.Store != nil {
		older, err := h.opts.Store.Events(ctx, project, after, recent)
		if over := h.still(r, ends); over != nil { // what the store has may be of the next project of the name
			return nil, over
		}
		if err != nil || len(older) > 0 {
			return older, err
		}
	}
	if len(events) > 0 {
		return events, nil
	}
	select {
	case <-news:
	case <-h.ctx.Done():
	case <-ctx.Done():
	}
	return nil, nil
}
