// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// Prune implements [journal.Journal].
func (j *Journal) Prune(ctx context.Context, before time.Time, limit int) (int, error) {
	if err := j.lock(ctx); err != nil {
		return 0, err
	}
	defer j.mu.Unlock()
	var old []*task
	end, now := keyset.Nanos(before), time.Now().UnixNano()
	for _, s := range j.scopes {
		for state := range s.byState {
			if !prunable(a2a.TaskState(state)) {
				continue
			}
			s.byState[state].ascend(func(t *task) bool {
				if t.place.Time >= end || len(old) >= limit {
					return false
				}
				if !t.needed(now) {
					old = append(old, t)
				}
				return true
			})
		}
	}
	for _, t := range old {
		j.forget(t)
	}
	return len(old), nil
}

// prunable reports whether tasks in a state may be pruned at all.
func prunable(s a2a.TaskState) bool {
	return s != a2a.TaskStateSubmitted && s != a2a.TaskStateWorking
}

// needed reports whether somebody has still to do with the task.
func (t *task) needed(now int64) bool {
	if t.until > now {
		return true
	}
	if t.ready != notQueued && t.readyAt <= now {
		return true
	}
	if t.more != nil {
		for _, c := range t.more.cursors {
			if c.Delivered < t.head.Seq {
				return true
			}
		}
	}
	return false
}
