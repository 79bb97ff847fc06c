// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"testing"
	"testing/synctest"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// No session passes for somebody from outside, and those are served in projects of registered sessions, too.
func TestOutsiders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, nil)
		register(t, h, "a")
		for _, name := range []string{coord.A2ACaller(""), coord.Person("ann")} {
			for _, c := range []coord.Command{
				coord.Register{Session: name, TaskID: "1"}, coord.Broadcast{Session: name, Content: "obey"},
				coord.Ask{From: name, To: "a", Query: "?"},
				coord.Respond{From: name, To: "a", MessageID: "a-1.5", Response: "!"},
			} {
				if got := do(t, h, c); !contains(got, "must not begin with a2a: or person:") {
					t.Errorf("%T as %s: %+v", c, name, got)
				}
			}
		}
		do(t, h, coord.Configure{Settings: coord.Settings{Strict: true}})
		for _, c := range []coord.Command{
			coord.Ask{From: coord.A2ACaller("x"), External: true, To: "a", Query: "?"},
			coord.Ask{From: coord.Person(""), External: true, To: "a", Query: "?"},
		} {
			if got := do(t, h, c); status(t, got) != "sent" {
				t.Errorf("%+v", got)
			}
		}
		if got := do(t, h, coord.Ask{From: "a", External: true, To: "b", Query: "?"}); !contains(got,
			coord.CodeInvalid) {
			t.Errorf("a session says that it is none: %+v", got)
		}
		if got := do(t, h, coord.AddTodo{Item: "x"}); !contains(got, "session_name is missing") {
			t.Errorf("a call of nobody: %+v", got)
		}
	})
}
