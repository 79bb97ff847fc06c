// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// A gate sees what others hold, whatever the spelling, and leaves no trace of its question.
func TestConflicts(t *testing.T) {
	t.Parallel()
	p, now := NewProject("p"), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.Do(now, "", Configure{Settings{PerBranch: true}})
	p.Do(now, "", Register{Session: "a", TaskID: "1", Branch: "main"})
	p.Do(now, "", Announce{Session: "a", Paths: []string{"src/"}, ChangeType: "modify", Description: "d"})
	before := p.state.Sessions.len()
	for _, test := range []struct {
		ask  Conflicts
		want string
	}{
		{Conflicts{Branch: "main", Paths: []string{"src/x.go", "doc.md", "a\nb"}}, `{"conflicts":[{"file_path":"src/x.go","session":"a","locked_at":"2026-01-02T03:04:05Z","change_type":"modify","description":"d"}]}`},
		{Conflicts{Session: "a", Paths: []string{"src/x.go"}}, `{"conflicts":[]}`},
		{Conflicts{Session: "b", Branch: "other", Paths: []string{"src/x.go"}}, `{"conflicts":[]}`},
	} {
		result, _ := p.Do(now, "", test.ask)
		if got, err := json.Marshal(result); err != nil || string(got) != test.want {
			t.Errorf("%+v: %s, %v", test.ask, got, err)
		}
	}
	if result, _ := p.Do(now, "", Conflicts{Paths: make([]string, maxChecked+1)}); result.(Failure).Code != CodeLimit {
		t.Error(result)
	}
	if p.state.Sessions.len() != before {
		t.Error("a question made a session")
	}
}
