// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// FuzzDecode feeds damaged bytes to all decoders: they return errors, and nothing else happens.
func FuzzDecode(f *testing.F) {
	message := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("x"))
	events, err := encodeEvents([]journal.Event{
		{Seq: 1, Time: time.Now(), Wire: a2a.NewStreamEvent("1", &a2a.Task{ID: "t"})},
		{Seq: 2, Received: &journal.Received{Input: 1, Message: message}},
		{Seq: 3, Metadata: a2a.Metadata{"k": []byte("1")}},
	})
	if err != nil {
		f.Fatal(err)
	}
	head, err := encodeHead(&journal.Head{Status: a2a.TaskStatus{Message: message}, Metadata: a2a.Metadata{"k": []byte("1")}})
	if err != nil {
		f.Fatal(err)
	}
	input, err := encodeInput(&journal.Input{Message: message, IdempotencyKey: "k"})
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range [][]byte{events, head, input} {
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		err := decodeEvents(b, 0, a2a.Generation10, func(journal.Event, int) bool {
			n++
			return true
		})
		if err == nil && n > len(b) {
			t.Errorf("%d events of %d bytes", n, len(b))
		}
		_ = decodeHead(b, new(journal.Head))
		_ = decodeInput(b, new(journal.Input))
		var fold folding
		if fold.add(b, a2a.Generation10) == nil && fold.folder != nil {
			fold.folder.Task()
		}
	})
}
