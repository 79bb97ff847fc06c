// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
)

// Enqueue implements [journal.Journal].
func (j *Journal) Enqueue(ctx context.Context, key journal.Key, in journal.Input, limit int) (uint64, error) {
	if err := j.lock(ctx); err != nil {
		return 0, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return 0, err
	}
	if in.IdempotencyKey != "" && t.more != nil {
		if number, seen := t.more.inputKeys[in.IdempotencyKey]; seen {
			return number, nil
		}
	}
	if t.head.Status.State.Terminal() {
		return 0, journal.ErrFinished
	}
	if limit > 0 && in.Kind == journal.InputMessage && t.messagesWaiting() >= limit {
		return 0, journal.ErrInboxFull
	}
	more := load{bytes: inputBytes(&in) + keyBytes(in.IdempotencyKey)}
	if in.Kind == journal.InputMessage { // a cancel makes room
		if err := j.room(t.scope.owner, more); err != nil {
			return 0, err
		}
	}
	j.weigh(t, more)
	t.lastInput++
	in.Number = t.lastInput
	now := time.Now()
	if in.Time.IsZero() {
		in.Time = now
	}
	t.inputs = append(t.inputs, in)
	if in.IdempotencyKey != "" {
		r := t.rest()
		if r.inputKeys == nil {
			r.inputKeys = make(map[string]uint64)
		}
		r.inputKeys[in.IdempotencyKey] = in.Number
	}
	j.queue(t, now.UnixNano())
	j.makeRoom(t.scope.owner)
	return in.Number, nil
}

func (t *task) messagesWaiting() int {
	n := 0
	for i := range t.inputs {
		if t.inputs[i].Kind == journal.InputMessage {
			n++
		}
	}
	return n
}

// Inputs implements [journal.Journal].
func (j *Journal) Inputs(ctx context.Context, key journal.Key, after uint64) ([]journal.Input, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return nil, err
	}
	return t.waiting(after), nil
}

func (t *task) waiting(after uint64) []journal.Input {
	n := len(t.inputs)
	i := 0
	for i < n && t.inputs[i].Number <= after {
		i++
	}
	return t.inputs[i:n:n]
}
