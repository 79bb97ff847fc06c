// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
)

// A fullStore has nothing and keeps nothing.
type fullStore struct{ coord.Store }

func (fullStore) Append(context.Context, []coord.Commit) error { return errors.New("the disk is full") }

func (fullStore) Load(context.Context, string) ([]byte, []coord.Event, error) { return nil, nil, nil }

// That nothing can be kept is answered to each caller, with what to look for, and is in the log once.
func TestNothingCanBeKept(t *testing.T) {
	t.Parallel()
	var book logbook
	logger := slog.New(slog.NewTextHandler(&book, nil))
	hub := coord.NewHub(&coord.HubOptions{Store: fullStore{}, EventRetention: -1, Logger: logger})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Logger: logger}))
	defer func() {
		srv.Close()
		hub.Close()
	}()
	for range 10 {
		if got := call(t, srv.URL, "", "register_agent", me); !strings.Contains(got, "could not be kept") {
			t.Error(got)
		}
		req, err := http.NewRequestWithContext(t.Context(), "PUT", srv.URL+"/api/projects/p/settings",
			strings.NewReader(`{"ignore_case":true}`))
		if err != nil {
			t.Fatal(err)
		}
		if status, got := send(t, req); status != http.StatusServiceUnavailable ||
			!strings.Contains(got, "cannot store events now") {
			t.Errorf("%d %s", status, got)
		}
	}
	if got := book.count("\n"); got != 1 {
		t.Errorf("the log has %d lines", got)
	}
}
