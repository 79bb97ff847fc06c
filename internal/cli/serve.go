// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	agentcard "github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// The names of the sample agents, which are part of the key of each of their tasks.
const (
	agentCoder    = "coder"
	agentCurrency = "currency"
	agentFiles    = "files"
	agentHello    = "hello"
	agentImages   = "images"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	cmdline.ListenOptions
	agent      string
	grpcAddr   string
	grpcList   bool
	cardGRPC   bool
	samples    sampleOptions
	dialects   connect.DialectFlags
	agentRole  bool
	turnLimit  time.Duration
	retention  time.Duration
	ownerQuota sizeFlag // 0 for none
	drainDelay time.Duration

	exec        string
	commands    *processes // of exec; nil without it
	chunk       string
	atOnce      int
	echo        bool
	proxy       string // of a flag that is gone
	name        string
	description string
	card        string

	agentVersion string // of the agents behind a gateway or a host
}

const serveLong = `serve serves a sample agent or your own agent to clients of every protocol version, over
JSON-RPC, HTTP+JSON and gRPC on one port. When it is ready, it prints one line to standard error:
serving NAME at URL.

--exec runs a shell command for each message. The command gets the text on standard input, and
its output becomes the artifact. With --chunk serve streams the output in pieces. If the command
fails, the task fails and the caller sees the end of the command's standard error. If the caller
cancels the task, serve ends the command with all its child processes.

A2A_TASK_ID and A2A_CONTEXT_ID hold the ids of the task and the conversation. They consist of
letters, digits, dots, hyphens and underscores. If an id has other characters or belongs to a
tenant, serve replaces it by a hash. --echo serves an agent that returns each message.

Sample agents keep their tasks in a data folder; with --data-dir :memory: they keep them in
memory. --exec and --echo keep tasks in memory unless --data-dir names a folder. On SIGTERM or
Ctrl-C, serve lets running turns finish (see --drain), then stops. A second signal stops it and the
running commands at once.`

const serveExample = `  dragoman serve --agent currency
  dragoman serve --agent currency --rates auto --addr 127.0.0.1:8080 --data-dir ./data
  dragoman serve --agent currency --generations 0.1 --addr 127.0.0.1:10000
  dragoman serve --agent hello --reply --addr 127.0.0.1:0 --data-dir :memory:
  dragoman serve --agent hello --addr :8443 --url https://hello.example.com --tls-cert cert.pem --tls-key key.pem
  dragoman serve --exec 'tr a-z A-Z' --name Shouter
  dragoman serve --exec 'tail -n 5 /var/log/syslog' --chunk`

// demoCommand is serve by the name that the specification of such tools gives it, with an agent to practise on.
func (c *command) demoCommand() *cobra.Command {
	cmd := c.serveCommand()
	cmd.Use, cmd.Hidden = "demo-server", true
	for name, value := range map[string]string{"agent": agentCurrency, cmdline.FlagDataDir: cmdline.InMemory} {
		flag := cmd.Flags().Lookup(name)
		flag.Value.Set(value)
		flag.DefValue = value
	}
	return cmd
}

func (c *command) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve a sample agent, a command, or another agent",
		Long:    serveLong,
		Example: serveExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), &o) },
	}
	limits, times := engine.Options{}.Defaults(), server.Options{}.Defaults()
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.agent, "agent", "", "the agent: "+sampleNames())
	flags.StringVar(&o.exec, "exec", "", "serve this shell command")
	flags.StringVar(&o.chunk, "chunk", "", "with --exec: stream the output in pieces that end with this text "+
		"(default without a value: \\n)")
	flags.Lookup("chunk").NoOptDefVal = `\n`
	flags.IntVar(&o.atOnce, "at-once", 16, "with --exec: most commands that run at once; further messages wait")
	flags.BoolVar(&o.echo, "echo", false, "serve an agent that returns each message")
	flags.StringVar(&o.proxy, "proxy", "", "gone: use dragoman gateway")
	_ = flags.MarkHidden("proxy") // fails for unknown flags only
	flags.StringVar(&o.name, "name", "", "name of the agent of --exec or --echo")
	flags.StringVar(&o.description, "description", "", "description of the agent of --exec or --echo")
	flags.StringVar(&o.card, "card", "", "file with the card of the agent of --exec or --echo, instead of name and "+
		"description")
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free port")
	c.DataDirFlag(flags, &o.Data)
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the server (default: the address it "+
		"listens on)")
	flags.StringVar(&o.grpcAddr, "grpc-addr", "",
		"address of a second port for gRPC only, which is faster than the shared port")
	flags.BoolVar(&o.grpcList, "grpc-reflection", false, "let tools such as grpcurl list the gRPC services")
	o.registerCardGRPC(flags)
	o.samples.register(flags)
	o.dialects.Register(flags)
	flags.BoolVar(&o.agentRole, "allow-agent-role", false, "accept messages that callers send in the role of the agent")
	flags.StringVar(&o.Cert, "tls-cert", "", "PEM file with the certificate for HTTPS")
	flags.StringVar(&o.Key, "tls-key", "", "PEM file with the key of the certificate")
	flags.DurationVar(&o.turnLimit, "turn-limit", limits.TurnLimit, "time limit of one turn of the agent")
	flags.DurationVar(&o.retention, "retention", limits.Retention, "retention of waiting and finished tasks")
	flags.Var(&o.ownerQuota, flagOwnerQuota, "quota on disk for the tasks of one caller, such as 500MiB or 2GiB; 0 "+
		"means no limit; all callers without an identity share one quota")
	flags.DurationVar(&o.Drain, "drain", times.DrainTimeout,
		"time that running turns get to finish when the server stops")
	flags.DurationVar(&o.drainDelay, "drain-delay", 0,
		"time that a stopping server still accepts requests while /readyz returns 503. "+
			"0 means 5s if /readyz was requested in the last minute, else no time; -1s means never")
	flags.StringVar(&o.LogLevel, "log-level", "warn", "debug, info, warn or error")
	flags.StringVar(&o.LogFormat, "log-format", "text", "text or json")
	return cmd
}

// registerCardGRPC adds a flag that every server has.
func (o *serveOptions) registerCardGRPC(flags *pflag.FlagSet) {
	flags.BoolVar(&o.cardGRPC, "card-grpc", false,
		"list gRPC in the card for every client; Google ADK rejects such a card")
}

// serve runs a server until ctx ends.
func (c *command) serve(ctx context.Context, o *serveOptions) (err error) {
	if err := o.checkSource(c); err != nil {
		return err
	}
	worker, err := o.sample(c)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if o.commands != nil {
		defer o.commands.kill() // those that the engine has not waited for
		if c.BeforeEnd != nil {
			c.BeforeEnd(o.commands.kill)
		}
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	w, err := c.openSampleHost(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close(ctx)) }()
	gctune.Tune(w.logger)
	service, card, err := w.start(worker)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	options := &server.Options{
		Card: card, URL: o.URL, Logger: w.logger, DrainTimeout: o.Drain, TLS: o.TLS, Handler: mux,
		GRPC: grpc.New(&grpc.Options{Addr: o.grpcAddr, Reflection: o.grpcList}), CardGRPC: o.cardGRPC,
		OnReady: func(_ net.Addr, url string) {
			if worker.thinks {
				fmt.Fprintf(c.Err, "engine of %s: %s\n", o.agent, terminal.Inline(o.samples.engineOf(worker)))
			}
			fmt.Fprintf(c.Err, "data of %s: %s\nserving %s at %s\n", o.agent, terminal.Inline(w.storage.place),
				terminal.Inline(o.calledName(card)), agentcard.AgentURL(url))
		},
		OnDrain: w.engine.Shutdown, Ready: w.engine.Ready, DrainDelay: o.drainDelay,
	}
	if err := o.dialects.Apply(options); err != nil {
		return err
	}
	srv, err := server.New(service, options)
	if err != nil {
		return err
	}
	mux.Handle("/", srv)
	mux.Handle(files.Path, w.files)
	return o.Explain(srv.Serve(ctx, ln))
}

// calledName returns what the agent is called where it is announced: as its flags do, or else by the flag that chose
// it.
func (o *serveOptions) calledName(card *a2a.AgentCard) string {
	if o.name != "" || o.card != "" {
		return cmp.Or(card.Name, o.agent)
	}
	return o.agent
}

// shutdown ends the engine of a server that has ended, for whatever reason. After a drain it finds nothing to do.
func shutdown(ctx context.Context, eng *engine.Engine, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return eng.Shutdown(ctx)
}

// sample returns the agent that is asked for.
func (o *serveOptions) sample(c *command) (*sample, error) {
	switch o.agent {
	case agentExec, agentEcho:
		worker, card, err := o.custom()
		return &sample{
			name: o.agent, card: func() *a2a.AgentCard { return card },
			open: func(*sampleOptions, *sampleHost) (agent.Agent, error) { return worker, nil },
		}, err
	case "":
		return nil, cmdline.Usagef("no agent is named").WithHint("give one with --agent: " + sampleNames() +
			"; or a command with --exec; dragoman gateway serves another agent")
	}
	for flag, names := range map[string][]string{
		"rates": {agentCurrency}, "reply": {agentHello}, "allow-url": {agentFiles, agentImages},
		"allow-networks": {agentFiles, agentImages}, flagMCP: {agentCoder},
	} {
		if !slices.Contains(names, o.agent) && c.FromFlag(flag) {
			return nil, cmdline.Usagef("--%s is for --agent %s", flag, strings.Join(names, " and "))
		}
	}
	if err := o.samples.openModel(c); err != nil {
		return nil, err
	}
	return findSample(o.agent)
}

func (o *serveOptions) check() error {
	for name, limit := range map[string]time.Duration{"turn-limit": o.turnLimit, "retention": o.retention} {
		if limit <= 0 {
			return cmdline.Usagef("--%s is %v; it must be above 0", name, limit)
		}
	}
	if o.grpcAddr != "" {
		if err := cmdline.CheckAddress("grpc-addr", o.grpcAddr); err != nil {
			return err
		}
	}
	return o.ListenOptions.Check()
}

// storage is a journal and what has to be closed with it.
type storage struct {
	journal journal.Journal
	place   string // where that is, for people
	closers []func() error
}

func (k *storage) close() error {
	var err error
	for _, f := range k.closers {
		err = errors.Join(err, f())
	}
	return err
}

// openJournal opens where tasks are kept.
func (c *command) openJournal(ctx context.Context, o *serveOptions) (*storage, error) {
	folder, err := c.DataFolder(o.Data, o.agent)
	if err != nil {
		return nil, err
	}
	if folder == cmdline.InMemory {
		if o.ownerQuota > 0 {
			return nil, cmdline.Usagef("--%s is for tasks on disk, and --%s is %s, which has bounds of its own",
				flagOwnerQuota, cmdline.FlagDataDir, cmdline.InMemory)
		}
		j := memory.New(nil)
		return &storage{journal: j, place: "in memory; tasks end with the server", closers: []func() error{j.Close}},
			nil
	}
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return nil, err
	}
	opened, err := c.openFolder(ctx, folder, logger, &sql.Options{OwnerBytes: int64(o.ownerQuota)})
	if err != nil {
		return nil, cmdline.ExplainFolder(folder, err)
	}
	return opened, nil
}

// openFolder opens a journal in a folder, which is locked until it is closed.
func (c *command) openFolder(ctx context.Context, folder string, logger *slog.Logger, bounds *sql.Options) (*storage,
	error) {
	db, err := sqlite.Open(ctx, folder, sqlite.Options{Program: c.Name, Logger: logger})
	if err != nil {
		return nil, err
	}
	j, err := sql.New(ctx, db, bounds)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &storage{journal: j, place: folder, closers: []func() error{j.Close, db.Close}}, nil
}
