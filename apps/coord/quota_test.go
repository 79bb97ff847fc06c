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

// Whatever a session does, it keeps no more than its share, and others go on. Who has not registered has a small one.
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

// Whatever names those take who never register, and however short what they leave is, they leave no more than a part of
// the project, and agents go on.
func TestGuestsTogether(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxText)
	name := func(i int) string { return fmt.Sprint("guest-", i%900) }
	for what, c := range map[string]func(i int) Command{
		"to-dos":       func(i int) Command { return AddTodo{Session: name(i), Item: long} },
		"short to-dos": func(i int) Command { return AddTodo{Session: name(i), Item: "x"} },
		"definitions":  func(i int) Command { return Define{Session: name(i), Name: fmt.Sprint(i), Definition: long} },
		"broadcasts":   func(i int) Command { return Broadcast{Session: name(i), Content: long} },
		"answers":      func(i int) Command { return Respond{From: name(i), To: "a", MessageID: "m", Response: long} },
		"queries":      func(i int) Command { return Ask{From: name(i), To: "a", Query: long} },
		"leases": func(i int) Command {
			return Announce{Session: name(i), Paths: []string{fmt.Sprint(i)}, ChangeType: "modify",
				Description: long[:maxShort]}
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.as("", Register{Session: "a", TaskID: "1"})
			i := 0
			for ; ; i++ {
				if i > 50_000 {
					t.Fatal("there is no limit")
				}
				if f, ok := b.do(c(i)).(Failure); ok {
					if f.Code != CodeLimit || !strings.Contains(f.Error, "register_agent first") {
						t.Fatalf("%+v", f)
					}
					break
				}
			}
			if size, err := b.p.Snapshot(); err != nil || len(size) < maxGuests/2 || len(size) > maxGuests*5/4 {
				t.Errorf("guests keep %d bytes, %v", len(size), err)
			}
			b.gives(Ask{From: "other", To: "a", Query: long}, "register_agent first")
			b.gives(AddTodo{Session: "a", Item: long}, "added")
			b.gives(Broadcast{Session: Person("ann"), External: true, Content: long}, "sent")
			b.gives(Register{Session: "other", TaskID: "1"}, "registered")
			b.gives(AddTodo{Session: "other", Item: long}, "added")
			b.sameAfterRestore(func() { b.gives(Ask{From: "another", To: "a", Query: long}, "register_agent first") })
		})
	}
}

// sameAfterRestore checks something twice: here, and in what a snapshot of it brings back.
func (b *bed) sameAfterRestore(check func()) {
	b.t.Helper()
	check()
	snapshot, err := b.p.Snapshot()
	if err == nil {
		b.p = NewProject("p")
		err = b.p.Restore(snapshot, nil)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	check()
}

// What guests have left counts as long as it is there: it goes on counting when they are deleted and their messages are
// not, and it is room again when it goes.
func TestRoomOfGuests(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	long := strings.Repeat("x", maxText)
	alive := sweep{DefaultSessionTimeout, DefaultSessionRetention, func(name string) bool { return name == "a" }}
	b.as("", Register{Session: "a", TaskID: "1"})
	b.fills(func(i int) Command { return Broadcast{Session: fmt.Sprint("g", i), Content: long} })
	b.now = b.now.Add(2 * DefaultSessionTimeout)
	b.do(alive)
	if n := b.p.state.Sessions.len(); n != 1 {
		t.Fatalf("%d sessions are there", n)
	}
	b.gives(Broadcast{Session: "g", Content: long}, "register_agent first")
	b.do(Check{Session: "a"})
	b.gives(Broadcast{Session: "g", Content: long}, "sent")
	// A guest that is retired makes room, too.
	b.fills(func(i int) Command { return AddTodo{Session: fmt.Sprint("h", i), Item: long} })
	b.gives(AddTodo{Session: "g", Item: long}, "register_agent first")
	b.gives(Retire{Session: "h0", Person: Person("ann")}, "retired")
	b.gives(AddTodo{Session: "g", Item: long}, "added")
}

// What agents leave, those who died and those who went, takes no room from newcomers.
func TestTheDeadAreNoGuests(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	long := strings.Repeat("x", maxText)
	b.as("", Register{Session: "reader", TaskID: "1"})
	for _, name := range []string{"dies", "leaves"} {
		b.as("", Register{Session: name, TaskID: "1"})
		b.fills(func(int) Command { return Broadcast{Session: name, Content: long} })
	}
	b.gives(Unregister{Session: "leaves"}, "unregistered")
	b.now = b.now.Add(2 * DefaultSessionTimeout)
	b.do(sweep{DefaultSessionTimeout, DefaultSessionRetention, func(name string) bool { return name == "reader" }})
	b.gives(AddTodo{Session: "newcomer", Item: long}, "added")
	b.gives(AddTodo{Session: "dies", Item: "x"}, "added")
}

// A person ends sessions that never registered, and what the dead have left.
func TestRetireWhoIsNoAgent(t *testing.T) {
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
