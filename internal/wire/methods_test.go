// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestMethodsBothWays(t *testing.T) {
	t.Parallel()
	count := map[a2a.Generation]int{a2a.Generation01: 7, a2a.Generation02: 11, a2a.Generation03: 11,
		a2a.Generation10: 11}
	for gen, want := range count {
		n := 0
		for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
			name := wire.MethodIn(gen, op)
			if name == "" {
				continue
			}
			n++
			if got := wire.OperationIn(gen, name); got != op {
				t.Errorf("%s: %s is read as %v, want %v", gen, name, got, op)
			}
		}
		if n != want {
			t.Errorf("%s has %d methods, want %d", gen, n, want)
		}
	}
	if got := wire.OperationIn(a2a.Generation03, "agent/authenticatedExtendedCard"); got != wire.OpExtendedCard {
		t.Errorf("the alias of 0.2.6 is read as %v", got)
	}
	for _, test := range []struct {
		gen    a2a.Generation
		method string
	}{
		{a2a.Generation01, "message/send"}, {a2a.Generation03, "tasks/send"}, {a2a.Generation03, "SendMessage"},
		{a2a.Generation10, "message/send"}, {a2a.Generation10, "tasks/get"}, {a2a.Generation01, ""},
		{a2a.Generation03, "tasks/Get"},
	} {
		if got := wire.OperationIn(test.gen, test.method); got != wire.OpNone {
			t.Errorf("%s: %q is read as %v", test.gen, test.method, got)
		}
	}
}
