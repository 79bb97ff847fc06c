// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/chat"
	"github.com/dragoman-a2a/dragoman/internal/clientcmd"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// agentHost is the name of the host among the agents of a journal.
const agentHost = "host"

// hostOptions are the flags of host.
type hostOptions struct {
	serveOptions
	agents   []string
	registry string
	networks string
	model    string

	taskID, contextID string // that the conversation begins with
	alone             bool   // it is there for this run only
	patient           bool   // its turns get all the time of drain when it ends
	parallel          int
	step              time.Duration
}

const hostLong = `host is an agent that passes requests on to other agents: to the right one, or to
several in the right order, where one gets what another answered. -a names the
agents. --registry adds those of a registry.

At a terminal, and when standard input is a pipe, host is a conversation like
chat. With --serve it serves other clients; when it is ready it prints one line
to standard error: serving host at URL.

Several hosts may run at once. Each keeps its tasks in a folder of its own in the
data folder, and --task-id or --context-id finds the folder again.

Without --llm, rules choose the agents: the same request goes the same way each
time.`

const hostExample = `  dragoman host http://127.0.0.1:10000 http://127.0.0.1:10002
  dragoman host -a money=http://127.0.0.1:10000 --serve 127.0.0.1:8100
  dragoman host --registry http://127.0.0.1:8095 --serve 127.0.0.1:8100
  dragoman host ask http://127.0.0.1:10000 "100 USD in GBP"`

func (c *command) hostCommand() *cobra.Command {
	var o hostOptions
	cmd := &cobra.Command{
		Use:     "host",
		Short:   "Route requests to the right agents",
		Long:    hostLong,
		Example: hostExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.host(cmd, &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "serve", "", "serve the host at this address; port 0 picks a free port")
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the host (default: the address it listens "+
		"on)")
	o.registerCardGRPC(flags)
	flags.StringVar(&o.Cert, "tls-cert", "", "PEM file with the certificate for HTTPS")
	flags.StringVar(&o.Key, "tls-key", "", "PEM file with the key of the certificate")
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that running turns get to finish when the host stops")
	flags.StringVar(&o.taskID, "task-id", "", "the task to answer or to continue")
	flags.StringVar(&o.contextID, "context-id", "", "the context to continue")
	c.DataDirFlag(flags, &o.Data)
	flags.StringVar(&o.networks, "networks", "", hostNetworksUsage)
	c.hostFlags(cmd.PersistentFlags(), &o)
	cmd.AddCommand(c.hostAskCommand(&o))
	return cmd
}

const hostNetworksUsage = "networks of agents of the registry: public, loopback (and public) or private (and both) " +
	"(default: loopback if the registry is on this machine, else public)"

// hostFlags are those that say what a host is, however it is used.
func (c *command) hostFlags(flags *pflag.FlagSet, o *hostOptions) {
	limits := host.Options{}.Defaults()
	connect.AgentsFlag(flags, &o.agents)
	flags.StringVar(&o.registry, "registry", "", "URL of a registry whose agents the host uses too")
	flags.StringVar(&o.model, "llm", llmOff,
		"planner: off for rules; auto, gemini, openai or anthropic for a language model, with its key in the "+
			"environment")
	connect.AgentVersionFlag(flags, &o.agentVersion)
	calls := c.Flags()
	flags.AddFlag(calls.Lookup("transport")) // to the agents, and to the host itself
	for _, name := range connect.TLSFlags {
		flags.AddFlag(calls.Lookup(name))
	}
	flags.IntVar(&o.parallel, "parallel", limits.Parallel, "most agents that work on one request at once")
	flags.DurationVar(&o.step, "step-timeout", limits.StepTimeout, "time limit of one agent for its step")
	flags.StringVar(&o.LogLevel, "log-level", "error", "debug, info, warn or error")
	flags.StringVar(&o.LogFormat, "log-format", "text", "text or json")
}

const hostAskLong = `ask starts a host, gives it one message, and shows the result as send does. When
the host asks something, ask prints the command that answers. When no agent for
the message can be reached, the exit code is 3.`

const hostAskExample = `  dragoman host ask http://127.0.0.1:10000 "100 USD in GBP"
  dragoman host ask -a http://127.0.0.1:10000 --stream "How much is 1 USD?"
  dragoman host ask -a http://127.0.0.1:10000 --task-id ID --text CAD`

// hostAskCommand is send, to a host that is there for this one message.
func (c *command) hostAskCommand(o *hostOptions) *cobra.Command {
	var networks *pflag.Flag // of files to send
	cmd := clientcmd.Send(c.Caller, func(cmd *cobra.Command, send func(*connect.Caller) error) error {
		if networks.Changed {
			o.networks = networks.Value.String()
		}
		o.taskID, o.contextID = cmd.Flag("task-id").Value.String(), cmd.Flag("context-id").Value.String()
		o.alone, o.Addr, o.Drain = true, "127.0.0.1:0", server.Options{}.Defaults().DrainTimeout
		return c.withHost(cmd.Context(), o, func(ctx context.Context, url string) (stays bool, err error) {
			o.warnOfMissing(ctx, c)
			caller := o.standIn(c, url)
			err = caller.AsFailure(ctx, send(caller))
			return err == nil, err
		})
	})
	cmd.Use, cmd.Short, cmd.Long, cmd.Example = "ask [words]", "Give a host one message", hostAskLong, hostAskExample
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "timeout", "debug", "verbose":
			cmd.Flags().AddFlag(f)
		}
	})
	c.DataDirFlag(cmd.Flags(), &o.Data)
	networks = cmd.Flag("networks")
	networks.Usage += ". It also sets the " + hostNetworksUsage
	return cmd
}

// standIn returns the caller of a host that ends with this run. To reach it later, one types the command that makes a
// host like it.
func (o *hostOptions) standIn(c *command, url string) *connect.Caller {
	caller := c.To(url)
	caller.Own = &connect.OwnAgent{
		Resume:    map[string][]string{"send": o.resumeArgs(c, "ask"), "chat": o.resumeArgs(c)},
		Ephemeral: o.Data == cmdline.InMemory,
		Unreached: reachedNobody,
	}
	return caller
}

// resumeArgs is the command that makes the same host once more. What variables say they say then, too. Passwords in
// URLs are left out.
func (o *hostOptions) resumeArgs(c *command, verb ...string) []string {
	words := append([]string{c.Program, "host"}, verb...)
	if c.FromFlag(connect.FlagAgentCard) {
		for _, agent := range o.agents {
			words = append(words, "-a", connect.WithoutUser(agent))
		}
	}
	for _, flag := range []struct{ name, value string }{{"registry", connect.WithoutUser(o.registry)},
		{"networks", o.networks}, {"llm", o.model}} {
		if c.FromFlag(flag.name) {
			words = append(words, "--"+flag.name, flag.value)
		}
	}
	if o.Data != "" && c.FromFlag(cmdline.FlagDataDir) {
		words = append(words, "--"+cmdline.FlagDataDir, o.Data)
	}
	return words
}

// host serves a host, talks with it, or both.
func (c *command) host(cmd *cobra.Command, o *hostOptions) error {
	served := o.Addr != ""
	if !served {
		o.Addr = "127.0.0.1:0"
	}
	o.alone, o.patient = !served, served || c.Origin["drain"] != ""
	return c.withHost(cmd.Context(), o, func(ctx context.Context, url string) (stays bool, err error) {
		caller := c.To(url)
		if served {
			fmt.Fprintf(c.Err, "serving %s at %s\n", agentHost, card.AgentURL(url))
		} else {
			caller = o.standIn(c, url)
		}
		o.warnOfMissing(ctx, c)
		if served && !c.AtTerminal() {
			<-ctx.Done()
			return false, nil
		}
		talk := &chat.Options{Agents: []string{url}, TaskID: o.taskID, ContextID: o.contextID, DataDir: o.Data}
		return false, talk.Run(ctx, caller, "")
	})
}

// withHost runs a host for as long as f runs; its URL is f's. f says whether the host stays until its turns have ended.
func (c *command) withHost(ctx context.Context, o *hostOptions,
	f func(ctx context.Context, url string) (stays bool, err error)) (err error) {
	o.turnLimit, o.retention = engine.Options{}.Defaults().TurnLimit, engine.Options{}.Defaults().Retention
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	directory, err := o.directory(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, directory.Close()) }()
	planner, err := o.planner(c)
	if err != nil {
		return err
	}
	h, err := host.New(host.Options{Directory: directory, Planner: planner, Parallel: o.parallel, StepTimeout: o.step})
	if err != nil {
		return err
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	kept, err := c.openHost(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	eng, err := engine.New(&engine.Options{Journal: kept.journal, Logger: logger})
	if err != nil {
		return err
	}
	card := host.Card()
	end := &hostEnd{
		c: c, engine: eng, service: eng.Agent(agentHost, h, &engine.AgentOptions{Card: card}), run: ctx,
		patience: o.Drain, patient: o.patient, alone: o.alone, keeps: o.Data != cmdline.InMemory,
	}
	defer func() { err = errors.Join(err, end.drain(ctx)) }()
	ready := make(chan string, 1)
	srv, err := server.New(end.service, &server.Options{
		Card: card, URL: o.URL, Logger: logger, DrainTimeout: o.Drain, TLS: o.TLS, GRPC: grpc.New(nil),
		CardGRPC: o.cardGRPC,
		OnReady:  func(_ net.Addr, url string) { ready <- url },
		OnDrain:  end.drain, Ready: eng.Ready,
	})
	if err != nil {
		return err
	}
	return o.during(ctx, ln, srv, directory, ready, func(ctx context.Context, url string) error {
		stays, err := f(ctx, url)
		end.left.Store(!stays)
		return err
	})
}

// during serves, keeps the directory fresh, and runs f, until f ends or serving does.
func (o *hostOptions) during(ctx context.Context, ln net.Listener, srv *server.Server, d *host.Directory,
	ready <-chan string, f func(context.Context, string) error) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	inside, leave := context.WithCancel(ctx)
	defer leave()
	ended, watched := make(chan error, 1), make(chan struct{})
	go func() {
		defer leave()
		ended <- o.Explain(srv.Serve(serving, ln))
	}()
	go func() {
		defer close(watched)
		d.Watch(serving)
	}()
	defer func() { <-watched }()
	defer stop()
	select {
	case url := <-ready:
		err := f(inside, url)
		stop()
		return cmp.Or(err, <-ended)
	case err := <-ended:
		return err
	}
}

// directory makes the directory that the flags name.
func (o *hostOptions) directory(c *command) (*host.Directory, error) {
	if len(o.agents) == 0 && o.registry == "" {
		return nil, cmdline.Usagef("no agent is named").WithHint(
			"name agents with -a URL, or a registry with --registry URL")
	}
	if o.parallel < 1 || o.step <= 0 {
		return nil, cmdline.Usagef("--parallel and --step-timeout must be above 0")
	}
	if o.networks != "" && !guard.Networks(o.networks).Valid() {
		return nil, cmdline.Usagef("--networks is %q; use public, loopback or private", o.networks)
	}
	generations, err := connect.GenerationsOf(o.agentVersion)
	if err != nil {
		return nil, err
	}
	bindings, err := c.Bindings()
	if err != nil {
		return nil, err
	}
	options := &host.DirectoryOptions{Networks: o.networks,
		Client: client.Options{HTTPClient: c.HTTPClient(), Bindings: bindings, Generations: generations}}
	for _, text := range o.agents {
		alias, card := connect.NameAndRef(text)
		if card == "" {
			return nil, cmdline.Usagef("-a is %q, which names no agent",
				text).WithHint("for example -a http://127.0.0.1:10000")
		}
		if card, err = connect.CardAt(cmp.Or(o.registry, connect.DefaultRegistry), card); err != nil {
			return nil, err
		}
		options.Agents = append(options.Agents, host.AgentRef{Card: card, Alias: alias})
	}
	if o.registry != "" {
		catalog, err := registry.NewClient(o.registry, &registry.ClientOptions{HTTPClient: c.HTTPClient()})
		if err != nil {
			return nil, connect.BadRegistry(o.registry)
		}
		options.Catalog = catalog
		if o.networks == "" && connect.OnThisMachine(o.registry) {
			options.Networks = registry.NetworksLoopback
		}
	}
	return host.NewDirectory(options)
}

// planner returns what plans.
func (o *hostOptions) planner(c *command) (plan.Planner, error) {
	model, err := c.openModel(o.model, "", "")
	if err != nil || model == nil {
		return plan.Rules(), err
	}
	return plan.NewLLM(model), nil
}
