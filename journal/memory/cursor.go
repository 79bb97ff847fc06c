// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"bytes"
	"container/heap"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

type cursor struct {
	journal.Cursor
	task *task
	at   int64 // from when on it is due, while it is in the queue
	i    int   // its place in the queue, or notQueued
}

// dueQueue is a heap of the cursors that have something to deliver, by when they are due.
type dueQueue []*cursor

func (q dueQueue) Len() int           { return len(q) }
func (q dueQueue) Less(i, k int) bool { return q[i].at < q[k].at }
func (q dueQueue) Swap(i, k int) {
	q[i], q[k] = q[k], q[i]
	q[i].i, q[k].i = i, k
}

// Push implements heap.Interface.
func (q *dueQueue) Push(x any) {
	c := x.(*cursor)
	c.i = len(*q)
	*q = append(*q, c)
}

// Pop implements heap.Interface.
func (q *dueQueue) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	c.i = notQueued
	return c
}

func (q *dueQueue) drop(c *cursor) {
	if c.i != notQueued {
		heap.Remove(q, c.i)
	}
}

// wakeCursors makes the idle cursors of a task due.
func (j *Journal) wakeCursors(t *task, now int64) {
	for _, c := range t.more.cursors {
		if c.i == notQueued && c.Delivered < t.head.Seq {
			j.enqueueCursor(c, now)
		}
	}
}

func (j *Journal) enqueueCursor(c *cursor, now int64) {
	c.at = now
	if !c.Due.IsZero() {
		c.at = c.Due.UnixNano()
	}
	heap.Push(&j.due, c)
}

// PutCursor implements [journal.Journal].
func (j *Journal) PutCursor(ctx context.Context, key journal.Key, put journal.Cursor) error {
	if err := j.lock(ctx); err != nil {
		return err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return err
	}
	more := cursorBytes(&put)
	if t.more != nil && t.more.cursors[put.Name] != nil {
		more -= cursorBytes(&t.more.cursors[put.Name].Cursor)
	}
	if more > 0 && !t.over {
		if err := j.room(t.scope.owner, load{bytes: more}); err != nil {
			return err
		}
	}
	j.putCursor(t, put, time.Now().UnixNano())
	j.makeRoom(t.scope.owner)
	return nil
}

// cursorBytes is about what a cursor takes.
func cursorBytes(c *journal.Cursor) int64 { return int64(256 + len(c.Name) + len(c.Data)) }

func (j *Journal) putCursor(t *task, put journal.Cursor, now int64) {
	r := t.rest()
	if r.cursors == nil {
		r.cursors = make(map[string]*cursor)
	}
	c := r.cursors[put.Name]
	if c == nil {
		c = &cursor{task: t, i: notQueued}
		r.cursors[put.Name] = c
	} else {
		j.weigh(t, load{bytes: -cursorBytes(&c.Cursor)})
	}
	c.Cursor = put
	j.weigh(t, load{bytes: cursorBytes(&put)})
	j.due.drop(c)
	if c.Delivered < t.head.Seq {
		j.enqueueCursor(c, now)
	}
}

// SwapCursor implements [journal.Journal].
func (j *Journal) SwapCursor(ctx context.Context, key journal.Key, old, next journal.Cursor) error {
	if err := j.lock(ctx); err != nil {
		return err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil || t.more == nil {
		return journal.ErrConflict
	}
	if c := t.more.cursors[old.Name]; c == nil || !same(&c.Cursor, &old) {
		return journal.ErrConflict
	}
	j.putCursor(t, next, time.Now().UnixNano())
	return nil
}

func same(a, b *journal.Cursor) bool {
	return a.Delivered == b.Delivered && a.Attempts == b.Attempts && a.Due.Equal(b.Due) && bytes.Equal(a.Data, b.Data)
}

// Cursors implements [journal.Journal].
func (j *Journal) Cursors(ctx context.Context, key journal.Key) ([]journal.Cursor, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil {
		return nil, err
	}
	if t.more == nil {
		return nil, nil
	}
	all := make([]journal.Cursor, 0, len(t.more.cursors))
	for _, c := range t.more.cursors {
		all = append(all, c.Cursor)
	}
	slices.SortFunc(all, func(a, b journal.Cursor) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// DueCursors implements [journal.Journal].
func (j *Journal) DueCursors(ctx context.Context, limit int) ([]journal.DueCursor, error) {
	if err := j.lock(ctx); err != nil {
		return nil, err
	}
	defer j.mu.Unlock()
	now := time.Now().UnixNano()
	var taken []*cursor
	for len(taken) < limit && len(j.due) > 0 && j.due[0].at <= now {
		taken = append(taken, heap.Pop(&j.due).(*cursor))
	}
	due := make([]journal.DueCursor, len(taken))
	for i, c := range taken {
		due[i] = journal.DueCursor{Key: c.task.head.Key, Cursor: c.Cursor}
		heap.Push(&j.due, c) // it stays due until its owner moves it
	}
	return due, nil
}

// AllCursors implements [journal.Journal]. It looks at all tasks, as such lists are for people and rare.
func (j *Journal) AllCursors(ctx context.Context, pageToken string, limit int) ([]journal.DueCursor, string, error) {
	after, err := keyset.DecodeTexts(pageToken, 5)
	if err != nil {
		return nil, "", err
	}
	if err := j.lock(ctx); err != nil {
		return nil, "", err
	}
	defer j.mu.Unlock()
	var page []journal.DueCursor
	for _, s := range j.scopes {
		for _, t := range s.tasks {
			if t.more == nil {
				continue
			}
			for _, c := range t.more.cursors {
				all := journal.DueCursor{Key: t.head.Key, Cursor: c.Cursor}
				if after == nil || slices.Compare(texts(&all), after) > 0 {
					page = append(page, all)
				}
			}
		}
	}
	slices.SortFunc(page, func(a, b journal.DueCursor) int { return slices.Compare(texts(&a), texts(&b)) })
	if len(page) <= limit {
		return page, "", nil
	}
	return page[:limit], keyset.EncodeTexts(texts(&page[limit-1])...), nil
}

// texts is what AllCursors sorts by.
func texts(c *journal.DueCursor) []string {
	return []string{c.Key.Agent, c.Key.Tenant, c.Key.Owner, string(c.Key.ID), c.Name}
}

// DeleteCursor implements [journal.Journal].
func (j *Journal) DeleteCursor(ctx context.Context, key journal.Key, name string) error {
	if err := j.lock(ctx); err != nil {
		return err
	}
	defer j.mu.Unlock()
	t, err := j.find(key)
	if err != nil || t.more == nil {
		return nil
	}
	if c := t.more.cursors[name]; c != nil {
		j.due.drop(c)
		delete(t.more.cursors, name)
		j.weigh(t, load{bytes: -cursorBytes(&c.Cursor)})
	}
	return nil
}
