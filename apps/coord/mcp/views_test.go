// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// If an event changes the text of a resource, its subscribers are told.
func TestViewsAreToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hub := coord.NewHub(&coord.HubOptions{SessionTimeout: time.Minute, SessionRetention: time.Hour})
		defer hub.Close()
		do := func(c coord.Command) coord.Result {
			t.Helper()
			result, err := hub.Do(t.Context(), "p", "", c)
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		show := func() map[string]string {
			t.Helper()
			texts := map[string]string{}
			for i := range views {
				v := &views[i]
				sessions := []string{""}
				if v.ofSession {
					sessions = []string{"a", "b", "c"}
				}
				for _, session := range sessions {
					text, err := json.Marshal(do(v.command(session)), json.Deterministic(true))
					if err != nil {
						t.Fatal(err)
					}
					texts[v.name+"/"+session] = string(text)
				}
			}
			return texts
		}
		told := func(e *coord.Event) (names []string) {
			for i := range views {
				v := &views[i]
				if !slices.Contains(v.changedBy, e.Kind) {
					continue
				}
				if !v.ofSession {
					names = append(names, v.name+"/")
					continue
				}
				for _, session := range []string{"a", "b", "c"} {
					if concerns(e, session) {
						names = append(names, v.name+"/"+session)
					}
				}
			}
			return names
		}
		var after int64
		kinds := map[coord.Kind]bool{}
		before := show()
		step := func(what string, act func()) {
			t.Helper()
			act()
			synctest.Wait()
			now, names := show(), []string{}
			last, err := hub.Last(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			for e := range hub.Events(t.Context(), "p", after) {
				names = append(names, told(&e)...)
				kinds[e.Kind] = true
				if after = e.Seq; after == last {
					break
				}
			}
			for name, text := range now {
				if before[name] != text && !slices.Contains(names, name) {
					t.Errorf("%s changes %s, and nobody is told:\n%s\n%s", what, name, before[name], text)
				}
			}
			before = now
		}
		does := func(what string, commands ...coord.Command) {
			t.Helper()
			step(what, func() {
				for _, c := range commands {
					if f, failed := do(c).(coord.Failure); failed && f.Code != "" {
						t.Errorf("%s: %s", what, f.Error)
					}
				}
			})
		}
		announce := func(session, path string) coord.Announce {
			return coord.Announce{Session: session, Paths: []string{path}, ChangeType: "modify"}
		}
		// later does what waits; it ends by what comes after.
		later := func(what string, c coord.Command) {
			t.Helper()
			step(what, func() {
				go hub.Do(t.Context(), "p", "", c) // what it returns is not what is tested
			})
		}
		ask := func(wait time.Duration) coord.Ask {
			return coord.Ask{From: "a", To: "b", Query: "?", Wait: wait > 0, Timeout: wait}
		}

		for _, name := range []string{"a", "b", "c"} {
			does("joining", coord.Register{Session: name, TaskID: name})
		}
		does("a setting", coord.Configure{Settings: coord.Settings{IgnoreCase: true}})
		var todo coord.TodoAdded
		step("a todo", func() { todo = do(coord.AddTodo{Session: "a", Item: "write"}).(coord.TodoAdded) })
		does("its progress", coord.UpdateTodo{Session: "a", ID: todo.ID, Status: "completed"})
		does("an interface", coord.Define{Session: "a", Name: "User", Definition: "type User"})
		does("a broadcast", coord.Broadcast{Session: "a", Content: "hello"})
		does("reading", coord.Check{Session: "b"})

		hook := announce("a", "hooked.go")
		hook.Auto = true
		does("a lease of a hook", hook)
		does("an announcement over it", announce("a", "hooked.go"))
		timed := announce("a", "timed.go")
		timed.TTL = time.Second
		does("a lease for a time", timed)
		step("its end", func() { time.Sleep(2 * time.Second) })
		waits := announce("b", "hooked.go")
		waits.Wait = time.Second
		later("waiting for a lease", waits)
		step("waiting too long", func() { time.Sleep(2 * time.Second) })
		does("a release", coord.Release{Session: "a", Path: "hooked.go"})

		var sent coord.Sent
		step("a question", func() { sent = do(ask(0)).(coord.Sent) })
		does("an answer", coord.Respond{From: "b", MessageID: sent.ID, Response: "!"})
		later("an awaited question", ask(time.Second))
		step("waiting too long for an answer", func() { time.Sleep(2 * time.Second) })
		step("a canceled question", func() {
			ctx, cancel := context.WithCancel(t.Context())
			go hub.Do(ctx, "p", "", ask(time.Minute)) // what it returns is not what is tested
			synctest.Wait()
			cancel()
		})
		does("a task that is done", coord.CompleteTask{Session: "c", TaskID: "c"})
		does("leaving of one who owes an answer", coord.Unregister{Session: "b"})
		does("another lease", announce("a", "last.go"))
		step("death", func() { time.Sleep(2 * time.Minute) })
		does("coming back", coord.Register{Session: "a", TaskID: "a", Resume: true})
		does("retirement", coord.Retire{Session: "a", Person: coord.Person("ann")})
		step("oblivion", func() { time.Sleep(2 * time.Hour) })

		for _, kind := range []coord.Kind{
			coord.KindConfigured, coord.KindJoined, coord.KindResumed, coord.KindLeft, coord.KindDied,
			coord.KindDeleted, coord.KindCompleted,
			coord.KindTodoAdded, coord.KindTodoUpdated, coord.KindBroadcast, coord.KindRead, coord.KindAsked,
			coord.KindAnswered,
			coord.KindUnawaited, coord.KindWithdrawn, coord.KindFailed, coord.KindQueued, coord.KindUnqueued,
			coord.KindLocked,
			coord.KindRenewed, coord.KindReleased, coord.KindExpired, coord.KindDefined,
		} {
			if !kinds[kind] {
				t.Errorf("%s did not happen", kind)
			}
		}
	})
}
