// SPDX-License-Identifier: Apache-2.0

// Package a2atest serves agents and services over HTTP to tests.
package a2atest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// Quiet is a logger that drops everything.
var Quiet = slog.New(slog.DiscardHandler)

// Engine returns an engine that ends with the test, without waiting for its turns.
func Engine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(&engine.Options{Logger: Quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		e.Shutdown(ctx)
	})
	return e
}

// Serve serves an agent until the test ends and returns its URL.
func Serve(t testing.TB, a agent.Agent, card *a2a.AgentCard) string {
	t.Helper()
	svc := Engine(t).Agent(card.Name, a, &engine.AgentOptions{Card: card, AnyInput: true})
	return ServeService(t, svc, &server.Options{Card: card})
}

// ServeService serves a service until the test ends and returns its URL. It fills in the URL and the logger.
func ServeService(t testing.TB, svc a2a.Service, o *server.Options) string {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	o.URL, o.Logger = "http://"+web.Listener.Addr().String(), Quiet
	handler, err := server.New(svc, o)
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = handler
	web.Start()
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}
