// SPDX-License-Identifier: Apache-2.0

// Package dragoman is the short way in: [Serve] makes a server of an agent, [Dial] makes a client for one. Both are a
// few lines over the packages engine, server and client, which have what is missing here, such as several agents on one
// server, and streams.
package dragoman

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/server"
)

// Options configure [Serve]. The zero value keeps tasks in memory and lets everybody in.
type Options struct {
	// Folder is where tasks are kept, so that they outlive the process; it is made if it is missing, and is used by one
	// process at a time. It needs import _ "github.com/dragoman-a2a/dragoman/journal/sqlite", because programs without
	// it link no database. Empty means memory, unless Engine.Journal is set.
	Folder string
	// Name is part of the key of each task: tasks in a folder are found under the name that they were made under. Empty
	// means the name on the card.
	Name string

	// ExtendedCard returns the card for one caller whom Server.Authenticator knows, see engine.AgentOptions.
	ExtendedCard func(ctx context.Context, caller a2a.Identity) (*a2a.AgentCard, error)

	// Server configures the server: who may call (Authenticator), TLS, gRPC, limits, the logger. The card is that of
	// Serve. OnReady and OnDrain run beside what Serve does itself.
	Server server.Options
	// Engine configures what runs the agent: the Authorizer and the limits of turns. Its Logger is that of Server
	// unless it has one.
	Engine engine.Options
}

// Serve serves an agent on a TCP address such as "127.0.0.1:8080" until the process gets SIGINT or SIGTERM. Then open
// turns and requests get 30 seconds to come to their end, and Serve returns nil. The second such signal ends the
// process.
//
// The card needs a name, a description and a version; media types that it leaves open are text/plain. The process may
// serve several agents, each on its address. Clients of every generation of the protocol are served over JSON-RPC and
// HTTP+JSON. Serve returns an error for more than one Options.
func Serve(addr string, card *a2a.AgentCard, a agent.Agent, opts ...Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()

	var o Options
	switch len(opts) {
	case 0:
	case 1:
		o = opts[0]
	default:
		return errors.New("dragoman: Serve takes one Options at most")
	}
	return o.serve(ctx, addr, card, a)
}

func (o *Options) serve(ctx context.Context, addr string, card *a2a.AgentCard, a agent.Agent) error {
	if o.Server.Card != nil || o.Server.CardFunc != nil {
		return errors.New("dragoman: the card is that of Serve; leave out Options.Server.Card and CardFunc")
	}
	if card == nil {
		card = new(a2a.AgentCard) // whose errors name what is missing
	}
	if o.Engine.Logger == nil {
		o.Engine.Logger = o.Server.Logger
	}
	if o.Folder != "" {
		if o.Engine.Journal != nil {
			return errors.New("dragoman: set only one of Options.Folder and Options.Engine.Journal")
		}
		tasks, err := journal.OpenFolder(ctx, o.Folder)
		if err != nil {
			return err
		}
		defer tasks.Close()
		o.Engine.Journal = tasks
	}
	eng, err := engine.New(&o.Engine)
	if err != nil {
		return err
	}
	defer eng.Shutdown(ctx) // after a drain there is nothing left to do
	name := cmp.Or(o.Name, card.Name, "agent")
	srv, err := server.New(eng.Agent(name, a, &engine.AgentOptions{Card: card, ExtendedCard: o.ExtendedCard}),
		o.serverOptions(name, eng))
	if err != nil {
		return err
	}
	return srv.ListenAndServe(ctx, addr)
}

// serverOptions returns those of the server, which end the engine and say where they serve.
func (o *Options) serverOptions(name string, eng *engine.Engine) *server.Options {
	so := o.Server
	log := so.Logger
	if log == nil {
		log = slog.Default()
	}
	so.OnReady = func(addr net.Addr, url string) {
		log.Info("serving", "agent", name, "url", url)
		if o.Server.OnReady != nil {
			o.Server.OnReady(addr, url)
		}
	}
	if so.Ready == nil {
		so.Ready = eng.Ready
	}
	so.OnDrain = func(ctx context.Context) error {
		err := eng.Shutdown(ctx)
		if o.Server.OnDrain != nil {
			err = errors.Join(err, o.Server.OnDrain(ctx))
		}
		return err
	}
	return &so
}

// Dial returns a client for the agent at a URL, or whose card a file or another URL holds. Close it when it is no
// longer needed. It is [client.Dial] without options; those are for callers with credentials, see [client.Bearer].
func Dial(ctx context.Context, url string) (*client.Client, error) {
	return client.Dial(ctx, url, nil)
}
