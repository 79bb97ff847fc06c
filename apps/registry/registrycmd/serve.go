// SPDX-License-Identifier: Apache-2.0

// Package registrycmd holds the commands that serve and use a registry.
package registrycmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// FlagToken names the flag with the token to send to a registry. The command that serves one had it before --token.
const FlagToken = "registry-token"

type serving struct{ *cmdline.Run }

type serveOptions struct {
	cmdline.ListenOptions
	callers   cmdline.CallerOptions
	trust     connect.TrustOptions
	networks  string
	interval  time.Duration
	maxAgents int
}

const registryServeLong = `serve runs a registry: a catalogue of agents with an HTTP API, described in docs/registry.md. It
fetches the cards of added agents and keeps them with their history in a data folder. It checks
regularly whether the agents are up. When it is ready, it prints one line to standard error:
serving registry at URL.

With --token or --access, only callers with credentials may add, check and remove agents. Everyone
may read, unless the rules of --access say otherwise. If the registry listens beyond this machine,
it requires one of them or --open.

--networks limits where agents may be: public; loopback, which adds this machine; or private,
which adds private networks. A registry that listens on this machine only defaults to loopback.
Every other registry defaults to public.`

const registryServeExample = `  dragoman registry serve
  dragoman registry serve --addr 127.0.0.1:0 --data-dir :memory:
  DRAGOMAN_TOKEN=secret dragoman registry serve --addr :8095 --networks private --tls-cert cert.pem --tls-key key.pem`

// serveCommand returns the command that serves a registry.
func serveCommand(run *cmdline.Run) *cobra.Command {
	var o serveOptions
	c := &serving{run}
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve a registry",
		Long:    registryServeLong,
		Example: registryServeExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), &o) },
	}
	flags, limits := cmd.Flags(), registry.Options{}.Defaults()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "addr", registry.DefaultAddr, "address to listen on; port 0 picks a free port")
	c.DataDirFlag(flags, &o.Data)
	o.callers = cmdline.CallerOptions{MayDo: "add and remove agents"}
	o.callers.Add(flags)
	o.callers.AddOld(flags, FlagToken)
	o.trust.Add(flags)
	flags.StringVar(&o.networks, "networks", "",
		"networks where agents may be: public, loopback or private (default: loopback if --addr is loopback, else "+
			"public)")
	o.callers.AnyHostFlag(flags)
	flags.DurationVar(&o.interval, "interval", limits.Interval, "time between two checks of an agent that is up")
	flags.IntVar(&o.maxAgents, "max-agents", limits.MaxAgents, "most agents in the catalogue")
	o.TLSFlags(flags)
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that open requests get to finish when the registry stops")
	o.LogFlags(flags, "warn")
	return cmd
}

// serve runs a registry until ctx ends.
func (c *serving) serve(ctx context.Context, o *serveOptions) (err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := o.checkRegistry(); err != nil {
		return err
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // registry.Serve does that too
	callers, err := o.callers.Read(c.Terminal, &o.ListenOptions, ln.Addr())
	if err != nil {
		return err
	}
	o.callers.WarnPlain(c.Terminal, &o.ListenOptions, ln.Addr())
	if o.networks == "" {
		o.networks = registry.NetworksPublic
		if o.callers.Local(ln.Addr()) {
			o.networks = registry.NetworksLoopback
		}
	}
	trust, err := o.trust.Open(signature.VerifierOptions{Networks: o.networks}, c.Warn)
	if err != nil {
		return err
	}
	kept, err := c.open(ctx, o.Data, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	catalogue, err := registry.New(ctx, kept.db, &registry.Options{
		Networks: o.networks, Interval: o.interval, MaxAgents: o.maxAgents, Logger: logger,
		Verify: trust.Verify(), Verifier: trust.Verifier,
	})
	if err != nil {
		return err
	}
	defer catalogue.Close()
	gctune.Tune(logger)

	probing, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() { defer close(stopped); catalogue.Run(probing) }()
	defer func() { stop(); <-stopped }()
	handler := registry.NewHandler(catalogue, &registry.HandlerOptions{Authenticator: callers.Authenticator,
		Policy: callers.Policy, Logger: logger})
	fmt.Fprintf(c.Err, "data of registry: %s\nserving registry at %s\n", terminal.Inline(kept.place), o.At(ln.Addr()))
	return o.Explain(registry.Serve(ctx, ln, handler,
		&registry.ServeOptions{TLS: o.TLS, Drain: o.Drain, Logger: logger, AnyHost: o.callers.AnyHost}))
}

func (o *serveOptions) checkRegistry() error {
	switch o.networks {
	case "", registry.NetworksPublic, registry.NetworksLoopback, registry.NetworksPrivate:
	default:
		return cmdline.Usagef("--networks is %q; use %s, %s or %s", o.networks, registry.NetworksPublic,
			registry.NetworksLoopback, registry.NetworksPrivate)
	}
	if o.interval <= 0 {
		return cmdline.Usagef("--interval is %v; it must be above 0", o.interval)
	}
	if o.maxAgents <= 0 {
		return cmdline.Usagef("--max-agents is %d; it must be above 0", o.maxAgents)
	}
	return o.Check()
}

// A catalogueStore is the database of a registry and what has to be done when it ends.
type catalogueStore struct {
	db    *store.DB
	place string
	drop  string // a folder to be removed; "" for none
}

func (s *catalogueStore) close() error {
	err := s.db.Close()
	if s.drop != "" {
		err = errors.Join(err, os.RemoveAll(s.drop))
	}
	return err
}

// open opens where a catalogue is kept.
func (c *serving) open(ctx context.Context, data string, logger *slog.Logger) (*catalogueStore, error) {
	folder, err := c.DataFolder(data, cmdline.FolderRegistry)
	if err != nil {
		return nil, err
	}
	s := &catalogueStore{place: folder}
	if folder == cmdline.InMemory {
		dir, err := os.MkdirTemp("", "dragoman-registry-")
		if err != nil {
			return nil, fmt.Errorf("create a temporary folder for the registry: %w", err)
		}
		s.place, s.drop, folder = "kept until the registry ends", dir, dir
	}
	db, err := sqlite.Open(ctx, folder, sqlite.Options{Program: c.Name, Logger: logger})
	if err != nil {
		return nil, cmdline.ExplainFolder(folder, err)
	}
	s.db = db
	return s, nil
}

// Limits are those of a registry, for config show.
func Limits(o registry.Options) []cmdline.Limit {
	return []cmdline.Limit{
		{Name: "agents", Value: cmdline.Itoa(o.MaxAgents), Of: "registry"},
		{Name: "versions of a card that are kept", Value: cmdline.Itoa(o.MaxVersions), Of: "registry"},
		{Name: "card", Value: terminal.FormatBytes(o.MaxCard), Of: "registry"},
		{Name: "fetch of a card, and connection to an agent", Value: terminal.FormatDuration(o.Timeout),
			Of: "registry"},
		{Name: "checks at a time", Value: cmdline.Itoa(o.Concurrency), Of: "registry"},
		{Name: "longest time between two checks of an agent that is down",
			Value: terminal.FormatDuration(o.MaxInterval), Of: "registry"},
		{Name: "agents on a page", Value: cmdline.Itoa(registry.MaxPageSize), Of: "registry"},
		{Name: "text to search for", Value: terminal.FormatBytes(registry.MaxText), Of: "registry"},
	}
}
