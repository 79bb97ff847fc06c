// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/coord"
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

// A stream of events ends with the right to see them: at once where this process changes who may see what, and before the
// next event where another one does.
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
				if token, err = tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: test.as, Role: coord.RoleObserver}); err != nil {
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
					if _, err := hub.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "the secret"}); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
