// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// A logbook is a log to read.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logbook) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// The log says who tried to speak for somebody else or to read his messages, and nobody fills it by trying.
func TestAuditOfSessions(t *testing.T) {
	t.Parallel()
	var book logbook
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(coordmcp.New(hub, &coordmcp.Options{
		Logger: slog.New(slog.NewTextHandler(&book, nil)),
		Authorize: func(_ context.Context, header http.Header, _ string, _ bool) (string, error) {
			return header.Get("Authorization"), nil
		},
	}).Handler())
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	p := &place{t: t, url: srv.URL}
	ann, _ := p.join("ann", generations[0])
	register(t, ann, "a")
	bob, _ := p.join("bob", generations[0])
	for range 10 {
		if got, err := read(t, bob, "dragoman://p/inbox/a"); err == nil {
			t.Error(got)
		}
	}
	for range 100 {
		call(t, bob, "heartbeat", map[string]any{"project_id": "p", "session_name": "a"})
	}
	for part, want := range map[string]int{
		`msg="a call was refused" project=p token=bob resource=inbox session=a cause="session a was registered by ` +
			`another caller; choose another name"`: 10,
		`msg="a call was refused" project=p token=bob tool=heartbeat session=a cause="session a was registered by ` +
			`another caller; choose another name"`: 50,
		"\n": 61,
	} {
		if got := book.count(part); got != want {
			t.Errorf("%d times, want %d: %q", got, want, part)
		}
	}
	if _, err := ann.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "dragoman://p/inbox/a"}); err != nil {
		t.Error(err)
	}
}
