// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strconv"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

type named struct{ a2a.Service }

// Where delegations go is known by task and name, dropped with the task, and bounded. The Delegator knows the rest.
func TestPeers(t *testing.T) {
	t.Parallel()
	key := func(i int) journal.Key { return journal.Key{ID: a2a.TaskID(strconv.Itoa(i))} }
	first, second, fixed := &named{}, &named{}, &named{}
	var p peers
	if _, ok := p.take(key(1)); ok {
		t.Error("something is known of an agent that delegates nothing")
	}
	p.named = map[string]a2a.Service{"worker": fixed, "other": fixed}
	p.note(key(1), "worker", first)
	p.note(key(2), "worker", second)
	for i, want := range []*named{fixed, first, second, fixed} {
		of, ok := p.take(key(i))
		if !ok || of["worker"] != a2a.Service(want) || of["other"] != a2a.Service(fixed) {
			t.Errorf("task %d: %v, %v", i, of, ok)
		}
	}
	if len(p.byTask) != 0 {
		t.Errorf("%d tasks are remembered", len(p.byTask))
	}
	for i := range maxPeers + 10 {
		p.note(key(i), "worker", first)
	}
	if len(p.byTask) != maxPeers {
		t.Errorf("%d tasks are remembered", len(p.byTask))
	}
}
