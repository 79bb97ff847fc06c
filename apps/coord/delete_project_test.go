// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// remove ends the project and returns what the hub says.
func remove(t *testing.T, h *coord.Hub, force bool) coord.Result {
	t.Helper()
	result, err := h.DeleteProject(t.Context(), project, coord.Person("ann"), force)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// refused checks that the hub does not delete the project.
func refused(t *testing.T, h *coord.Hub, status, part string) {
	t.Helper()
	if f, ok := remove(t, h, false).(coord.Failure); !ok || f.Status != status || !strings.Contains(f.Error, part) {
		t.Errorf("%+v, want %s", f, part)
	}
}

// A project that was deleted is as if it had never been, also after a restart, and so are its tokens; others stay.
func TestDeletion(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	for name, store := range map[string]coord.Store{"kept": tables, "not kept": nil} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			open := func() *coord.Hub {
				return coord.NewHub(&coord.HubOptions{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			}
			h := open()
			refused(t, h, "not_found", "no project "+project)
			register(t, h, "a")
			do(t, h, lock("guest", "x"))
			do(t, h, coord.Configure{Settings: coord.Settings{IgnoreCase: true}})
			do(t, h, coord.Define{Session: "a", Name: "I", Definition: "d"})
			if _, err := h.Do(t.Context(), "other", "", coord.AddTodo{Session: "a", Item: "stays"}); err != nil {
				t.Fatal(err)
			}
			refused(t, h, "error", "at work in project "+project+": a, guest;")
			do(t, h, coord.Unregister{Session: "a"})
			refused(t, h, "error", ": guest;")
			do(t, h, coord.Release{Session: "guest", Path: "x"})
			tokens := map[string]string{"": "", project: "", "other": ""}
			for of := range tokens {
				token, err := tables.CreateToken(t.Context(),
					coord.Grant{Project: of, Name: name, Role: coord.RoleAgent})
				if err != nil {
					t.Fatal(err)
				}
				tokens[of] = token
			}
			begun := time.Now()
			got, ok := remove(t, h, false).(coord.Ended)
			if !ok || got.Project != project || !got.Free.After(begun) ||
				!got.Free.Equal(got.Free.Truncate(time.Millisecond)) || store != nil && time.Now().Before(got.Free) {
				t.Errorf("%+v", got)
			}
			if got := log.String(); strings.Count(got,
				`msg="a project was deleted" project=ecommerce-v2 by=person:ann`) != 1 {
				t.Error(got)
			}
			for of, token := range tokens {
				if _, err := tables.Token(t.Context(), token); (err == nil) == (of == project && store != nil) {
					t.Errorf("the token for %q: %v", of, err)
				}
			}
			for range 2 {
				refused(t, h, "not_found", "no project")
				if names, err := h.Projects(t.Context()); err != nil || fmt.Sprint(names) != "[other]" {
					t.Errorf("%v, %v", names, err)
				}
				for _, c := range []coord.Command{coord.ListInterfaces{}, coord.RecentChanges{}, coord.GetSettings{}} {
					if got := do(t, h, c); len(got) > 2 {
						t.Errorf("%T: %s", c, got)
					}
				}
				if store == nil {
					break
				}
				if err := h.Close(); err != nil {
					t.Fatal(err)
				}
				h = open()
			}
			register(t, h, "b")
			if newest, err := h.Last(t.Context(), project); newest != 1 || err != nil {
				t.Errorf("the first event is %d, %v", newest, err)
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Those who wait in a project that is deleted are told so, and those who follow it get a last event and no more. Who
// follows it from a number of the old one sees the new one from its first event on.
func TestSessionsOfADeletedProject(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, &coord.HubOptions{Store: newMemory(), Logger: quiet, EventRetention: -1})
		register(t, h, "a", "b")
		do(t, h, lock("a", "x"))
		var wg sync.WaitGroup
		for _, c := range []coord.Command{
			coord.Announce{Session: "b", Paths: []string{"x"}, ChangeType: "modify", Wait: coord.MaxWait},
			coord.Ask{From: "b", To: "a", Query: "?", Wait: true, Timeout: coord.MaxWait},
		} {
			wg.Go(func() {
				if got := do(t, h, c); !strings.Contains(got, "person:ann has ended the project") {
					t.Error(got)
				}
			})
		}
		follow := func(after int64) (all []coord.Event) {
			for e, err := range h.Events(t.Context(), project, after) {
				if err != nil {
					t.Error(err)
				}
				if all = append(all, e); e.Kind == coord.KindEnded {
					break
				}
			}
			return all
		}
		wg.Go(func() {
			all := follow(0)
			last := all[len(all)-1]
			if last.Kind != coord.KindEnded || last.Seq != int64(len(all)) ||
				last.Text != "person:ann has ended the project" || last.Time.IsZero() {
				t.Errorf("%+v", last)
			}
		})
		slow := make(chan struct{})
		wg.Go(func() {
			kinds := []coord.Kind{}
			for e := range h.Events(t.Context(), project, 0) {
				if kinds = append(kinds, e.Kind); len(kinds) == 1 {
					<-slow // and there is another project of the name when it goes on
				}
				if e.Kind == coord.KindEnded {
					break
				}
			}
			if len(kinds) < 2 || kinds[len(kinds)-1] != coord.KindEnded {
				t.Errorf("%v", kinds)
			}
		})
		synctest.Wait()
		remove(t, h, true)
		for i := range 20 {
			do(t, h, coord.AddTodo{Session: "c", Item: fmt.Sprint(i)})
		}
		close(slow)
		wg.Wait()
		early := h.Events(t.Context(), project, 20) // called, and not looked at before the project is deleted
		remove(t, h, true)
		do(t, h, coord.AddTodo{Session: "d", Item: "x"})
		next := []coord.Kind{}
		for e, err := range early {
			if next = append(next, e.Kind); err != nil || len(next) == 2 {
				break
			}
		}
		if !slices.Equal(next, []coord.Kind{coord.KindEnded, coord.KindTodoAdded}) {
			t.Errorf("after the first project come %v", next)
		}
		for e, err := range h.Events(t.Context(), project, 1000) {
			if e.Seq != 1 || e.Kind != coord.KindTodoAdded || err != nil {
				t.Errorf("%+v, %v", e, err)
			}
			break
		}
	})
}

// While a project is being deleted those who call it wait, and do nothing in another one of the name. When the store
// fails it is there as it was.
func TestCallsOfADeletedProject(t *testing.T) {
	t.Parallel()
	for _, fails := range []error{nil, errDisk} {
		synctest.Test(t, func(t *testing.T) {
			gate := make(chan struct{})
			h := newHub(t, &coord.HubOptions{Store: &slowToDelete{newMemory(), gate, fails}, Logger: quiet,
				EventRetention: -1})
			register(t, h, "a")
			var wg sync.WaitGroup
			wg.Go(func() {
				result, err := h.DeleteProject(t.Context(), project, "ann", true)
				if _, ok := result.(coord.Ended); ok != (fails == nil) || errors.Is(err, coord.ErrNotKept) == ok {
					t.Errorf("%+v, %v", result, err)
				}
			})
			synctest.Wait()
			wg.Go(func() {
				if got := do(t, h, coord.AddTodo{Session: "a", Item: "t"}); contains(got,
					"was deleted in the meantime") != (fails == nil) {
					t.Error(got)
				}
			})
			wg.Go(func() {
				other, err := h.Do(t.Context(), "other", "", coord.ListAgents{})
				if err != nil {
					t.Errorf("%v, %v", other, err)
				}
			})
			ctx, cancel := context.WithCancel(t.Context())
			wg.Go(func() {
				if _, err := h.Do(ctx, project, "", coord.ListAgents{}); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
			synctest.Wait()
			cancel()
			synctest.Wait()
			close(gate)
			wg.Wait()
			if got := do(t, h, coord.ListAgents{}); (got == "{}") != (fails == nil) {
				t.Error(got)
			}
		})
	}
}

// slowToDelete deletes once its gate is open, unless it fails.
type slowToDelete struct {
	coord.Store
	gate  chan struct{}
	fails error
}

func (s *slowToDelete) DeleteProject(ctx context.Context, project string) error {
	<-s.gate
	if s.fails != nil {
		return s.fails
	}
	return s.Store.DeleteProject(ctx, project)
}

// However calls and ends come at once, what is kept can be read again.
func TestDeletionWhileAgentsWork(t *testing.T) {
	t.Parallel()
	tables, _ := openTables(t)
	h := coord.NewHub(&coord.HubOptions{Store: tables, Logger: quiet})
	var agents, person sync.WaitGroup
	done := make(chan struct{})
	person.Go(func() {
		for {
			remove(t, h, true)
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i := range 8 {
		agents.Go(func() {
			name := fmt.Sprint("a", i)
			for j := range 40 {
				register(t, h, name)
				got := do(t, h, lock(name, fmt.Sprint(j)))
				if s := status(t, got); s != "locked" && s != "conflict" &&
					!contains(got, "was deleted in the meantime") {
					t.Error(got)
				}
				do(t, h, coord.Check{Session: name})
			}
		})
	}
	agents.Wait()
	close(done)
	person.Wait()
	register(t, h, "last")
	want := do(t, h, coord.ListAgents{})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = newHub(t, &coord.HubOptions{Store: tables, Logger: quiet})
	if got := do(t, h, coord.ListAgents{}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
