// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// flagRegistryToken names the flag with the token of a registry, for those who serve it and those who use it.
const flagRegistryToken = "registry-token"

// registryServeOptions are the flags of registry serve.
type registryServeOptions struct {
	serveOptions
	token     string
	networks  string
	open      bool
	anyHost   bool
	interval  time.Duration
	maxAgents int
}

const registryServeLong = `serve runs a registry: a catalogue of agents with an HTTP API, described in
docs/registry.md. It fetches the cards of the agents that are added, keeps them with
their history in a data folder, and looks from time to time whether the agents are
there. When it is ready it prints one line to the error stream: serving registry at URL.

With --registry-token only who has the token may add, check and remove agents; all may
look. Beyond this machine the registry wants a token, or --open. --networks says where agents may be: public, loopback (public ones and this
machine) or private (private networks, too). Unless it is given, a registry that listens
on this machine only looks at this machine, too, and any other one only at public agents.`

const registryServeExample = `  dragoman registry serve
  dragoman registry serve --addr 127.0.0.1:0 --data-dir :memory:
  DRAGOMAN_REGISTRY_TOKEN=secret dragoman registry serve --addr :8095 --networks private --tls-cert cert.pem --tls-key key.pem`

func (c *command) registryServeCommand() *cobra.Command {
	var o registryServeOptions
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve a registry",
		Long:    registryServeLong,
		Example: registryServeExample,
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.registryServe(cmd.Context(), &o) },
	}
	flags, limits := cmd.Flags(), registry.Options{}.Defaults()
	flags.SortFlags = false
	flags.StringVar(&o.addr, "addr", defaultRegistry, "where to listen; port 0 takes a free one")
	c.dataDirFlag(flags, &o.data)
	registryTokenFlag(flags, &o.token)
	flags.StringVar(&o.networks, "networks", "", "where agents may be: public, loopback or private (default: loopback when --addr is, else public)")
	flags.BoolVar(&o.open, "open", false, "beyond this machine, let everybody add and remove agents")
	flags.BoolVar(&o.anyHost, "any-host", false, "on a loopback address, answer whatever host requests name, as behind a proxy, which counts as beyond this machine")
	flags.DurationVar(&o.interval, "interval", limits.Interval, "time between two checks of an agent that is up")
	flags.IntVar(&o.maxAgents, "max-agents", limits.MaxAgents, "how many agents the catalogue takes")
	flags.StringVar(&o.cert, "tls-cert", "", "file with the certificate to serve HTTPS with, in PEM")
	flags.StringVar(&o.key, "tls-key", "", "file with the certificate's key, in PEM")
	flags.DurationVar(&o.drain, "drain", server.Options{}.Defaults().DrainTimeout, "how long open requests may take to end when the registry is stopped")
	flags.StringVar(&o.logLevel, "log-level", "warn", "debug, info, warn or error")
	flags.StringVar(&o.logFormat, "log-format", "text", "text or json")
	return cmd
}

// registryServe runs a registry until ctx ends.
func (c *command) registryServe(ctx context.Context, o *registryServeOptions) (err error) {
	logger, err := o.logger(c)
	if err != nil {
		return err
	}
	if err := o.checkRegistry(); err != nil {
		return err
	}
	ln, err := o.listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // registry.Serve does that too
	local := isLoopback(ln.Addr()) && !o.anyHost
	if err := c.checkOpenRegistry(o, local); err != nil {
		return err
	}
	if o.networks == "" {
		o.networks = registry.NetworksPublic
		if local {
			o.networks = registry.NetworksLoopback
		}
	}
	kept, err := c.openCatalogue(ctx, o.data, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	catalogue, err := registry.New(ctx, kept.db, &registry.Options{
		Networks: o.networks, Interval: o.interval, MaxAgents: o.maxAgents, Logger: logger,
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
	handler := registry.NewHandler(catalogue, &registry.HandlerOptions{Authenticator: o.authenticator(), Logger: logger})
	fmt.Fprintf(c.Err, "data of registry: %s\nserving registry at %s\n", terminal.Inline(kept.place), o.at(ln.Addr()))
	return o.explain(registry.Serve(ctx, ln, handler, &registry.ServeOptions{TLS: o.tls, Drain: o.drain, Logger: logger, AnyHost: o.anyHost}))
}

func (o *registryServeOptions) checkRegistry() error {
	o.turnLimit, o.retention = time.Hour, time.Hour // of an engine, which a registry has not
	switch o.networks {
	case "", registry.NetworksPublic, registry.NetworksLoopback, registry.NetworksPrivate:
	default:
		return usagef("--networks is %q; use %s, %s or %s", o.networks, registry.NetworksPublic, registry.NetworksLoopback, registry.NetworksPrivate)
	}
	if o.interval <= 0 {
		return usagef("--interval is %v; it must be above 0", o.interval)
	}
	if o.maxAgents <= 0 {
		return usagef("--max-agents is %d; it must be above 0", o.maxAgents)
	}
	return o.check()
}

// checkOpenRegistry refuses to let strangers change the catalogue, unless that is meant, as coord serve does.
func (c *command) checkOpenRegistry(o *registryServeOptions, local bool) error {
	switch {
	case local:
		return nil
	case o.token == "" && !o.open:
		return usagef("--addr %s is beyond this machine, and everybody there could add and remove agents", o.addr).
			withHint("set a token with --" + flagRegistryToken + ", or let in everybody with --open")
	case o.token == "":
		c.Warn("everybody who reaches the registry may add and remove agents")
	}
	if o.tls == nil {
		c.Warn("serving plain http beyond this machine: everybody on the way can read and change it; set --tls-cert, or put a proxy with TLS in front")
	}
	return nil
}

func (o *registryServeOptions) authenticator() auth.Authenticator {
	if o.token == "" {
		return nil
	}
	return auth.Token(o.token, a2a.Identity{Subject: "registry"})
}

// at returns the URL of the registry for people on this machine.
func (o *registryServeOptions) at(addr net.Addr) string {
	scheme, host := "http", addr.String()
	if o.tls != nil {
		scheme = "https"
	}
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("localhost", itoa(tcp.Port))
	}
	return scheme + "://" + host
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
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

// openCatalogue opens where a catalogue is kept.
func (c *command) openCatalogue(ctx context.Context, data string, logger *slog.Logger) (*catalogueStore, error) {
	folder, err := c.dataFolder(data, folderRegistry)
	if err != nil {
		return nil, err
	}
	s := &catalogueStore{place: folder}
	if folder == inMemory {
		dir, err := os.MkdirTemp("", "dragoman-registry-")
		if err != nil {
			return nil, fmt.Errorf("make a folder that ends with the registry: %w", err)
		}
		s.place, s.drop, folder = "kept until the registry ends", dir, dir
	}
	db, err := sqlite.Open(ctx, folder, sqlite.Options{Program: c.running, Logger: logger})
	if err != nil {
		return nil, explainFolder(folder, err)
	}
	s.db = db
	return s, nil
}

// registryLimits are those of a registry, for config show.
func registryLimits(o registry.Options) []limit {
	return []limit{
		{"agents", itoa(o.MaxAgents), "registry"},
		{"versions of a card that are kept", itoa(o.MaxVersions), "registry"},
		{"card", terminal.FormatBytes(o.MaxCard), "registry"},
		{"fetch of a card, and connection to an agent", terminal.FormatDuration(o.Timeout), "registry"},
		{"checks at a time", itoa(o.Concurrency), "registry"},
		{"longest time between two checks of an agent that is down", terminal.FormatDuration(o.MaxInterval), "registry"},
		{"agents on a page", itoa(registry.MaxPageSize), "registry"},
		{"text to search for", terminal.FormatBytes(registry.MaxText), "registry"},
	}
}
