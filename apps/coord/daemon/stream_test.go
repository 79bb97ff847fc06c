// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
)

// follow opens a stream of events and returns where all that comes is found once it has ended.
func follow(t *testing.T, url, token string) (all <-chan string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	ended := make(chan string, 1)
	go func() {
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			text = append(text, err.Error()...)
		}
		ended <- string(text)
	}()
	return ended
}

// A stream of events ends with the right to see them: at once where this process changes who may see what, and before
// the next event where another one does.
func TestStreamEndsWithTheRightToIt(t *testing.T) {
	t.Parallel()
	revoke := func(tables *coord.Tables) error { return tables.RevokeToken(t.Context(), "p", "eve") }
	for _, test := range []struct {
		name, as string
		by       func(tables *coord.Tables) error
		later    bool // noticed when there is an event
	}{
		{name: "revoked", as: "eve", by: revoke},
		{name: "revoked by another process", as: "eve", later: true, by: revoke},
		{name: "first token", by: func(tables *coord.Tables) error {
			_, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: "ann", Role: coord.RoleAgent})
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url, tables, hub, db := startOn(t)
			token := ""
			if test.as != "" {
				var err error
				if token, err = tables.CreateToken(t.Context(),
					coord.Grant{Project: "p", Name: test.as, Role: coord.RoleObserver}); err != nil {
					t.Fatal(err)
				}
			}
			ended := follow(t, url+"/api/projects/p/events", token)
			by := tables
			if test.later {
				var err error
				if by, err = coord.OpenTables(t.Context(), db); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.by(by); err != nil {
				t.Fatal(err)
			}
			deadline := time.After(20 * time.Second)
			for events := time.NewTicker(50 * time.Millisecond); ; {
				select {
				case text := <-ended:
					if !test.later && strings.Contains(text, "the secret") {
						t.Errorf("the stream has %q", text)
					}
					return
				case <-deadline:
					t.Fatal("the stream goes on")
				case <-events.C:
					if _, err := hub.Do(t.Context(), "p", "",
						coord.AddTodo{Session: "a", Item: "the secret"}); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// A reader is a ResponseWriter that says when a stream begins.
type reader struct {
	*httptest.ResponseRecorder
	begun chan<- int
}

func (r reader) Flush() { r.begun <- r.Code }

// There is an end to streams of events, and to those of one token before.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	defer db.Close()
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	defer hub.Close()
	d := daemon.New(daemon.Options{Hub: hub, Tokens: tables})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	open := func(token string) int {
		begun := make(chan int, 100) // each line is flushed
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/projects/p/events", nil)
		r.Header.Set("Authorization", token)
		all.Go(func() {
			w := reader{httptest.NewRecorder(), begun}
			if d.ServeHTTP(w, r); w.Code != http.StatusOK {
				if w.Header().Get("Retry-After") == "" {
					t.Error("when to come again is not said")
				}
				begun <- w.Code
			}
		})
		return <-begun
	}
	for i := range 5 {
		token, err := tables.CreateToken(t.Context(),
			coord.Grant{Project: "p", Name: "name" + strconv.Itoa(i), Role: coord.RoleObserver})
		if err != nil {
			t.Fatal(err)
		}
		for k := range 251 {
			if status, full := open("Bearer "+token), i == 4 ||
				k == 250; full != (status == http.StatusServiceUnavailable) {
				t.Fatalf("stream %d of token %d: %d", k, i, status)
			}
			if i == 4 {
				return
			}
		}
	}
}

// Where a token is needed a caller without one has few sessions of MCP, and one with a token is not in the way.
func TestSessionsOfStrangersAreBounded(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	defer db.Close()
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	defer hub.Close()
	token, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: "ann", Role: coord.RoleAgent})
	if err != nil {
		t.Fatal(err)
	}
	d := daemon.New(daemon.Options{Hub: hub, Tokens: tables, Closed: true})
	defer func() {
		for s := range d.MCP().MCP().Sessions() {
			s.Close()
		}
	}()
	begin := func(token string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
				`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w.Code
	}
	begun := 0
	for begin("coord_none") == http.StatusOK && begun < 1000 {
		begun++
	}
	if begun != 100 {
		t.Errorf("a stranger has %d sessions", begun)
	}
	if status := begin("coord_none"); status != http.StatusTooManyRequests {
		t.Errorf("one more of a stranger: %d", status)
	}
	if status := begin(token); status != http.StatusOK {
		t.Errorf("with a token: %d", status)
	}
}
