// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// cacheable is a task of about so many bytes.
func cacheable(id a2a.TaskID, size int) *cachedTask {
	key := journal.Key{ID: id}
	task := &a2a.Task{ID: id, History: []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", size)))}}
	return newCachedTask(key, journal.NewProjection(task), &journal.Head{Key: key, Seq: 1}, size)
}

// resize restores no entry that a runner took or that another one replaced meanwhile.
func TestResizeRestoresNoEntry(t *testing.T) {
	t.Parallel()
	var c taskCache
	old := cacheable("t", 2*minCached)
	c.put(old, old.size)
	if c.take(old.key) == nil {
		t.Fatal("the task is not there")
	}
	c.resize(old, 3*minCached)
	if c.get(old.key) != nil || c.size != 0 {
		t.Errorf("a task that a runner took is back, %d bytes", c.size)
	}
	later := cacheable("t", 2*minCached)
	c.put(later, later.size)
	c.resize(old, 3*minCached)
	if c.get(old.key) != later || c.size != later.size {
		t.Errorf("an older entry is back, %d bytes", c.size)
	}
	c.resize(later, maxCached+1)
	if c.get(later.key) != nil || c.size != 0 || c.recent.Len() != 0 {
		t.Errorf("a task above the bound stays, %d bytes", c.size)
	}
}
