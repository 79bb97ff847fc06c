// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// A bed is a project to try.
type bed struct {
	t   *testing.T
	p   *Project
	now time.Time
}

func newBed(t *testing.T) *bed {
	return &bed{t, NewProject("p"), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// as runs a command for a principal and returns its result as text.
func (b *bed) as(principal string, c Command) string {
	b.t.Helper()
	result, _ := b.p.Do(b.now, principal, c)
	if _, ok := result.(waiting); ok {
		return "waiting"
	}
	text, err := json.Marshal(result)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// do runs a command and returns its result.
func (b *bed) do(c Command) Result {
	result, _ := b.p.Do(b.now, "", c)
	return result
}

// gives checks that the result of a command has a text in it.
func (b *bed) gives(c Command, part string) {
	b.t.Helper()
	if got := b.as("", c); !strings.Contains(got, part) {
		b.t.Errorf("%+v: %s, want %s", c, got, part)
	}
}

// lease announces paths and returns the token.
func (b *bed) lease(c Announce) int64 {
	b.t.Helper()
	c.Details = true
	result, _ := b.p.Do(b.now, "", c)
	locked, ok := result.(Locked)
	if !ok {
		b.t.Fatalf("%+v: %+v", c, result)
	}
	return locked.Token
}

func announce(session string, paths ...string) Announce {
	return Announce{Session: session, Paths: paths, ChangeType: "modify"}
}

// A session that announces a path twice, and waits for it, gets it once.
func TestOneSessionWaitsTwice(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.lease(announce("a", "x", "y"))
	wants := announce("b", "x")
	wants.Wait = time.Minute
	for range 2 {
		b.gives(wants, "waiting")
	}
	result, events := b.p.Do(b.now, "", Release{Session: "a", Path: "x"})
	if _, ok := result.(Released); !ok {
		t.Fatal(result)
	}
	var had []string
	for _, e := range events {
		had = append(had, string(e.Kind))
		if e.Kind == KindUnqueued && (e.Lease == nil || e.Lease.Token != 2) {
			t.Errorf("who waits a second time gets %+v", e.Lease)
		}
	}
	if fmt.Sprint(had) != "[lease_renewed lease_granted lease_unqueued]" {
		t.Error(had)
	}
	b.gives(Release{Session: "b", Path: "x"}, `"released"`)
	b.gives(announce("a", "x"), `"locked"`)
	b.gives(announce("c", "y"), "locked by a")
}

// A lease that several calls were answered with is not dropped with one of them.
func TestDropOfWhatAnotherCallHas(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.lease(announce("a", "x"))
	id := b.p.state.Leases.first.key
	b.lease(announce("a", "x"))
	b.as("", drop{id})
	b.gives(CheckLock{Session: "a", Path: "x"}, "held")
}

// Each token is that of its lease, whichever lease of the session comes first.
func TestTokensOfSeveralLeases(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	file, folder, pattern := b.lease(announce("a", "src/a.go")), b.lease(announce("a", "src/")),
		b.lease(announce("a", "lib/*.go", "**/x.md"))
	for path, tokens := range map[string][]int64{"src/a.go": {0, file, folder}, "src/b.go": {0, folder},
		"src": {0, folder}, "lib/a.go": {0, pattern}, "x.md": {0, pattern}} {
		for _, token := range tokens {
			b.gives(CheckLock{Session: "a", Path: path, Token: token}, "held")
		}
	}
	for path, token := range map[string]int64{"src/b.go": file, "lib/a.go": folder, "lib/sub/a.go": pattern,
		"lib/": pattern} {
		b.gives(CheckLock{Session: "a", Path: path, Token: token}, CodeStale)
	}
	b.gives(CheckLock{Session: "b", Path: "lib/a.go"}, "conflict")
	again := announce("a", "src/a.go", "doc")
	if both := b.lease(again); both == file {
		t.Error("what a session has in part is not what it has")
	}
	b.gives(Release{Session: "a", Path: "src/a.go", Token: folder}, CodeStale)
	b.gives(Release{Session: "a", Path: "src/a.go", Token: 99}, CodeStale)
	b.gives(Release{Session: "a", Token: 99}, CodeStale)
	b.gives(Release{Session: "a", Token: file}, `{"status":"released","file_path":"src/a.go","paths":["src/a.go"]}`)
	b.gives(Release{Session: "a", Token: pattern}, `"paths":["lib/*.go","**/x.md"]`)
	b.gives(CheckLock{Session: "b", Path: "lib/a.go"}, "free")
}

// A release frees the path and no other, in each lease of it.
func TestReleaseFreesThePathOnly(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.lease(announce("a", "x", "y"))
	b.lease(announce("a", "x", "z"))
	wants := announce("b", "x")
	wants.Wait = time.Minute
	b.gives(wants, "waiting")
	b.gives(Release{Session: "a", Path: "x"}, `{"status":"released","file_path":"x"}`)
	b.gives(CheckLock{Session: "b", Path: "x"}, "held")
	for _, path := range []string{"y", "z"} {
		b.gives(announce("b", path), "locked by a")
	}
	b.lease(announce("a", "src/"))
	b.gives(Release{Session: "a", Path: "src/a.go"}, "part of your lock of src/")
	b.gives(Release{Session: "b", Path: "src/a.go"}, "not_locked")
	b.gives(Release{Session: "a", Path: "src"}, `"released"`)
	b.gives(Release{Session: "a", Path: "src"}, "not_locked")
	b.gives(Release{Session: "a"}, "file_path is missing")
}

// A lease taken by a hook ends with the turn, unless the agent has asked for it itself.
func TestLeasesOfHooks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	auto := func(path string) Announce {
		c := announce("a", path)
		c.Auto, c.Description = true, "by a hook"
		return c
	}
	own := announce("a", "b.go")
	own.Description, own.ChangeType = "long work", "refactor"
	b.lease(auto("a.go"))
	first := b.lease(auto("b.go"))
	if again := b.lease(own); again != first {
		t.Errorf("token %d, then %d", first, again)
	}
	b.lease(announce("a", "c.go"))
	b.lease(auto("c.go"))
	if got := b.as("", ListLocks{}); strings.Count(got, `"auto":true`) != 1 || strings.Count(got, `"by a hook"`) != 1 ||
		!strings.Contains(got, `"change_type":"refactor","description":"long work"`) {
		t.Error(got)
	}
	b.gives(RecentChanges{}, `"description":"long work"`)
	b.gives(Release{Session: "a", Path: "b.go", Auto: true}, "not_locked")
	b.gives(Release{Session: "a", Auto: true}, `"paths":["a.go"]`)
	b.gives(Release{Session: "a", Auto: true}, `{"status":"not_locked","message":"There is no such lock"}`)
	for path, want := range map[string]string{"a.go": "free", "b.go": "held", "c.go": "held"} {
		b.gives(CheckLock{Session: "a", Path: path}, want)
	}
}

// An agent's own announcement takes precedence over the lease of a hook.
func TestOwnBeforeAuto(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	file := announce("a", "src/a.go")
	file.Auto = true
	b.lease(file)
	folder := b.lease(announce("a", "src/"))
	file.TTL = time.Second
	if got := b.lease(file); got != folder {
		t.Errorf("token %d, want %d", got, folder)
	}
	b.now = b.now.Add(time.Minute)
	if n := b.p.state.Leases.len(); n != 2 {
		t.Errorf("%d leases", n)
	}
}

// A hook does not change for how long the agent has announced something.
func TestHooksLeaveTimesAlone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	c := announce("a", "x")
	c.TTL = time.Minute
	b.lease(c)
	c.TTL, c.Auto = 0, true
	b.lease(c)
	b.now = b.now.Add(time.Minute)
	b.gives(CheckLock{Session: "a", Path: "x"}, "free")
}

// Files may be called as patterns are.
func TestLiteralPaths(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	c := announce("a", "what?.md", "Makefile", "app/[id]/page.tsx")
	c.Literal = true
	b.lease(c)
	for _, path := range []string{"whats.md", "Makefile/*.go", "app/[slug]/page.tsx", "**/*.go"} {
		b.gives(announce("b", path), `"locked"`)
	}
	for _, path := range []string{"what?.md", "Make*", "Makefile", "app/????/*"} {
		b.gives(announce("b", path), "locked by a")
	}
	b.gives(CheckLock{Session: "a", Path: "what?.md", Literal: true}, "held")
	b.gives(CheckLock{Session: "b", Path: "what?.md", Literal: true}, "conflict")
	b.gives(Conflicts{Session: "b", Paths: []string{"what?.md", "whats.md"}},
		`{"conflicts":[{"file_path":"what?.md","session":"a"`)
	b.gives(ListLocks{}, `what\\?.md`)
	b.gives(Release{Session: "a", Path: "what?.md", Literal: true}, `"released"`)
}

// Releasing a name with wildcards frees the session's pattern of that name first, and without one the file.
func TestReleaseOfWildcardsInAName(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	file := announce("a", "u*v.txt")
	file.Literal, file.Auto = true, true
	b.lease(file)
	b.lease(announce("a", "u*v.txt"))
	b.gives(Release{Session: "a", Path: "u?v.txt"}, "not_locked")
	b.gives(Release{Session: "a", Path: "u*v.txt"}, `"file_path":"u*v.txt"`)
	b.gives(ListLocks{}, `"paths":["u\\*v.txt"]`)
	b.gives(Release{Session: "a", Path: "u*v.txt"}, `"file_path":"u*v.txt"`)
	b.gives(ListLocks{}, `"leases":[]`)
}

// A session that only waits is not listed as a holder.
func TestConflictWithWhoWaits(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.lease(announce("a", "x"))
	wants := announce("b", "x", "y")
	wants.Wait = time.Minute
	b.gives(wants, "waiting")
	b.gives(announce("c", "y"), `"error":"File is waited for by b, who comes first","lock_info":{"session":"b"`)
	b.gives(announce("c", "x"), `"error":"File is locked by a"`)
}

// A session without a branch conflicts with all branches.
func TestUnknownBranch(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.as("", Configure{Settings{PerBranch: true}})
	b.as("", Register{Session: "a", TaskID: "1", Branch: "main"})
	b.as("", Register{Session: "b", TaskID: "1", Branch: "other"})
	b.lease(announce("a", "x"))
	b.gives(announce("ghost", "x"), "locked by a")
	b.lease(announce("ghost", "y"))
	b.gives(announce("a", "y"), "locked by ghost")
	b.gives(announce("b", "x"), `"locked"`)
	b.as("", Register{Session: "a", TaskID: "1", Branch: "third"})
	b.gives(CheckLock{Session: "a", Path: "x"}, "free") // it has that on another branch
}

// An announced change has the state that its holder gave it.
func TestRecentChanges(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	shared := announce("a", "read.go")
	shared.Mode = ModeShared
	b.lease(shared)
	b.gives(RecentChanges{}, "[]")
	b.lease(announce("a", "done.go", "held.go"))
	b.gives(Release{Session: "a", Path: "done.go"}, `"released"`)
	b.lease(announce("b", "left.go"))
	b.as("", Register{Session: "b", TaskID: "1"})
	b.as("", Unregister{"b"})
	short := announce("c", "late.go")
	short.TTL = time.Second
	b.lease(short)
	b.now = b.now.Add(time.Minute)
	got := b.as("", RecentChanges{Details: true})
	states := map[string]string{}
	var all []ChangeInfo
	if err := json.Unmarshal([]byte(got), &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		states[c.FilePath] = c.State
	}
	if fmt.Sprint(states) != "map[done.go:released held.go:announced late.go:lapsed left.go:lapsed]" {
		t.Error(got)
	}
	if got := b.as("", RecentChanges{}); strings.Contains(got, "state") {
		t.Errorf("more than was asked for: %s", got)
	}
}

// Those who wait for a file one behind the other are no circle, and one who asks the first of them makes one.
func TestCycleThroughAQueue(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 50 {
		name := fmt.Sprint("s", i)
		b.as("", Register{Session: name, TaskID: "1"})
		c := announce(name, "x")
		c.Wait = time.Minute
		if got, first := b.as("", c), i == 0; first != strings.Contains(got, "locked") || first == (got == "waiting") {
			t.Fatal(got)
		}
	}
	b.gives(Ask{From: "s49", To: "s1", Query: "?", Wait: true, Timeout: time.Minute}, "waiting")
	b.gives(Ask{From: "s0", To: "s49", Query: "?", Wait: true, Timeout: time.Minute}, `"cycle":["s0","s49"]`)
	b.lease(announce("s30", "y"))
	both := announce("s20", "y")
	both.Wait = time.Minute
	b.gives(both, `"cycle":["s20","s30"]`)
}

// One that had died and came back without registering has not died again because the coordinator was started again.
func TestLeasesOfTheDeadThatCameBack(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, events := b.p.Do(b.now, "", Register{Session: "a", TaskID: "1"})
	for _, c := range []Command{alone, announce("a", "x")} {
		b.now = b.now.Add(DefaultSessionTimeout)
		_, more := b.p.Do(b.now, "", c)
		events = append(events, more...)
	}
	if err := b.p.Restore(nil, events); err != nil {
		t.Fatal(err)
	}
	b.as("", restarted{})
	b.now = b.now.Add(time.Minute)
	b.as("", alone)
	b.gives(CheckLock{Session: "a", Path: "x"}, "held")
}

// Data of earlier versions is read.
func TestStateOfEarlierVersions(t *testing.T) {
	t.Parallel()
	const snapshot = `{"seq":3,"stamp":1,"token":2,"settings":{},"sessions":{` +
		`"a":{"name":"a","agent":{"task_id":"1","branch":"main","description":"","status":"active",` +
		`"started_at":"2026-01-02T03:00:00Z","principal":"ann"},"seen":"2026-01-02T03:00:00Z"},` +
		`"u":{"name":"u","seen":"2026-01-02T03:00:00Z"}},"queries":{},` +
		`"queue":[{"id":"lock-3","session":"u","paths":["x"],"mode":"exclusive","change_type":"modify",` +
		`"description":"","time":"2026-01-02T03:00:00Z"}],` +
		`"leases":{"lock-2":{"id":"lock-2","session":"a","paths":["x"],"mode":"exclusive","change_type":"modify",` +
		`"description":"","time":"2026-01-02T03:00:00Z","token":2,"locked_at":"2026-01-02T03:00:00Z"}},` +
		`"changes":[{"session":"a","file_path":"x","change_type":"modify","description":"",` +
		`"time":"2026-01-02T03:00:00Z"}],"interfaces":{},"completed":null}`
	b := newBed(t)
	if err := b.p.Restore([]byte(snapshot), nil); err != nil {
		t.Fatal(err)
	}
	if got := b.as("bob", Release{Session: "a", Path: "x"}); !strings.Contains(got, CodeForbidden) {
		t.Error(got)
	}
	if got := b.as("ann", Release{Session: "a", Path: "x"}); !strings.Contains(got, `"released"`) {
		t.Error(got)
	}
	// it is whoever's who comes first
	if got := b.as("bob", CheckLock{Session: "u", Path: "x"}); !strings.Contains(got, "held") {
		t.Error(got)
	}
	b.as("bob", AddTodo{Session: "u", Item: "t"})
	if got := b.as("ann", MyTodos{Session: "u"}); !strings.Contains(got, CodeForbidden) {
		t.Error(got)
	}
}
