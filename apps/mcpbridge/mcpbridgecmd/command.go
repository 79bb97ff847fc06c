// SPDX-License-Identifier: Apache-2.0

// Package mcpbridgecmd holds the command that serves A2A agents to MCP clients.
package mcpbridgecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/mcpbridge"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/mcpstdio"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// FlagToken names the flag that had the token of a bridge before --token.
const FlagToken = "mcp-token"

// bridgeOptions are the flags of mcp bridge.
type bridgeOptions struct {
	cmdline.ListenOptions
	callers   cmdline.CallerOptions
	agents    []string
	wait      time.Duration
	maxOutput int
}

const bridgeLong = `bridge serves the skills of A2A agents as tools of an MCP server, so that MCP clients can call
them. It serves standard input and output, for harnesses that start their MCP servers. With --http
it serves streamable HTTP instead. When it is ready, it then prints one line to standard error:
serving bridge to AGENTS at URL.

Streamed events become progress notifications, and artifacts become content. If the agent asks for
input, the bridge asks the user through elicitation. If the MCP client has no elicitation, the
tool returns the question with the id of the task. The agents' cards are resources.

Several agents are told apart by the names in their cards, or by NAME=URL. Credentials go to a
single agent only. With --http, --token or --access says who may call; if --http listens beyond
this machine, it requires one of them or --open. To the agents all callers of a bridge are one.`

const bridgeExample = `  dragoman mcp bridge -a http://127.0.0.1:8080
  dragoman mcp bridge -a http://127.0.0.1:8080 --http 127.0.0.1:8097
  dragoman mcp bridge -a money=http://127.0.0.1:8080 -a pictures=https://agents.example.com/images`

// bridgeCommand is the command mcp bridge.
type bridgeCommand struct{ *connect.Caller }

// Command returns the command mcp with those below it.
func Command(caller *connect.Caller) *cobra.Command {
	return cmdline.Group(&cobra.Command{
		Use: "mcp", Short: "Use A2A agents from MCP clients", Example: "  dragoman mcp bridge -a http://127.0.0.1:8080",
	}, newBridgeCommand(caller))
}

func newBridgeCommand(caller *connect.Caller) *cobra.Command {
	c := &bridgeCommand{caller}
	var o bridgeOptions
	cmd := &cobra.Command{
		Use:     "bridge",
		Short:   "Serve the skills of A2A agents as MCP tools",
		Long:    bridgeLong,
		Example: bridgeExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.bridge(cmd.Context(), &o) },
	}
	flags, limits := cmd.Flags(), mcpbridge.Options{}.Defaults()
	flags.SortFlags = false
	connect.AgentsFlag(flags, &o.agents)
	flags.StringVar(&o.Addr, "http", "", "serve streamable HTTP at this address instead of standard input and "+
		"output; port 0 picks a free port")
	o.callers = cmdline.CallerOptions{MayDo: "use the agents"}
	o.callers.Add(flags)
	o.callers.AddOld(flags, FlagToken)
	flags.DurationVar(&o.wait, "max-wait", limits.Wait,
		"time that a call waits for an agent before it returns the id of the task")
	flags.IntVar(&o.maxOutput, "max-output", limits.MaxOutput, "most bytes of an agent's output that a call returns")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case connect.FlagAgentCard, "timeout", "poll-interval", "verbose": // which are about one call
		default:
			flags.AddFlag(f)
		}
	})
	o.LogFlags(flags, "warn")
	return cmd
}

// bridge runs a bridge until ctx ends or, over standard input and output, the client does.
func (c *bridgeCommand) bridge(ctx context.Context, o *bridgeOptions) (err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := c.check(o); err != nil {
		return err
	}
	var agents []mcpbridge.Agent
	for _, text := range o.agents {
		name, ref := connect.NameAndRef(text)
		agent, err := c.To(ref).Dial(ctx)
		if err != nil {
			return err
		}
		defer agent.Close()
		agents = append(agents, mcpbridge.Agent{Name: name, Service: agent, Card: agent.Card()})
	}
	b, err := mcpbridge.New(agents, &mcpbridge.Options{Wait: o.wait, MaxOutput: o.maxOutput, Version: cmdline.Version(),
		Logger: logger})
	if err != nil {
		return err
	}
	if o.Addr != "" {
		return c.serveHTTP(ctx, o, b)
	}
	// The output needs no escaping: it is JSON, whose strings have no raw control characters.
	err = b.MCP().Run(ctx, mcpstdio.Transport(c.Stdin, c.Stdout))
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

func (c *bridgeCommand) check(o *bridgeOptions) error {
	switch {
	case len(o.agents) == 0:
		return connect.NoAgent()
	case len(o.agents) > 1 && c.HasCredentials():
		return cmdline.Usagef("credentials are set, but each of the %d agents would get them",
			len(o.agents)).WithHint("run a bridge for each agent that needs credentials")
	case o.wait <= 0:
		return cmdline.Usagef("--max-wait is %v; it must be above 0", o.wait)
	case o.maxOutput <= 0:
		return cmdline.Usagef("--max-output is %d; it must be above 0", o.maxOutput)
	case o.Addr == "" && o.callers.File != "":
		return cmdline.Usagef("--access is set, but standard input and output have one caller").WithHint(
			"leave it out, or serve over HTTP with --http")
	case o.Addr == "":
		return nil
	}
	return cmdline.CheckAddress("http", o.Addr)
}

// serveHTTP serves a bridge over HTTP until ctx ends.
func (c *bridgeCommand) serveHTTP(ctx context.Context, o *bridgeOptions, b *mcpbridge.Bridge) error {
	ln, err := o.Listen(ctx)
	if f, ok := errors.AsType[*cmdline.Failure](err); ok { // here the flag has another name
		f.Message, f.Hint = strings.ReplaceAll(f.Message, "--addr", "--http"),
			strings.ReplaceAll(f.Hint, "--addr", "--http")
	}
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	callers, err := o.callers.Read(c.Terminal, &o.ListenOptions, ln.Addr())
	if err != nil {
		return err
	}
	o.callers.WarnPlain(c.Terminal, &o.ListenOptions, ln.Addr())
	mux := http.NewServeMux()
	endpoint := b.Handler(nil)
	if o.callers.File != "" { // a token is one caller
		endpoint = b.Handler(&mcpbridge.Callers{Of: cmdline.CallerOf, Policy: callers.Policy})
	}
	mux.Handle("/mcp", callers.Guard("bridge", endpoint))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return context.WithoutCancel(ctx) }}
	if o.callers.Local(ln.Addr()) {
		srv.Handler = cmdline.LocalOnly("bridge", mux)
	}
	fmt.Fprintf(c.Err, "serving bridge to %s at http://%s/mcp\n", terminal.Inline(strings.Join(o.agents, ", ")),
		ln.Addr())
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	for session := range b.MCP().Sessions() {
		go session.Close() // returns when the calls that are under way have their answers
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if srv.Shutdown(drain) != nil {
		srv.Close() // calls that take longer are left; their tasks go on
	}
	<-failed
	return nil
}
