// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"testing"
	"time"
)

// However a blocker of a claim goes, the claim becomes a lease at once, in the same command.
func TestHandOver(t *testing.T) {
	t.Parallel()
	wait := func(c Announce) Announce {
		c.Wait = time.Minute
		return c
	}
	holds := func(b *bed, c Announce) string {
		c.Details = true
		return b.do(c).(Locked).ID
	}
	waits := func(b *bed, c Announce) string {
		w := b.do(wait(c)).(waiting)
		return w.id()
	}
	exclusive := func(b *bed) string {
		id := holds(b, announce("a", "x"))
		waits(b, announce("b", "x"))
		return id
	}
	// b waits behind c, who waits behind a, with whom b could share.
	shared := func(b *bed) string {
		both := announce("a", "x")
		both.Mode = ModeShared
		holds(b, both)
		id := waits(b, announce("c", "x"))
		both.Session = "b"
		waits(b, both)
		return id
	}
	nobody := func(string) bool { return false }
	for name, test := range map[string]struct {
		begin func(*bed) (id string) // of the lease or claim that is in the way
		after time.Duration
		end   func(id string) Command
	}{
		"release":    {exclusive, 0, func(string) Command { return Release{Session: "a", Path: "x"} }},
		"unregister": {exclusive, 0, func(string) Command { return Unregister{"a"} }},
		"another task": {exclusive, 0,
			func(string) Command { return Register{Session: "a", TaskID: "2", Branch: "a"} }},
		"retire":             {exclusive, 0, func(string) Command { return Retire{"a", "person:ann"} }},
		"free a lease":       {exclusive, 0, func(id string) Command { return Free{id, "person:ann"} }},
		"free a claim":       {shared, 0, func(id string) Command { return Free{id, "person:ann"} }},
		"a lease by branch":  {exclusive, 0, func(string) Command { return Configure{Settings{PerBranch: true}} }},
		"a claim by branch":  {shared, 0, func(string) Command { return Configure{Settings{PerBranch: true}} }},
		"a canceled lease":   {exclusive, 0, func(id string) Command { return drop{id} }},
		"a claim that ended": {shared, 0, func(id string) Command { return unqueue{id, announce("c", "x")} }},
		"death": {exclusive, DefaultSessionTimeout, func(string) Command {
			return sweep{DefaultSessionTimeout, DefaultSessionRetention, func(name string) bool { return name == "b" }}
		}},
		"the end of its time": {func(b *bed) string {
			short := announce("a", "x")
			short.TTL = time.Minute
			id := holds(b, short)
			waits(b, announce("b", "x"))
			return id
		}, time.Minute, func(string) Command { return sweep{DefaultSessionTimeout, DefaultSessionRetention, nobody} }},
		"the end of a guest": {func(b *bed) string {
			b.do(Unregister{"a"})
			return exclusive(b)
		}, time.Minute, func(string) Command { return Retire{"a", "person:ann"} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			for _, session := range []string{"a", "b", "c"} {
				b.do(Register{Session: session, TaskID: "1", Branch: session})
			}
			id := test.begin(b)
			b.now = b.now.Add(test.after)
			result, events := b.p.Do(b.now, "", test.end(id))
			for _, e := range events {
				if e.Kind == KindLocked && e.Session == "b" {
					return
				}
			}
			t.Errorf("b still waits: %+v, %+v", result, events)
		})
	}
}
