// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	agentcard "github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/execagent"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	hostOptions
	agent      string
	grpcAddr   string
	grpcList   bool
	cardGRPC   bool
	drainDelay time.Duration

	generations []string
	unversioned bool
	reopen      bool
	rawFiles    bool

	exec        string
	chunk       string
	atOnce      int
	echo        bool
	proxy       string // of a flag that is gone
	name        string
	description string
	card        string
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
func (c *commands) demoCommand() *cobra.Command {
	cmd := c.serveCommand()
	cmd.Use, cmd.Hidden = "demo-server", true
	for name, value := range map[string]string{"agent": agentCurrency, cmdline.FlagDataDir: cmdline.InMemory} {
		flag := cmd.Flags().Lookup(name)
		flag.Value.Set(value)
		flag.DefValue = value
	}
	return cmd
}

func (c *commands) serveCommand() *cobra.Command {
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
	_ = cmd.RegisterFlagCompletionFunc("agent", // fails for unknown flags only
		cobra.FixedCompletions(namesOfSamples(), cobra.ShellCompDirectiveNoFileComp))
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
	o.urlFlag(flags)
	o.callers.Add(flags)
	o.callers.AuditFlag(flags)
	o.SignFlag(flags)
	flags.StringVar(&o.grpcAddr, "grpc-addr", "",
		"address of a second port for gRPC only, which is faster than the shared port")
	flags.BoolVar(&o.grpcList, "grpc-reflection", false, "let tools such as grpcurl list the gRPC services")
	connect.CardGRPCFlag(flags, &o.cardGRPC)
	o.sampleFlags(flags)
	flags.StringSliceVar(&o.generations, "generations", []string{"1.0", "0.3", "0.1"},
		"the protocol versions to serve; 0.3 includes 0.2")
	flags.BoolVar(&o.unversioned, "accept-unversioned", false,
		"read requests without A2A-Version as 1.0; the standard reads them as 0.3")
	flags.BoolVar(&o.reopen, "reopen-tasks", true,
		"let clients of 0.1 send messages to ended tasks; =false rejects them")
	flags.BoolVar(&o.rawFiles, "raw-files", false,
		"in 0.3 over gRPC and HTTP+JSON, read and write files as bytes instead of base64 text")
	o.push.Flags(flags)
	flags.BoolVar(&o.agentRole, "allow-agent-role", false, "accept messages that callers send in the role of the agent")
	o.TLSFlags(flags)
	flags.DurationVar(&o.turnLimit, "turn-limit", limits.TurnLimit, "time limit of one turn of the agent")
	flags.IntVar(&o.maxTurns, "max-turns", 0, "turns that run at once, for all callers; one caller gets three "+
		"quarters of them. Further turns wait. 0 means no limit")
	flags.DurationVar(&o.retention, "retention", limits.Retention, "retention of waiting and finished tasks")
	flags.Var(&o.ownerQuota, flagOwnerQuota, "quota on disk for the tasks of one caller, such as 500MiB or 2GiB; 0 "+
		"means no limit; all callers without an identity share one quota")
	flags.DurationVar(&o.Drain, "drain", times.DrainTimeout,
		"time that running turns get to finish when the server stops")
	flags.DurationVar(&o.drainDelay, "drain-delay", 0,
		"time that a stopping server still accepts requests while /readyz returns 503. "+
			"0 means 5s if /readyz was requested in the last minute, else no time; -1s means never")
	o.LogFlags(flags, "warn")
	return cmd
}

// serve runs a server until ctx ends.
func (c *commands) serve(ctx context.Context, o *serveOptions) (err error) {
	if err := o.checkSource(c.Run); err != nil {
		return err
	}
	s, stop, err := o.source(c.Run)
	if err != nil {
		return err
	}
	var model llm.Model
	if stop == nil && !o.echo {
		if model, err = o.openModel(c.Run); err != nil {
			return err
		}
	}
	if err := o.check(); err != nil {
		return err
	}
	if stop != nil {
		defer stop() // the commands that the engine has not waited for
		if c.BeforeEnd != nil {
			c.BeforeEnd(stop)
		}
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	callers, err := o.letIn(c.Run, ln)
	if err != nil {
		return err
	}
	audit, err := o.callers.OpenAudit()
	if err != nil {
		return err
	}
	defer cmdline.CloseAudit(audit, &err)
	signing, err := o.Signing(server.KeysPath)
	if err != nil {
		return err
	}
	h, err := openHost(ctx, c.Run, &o.hostOptions, s.name, model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close(ctx)) }()
	gctune.Tune(h.logger)
	service, card, err := h.start(s)
	if err != nil {
		return err
	}
	called := s.name
	if o.name != "" || o.card != "" {
		called = cmp.Or(card.Name, called)
	}
	mux := http.NewServeMux()
	options := &server.Options{
		Card: card, URL: o.URL, Logger: h.logger, DrainTimeout: o.Drain, TLS: o.TLS, Handler: mux,
		Authenticator: callers.Authenticator, Policy: callers.Policy, Audit: audit,
		CardSigner: signing.CardSigner, PublicKeys: signing.PublicKeys,
		GRPC: grpc.New(&grpc.Options{Addr: o.grpcAddr, Reflection: o.grpcList}), CardGRPC: o.cardGRPC,
		OnReady: func(_ net.Addr, url string) {
			if s.thinks {
				fmt.Fprintf(c.Err, "engine of %s: %s\n", s.name, terminal.Inline(h.thinker(s)))
			}
			fmt.Fprintf(c.Err, "data of %s: %s\nserving %s at %s\n", s.name, terminal.Inline(h.journal.Place),
				terminal.Inline(called), agentcard.AgentURL(url))
		},
		OnDrain: h.engine.Shutdown, Ready: h.engine.Ready, DrainDelay: o.drainDelay,
		AcceptUnversioned: o.unversioned, RefuseReopening: !o.reopen, RawFiles: o.rawFiles,
	}
	if options.Generations, err = o.servedGenerations(); err != nil {
		return err
	}
	srv, err := server.New(service, options)
	if err != nil {
		return err
	}
	mux.Handle("/", srv)
	mux.Handle(files.Path, h.files)
	return o.Explain(srv.Serve(ctx, ln))
}

// letIn returns who may call at the address, and at that of gRPC if it has one of its own.
func (o *serveOptions) letIn(run *cmdline.Run, ln net.Listener) (cmdline.Callers, error) {
	addrs := []net.Addr{ln.Addr()}
	if o.grpcAddr != "" {
		addr, err := net.ResolveTCPAddr("tcp", o.grpcAddr)
		if err != nil {
			return cmdline.Callers{}, cmdline.Usagef("--grpc-addr: %v", err)
		}
		addrs = append(addrs, addr)
	}
	return o.callers.Read(run.Terminal, &o.ListenOptions, addrs...)
}

func (o *serveOptions) check() error {
	for name, limit := range map[string]time.Duration{"turn-limit": o.turnLimit, "retention": o.retention} {
		if limit <= 0 {
			return cmdline.Usagef("--%s is %v; it must be above 0", name, limit)
		}
	}
	if o.maxTurns < 0 {
		return cmdline.Usagef("--max-turns is %d; it must be 0, for no limit, or above", o.maxTurns)
	}
	if o.grpcAddr != "" {
		if err := cmdline.CheckAddress("grpc-addr", o.grpcAddr); err != nil {
			return err
		}
	}
	return o.ListenOptions.Check()
}

// servedGenerations returns the protocol versions that the flags name.
func (o *serveOptions) servedGenerations() ([]a2a.Generation, error) {
	var all []a2a.Generation
	for _, name := range o.generations {
		generations, ok := connect.Versions[name]
		if !ok || name == connect.AnyVersion {
			return nil, cmdline.Usagef("--generations has %q; use 1.0, 0.3, 0.2 and 0.1", name)
		}
		for _, gen := range generations {
			if !slices.Contains(all, gen) {
				all = append(all, gen)
			}
		}
	}
	return all, nil
}

// The names of the agents that are none of the samples.
const (
	agentExec = "exec"
	agentEcho = "echo"
)

// checkSource finds out which agent is served: there must be one.
func (o *serveOptions) checkSource(run *cmdline.Run) error {
	if o.proxy != "" {
		gateway := []string{run.Program, "gateway", "-a", connect.WithoutUser(o.proxy), "--addr", o.Addr}
		return cmdline.Usagef("serve has no --proxy any more").WithHint("use " + terminal.CommandLine(gateway))
	}
	custom := o.exec != "" || o.echo
	if custom && !run.FromFlag("agent") {
		o.agent = "" // a variable counts only if no flag names an agent
	}
	var given []string
	for flag, set := range map[string]bool{"--agent": o.agent != "", "--exec": o.exec != "", "--echo": o.echo} {
		if set {
			given = append(given, flag)
		}
	}
	slices.Sort(given)
	switch {
	case len(given) > 1:
		return cmdline.Usagef("%s exclude each other", strings.Join(given, " and "))
	case !custom && o.name+o.description+o.card != "":
		return cmdline.Usagef("--name, --description and --card are for --exec and --echo")
	case o.card != "" && o.name+o.description != "":
		return cmdline.Usagef("--card says what --name and --description say")
	case o.exec == "" && o.chunk != "":
		return cmdline.Usagef("--chunk is for --exec")
	case o.atOnce < 1:
		return cmdline.Usagef("--at-once is %d; it must be above 0", o.atOnce)
	case o.agent == agentExec || o.agent == agentEcho:
		return cmdline.Usagef("--agent is %q; give --%s itself", o.agent, o.agent)
	}
	// shells make these awkward to type
	o.chunk = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00", `\\`, `\`).Replace(o.chunk)
	if len(o.chunk) > 100 {
		return cmdline.Usagef("--chunk: it has more than 100 bytes")
	}
	if _, set := run.Origin[cmdline.FlagDataDir]; custom && !set {
		o.Data = cmdline.InMemory
	}
	return nil
}

// source returns the agent that the flags name. If stop is not nil, it ends the commands of the agent.
func (o *serveOptions) source(run *cmdline.Run) (s *sample, stop func(), err error) {
	switch {
	case o.exec != "":
		worker := execagent.New(o.exec, o.chunk, o.atOnce)
		s, err = o.custom(agentExec, worker, "Command", "Runs a command", "text/plain")
		return s, worker.Kill, err
	case o.echo:
		parrot := agent.Func(func(_ context.Context, t *agent.Turn) error {
			return t.Artifact("echo", t.Message().Parts...)
		})
		s, err = o.custom(agentEcho, parrot, "Echo", "Gives back what it is sent", "*/*")
		return s, nil, err
	case o.agent == "":
		return nil, nil, cmdline.Usagef("no agent is named").WithHint("give one with --agent: " + sampleNames() +
			"; or a command with --exec; dragoman gateway serves another agent")
	}
	for flag, names := range map[string][]string{
		"rates": {agentCurrency}, "reply": {agentHello}, "allow-url": {agentFiles, agentImages},
		"allow-networks": {agentFiles, agentImages}, flagMCP: {agentCoder},
	} {
		if !slices.Contains(names, o.agent) && run.FromFlag(flag) {
			return nil, nil, cmdline.Usagef("--%s is for --agent %s", flag, strings.Join(names, " and "))
		}
	}
	if s = findSample(o.agent); s == nil {
		return nil, nil, cmdline.Usagef("--agent is %q; use %s", o.agent, sampleNames())
	}
	return s, nil, nil
}

// custom returns an agent that is none of the samples, with a card from a file or from its name and description.
func (o *serveOptions) custom(kind string, worker agent.Agent, name, description, mode string) (*sample, error) {
	name, description = cmp.Or(o.name, name), cmp.Or(o.description, description)
	modes := []string{mode}
	card := &a2a.AgentCard{
		Name: name, Description: description, Version: "1.0.0", DefaultInputModes: modes, DefaultOutputModes: modes,
		Skills: []a2a.AgentSkill{{ID: "run", Name: name, Description: description, Tags: []string{"custom"}}},
	}
	if o.card != "" {
		text, err := os.ReadFile(o.card)
		if err != nil {
			return nil, cmdline.Usagef("--card: %v", err)
		}
		card = new(a2a.AgentCard)
		if err := json.Unmarshal(text, card); err != nil {
			return nil, cmdline.Usagef("--card: %s is no card: %v", o.card, err).WithHint("see what is wrong with " +
				terminal.CommandLine([]string{"dragoman", "card", "validate", "-a", o.card}))
		}
	}
	return &sample{name: kind, card: func() *a2a.AgentCard { return card },
		open: func(*sampleHost) (agent.Agent, error) { return worker, nil }}, nil
}
