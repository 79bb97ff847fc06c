// SPDX-License-Identifier: Apache-2.0

package a2abridge

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// A question is the query of a turn. It is saved with the task before it is asked, so that the next attempt of the turn
// finds out whether it was, and what became of it.
type question struct {
	Message a2a.MessageID `json:"message"` // that it passes on
	Ref     string        `json:"ref"`     // of the query
	After   int64         `json:"after"`   // the project's last event before it could be asked

	hub       *coord.Hub
	place     place
	principal string
	timeout   time.Duration
	ask       coord.Ask
}

// question returns that of a turn: the one that an attempt before this one has saved, or a new one.
func (b asSession) question(ctx context.Context, t *agent.Turn) (*question, error) {
	q, err := b.known(ctx, t)
	if err != nil {
		return nil, err
	}
	m := t.Message()
	if m == nil {
		return nil, fmt.Errorf("the message of task %s is not there", t.TaskID())
	}
	if again := t.Attempt() > 1 && q.Message == m.ID; !again {
		q.Message, q.Ref = m.ID, string(a2a.NewMessageID())
		if q.After, err = b.opts.Hub.Last(ctx, q.place.project); err != nil {
			return nil, err
		}
		if err := t.SaveTask(ctx, q); err != nil {
			return nil, err
		}
	}
	q.ask = coord.Ask{
		From: coord.A2ACaller(q.principal), External: true, To: q.place.session, Type: cmp.Or(t.Skill(), "a2a"),
		Query: query(m), Ref: q.Ref,
	}
	return q, nil
}

// known returns the question that a task has saved last, which is empty when it has saved none.
func (b asSession) known(ctx context.Context, t *agent.Turn) (*question, error) {
	p, rest, ok := split(Prefix + t.Tenant())
	if !ok || rest != "/" {
		return nil, fmt.Errorf("the tenant %q is no session", t.Tenant())
	}
	q := &question{hub: b.opts.Hub, place: p, principal: t.Caller().Subject, timeout: b.opts.Timeout}
	_, err := t.LoadTask(ctx, q)
	return q, err
}

func (q *question) do(ctx context.Context, c coord.Command) (coord.Result, error) {
	return q.hub.Do(ctx, q.place.project, q.principal, c)
}

// answer returns what the query comes to, and asks it if nobody has yet. One that is not answered in time is withdrawn.
func (q *question) answer(ctx context.Context) (coord.Result, error) {
	for {
		result, err := q.do(ctx, coord.Await{From: q.ask.From, Ref: q.Ref, Timeout: q.timeout})
		if err != nil {
			return nil, err
		}
		switch result.(type) {
		case coord.Unanswered:
			if withdrawn, err := q.withdraw(ctx); withdrawn || err != nil {
				return result, err
			}
		case coord.NotOpen:
			if result, err = q.ended(ctx); result != nil || err != nil {
				return result, err
			}
		default:
			return result, nil
		}
	}
}

// ended returns what became of a query that is not open. Nil means that it was not asked, and is now.
func (q *question) ended(ctx context.Context) (coord.Result, error) {
	result, asked, err := q.hub.Outcome(ctx, q.place.project, q.Ref, q.After)
	if asked || err != nil {
		return result, err
	}
	result, err = q.do(ctx, q.ask)
	switch r := result.(type) {
	case coord.Sent:
		return nil, err
	case coord.Failure:
		if r.Status == "not_found" {
			r.Error = notThere(q.place)
		}
		return r, err
	}
	return result, err
}

// withdraw takes the query back, and reports whether it was still open.
func (q *question) withdraw(ctx context.Context) (was bool, err error) {
	result, err := q.do(ctx, coord.Withdraw{From: coord.A2ACaller(q.principal), Ref: q.Ref})
	_, was = result.(coord.Withdrawn)
	return was, err
}

// withdrawLate is withdraw for a turn that is over. What cannot be withdrawn, as nothing can be kept, ends with Keep of
// the Hub.
func (q *question) withdrawLate(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelWithin)
	defer stop()
	_, _ = q.withdraw(ctx)
}

// attend notes that the turn of a query runs here, until it is done.
func (b *Bridge) attend(ref string) (done func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asking[ref] = true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.asking, ref)
	}
}

// attended reports whether the turn of a query runs here.
func (b *Bridge) attended(ref string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asking[ref]
}
