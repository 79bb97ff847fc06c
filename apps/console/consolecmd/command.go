// SPDX-License-Identifier: Apache-2.0

// Package consolecmd holds the command that serves the console.
package consolecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/console"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// options are the flags of console.
type options struct {
	cmdline.ListenOptions
	callers cmdline.CallerOptions
	agents  []string
}

type command struct{ *connect.Caller }

const long = `console serves a web application for conversations with agents: it shows their
answers as they come, forms, files and pictures, and remembers everything. It
calls agents of every protocol version. When it is ready it prints one line to
standard error: serving console at URL.

-a adds an agent at start. Others are added on the page.`

const example = `  dragoman console
  dragoman console -a http://127.0.0.1:10000 -a http://127.0.0.1:10002`

// Command returns the command that serves the console.
func Command(caller *connect.Caller) *cobra.Command {
	c := &command{caller}
	var o options
	cmd := &cobra.Command{
		Use:     "console",
		Short:   "Serve a web application for conversations with agents",
		Long:    long,
		Example: example,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	connect.AgentsFlag(flags, &o.agents)
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:12000", "address to listen on; port 0 picks a free port")
	o.callers = cmdline.CallerOptions{MayDo: "talk to the agents"}
	o.callers.Add(flags)
	o.TLSFlags(flags)
	c.DataDirFlag(flags, &o.Data)
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that open requests get to finish when the console stops")
	o.LogFlags(flags, "warn")
	return cmd
}

// serve runs a console until ctx ends.
func (c *command) serve(ctx context.Context, o *options) (err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close()
	callers, err := o.callers.Read(c.Terminal, &o.ListenOptions, ln.Addr())
	if err != nil {
		return err
	}
	folder, err := c.DataFolder(o.Data, "console")
	if err != nil {
		return err
	}
	if folder == cmdline.InMemory { // until the console ends
		if folder, err = os.MkdirTemp("", "dragoman-console-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	db, err := sqlite.Open(ctx, folder, sqlite.Options{Program: c.Name, Logger: logger})
	if err != nil {
		return cmdline.ExplainFolder(folder, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	gctune.Tune(logger)
	app, err := console.New(ctx, &console.Options{Store: db, Client: client.Options{HTTPClient: c.HTTPClient()},
		Authenticator: callers.Authenticator, Policy: callers.Policy, Logger: logger})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	for _, ref := range o.agents {
		if err := app.Add(ctx, ref); err != nil {
			c.Warn("%s is not added: %v", connect.WithoutUser(ref), err)
		}
	}
	o.callers.WarnPlain(c.Terminal, &o.ListenOptions, ln.Addr())
	handler := http.Handler(app)
	if o.callers.Local(ln.Addr()) {
		handler = cmdline.LocalOnly("console", app)
	}
	fmt.Fprintf(c.Err, "serving console at %s\n", o.At(ln.Addr()))
	srv := &http.Server{Handler: handler, TLSConfig: o.TLS, ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: httpserver.ErrorLog(logger)}
	return o.Explain(run(ctx, srv, ln, o.Drain, app))
}

// run serves until ctx ends. Streams of pages end with the console, other requests by themselves.
func run(ctx context.Context, srv *http.Server, ln net.Listener, drain time.Duration, app *console.Console) error {
	failed := make(chan error, 1)
	go func() {
		if srv.TLSConfig != nil {
			failed <- srv.ServeTLS(ln, "", "")
		} else {
			failed <- srv.Serve(ln)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	app.Leave()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if srv.Shutdown(end) != nil {
		_ = srv.Close()
	}
	<-failed
	return nil
}
