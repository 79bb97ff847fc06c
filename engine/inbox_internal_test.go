// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/journal"
)

// TestInboxAddsEachInputOnce adds overlapping looks at the journal: each input comes once, and those that wait are
// freed.
func TestInboxAddsEachInputOnce(t *testing.T) {
	b := newInbox([]journal.Input{{Number: 4, Kind: journal.InputWake}}, 3)
	changed := b.wait()
	added := b.add([]journal.Input{{Number: 4, Kind: journal.InputWake}, {Number: 5, Kind: journal.InputMessage}})
	if len(added) != 1 || added[0].Number != 5 {
		t.Errorf("added %v, want input 5 alone", added)
	}
	select {
	case <-changed:
	default:
		t.Error("the channel of those that wait is open after an input came")
	}
	in, ok := b.takeMessage(false)
	if !ok || in.Number != 5 || b.taken != 5 || !b.woken {
		t.Errorf("took %d (%t), taken %d, woken %t; want the message 5, and the wake-up noted", in.Number, ok, b.taken,
			b.woken)
	}
}

// TestInboxKeepsOpenCancels takes from behind a cancel only once the agent has refused it.
func TestInboxKeepsOpenCancels(t *testing.T) {
	b := newInbox([]journal.Input{{Number: 1, Kind: journal.InputCancel}, {Number: 2, Kind: journal.InputMessage}}, 0)
	if _, what := b.takeStart(false, false); what != takenCancel {
		t.Fatalf("a start was taken past an open cancel: %v", what)
	}
	if in, ok := b.takeMessage(false); ok {
		t.Fatalf("message %d was taken past an open cancel", in.Number)
	}
	answer, first := b.answer(1)
	if again, second := b.answer(1); !first || second || again != answer {
		t.Error("the agent would be asked twice about one cancel")
	}
	if b.refused(1) {
		t.Error("a cancel counts as refused before the agent has answered")
	}
	answer.refused = true
	close(answer.done)
	if open := b.openCancels(); len(open) != 0 {
		t.Errorf("%d cancels are open after the only one was refused", len(open))
	}
	if in, what := b.takeStart(false, false); what != takenStart || in.Number != 2 || b.taken != 2 {
		t.Errorf("took %d (%v), taken %d; want the start 2", in.Number, what, b.taken)
	}
}

// TestInboxWakesOnlySuspendedTasks drops wake-ups of a task that is not suspended.
func TestInboxWakesOnlySuspendedTasks(t *testing.T) {
	for _, suspended := range []bool{false, true} {
		b := newInbox([]journal.Input{{Number: 1, Kind: journal.InputWake}}, 0)
		if _, what := b.takeStart(suspended, false); (what == takenStart) != suspended {
			t.Errorf("suspended %t: the wake-up gave %v", suspended, what)
		}
		b = inbox{woken: true}
		if _, what := b.takeStart(suspended, false); (what == takenStart) != suspended || b.woken == suspended {
			t.Errorf("suspended %t: the noted wake-up gave %v, noted still: %t", suspended, what, b.woken)
		}
	}
}
