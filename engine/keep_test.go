// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// keepable is a projection of a task of about so many bytes.
func keepable(id a2a.TaskID, size int) *projection {
	key := journal.Key{ID: id}
	task := &a2a.Task{ID: id, History: []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", size)))}}
	return newProjection(key, journal.NewProjection(task), &journal.Head{Key: key, Seq: 1}, size)
}

// A reader that counts a projection anew puts back none that a runner took or that another one replaced meanwhile.
func TestResizePutsNothingBack(t *testing.T) {
	t.Parallel()
	var k kept
	old := keepable("t", 2*minKept)
	k.put(old, old.size)
	if k.take(old.key) == nil {
		t.Fatal("the projection is not there")
	}
	k.resize(old, 3*minKept)
	if k.get(old.key) != nil || k.bytes != 0 {
		t.Errorf("a projection that a runner took is back, %d bytes", k.bytes)
	}
	later := keepable("t", 2*minKept)
	k.put(later, later.size)
	k.resize(old, 3*minKept)
	if k.get(old.key) != later || k.bytes != later.size {
		t.Errorf("an older projection is back, %d bytes", k.bytes)
	}
	k.resize(later, maxKept+1)
	if k.get(later.key) != nil || k.bytes != 0 || k.recent.Len() != 0 {
		t.Errorf("a projection above the bound stays, %d bytes", k.bytes)
	}
}
