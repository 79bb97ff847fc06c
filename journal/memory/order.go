// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"
	"sort"

	"github.com/dragoman-a2a/dragoman/journal/internal/keyset"
)

// blockSize bounds the blocks of an order: what is moved at an insertion or a removal in the middle.
const blockSize = 256

// An order keeps tasks sorted by the time of their status and then by id, oldest first. Tasks are in blocks: finding,
// adding and removing one costs a binary search and a short move, and counting those before a place costs one
// addition a block. New tasks come at the end, where they cost least.
type order struct {
	blocks [][]entry // none is empty
	len    int
}

type entry struct {
	at   int64 // as in the task's place when it was added
	task *task
}

func (e entry) less(p keyset.Place) bool {
	return e.at < p.Time || e.at == p.Time && e.task.head.Key.ID < p.ID
}

// find returns the position of the first entry that is not before p.
func (o *order) find(p keyset.Place) (block, i int) {
	block = sort.Search(len(o.blocks), func(b int) bool {
		entries := o.blocks[b]
		return !entries[len(entries)-1].less(p)
	})
	if block == len(o.blocks) {
		return block, 0
	}
	entries := o.blocks[block]
	return block, sort.Search(len(entries), func(i int) bool { return !entries[i].less(p) })
}

func (o *order) add(t *task) {
	p := t.place
	e := entry{at: p.Time, task: t}
	o.len++
	b, i := o.find(p)
	if b == len(o.blocks) { // newer than all
		if b > 0 && len(o.blocks[b-1]) < blockSize {
			o.blocks[b-1] = append(o.blocks[b-1], e)
			return
		}
		o.blocks = append(o.blocks, []entry{e})
		return
	}
	if len(o.blocks[b]) == blockSize {
		tail := slices.Clone(o.blocks[b][blockSize/2:])
		clear(o.blocks[b][blockSize/2:])
		o.blocks[b] = o.blocks[b][:blockSize/2]
		o.blocks = slices.Insert(o.blocks, b+1, tail)
		if i > blockSize/2 {
			b, i = b+1, i-blockSize/2
		}
	}
	o.blocks[b] = slices.Insert(o.blocks[b], i, e)
}

func (o *order) remove(t *task) {
	b, i := o.find(t.place)
	o.len--
	if i == 0 { // the oldest goes most often, and moves nothing
		o.blocks[b][0] = entry{}
		o.blocks[b] = o.blocks[b][1:]
	} else {
		o.blocks[b] = slices.Delete(o.blocks[b], i, i+1)
	}
	if len(o.blocks[b]) == 0 {
		o.blocks = slices.Delete(o.blocks, b, b+1)
	}
}

// before returns how many tasks are before p.
func (o *order) before(p keyset.Place) int {
	b, i := o.find(p)
	n := i
	for _, entries := range o.blocks[:b] {
		n += len(entries)
	}
	return n
}

// descend calls f for the tasks before p, newest first, until f returns false. With from nil it begins at the newest.
func (o *order) descend(from *keyset.Place, f func(*task) bool) {
	b, i := len(o.blocks), 0
	if from != nil {
		b, i = o.find(*from)
	}
	if b < len(o.blocks) && !down(o.blocks[b][:i], f) {
		return
	}
	for b--; b >= 0; b-- {
		if !down(o.blocks[b], f) {
			return
		}
	}
}

func down(entries []entry, f func(*task) bool) bool {
	for _, e := range slices.Backward(entries) {
		if !f(e.task) {
			return false
		}
	}
	return true
}

// ascend calls f for all tasks, oldest first, until f returns false. f must not change the order.
func (o *order) ascend(f func(*task) bool) {
	for _, entries := range o.blocks {
		for _, e := range entries {
			if !f(e.task) {
				return
			}
		}
	}
}
