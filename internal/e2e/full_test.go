// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/client/grpc"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// broken is a stack over a database that can be made to refuse what is written.
type broken struct {
	*stack
	db *store.DB
}

func startOnSQLite(t *testing.T) *broken {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "data"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	j, err := sql.New(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &broken{db: db}
	b.stack = start(t, j, func(o *server.Options) {
		o.GRPC, o.CardGRPC = grpc.New(nil), true
		o.Ready = func(ctx context.Context) error { return b.stack.engine.Ready(ctx) }
	})
	return b
}

// limit bounds the pages of the database, which is what SQLite says of a full disk.
func (b *broken) limit(t *testing.T, pages int) {
	t.Helper()
	err := b.db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		return tx.QueryRowContext(ctx, "PRAGMA max_page_count = "+strconv.Itoa(pages)).Scan(new(int))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *broken) readyz(t *testing.T) (int, string) {
	t.Helper()
	res, err := b.stack.client.Get(b.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// refused sends a large message by each of the bindings, and wants to hear that the server is unavailable.
func (b *broken) refused(t *testing.T, bindings ...binding) {
	t.Helper()
	params := `{"message":{"messageId":"m-%","role":"ROLE_USER","parts":[{"text":"echo ` +
		strings.Repeat("x", 256<<10) + `"}]}}`
	for _, bind := range bindings {
		method, path, body := bind.request("SendMessage", strings.Replace(params, "%", bind.name, 1))
		req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("A2A-Version", "1.0")
		req.Header.Set("Content-Type", "application/json")
		res, err := b.stack.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: status %d, Retry-After %q: %.300s", bind.name, res.StatusCode, res.Header.Get("Retry-After"),
				text)
		}
		if strings.Contains(string(text), "dragoman.db") {
			t.Errorf("%s: the answer names the file: %s", bind.name, text)
		}
	}
	if code, text := b.readyz(t); code != http.StatusServiceUnavailable || !strings.HasPrefix(text, "not ready: ") ||
		strings.Contains(text, "dragoman.db") {
		t.Errorf("/readyz answers %d, %q", code, text)
	}
}

// TestDiskFull has the database refuse to grow: callers are told to come again, and so are load balancers.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	b := startOnSQLite(t)
	if code, text := b.readyz(t); code != http.StatusOK {
		t.Fatalf("/readyz answers %d, %q", code, text)
	}
	b.limit(t, 60)
	b.refused(t, bindings...)
	c, err := client.Dial(t.Context(), b.url, &client.Options{Bindings: []string{a2a.BindingGRPC}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.SendMessage(t.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser,
			a2a.TextPart("echo "+strings.Repeat("x", 256<<10)))})
	if !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("gRPC: %v", err)
	}
	b.limit(t, 1<<30)
	for _, bind := range bindings {
		method, path, body := bind.request("SendMessage",
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo x"}]}}`)
		req, _ := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
		req.Header.Set("A2A-Version", "1.0")
		req.Header.Set("Content-Type", "application/json")
		res, err := b.stack.client.Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s with room again: %v, %v", bind.name, res, err)
		}
		res.Body.Close()
	}
	if code, text := b.readyz(t); code != http.StatusOK {
		t.Errorf("/readyz answers %d, %q", code, text)
	}
}

// TestDatabaseLocked has another program hold the database's lock.
func TestDatabaseLocked(t *testing.T) {
	if testing.Short() {
		t.Skip("waits 5 s for the busy timeout; run without -short")
	}
	t.Parallel()
	b := startOnSQLite(t)
	other, err := dbsql.Open("sqlite", "file:"+b.db.Path()+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.refused(t, bindings[0])
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}
