// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	"github.com/dragoman-a2a/dragoman/store"
)

func addTodo(t *testing.T, hub *coord.Hub, item string) {
	t.Helper()
	if _, err := hub.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: item}); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, hub *coord.Hub) {
	t.Helper()
	if result, err := hub.DeleteProject(t.Context(), "p", coord.Person("ann"), true); err != nil {
		t.Fatalf("%+v, %v", result, err)
	}
}

// A slowReader takes the first line once it is let to, and says before that it is there.
type slowReader struct {
	*httptest.ResponseRecorder
	first      *sync.Once
	there, let chan struct{}
}

func (r slowReader) Write(text []byte) (int, error) {
	r.first.Do(func() {
		close(r.there)
		<-r.let
	})
	return r.ResponseRecorder.Write(text)
}

// A reader that is behind when the project is deleted, and its token with it, learns that it has ended, and no more.
func TestSlowReadersLearnThatTheProjectHasEnded(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	defer db.Close()
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	defer hub.Close()
	d := daemon.New(daemon.Options{Hub: hub, Tokens: tables})
	token, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: "eve", Role: coord.RoleObserver})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range []string{"seen", "unseen", "unseen"} {
		addTodo(t, hub, item)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/projects/p/events?after=0", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := slowReader{httptest.NewRecorder(), new(sync.Once), make(chan struct{}), make(chan struct{})}
	var stream sync.WaitGroup
	stream.Go(func() { d.ServeHTTP(w, r) })
	<-w.there
	remove(t, hub)
	if _, err := tables.CreateToken(t.Context(),
		coord.Grant{Project: "p", Name: "bob", Role: coord.RoleAgent}); err != nil {
		t.Fatal(err)
	}
	addTodo(t, hub, "the next one's secret")
	close(w.let)
	stream.Wait()
	text := w.Body.String()
	if !strings.Contains(text, `"seen"`) || strings.Contains(text, "unseen") || strings.Contains(text, "secret") {
		t.Errorf("the reader has %q", text)
	}
	if lines := strings.Split(strings.TrimSpace(text), "\n\n"); !strings.Contains(lines[len(lines)-1],
		string(coord.KindEnded)) {
		t.Errorf("the last line is not that of the end: %q", text)
	}
}

// meanwhile is a context that has something done when it is first waited for, which is while the newest event is looked
// for.
type meanwhile struct {
	context.Context
	first *sync.Once
	act   func()
}

func (c meanwhile) Done() <-chan struct{} {
	c.first.Do(c.act)
	return c.Context.Done()
}

// When a project is deleted while a stream of its events begins, that learns of it.
func TestDeletionWhileAStreamBegins(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(nil)
	defer hub.Close()
	d := daemon.New(daemon.Options{Hub: hub})
	addTodo(t, hub, "x")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	act := func() { remove(t, hub) }
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequestWithContext(meanwhile{ctx, new(sync.Once), act}, http.MethodGet,
		"/api/projects/p/events", nil))
	if text := w.Body.String(); !strings.Contains(text, string(coord.KindEnded)) {
		t.Errorf("the stream has %q", text)
	}
}

// A stream outlives that tokens cannot be read, and shows nothing meanwhile.
func TestStreamOutlivesTokensThatCannotBeRead(t *testing.T) {
	t.Parallel()
	url, tables, hub, db := startOn(t)
	token, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: "eve", Role: coord.RoleObserver})
	if err != nil {
		t.Fatal(err)
	}
	rename := func(from, to string) {
		t.Helper()
		if err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.ExecContext(ctx, "ALTER TABLE "+from+" RENAME TO "+to)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	ended := follow(t, url+"/api/projects/p/events", token)
	rename("coord_tokens", "coord_tokens_away")
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for err = nil; err == nil; <-ticker.C { // they are taken from memory for a moment
		_, err = tables.Token(t.Context(), token)
	}
	if errors.Is(err, coord.ErrNoToken) {
		t.Fatal(err)
	}
	addTodo(t, hub, "x")
	select {
	case text := <-ended:
		t.Fatalf("the stream has ended: %q", text)
	case <-time.After(300 * time.Millisecond):
	}
	rename("coord_tokens_away", "coord_tokens")
	remove(t, hub)
	if text := <-ended; !strings.Contains(text, string(coord.KindEnded)) {
		t.Errorf("the stream has %q", text)
	}
}
