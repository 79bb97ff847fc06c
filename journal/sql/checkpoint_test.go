// SPDX-License-Identifier: Apache-2.0

package sql_test

import "testing"

// TestCheckpoints writes a long task and watches both sides of the bargain: what has to be folded at reading stays
// within some times the task, and what checkpoints write stays within what the events write.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	w := newWriter(newJournal(t, db), crashKey(0))
	written, checkpoints := 0, 0
	for range 250 {
		if err := w.write(40); err != nil {
			t.Fatal(err)
		}
		var tail, base int
		if err := db.QueryRowContext(t.Context(), `SELECT tail, base FROM tasks`).Scan(&tail, &base); err != nil {
			t.Fatal(err)
		}
		if tail == 0 {
			checkpoints++
			written += base
		}
		if limit := max(40<<10, 2*base); tail > limit {
			t.Fatalf("%d bytes of events after a checkpoint of %d", tail, base)
		}
	}
	var events int
	if err := db.QueryRowContext(t.Context(), `SELECT sum(length(body)) FROM events`).Scan(&events); err != nil {
		t.Fatal(err)
	}
	if checkpoints < 5 || written > events {
		t.Errorf("%d checkpoints of %d bytes, events have %d", checkpoints, written, events)
	}
}
