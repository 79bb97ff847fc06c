// SPDX-License-Identifier: Apache-2.0

package client

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// follower is one run of [Client.Stream] or [Client.Follow]: a stream, and whatever continues it.
type follower struct {
	c     *Client
	ctx   context.Context // of the run: ends when the loop is left
	yield func(Update, error) bool
	watch watch

	sent bool // the run began with a message, so it ends when the task waits for input

	pauses   *retry.Pauses
	until    time.Time // when the next failure is final, as nothing went well for so long
	barren   int       // subscriptions in a row that broke at once and brought nothing new
	noReplay bool      // the agent refused to replay
	snapshot []byte    // JSON of the last task that came as a whole, if no other event came after it
}

const (
	firstPause = 50 * time.Millisecond
	maxPause   = 5 * time.Second

	// maxBarren is after how many subscriptions that break at once the task is polled: something on the way does
	// not let streams through.
	maxBarren = 3
)

func (c *Client) newFollower(ctx context.Context, yield func(Update, error) bool) *follower {
	return &follower{
		c: c, ctx: ctx, yield: yield,
		pauses: retry.NewPauses(firstPause, maxPause),
		until:  time.Now().Add(c.opts.ResumeTimeout),
	}
}

// part is one stream of a run.
type part struct {
	*stream
	resumed bool
	after   string // the event after which it is a replay; "" when it starts with the task
}

func (f *follower) open(open func(context.Context) (events, error)) (*part, error) {
	s, err := openStream(f.ctx, open)
	return &part{stream: s}, err
}

// drain yields the events of one stream. It returns what broke it, and nil when the run has ended.
func (f *follower) drain(p *part) error {
	first, opened := true, time.Now()
	left, err := f.c.pass(p.stream, &f.watch, f.done, func(e a2a.StreamEvent) bool {
		opening := first
		first = false
		return f.take(p, e, opening)
	})
	if left {
		return nil
	}
	if time.Since(opened) > maxPause { // it did well, if silently
		f.barren = 0
		f.pauses.Reset()
	}
	f.until = time.Now().Add(f.c.opts.ResumeTimeout)
	return err
}

// take yields one event of a stream, the opening one or a later one, and reports whether the stream is to go on.
func (f *follower) take(p *part, e a2a.StreamEvent, opening bool) bool {
	task, isTask := e.Event.(*a2a.Task)
	u := Update{StreamEvent: e, Resync: isTask && opening && p.resumed}
	if !isTask {
		f.snapshot = nil
	}
	switch known := isTask && f.known(task); {
	case known && u.Resync: // nothing happened meanwhile
	case opening && p.after != "" && e.ID == p.after && !isTask: // the agent counts differently: that one has come
	default:
		f.barren = 0
		f.pauses.Reset()
		if !f.yield(u, nil) {
			return false
		}
	}
	// A subscription stays open while the task waits for input; a stream that began with a message does not.
	return !(p.resumed && f.done() && !f.watch.final())
}

// done reports whether the run ends with what came.
func (f *follower) done() bool {
	return f.watch.final() || f.sent && f.watch.over()
}

// known reports whether the task came just like this before, and remembers it.
func (f *follower) known(task *a2a.Task) bool {
	text, err := task.AppendJSON(nil)
	if err == nil && bytes.Equal(text, f.snapshot) {
		return true
	}
	f.snapshot = text
	return false
}

// recover goes on after a failure that may pass, until the end is known or time is up.
func (f *follower) recover(err error) {
	for err != nil {
		if !passing(err) {
			f.yield(Update{}, err)
			return
		}
		if !f.pause(err) {
			return
		}
		if f.barren >= maxBarren {
			f.poll()
			return
		}
		next, failed := f.reopen(f.watch.stale && early(err))
		switch {
		case failed == nil:
			f.barren++
			if err = f.drain(next); err != nil && cannotSubscribe(err) { // an agent that opens a stream to refuse it
				f.poll()
				return
			}
		case cannotSubscribe(failed):
			f.poll()
			return
		case passing(failed):
			err = failed
		default:
			f.cut(failed)
			return
		}
	}
}

// pause waits before the next attempt. When there is none it yields why, and returns false.
func (f *follower) pause(err error) bool {
	switch {
	case f.watch.taskID == "": // nothing to come back to
		f.yield(Update{}, err)
		return false
	case time.Now().After(f.until):
		f.cut(err)
		return false
	}
	wait := f.pauses.Next()
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		wait = max(wait, min(e.RetryAfter, f.c.opts.ResumeTimeout))
	}
	return f.sleep(wait)
}

// sleep waits. When the run's context ends it yields that, and returns false.
func (f *follower) sleep(d time.Duration) bool {
	if err := retry.Sleep(f.ctx, d); err != nil {
		f.yield(Update{}, err)
		return false
	}
	return true
}

// reopen subscribes to the task: by replay if that is possible and wanted. A replay tells nothing of a task that waits
// and to which nothing happened.
func (f *follower) reopen(anew bool) (*part, error) {
	after := f.watch.lastID
	if f.noReplay || anew {
		after = ""
	}
	p, err := f.open(func(ctx context.Context) (events, error) {
		return f.c.openTask(ctx, &a2a.SubscribeRequest{ID: f.watch.taskID, After: after})
	})
	p.resumed, p.after = true, after
	if after != "" && isKind(err, a2a.ErrInvalidParams, a2a.ErrInvalidRequest) {
		f.noReplay = true // the agent does not have that event any more
		return f.reopen(true)
	}
	return p, err
}

// sendAndPoll does without streams from the start.
func (f *follower) sendAndPoll(req *a2a.SendMessageRequest) {
	r := *req
	if !f.watch.continues { // a task that was there before may be shown as it was, and look as if it waited for input
		var config a2a.SendConfiguration
		if r.Configuration != nil {
			config = *r.Configuration
		}
		config.ReturnImmediately = true
		r.Configuration = &config
	}
	result, err := f.c.SendMessage(f.ctx, &r)
	if err != nil {
		f.yield(Update{}, err)
		return
	}
	f.watch.continues = false // the answer shows the task as it is after the message
	f.watch.note("", result)
	u := Update{StreamEvent: a2a.NewStreamEvent("", result)}
	if task, ok := result.(*a2a.Task); ok {
		u.Polled = true
		f.known(task)
	}
	if f.yield(u, nil) && !f.watch.over() && f.sleep(f.c.opts.PollInterval) {
		f.poll()
	}
}

// poll asks for the task until its end is known, and yields it when it has changed.
func (f *follower) poll() {
	pauses := retry.NewPauses(f.c.opts.PollInterval, f.c.opts.MaxPollInterval)
	f.until = time.Now().Add(f.c.opts.ResumeTimeout)
	for f.look(pauses) && f.sleep(pauses.Next()) {
	}
}

// look asks for the task once, and reports whether to ask again.
func (f *follower) look(pauses *retry.Pauses) bool {
	task, err := f.c.GetTask(f.ctx, &a2a.GetTaskRequest{ID: f.watch.taskID})
	if err != nil && passing(err) && time.Now().Before(f.until) {
		return true
	}
	if err != nil {
		f.cut(err)
		return false
	}
	f.until = time.Now().Add(f.c.opts.ResumeTimeout)
	f.watch.old = f.c.old()
	f.watch.note(f.watch.lastID, task)
	if !f.known(task) {
		pauses.Reset()
		if !f.yield(Update{StreamEvent: a2a.NewStreamEvent("", task), Polled: true}, nil) {
			return false
		}
	}
	return !f.watch.over()
}

// cut yields the end of a run that could not go on.
func (f *follower) cut(err error) {
	if f.ctx.Err() != nil {
		f.yield(Update{}, err)
		return
	}
	if c, ok := errors.AsType[*CutError](err); ok {
		err = c.Err
	}
	f.yield(Update{}, &CutError{TaskID: f.watch.taskID, LastID: f.watch.lastID, Err: err})
}

// passing reports whether an attempt may succeed later.
func passing(err error) bool {
	_, cut := errors.AsType[*CutError](err)
	_, unreachable := errors.AsType[*UnreachableError](err)
	return cut || unreachable || isKind(err, a2a.ErrUnavailable, a2a.ErrRateLimited, a2a.ErrTimeout)
}

// cannotSubscribe reports whether a task cannot be subscribed to, because the agent does not stream or the task has
// ended, so that asking for the task is what is left. Agents before 1.0 call a task that has ended a wrong parameter.
func cannotSubscribe(err error) bool {
	return isKind(err, a2a.ErrUnsupportedOperation, a2a.ErrMethodNotFound, a2a.ErrInvalidParams)
}

// isKind reports whether an error is of one of the kinds, whatever its cause is.
func isKind(err error, kinds ...a2a.Kind) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && slices.Contains(kinds, e.Kind)
}
