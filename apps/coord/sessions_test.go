// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// alone is a sweep of a project where nobody has a connection.
var alone = sweep{DefaultSessionTimeout, DefaultSessionRetention, func(string) bool { return false }}

// A hook that registers an agent again changes nothing of it, whether it lives or not, and what the agent says of
// itself afterwards counts.
func TestRegisterOnBehalf(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	hook := Register{Session: "a", TaskID: "of the harness", Branch: "main", Description: "started by a hook",
		Resume: true}
	has := func(when, task, description string) {
		t.Helper()
		want := fmt.Sprintf(
			`{"a":{"task_id":%q,"branch":"main","description":%q,"status":"active",`+
				`"started_at":"2026-01-02T03:04:05Z"}}`, task, description)
		if got := b.as("", ListAgents{}); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
		b.gives(MyTodos{"a"}, `"total":1`)
		b.gives(CheckLock{Session: "a", Path: "src/"}, "held")
	}
	b.gives(hook, `"registered"`)
	b.gives(AddTodo{Session: "a", Item: "t"}, `"added"`)
	b.lease(announce("a", "src/"))
	has("at first", "of the harness", "started by a hook")
	b.gives(Register{Session: "a", TaskID: "42", Branch: "main", Description: "the model's"}, `"registered"`)
	has("when the model has registered", "42", "the model's")
	b.gives(hook, `"registered"`)
	has("when the harness starts again", "42", "the model's")
	b.gives(CompleteTask{"a", "42"}, "success")
	b.gives(hook, `"registered"`)
	b.gives(ListAgents{}, StatusCompleted)
	b.now = b.now.Add(DefaultSessionTimeout)
	b.as("", alone)
	b.gives(ListAgents{}, "{}")
	b.gives(hook, `"registered"`)
	b.lease(announce("a", "src/"))
	has("after its death", "42", "the model's")
	b.gives(Register{Session: "a", TaskID: "43"}, `"registered"`)
	b.gives(MyTodos{"a"}, `"total":0`)
	b.now = b.now.Add(DefaultSessionTimeout)
	b.as("", alone)
	if got := b.as("ann", hook); !strings.Contains(got, `"registered"`) {
		t.Error(got)
	}
	if got := b.as("ann", ListAgents{}); !strings.Contains(got, "of the harness") {
		t.Errorf("somebody goes on with a task of somebody else: %s", got)
	}
}

// A session is whose who first does something as it, registered or not, also after the coordinator was started again.
func TestSessionsAreBound(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var kept []Event
	does := func(principal string, c Command) string {
		result, events := b.p.Do(b.now, principal, c)
		kept = append(kept, events...)
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	does("ann", Register{Session: "a", TaskID: "1"})
	for name, first := range map[string]Command{
		"l": announce("l", "x"), "t": AddTodo{Session: "t", Item: "t"}, "q": Ask{From: "q", To: "a", Query: "secret?"},
		"i": Define{Session: "i", Name: "I", Definition: "{}"},
	} {
		if got := does("bob", MyTodos{name}); !strings.Contains(got, `"total":0`) {
			t.Error(got)
		}
		if got := does("carl", first); strings.Contains(got, `"error"`) {
			t.Errorf("who has looked has made it his: %s", got)
		}
	}
	if b.p.state.Sessions.len() != 5 {
		t.Error("looking made a session")
	}
	restored := NewProject("p")
	if err := restored.Restore(nil, kept); err != nil {
		t.Fatal(err)
	}
	snapshot, err := b.p.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	loaded := NewProject("p")
	if err := loaded.Restore(snapshot, nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Project{b.p, restored, loaded} {
		b.p = p
		for _, name := range []string{"l", "t", "q", "i"} {
			for _, c := range []Command{
				Register{Session: name, TaskID: "1"}, Release{Session: name, Path: "x"}, Check{Session: name},
				MyTodos{name}, Heartbeat{name}, announce(name, "y"),
			} {
				if got := b.as("bob", c); !strings.Contains(got, CodeForbidden) {
					t.Errorf("%+v: %s", c, got)
				}
			}
			if got := b.as("carl", Check{Session: name}); got != "[]" {
				t.Error(got)
			}
		}
	}
}

// A name under which nothing was done leaves nothing, and who has done something and left nothing is deleted soon.
func TestSessionsThatNobodyMisses(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range 2 * maxSessions {
		name := fmt.Sprint("s", i)
		for _, c := range []Command{Heartbeat{name}, MyTodos{name}, Check{Session: name},
			CheckLock{Session: name, Path: "x"}, Unregister{name}, UpdateTodo{name, "t", "blocked"},
			Release{Session: name, Path: "x"}} {
			b.as("", c)
		}
	}
	if n := b.p.state.Sessions.len(); n != 0 {
		t.Fatalf("%d sessions", n)
	}
	b.as("", Define{Session: "gone", Name: "I", Definition: "{}"})
	b.as("", AddTodo{Session: "has todos", Item: "t"})
	b.now = b.now.Add(DefaultSessionTimeout)
	b.as("", alone)
	if s := b.p.state.Sessions; s.get("gone") != nil || s.get("has todos") == nil {
		t.Error("one who left nothing is kept, or one who left something is not")
	}
	if got := b.as("bob", Define{Session: "gone", Name: "I", Definition: "{}"}); !strings.Contains(got,
		`"registered"`) {
		t.Errorf("a forgotten name is not free: %s", got)
	}
}

// A project that is full has room as long as there is somebody whom nobody misses.
func TestRoomForSessions(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.as("", Define{Session: "oldest", Name: "I", Definition: "{}"})
	b.now = b.now.Add(time.Second)
	for i := range maxSessions - 1 {
		b.as("", Define{Session: fmt.Sprint("s", i), Name: "I", Definition: "{}"})
		if i > 0 {
			b.as("", AddTodo{Session: fmt.Sprint("s", i), Item: "t"})
		}
	}
	b.gives(Register{Session: "one", TaskID: "1"}, `"registered"`)
	if b.p.state.Sessions.get("oldest") != nil || b.p.state.Sessions.get("s0") == nil {
		t.Error("it was not the oldest one that made room")
	}
	b.gives(Register{Session: "two", TaskID: "1"}, `"registered"`)
	b.gives(Register{Session: "three", TaskID: "1"}, CodeLimit)
	b.gives(Check{Session: "four"}, "[]")
	if n := b.p.state.Sessions.len(); n != maxSessions {
		t.Errorf("%d sessions", n)
	}
}

// One who asks and asks leaves room for the questions of others.
func TestQuestionsLeaveRoom(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.as("", Register{Session: "b", TaskID: "1"})
	b.as("", Register{Session: "c", TaskID: "1"})
	ask := func(i int, to string) Ask { return Ask{From: fmt.Sprint("s", i), To: to, Query: "?"} }
	for i := range maxQueries {
		b.gives(ask(i/maxAsked, "b"), "sent")
	}
	b.gives(ask(0, "c"), "queries of yours")
	b.gives(ask(99, "c"), CodeLimit)
	first := b.p.state.Queries.first.key
	b.as("", Check{Session: "b", Limit: 1})
	b.gives(ask(99, "c"), "sent")
	b.gives(ask(99, "c"), CodeLimit)
	b.gives(Respond{From: "b", To: "s0", MessageID: first, Response: "!"}, `"matched":false`)
	b.gives(Check{Session: "s0"}, `"response_to":"`+first)
}

// Names that look like others, or like none, are refused; what others write is kept as it is.
func TestNamesThatMislead(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.as("", Register{Session: "b", TaskID: "1"})
	for _, bad := range []string{"a\u200bb", "a\u202eb", "a\x1b[2J", "a\nb", "\ufeffa", "a\u2028b", "a\u00adb", "a\x00",
		"\u2066a", "a\u200d"} {
		for _, c := range []Command{
			Register{Session: bad, TaskID: "1"}, Register{Session: "a", TaskID: bad},
			Register{Session: "a", TaskID: "1", Branch: bad}, CompleteTask{"b", bad},
			Ask{From: "a", To: bad, Query: "?"}, Ask{From: "a", To: "b", Type: bad, Query: "?"},
			Broadcast{Session: "a", Type: bad, Content: "!"},
			Respond{From: "a", To: bad, MessageID: "m", Response: "!"},
			Respond{From: "a", To: "b", MessageID: bad, Response: "!"},
			UpdateTodo{"a", bad, "blocked"}, Define{Session: "a", Name: bad, Definition: "{}"}, GetInterface{bad},
		} {
			if got := b.as("", c); !strings.Contains(got, CodeInvalid) {
				t.Errorf("%+q: %+v: %s", bad, c, got)
			}
		}
	}
	for _, bad := range []string{"a\u202eb", "a\x1b", "a\n", "a\u2029", "\u2066a"} {
		b.gives(announce("a", bad), CodeInvalid)
	}
	b.gives(announce("a", "نامه\u200cها.md"), `"locked"`)
	text := "a\n\tb \x1b[2J"
	b.gives(Broadcast{Session: "a", Type: "greeting", Content: text}, `"recipients":1`)
	b.gives(Broadcast{Session: "a", Content: text}, `"recipients":1`)
	b.gives(Check{Session: "b"}, `"message_type":"info","content":"a\n\tb \u001b[2J"`)
	b.gives(Respond{From: "a", To: "b", MessageID: "m"}, "response is missing")
}

// Two agents that choose the same name hear of it, both; who has completed a task begins another one undisturbed.
func TestNameThatIsTaken(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.as("", Register{Session: "a", TaskID: "T1"})
	b.gives(announce("a", "x"), "locked")
	if got := b.do(Register{Session: "a", TaskID: "T1"}).(Registered); got.Warning != "" {
		t.Errorf("who goes on is warned: %s", got.Warning)
	}
	if got := b.do(Register{Session: "a", TaskID: "T2"}).(Registered); !strings.Contains(got.Warning, "T1") {
		t.Errorf("who takes a name is not warned: %+v", got)
	}
	b.gives(Check{Session: "a"}, "while it worked on T1")
	if b.p.state.Sessions.get("coordinator") != nil {
		t.Error("the coordinator became a session")
	}
	b.as("", CompleteTask{Session: "a", TaskID: "T2"})
	if got := b.do(Register{Session: "a", TaskID: "T3"}).(Registered); got.Warning != "" {
		t.Errorf("who is done is warned: %s", got.Warning)
	}
	b.gives(Check{Session: "a"}, "[]")
}
