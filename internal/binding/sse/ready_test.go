// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

// Ready must never promise an event that is not there: a writer would keep back what it has.
func TestReady(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]bool{
		"data: 2\n\n":               true,
		"id: 2\ndata: 2\n\n":        true,
		"\n\ndata: 2\n\n":           true,
		"":                          false,
		"data: 2\n":                 false,
		": keep-alive\n\n":          false,
		": data: 2\n\n":             false,
		"id: 2\n\ndata: 2\n\n":      false, // missed, which is allowed
		": keep-alive\n\ndata: 2\n": false,
	} {
		r := sse.NewReader(strings.NewReader("data: 1\n\n"+rest), 0)
		if r.Ready() {
			t.Error("ready before anything was read")
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if got := r.Ready(); got != want {
			t.Errorf("%q: ready is %v", rest, got)
		}
		if _, err := r.Next(); r.Ready() || want && err != nil {
			t.Errorf("%q: %v, or ready again", rest, err)
		}
	}
}
