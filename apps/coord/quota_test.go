// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// fills does something until it is refused because of a limit, and returns how often it was done.
func (b *bed) fills(c func(i int) Command) int {
	b.t.Helper()
	for i := range 2000 {
		if f, ok := b.do(c(i)).(Failure); ok {
			if f.Code != CodeLimit {
				b.t.Fatalf("%+v", f)
			}
			return i
		}
	}
	b.t.Fatal("there is no limit")
	return 0
}

// A session keeps no more than its share, and others go on. The share of an unregistered session is small.
func TestShares(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxText)
	for what, c := range map[string]func(i int) Command{
		"to-dos":      func(int) Command { return AddTodo{Session: "a", Item: long} },
		"definitions": func(i int) Command { return Define{Session: "a", Name: fmt.Sprint(i), Definition: long} },
		"broadcasts":  func(int) Command { return Broadcast{Session: "a", Content: long} },
		"answers":     func(int) Command { return Respond{From: "a", To: "b", MessageID: "m", Response: long} },
		"leases": func(i int) Command {
			paths := make([]string, maxPaths)
			for j := range paths {
				paths[j] = strings.Repeat("x", maxPath-20) + fmt.Sprint("/", i, "-", j)
			}
			return announce("a", paths...)
		},
		"hidden sizes": func(int) Command { return AddTodo{Session: "a", Item: strings.Repeat("\x01", maxText)} },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.as("", Register{Session: "b", TaskID: "1"})
			b.fills(c)
			if size, err := b.p.Snapshot(); err != nil || len(size) > maxGuestShare*5/4 {
				t.Errorf("a guest keeps %d bytes, %v", len(size), err)
			}
			b.gives(Register{Session: "a", TaskID: "1"}, "registered")
			b.fills(c)
			if size, err := b.p.Snapshot(); err != nil || len(size) > maxShare*5/4 {
				t.Errorf("an agent keeps %d bytes, %v", len(size), err)
			}
			b.gives(AddTodo{Session: "a", Item: "short"}, "added")
			b.gives(AddTodo{Session: "b", Item: long}, "added")
		})
	}
}

// All definitions together are bounded, whoever shares them, as one answer lists them.
func TestDefinitionsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	long := strings.Repeat("x", maxText)
	for i := range 20 {
		b.gives(Register{Session: fmt.Sprint("s", i), TaskID: "1"}, "registered")
	}
	n := b.fills(func(i int) Command {
		return Define{Session: fmt.Sprint("s", i%20), Name: fmt.Sprint(i), Definition: long}
	})
	if n != maxDefined/maxText {
		t.Errorf("there are %d definitions", n)
	}
	b.gives(Register{Session: "other", TaskID: "1"}, "registered")
	b.gives(Define{Session: "other", Name: "0", Definition: long}, "registered") // in the place of another one
}

// A person ends sessions that never registered, and deletes what the dead have left.
func TestRetireSessionsThatAreNoAgents(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.gives(AddTodo{Session: "guest", Item: "t"}, "added")
	b.gives(announce("guest", "x"), "locked")
	b.as("", Register{Session: "a", TaskID: "1"})
	retire := func(name, want string) { b.gives(Retire{Session: name, Person: Person("ann")}, want) }
	retire("guest", "retired")
	retire("guest", "not_found")
	b.gives(announce("a", "x"), "locked")
	retire("a", "retired")
	retire("a", "not_found")
	b.now = b.now.Add(time.Minute)
	retire("a", "retired") // which forgets it
	retire("a", "not_found")
	if b.p.state.Sessions.get("a") != nil || b.p.state.Sessions.get("guest") != nil {
		t.Error("they are there")
	}
}
