// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serveAsChild()
		return
	}
	goleak.VerifyTestMain(m)
}

var quiet = slog.New(slog.DiscardHandler)

// A stack is everything from the socket down to the journal.
type stack struct {
	*script
	url    string
	engine *engine.Engine
	client *http.Client
}

// start serves a script over a journal; tune may be nil.
func start(t *testing.T, j journal.Journal, tune func(*server.Options)) *stack {
	t.Helper()
	return startEngine(t, &engine.Options{Journal: j}, tune)
}

func startEngine(t *testing.T, opts *engine.Options, tune func(*server.Options)) *stack {
	t.Helper()
	s := &stack{script: &script{}, client: httpClient(t)}
	opts.Logger = quiet
	e, err := engine.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.engine = e
	t.Cleanup(func() { shutDown(e) })
	s.url = s.serve(t, "script", tune)
	return s
}

// shutDown ends an engine without waiting for turns that wait at a gate.
func shutDown(e *engine.Engine) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	e.Shutdown(ctx)
}

// serve serves the script under a name, at an address of its own, and returns its URL.
func (s *stack) serve(t *testing.T, name string, tune func(*server.Options)) string {
	t.Helper()
	card := scriptCard()
	return s.serveService(t, s.engine.Agent(name, s.script, &engine.AgentOptions{Card: card}), card, nil, tune)
}

// serveService serves a service, with what beside has at its own paths; beside and tune may be nil.
func (s *stack) serveService(
	t *testing.T, svc a2a.Service, card *a2a.AgentCard, beside *http.ServeMux, tune func(*server.Options),
) (url string) {
	t.Helper()
	ready := make(chan string, 1)
	opts := &server.Options{
		Card: card, Logger: quiet, DrainTimeout: 10 * time.Millisecond,
		OnReady: func(_ net.Addr, url string) { ready <- url },
	}
	if beside != nil {
		opts.Handler = beside
	}
	if tune != nil {
		tune(opts)
	}
	srv, err := server.New(svc, opts)
	if err != nil {
		t.Fatal(err)
	}
	if beside != nil {
		beside.Handle("/", srv)
	}
	return runServer(t, s.client, ready, func(ctx context.Context) error {
		return srv.ListenAndServe(ctx, "127.0.0.1:0")
	})
}

// runServer runs a server until the test ends, and returns the URL that it says when it is ready.
func runServer(t *testing.T, c *http.Client, ready chan string, listen func(context.Context) error) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- listen(ctx) }()
	t.Cleanup(func() {
		c.CloseIdleConnections()
		stop()
		<-done
	})
	select {
	case url := <-ready:
		return url
	case err := <-done:
		t.Fatal(err)
		return ""
	}
}

func httpClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// onDisk opens a journal in SQLite.
func onDisk(t *testing.T) journal.Journal {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "data"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	j, err := sql.New(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		j.Close()
		db.Close()
	})
	return j
}

func inMemory(t *testing.T) journal.Journal {
	t.Helper()
	j := memory.New(nil)
	t.Cleanup(func() { j.Close() })
	return j
}

// each runs a test over each binding, on a stack of its own in memory.
func each(t *testing.T, tune func(*server.Options), test func(t *testing.T, c *caller)) {
	t.Helper()
	t.Parallel()
	for _, b := range bindings {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t, inMemory(t), tune).caller(t, b))
		})
	}
}

// eachJournal runs a test over each binding and each journal.
func eachJournal(t *testing.T, tune func(*server.Options), test func(t *testing.T, c *caller)) {
	t.Helper()
	t.Parallel()
	for name, open := range map[string]func(*testing.T) journal.Journal{"memory": inMemory, "sqlite": onDisk} {
		for _, b := range bindings {
			t.Run(name+" "+b.name, func(t *testing.T) {
				t.Parallel()
				test(t, start(t, open(t), tune).caller(t, b))
			})
		}
	}
}

// byHeader is an Authenticator for tests: the header X-User says who calls.
func byHeader(o *server.Options) {
	o.Authenticator = auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		user := r.Header.Get("X-User")
		if user == "" {
			return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "send the header X-User")
		}
		return a2a.Identity{Subject: user}, nil
	})
	o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"user": &a2a.APIKeyScheme{Location: "header",
		Name: "X-User"}}
}

func scriptCard() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Script", Description: "Does what it is told.", Version: "2.1.0",
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{
			{ID: "echo", Name: "Echo", Description: "Says it again.", Tags: []string{"test"},
				Examples: []string{"echo hello"}},
			{ID: "look", Name: "Look", Description: "Looks at pictures.", Tags: []string{"test"},
				InputModes: []string{"image/png"}},
		},
	}
}
