// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/bytenant"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/kit"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// upOptions are the flags of samples up.
type upOptions struct {
	hostOptions
	seedPorts bool
}

const samplesUpLong = `up runs all sample agents on one port, each below /agents/NAME/. With --seed-ports each agent has
its own port and is served at the root. When they are ready, up prints one line for each agent to
standard error: serving NAME at URL.`

const samplesUpExample = `  dragoman samples up
  dragoman samples up --addr 127.0.0.1:0 --data-dir :memory:
  dragoman samples up --seed-ports
  OPENAI_API_KEY=none dragoman samples up --llm openai --base-url http://127.0.0.1:11434/v1 --model llama3.3`

func (c *commands) upCommand() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use: "up", Short: "Run all sample agents", Long: samplesUpLong, Example: samplesUpExample, Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.up(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free port")
	flags.BoolVar(&o.seedPorts, "seed-ports", false,
		"give each agent its own port of 127.0.0.1: currency 10000, images 10001, ...; see samples list")
	c.DataDirFlag(flags, &o.Data)
	o.urlFlag(flags)
	o.callers.Add(flags)
	o.callers.AuditFlag(flags)
	o.SignFlag(flags)
	o.sampleFlags(flags)
	o.push.Flags(flags)
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that running turns get to finish when the server stops")
	o.LogFlags(flags, "warn")
	return cmd
}

// up runs all samples until ctx ends.
func (c *commands) up(ctx context.Context, o *upOptions) (err error) {
	if err := o.Check(); err != nil {
		return err
	}
	if o.seedPorts && o.URL != "" {
		return cmdline.Usagef("--url is for one port")
	}
	model, err := o.openModel(c.Run)
	if err != nil {
		return err
	}
	h, err := openHost(ctx, c.Run, &o.hostOptions, cmdline.FolderSamples, model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	if h.audit, err = o.callers.OpenAudit(); err != nil {
		return err
	}
	defer cmdline.CloseAudit(h.audit, &err)
	gctune.Tune(h.logger)
	if o.seedPorts {
		return h.onSeedPorts(ctx)
	}
	return h.onOnePort(ctx)
}

// onOnePort serves each sample below its path, and all of them over gRPC at the root, where the tenant of a request
// names the sample. The server of that drives them all: what ends it ends the engine.
func (h *sampleHost) onOnePort(ctx context.Context) error {
	ln, err := h.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	callers, err := h.callers.Read(h.run.Terminal, &h.ListenOptions, ln.Addr())
	if err != nil {
		return err
	}
	signing, err := h.Signing(server.KeysPath)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for i := range h.samples {
		s := &h.samples[i]
		service, card, err := h.start(s)
		if err != nil {
			return err
		}
		srv, err := server.New(service, &server.Options{
			Card: card, URL: h.URL, Path: samplePath(s.name), Logger: h.logger, DrainTimeout: h.Drain,
			Authenticator: callers.Authenticator, Policy: callers.Policy, Audit: h.audit,
			CardSigner: signing.CardSigner,
			Interfaces: []a2a.AgentInterface{{Binding: a2a.BindingGRPC, ProtocolVersion: string(a2a.Generation10),
				Tenant: s.name}},
		})
		if err != nil {
			return err
		}
		mux.Handle(samplePath(s.name), http.StripPrefix(samplePath(s.name), srv))
		mux.Handle(samplePath(s.name)+"/", http.StripPrefix(samplePath(s.name), srv))
	}
	mux.Handle(files.Path, h.files)
	index := func(rw http.ResponseWriter, r *http.Request) { writeSamples(rw, r, h.URL) }
	mux.HandleFunc("GET /agents", index)
	mux.HandleFunc("GET /{$}", index)
	mux.HandleFunc("GET /"+kit.Path, kit.Files)
	front, err := h.front(mux, callers, signing)
	if err != nil {
		return err
	}
	return h.Explain(front.Serve(ctx, ln))
}

// runningSamples is the samples at work as one service.
type runningSamples struct {
	bytenant.Pick
	server.Capable // one of them: all are of one engine
}

// pick returns the running sample that a tenant names.
func (h *sampleHost) pick(tenant string) (a2a.Service, error) {
	service, ok := h.running[tenant]
	if !ok {
		return nil, a2a.InvalidParams("tenant", "must name one of the agents here: "+
			strings.Join(slices.Sorted(maps.Keys(h.running)), ", "))
	}
	return service, nil
}

// front returns the server that takes calls of gRPC for all samples, and leaves other requests to rest.
func (h *sampleHost) front(rest http.Handler, callers cmdline.Callers,
	signing cmdline.Signing) (*server.Server, error) {
	var front *server.Server
	first, _ := h.running[h.samples[0].name].(server.Capable)
	front, err := server.New(runningSamples{h.pick, first}, &server.Options{
		Card: &a2a.AgentCard{Name: "Dragoman samples",
			Description: "The sample agents, each named by the tenant of a request", Version: cmdline.Version()},
		URL: h.URL, Logger: h.logger, DrainTimeout: h.Drain, GRPC: grpc.New(nil),
		Authenticator: callers.Authenticator, Policy: callers.Policy, Audit: h.audit,
		CardSigner: signing.CardSigner, PublicKeys: signing.PublicKeys,
		Generations: []a2a.Generation{a2a.Generation10}, // the only one with tenants
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			byGRPC := r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
			if byGRPC || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" ||
				r.URL.Path == server.KeysPath {
				front.ServeHTTP(rw, r)
				return
			}
			rest.ServeHTTP(rw, r)
		}),
		OnReady: func(_ net.Addr, url string) { h.announce(url) }, OnDrain: h.engine.Shutdown, Ready: h.engine.Ready,
	})
	return front, err
}

// announce says where the samples are, and what thinks for each.
func (h *sampleHost) announce(url string) {
	base := strings.TrimSuffix(cmp.Or(h.URL, url), "/")
	for i := range h.samples {
		s := &h.samples[i]
		fmt.Fprintf(h.run.Err, "serving %s at %s, by %s\n", s.name, card.AgentURL(base+samplePath(s.name)),
			terminal.Inline(h.thinker(s)))
	}
	fmt.Fprintf(h.run.Err, "data of the samples: %s\nserving samples at %s\n", terminal.Inline(h.journal.Place), base)
}

// onSeedPorts serves each sample at the root of its own port. When it returns, nobody serves agents of the engine.
func (h *sampleHost) onSeedPorts(ctx context.Context) error {
	var listeners []net.Listener
	defer func() {
		for _, ln := range listeners {
			ln.Close() // the servers do that too
		}
	}()
	for _, s := range h.samples {
		h.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
		ln, err := h.Listen(ctx)
		if err != nil {
			return err
		}
		listeners = append(listeners, ln)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	err := h.startOnSeedPorts(ctx, listeners, group)
	if err != nil {
		stop() // those that serve already
	}
	return errors.Join(err, group.Wait())
}

// startOnSeedPorts lets a group serve the samples, each on its listener.
func (h *sampleHost) startOnSeedPorts(ctx context.Context, listeners []net.Listener, group *errgroup.Group) error {
	callers, err := h.callers.Read(h.run.Terminal, &h.ListenOptions) // these ports are of 127.0.0.1
	if err != nil {
		return err
	}
	signing, err := h.Signing(server.KeysPath)
	if err != nil {
		return err
	}
	for i := range h.samples {
		s := &h.samples[i]
		service, card, err := h.start(s)
		if err != nil {
			return err
		}
		mux := http.NewServeMux()
		options := &server.Options{Card: card, Logger: h.logger, DrainTimeout: h.Drain, GRPC: grpc.New(nil),
			Handler: mux, Ready: h.engine.Ready,
			Authenticator: callers.Authenticator, Policy: callers.Policy, Audit: h.audit,
			CardSigner: signing.CardSigner, PublicKeys: signing.PublicKeys}
		if i == 0 {
			options.OnDrain = h.engine.Shutdown
		}
		srv, err := server.New(service, options)
		if err != nil {
			return err
		}
		mux.Handle("/", srv)
		mux.Handle(files.Path, h.files)
		fmt.Fprintf(h.run.Err, "serving %s at http://%s, by %s\n", s.name, listeners[i].Addr(),
			terminal.Inline(h.thinker(s)))
		group.Go(func() error { return h.Explain(srv.Serve(ctx, listeners[i])) })
	}
	fmt.Fprintf(h.run.Err, "data of the samples: %s\n", terminal.Inline(h.journal.Place))
	return nil
}
