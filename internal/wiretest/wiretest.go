// SPDX-License-Identifier: Apache-2.0

// Package wiretest tests a sample over the wire: it serves the sample, and holds a conversation with it in each way in
// which a client can, which is through each interface of its card, of 1.0 and of older generations, streaming and not.
package wiretest

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/client/grpc" // so that clients speak gRPC
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// A Sample is what is tested.
type Sample struct {
	Agent  func() agent.Agent            // makes a new one for each conversation, so that all begin alike
	Card   *a2a.AgentCard                // of the agent
	Engine engine.Options                // runs it; without a Logger nothing is logged
	Wrap   func(a2a.Service) a2a.Service // what the sample puts in front of the agent; nil: nothing
}

// Serve serves the sample until the test ends and returns the base URL.
func (s *Sample) Serve(t *testing.T) string {
	t.Helper()
	quiet, options := slog.New(slog.DiscardHandler), s.Engine
	if options.Logger == nil {
		options.Logger = quiet
	}
	e, err := engine.New(&options)
	if err != nil {
		t.Fatal(err)
	}
	var service a2a.Service = e.Agent("sample", s.Agent(), &engine.AgentOptions{Card: s.Card})
	if s.Wrap != nil {
		service = s.Wrap(service)
	}
	ready := make(chan string, 1)
	srv, err := server.New(service, &server.Options{
		Card: s.Card, Logger: quiet, GRPC: grpc.New(nil), OnDrain: e.Shutdown, DrainTimeout: 5 * time.Second,
		OnReady: func(_ net.Addr, url string) { ready <- url },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- srv.ListenAndServe(ctx, "127.0.0.1:0") }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case url := <-ready:
		return url
	case err := <-done:
		t.Fatal(err)
		return ""
	}
}

// A way is one in which a client may speak to an agent.
type way struct {
	binding    string
	generation a2a.Generation
	stream     bool
}

func (w way) String() string {
	if w.stream {
		return w.binding + " " + string(w.generation) + " streaming"
	}
	return w.binding + " " + string(w.generation)
}

// The ways of the protocol as it is today, and those of clients that have stayed behind.
var (
	ways = []way{
		{a2a.BindingJSONRPC, a2a.Generation10, false}, {a2a.BindingJSONRPC, a2a.Generation10, true},
		{a2a.BindingHTTPJSON, a2a.Generation10, false}, {a2a.BindingHTTPJSON, a2a.Generation10, true},
		{a2a.BindingGRPC, a2a.Generation10, false}, {a2a.BindingGRPC, a2a.Generation10, true},
	}
	oldWays = []way{
		{a2a.BindingJSONRPC, a2a.Generation03, false}, {a2a.BindingJSONRPC, a2a.Generation03, true},
		{a2a.BindingJSONRPC, a2a.Generation01, false}, {a2a.BindingJSONRPC, a2a.Generation01, true},
	}
)

// Each runs a test in each way of 1.0, every time with an agent of its own.
func Each(t *testing.T, s Sample, test func(t *testing.T, c *Caller)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			test(t, dial(t, s.Serve(t), w))
		})
	}
}

// At runs a test in each way of 1.0 with an agent that is served already.
func At(t *testing.T, url string, test func(t *testing.T, c *Caller)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			test(t, dial(t, url, w))
		})
	}
}

// Same holds a conversation in each way, those of older generations too, every time with an agent of its own, and wants
// the same tasks to come of it.
func Same(t *testing.T, s Sample, converse func(t *testing.T, c *Caller)) {
	t.Helper()
	var want []*a2a.Task
	t.Run(ways[0].String(), func(t *testing.T) {
		c := dial(t, s.Serve(t), ways[0])
		converse(t, c)
		want = c.tasks
	})
	for _, w := range append(ways[1:len(ways):len(ways)], oldWays...) {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			c := dial(t, s.Serve(t), w)
			converse(t, c)
			compare(t, w, want, c.tasks)
		})
	}
}

// Dial returns a caller of an agent of its own, over JSON-RPC and without streaming.
func Dial(t *testing.T, s Sample) *Caller {
	t.Helper()
	return dial(t, s.Serve(t), ways[0])
}

// dial returns a client that knows of one interface of the card only.
func dial(t *testing.T, url string, w way) *Caller {
	t.Helper()
	read, err := client.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	card := read.Card().Clone()
	read.Close()
	var found []a2a.AgentInterface
	for _, i := range card.SupportedInterfaces {
		if i.Binding == w.binding && i.ProtocolVersion == string(w.generation) {
			found = append(found, i)
		}
	}
	card.SupportedInterfaces = found
	c, err := client.New(card, &client.Options{Generations: wire.Generations, Retries: -1})
	if err != nil {
		t.Fatalf("%s: %v", w, err)
	}
	t.Cleanup(func() { c.Close() })
	return &Caller{Client: c, Generation: w.generation, Streams: w.stream}
}
