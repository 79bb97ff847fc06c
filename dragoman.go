// SPDX-License-Identifier: Apache-2.0

// Package dragoman is the short way in: [Serve] makes a server of an agent, [Dial] makes a client for one. Both are a
// few lines over the packages engine, server and client, which have everything that is missing here: journals on disk (see
// the Example of a durable agent), gRPC, several agents on one server, TLS, authentication, limits, streams.
package dragoman

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// Serve serves an agent on a TCP address such as "127.0.0.1:8080" until the process gets SIGINT or SIGTERM. Then open
// turns and requests get 30 seconds to come to their end, and Serve returns nil. The second such signal ends the process.
//
// The card needs a name, a description and a version; media types that it leaves open are text/plain. Tasks are kept in
// memory and end with the process. The process may serve several agents, each on its address. Clients of every
// generation of the protocol are served over JSON-RPC and HTTP+JSON.
func Serve(addr string, card *a2a.AgentCard, a agent.Agent) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()

	if card == nil {
		card = new(a2a.AgentCard) // whose errors name what is missing
	}
	eng, err := engine.New(nil)
	if err != nil {
		return err
	}
	defer eng.Shutdown(ctx) // after a drain there is nothing left to do
	name := cmp.Or(card.Name, "agent")
	srv, err := server.New(eng.Agent(name, a, &engine.AgentOptions{Card: card}), &server.Options{
		Card:    card,
		OnReady: func(_ net.Addr, url string) { slog.Info("serving", "agent", name, "url", url) },
		OnDrain: eng.Shutdown,
	})
	if err != nil {
		return err
	}
	return srv.ListenAndServe(ctx, addr)
}

// Dial returns a client for the agent at a URL, or whose card a file or another URL holds. Close it when it is no longer
// needed. It is [client.Dial] without options.
func Dial(ctx context.Context, url string) (*client.Client, error) {
	return client.Dial(ctx, url, nil)
}
