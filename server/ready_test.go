// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

// TestReadyLogsChanges asks for /readyz often: the log has a line when the answer changes, not for each request.
func TestReadyLogsChanges(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var sick error
	srv, err := server.New(&fake{}, &server.Options{
		Card: aCard(), Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Ready: func(context.Context) error { return sick },
	})
	if err != nil {
		t.Fatal(err)
	}
	full, locked := errors.New("the disk is full"), errors.New("the database is locked")
	for _, sick = range []error{nil, nil, full, full, full, locked, locked, nil, nil, full} {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, mustRequest(t, "/readyz"))
		if ready := w.Code == http.StatusOK; ready != (sick == nil) {
			t.Errorf("status %d with error %v", w.Code, sick)
		}
	}
	var got []string
	for line := range strings.Lines(log.String()) {
		_, line, _ = strings.Cut(line, "level=")
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		`WARN msg="not ready" error="the disk is full"`, `WARN msg="not ready" error="the database is locked"`,
		`INFO msg="ready again"`, `WARN msg="not ready" error="the disk is full"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
