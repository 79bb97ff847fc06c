// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quiet logs what matters to somebody who reads a failed test.
func quiet(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
}

func openDB(t *testing.T, dir string) *store.DB {
	t.Helper()
	db, err := sqlite.Open(context.Background(), dir, sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// newRegistry returns a registry on a fresh database that may look at this machine.
func newRegistry(t *testing.T, o registry.Options) *registry.Registry {
	t.Helper()
	return registryOn(t, openDB(t, t.TempDir()), o)
}

func registryOn(t *testing.T, db *store.DB, o registry.Options) *registry.Registry {
	t.Helper()
	if o.Networks == "" {
		o.Networks = registry.NetworksLoopback
	}
	if o.Logger == nil {
		o.Logger = quiet(t)
	}
	g, err := registry.New(t.Context(), db, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// serve returns a client of the catalogue over HTTP whose exchanges are held against the document of the API.
func serve(t *testing.T, c registry.Catalog, o *registry.HandlerOptions, co registry.ClientOptions) *registry.Client {
	t.Helper()
	s := httptest.NewServer(registry.NewHandler(c, o))
	t.Cleanup(s.Close)
	co.HTTPClient = documented(t)
	client, err := registry.NewClient(s.URL, &co)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// A fake is an agent of which there is only the card.
type fake struct {
	*httptest.Server
	mu     sync.Mutex
	card   string
	status int
	asked  int
	same   int // answers that nothing has changed
}

// newFake serves a card in which $URL stands for the agent's own address.
func newFake(t *testing.T, card string) *fake {
	t.Helper()
	f := &fake{status: http.StatusOK}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	f.set(card)
	return f
}

func (f *fake) set(card string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.card = strings.ReplaceAll(card, "$URL", f.URL)
}

func (f *fake) answerWith(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status = status
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path != card.WellKnownPath {
		http.NotFound(w, r)
		return
	}
	f.asked++
	if f.status != http.StatusOK {
		http.Error(w, "no", f.status)
		return
	}
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(f.card)))
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		f.same++
		w.WriteHeader(http.StatusNotModified)
		return
	}
	io.WriteString(w, f.card)
}

// simple returns a card of 1.0 of an agent with one skill.
func simple(name, skill string) string {
	return fmt.Sprintf(`{
		"name": %q, "description": "Does one thing", "version": "1.0.0",
		"supportedInterfaces": [{"url": "$URL", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
		"capabilities": {"streaming": true}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
		"skills": [{"id": %q, "name": %q, "description": "It is good at this", "tags": []}]
	}`, name, strings.ReplaceAll(skill, " ", "_"), skill)
}

func mustAdd(t *testing.T, c registry.Catalog, r registry.Registration) *registry.Entry {
	t.Helper()
	e, _, err := c.Add(t.Context(), r)
	if err != nil {
		t.Fatalf("add %+v: %v", r, err)
	}
	return e
}

func parse(t *testing.T, text string) *a2a.AgentCard {
	t.Helper()
	c, err := card.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func wantKind(t *testing.T, err error, kind registry.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("got %v, want a %s", err, kind)
	}
}

// aliases lists all pages of a query, by alias.
func aliases(t *testing.T, c registry.Catalog, q registry.Query) string {
	t.Helper()
	var list []string
	for range 1000 {
		page, err := c.List(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		for _, e := range page.Agents {
			list = append(list, e.Alias)
		}
		if page.NextPageToken == "" {
			return strings.Join(list, ", ")
		}
		q.PageToken = page.NextPageToken
	}
	t.Fatalf("%+v: the list does not end", q)
	return ""
}

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
