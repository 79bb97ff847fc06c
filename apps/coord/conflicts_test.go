// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"strings"
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
		{Conflicts{Branch: "main", Paths: []string{"src/x.go", "doc.md", "a\nb"}},
			`{"conflicts":[{"file_path":"src/x.go","session":"a","locked_at":"2026-01-02T03:04:05Z",` +
				`"change_type":"modify","description":"d"}]}`},
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

// A file that nobody can lease by its name is in the way of whoever has leased the folder that it is in, or a pattern
// that takes it, and of nobody else.
func TestConflictsOfWhatIsNoPath(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.lease(announce("a", "fold/", "pat/*.txt", "else/a.txt", "bad\uFFFD.txt"))
	long := strings.Repeat("l/", 600) + "x"
	for _, file := range []string{"fold/tab\tx.txt", "fold/sub/\xff.txt", "fold/" + long, "fold/\u2028",
		"pat/tab\tx.txt", "pat/\xff.txt", "bad\xff.txt", `fold/..\..\fold\x`} {
		if result := b.do(Conflicts{Paths: []string{file}}).(ConflictList); len(result.Conflicts) != 1 ||
			result.Conflicts[0].FilePath != file {
			t.Errorf("%q: %+v", file, result)
		}
	}
	for _, file := range []string{"tab\tx.txt", "else/tab\tx.txt", "else/\xff", long, "pat/tab\tx.go",
		"pat/sub/\xff.txt", "a:b.txt", `..\x`, "", "/"} {
		if result := b.do(Conflicts{Paths: []string{file}}).(ConflictList); len(result.Conflicts) > 0 {
			t.Errorf("%q: %+v", file, result)
		}
	}
	b.lease(announce("a", "**"))
	for _, file := range []string{"tab\tx.txt", "\xff", long, "a:b.txt", `..\x`} {
		if result := b.do(Conflicts{Paths: []string{file}}).(ConflictList); len(result.Conflicts) != 1 {
			t.Errorf("%q: %+v", file, result)
		}
	}
}
