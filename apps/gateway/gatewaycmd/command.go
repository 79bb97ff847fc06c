// SPDX-License-Identifier: Apache-2.0

// Package gatewaycmd holds the command that serves a gateway.
package gatewaycmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// gatewayOptions are the flags of gateway.
type gatewayOptions struct {
	cmdline.ListenOptions
	callers         cmdline.CallerOptions
	agentSees       string
	upstreams       []string
	agentVersion    string
	cardGRPC        bool
	privateWebhooks bool
}

// gatewayCommand is the command.
type gatewayCommand struct{ *connect.Caller }

const gatewayLong = `gateway puts every protocol version and every binding of A2A in front of agents
that speak one. It serves clients of 0.1, 0.2, 0.3 and 1.0 in their own version,
and calls each agent in the version that its card names. When it is ready it
prints one line to standard error: gateway to AGENTS at URL.

gateway serves one agent at the root. Several agents need names, NAME=URL: it
serves each below its name and, at the root, for requests whose tenant is that
name.

If an agent cannot be reached, gateway prints a warning when it starts, and tries
again with each request. It keeps no tasks.

Without --token or --access, the agent judges the callers: gateway passes a
caller's credentials on if the agent's card names their scheme. --agent-sees
decides whom the agent sees:

callers: each caller, with its own credentials. The agent keeps callers apart.
With --access, gateway checks the same credentials first.

gateway: the gateway only, with --bearer and --svc-param if they are set, else
with its login at each agent (dragoman auth login). All callers share the
gateway's tasks at the agent. --token implies this.`

const gatewayExample = `  dragoman gateway http://127.0.0.1:10000 --addr 127.0.0.1:8090
  dragoman gateway -a old=http://127.0.0.1:10000 -a new=https://agents.example.com/new
  dragoman gateway https://agents.example.com/rates --addr :8090 --token secret --bearer agents-secret`

// Command returns the command that serves a gateway.
func Command(caller *connect.Caller) *cobra.Command {
	c := &gatewayCommand{caller}
	var o gatewayOptions
	cmd := &cobra.Command{
		Use:     "gateway",
		Short:   "Serve every protocol version in front of agents that speak one",
		Long:    gatewayLong,
		Example: gatewayExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	connect.AgentsFlag(flags, &o.upstreams)
	connect.RegistryFlag(flags, &c.Registry)
	connect.AgentVersionFlag(flags, &o.agentVersion)
	c.CredentialsToFlag(flags)
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8090", "address to listen on; port 0 picks a free port")
	flags.StringVar(&o.URL, "url", "", "base URL under which clients and agents reach the gateway (default: the "+
		"address it listens on)")
	o.callers.MayDo = "call the agents"
	o.callers.Add(flags)
	o.callers.AuditFlag(flags)
	o.SignFlag(flags)
	flags.StringVar(&o.agentSees, "agent-sees", "", "callers passes their credentials on to the agent, gateway "+
		"sends only its own (default: gateway with --token or --bearer, else callers)")
	for _, name := range append([]string{"bearer", connect.FlagSvcParam}, connect.TrustFlags...) {
		flags.AddFlag(c.Flags().Lookup(name))
	}
	connect.CardGRPCFlag(flags, &o.cardGRPC)
	flags.BoolVar(&o.privateWebhooks, "allow-private-webhooks", false,
		"notify webhooks in private networks and on this machine too")
	o.TLSFlags(flags)
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that open requests get to finish when the gateway stops")
	c.DebugFlag(flags)
	o.LogFlags(flags, "warn")
	return cmd
}

// serve runs a gateway until ctx ends.
func (c *gatewayCommand) serve(ctx context.Context, o *gatewayOptions) (err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	generations, err := connect.GenerationsOf(o.agentVersion)
	if err != nil {
		return err
	}
	upstreams, err := c.behind(o)
	if err != nil {
		return err
	}
	hides, err := c.hidesCallers(o)
	if err != nil {
		return err
	}
	params, err := c.Params()
	if err != nil {
		return err
	}
	signing, err := o.Signing(server.KeysPath)
	if err != nil {
		return err
	}
	trust, err := c.OpenTrust()
	if err != nil {
		return err
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	callers, err := o.callers.Read(c.Terminal, &o.ListenOptions, ln.Addr())
	if err != nil {
		return err
	}
	audit, err := o.callers.OpenAudit()
	if err != nil {
		return err
	}
	defer cmdline.CloseAudit(audit, &err)
	gctune.Tune(logger)
	var login func(*a2a.AgentCard, string) client.Interceptor // the gateway's own, else callers bring theirs
	if hides {
		login = c.Login
	}
	g, err := gateway.New(upstreams, &gateway.Options{
		Server: server.Options{
			URL: o.URL, Logger: logger, DrainTimeout: o.Drain, TLS: o.TLS,
			GRPC: grpc.New(nil), CardGRPC: o.cardGRPC,
			Authenticator: callers.Authenticator, Policy: callers.Policy, Audit: audit,
			CardSigner: signing.CardSigner, PublicKeys: signing.PublicKeys,
			OnReady: func(_ net.Addr, url string) {
				fmt.Fprintf(c.Err, "gateway to %s at %s\n", terminal.Inline(strings.Join(o.upstreams, ", ")),
					card.AgentURL(url))
			},
		},
		Client: client.Options{HTTPClient: c.HTTPClient(), Generations: generations,
			Interceptors: []client.Interceptor{c.Send(params)}, CredentialsTo: c.CredentialsTo,
			Credentials: login,
			Resolver:    card.NewResolver(&card.Options{HTTPClient: c.HTTPClient(), Verify: trust.Verify()})},
		HideCallers:          hides,
		AllowPrivateWebhooks: o.privateWebhooks,
		Logger:               logger,
	})
	if err != nil {
		return cmdline.Usagef("-a: %v", err)
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := g.Check(ctx); err != nil {
		if err := c.tellUpstreams(err); err != nil {
			return err
		}
	}
	return o.Explain(g.Serve(ctx, ln))
}

// hidesCallers reports whether agents see the gateway instead of its callers.
func (c *gatewayCommand) hidesCallers(o *gatewayOptions) (bool, error) {
	const sharesTasks = "with --agent-sees gateway, all callers share the tasks that the agent has for the gateway"
	token := o.callers.Token != ""
	switch {
	case len(o.upstreams) > 1 && c.HasCredentials():
		return false, cmdline.Usagef("credentials are set, but each of the %d agents would get them",
			len(o.upstreams)).WithHint("log in at each agent with dragoman auth login, and leave them out")
	case o.agentSees == "" && o.callers.File != "":
		return false, cmdline.Usagef("--access says who may call the gateway, but not whom the agent sees").WithHint(
			"set --agent-sees callers to pass their credentials on; " + sharesTasks)
	case o.agentSees == "":
		return token || c.HasCredentials(), nil
	case o.agentSees == "gateway":
		return true, nil
	case o.agentSees != "callers":
		return false, cmdline.Usagef("--agent-sees is %q; use callers or gateway", o.agentSees)
	case token:
		return false, cmdline.Usagef("--agent-sees callers would send the --token of the gateway to the agent").
			WithHint("name the callers with --access")
	case c.HasCredentials():
		return false, cmdline.Usagef("--agent-sees callers leaves no place for credentials of the gateway").WithHint(
			"leave out --bearer and secrets in --svc-param; " + sharesTasks)
	}
	return false, nil
}

// tellUpstreams warns of upstreams that cannot be reached now, and returns what no later try can mend.
func (c *gatewayCommand) tellUpstreams(err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, one := range all {
		e, ok := errors.AsType[*card.Error](one)
		if ok && (errors.Is(e, card.ErrReference) ||
			errors.Is(e, card.ErrNotFound) && !strings.Contains(e.URL, "://")) {
			return connect.CardFailure(e).WithHint("give -a the URL of an agent, a host, or the file of a card")
		}
		if ok {
			c.Warn("%s; trying again with each request", connect.CardFailure(e).Message)
		} else {
			c.Warn("%v; trying again with each request", one)
		}
	}
	return nil
}

// behind returns the upstreams that the flags name.
func (c *gatewayCommand) behind(o *gatewayOptions) ([]gateway.Upstream, error) {
	if len(o.upstreams) == 0 {
		return nil, cmdline.Usagef("no agent is named").WithHint(
			"give one with -a, for example -a http://127.0.0.1:10000")
	}
	upstreams := make([]gateway.Upstream, len(o.upstreams))
	for i, text := range o.upstreams {
		name, ref := connect.NameAndRef(text)
		if name == "" && len(o.upstreams) > 1 {
			shown := connect.WithoutUser(ref)
			return nil, cmdline.Usagef("the agent %s has no name; with several agents, give each one as NAME=URL",
				shown).WithHint("put a name in front: NAME=" + shown)
		}
		at, err := connect.CardAt(c.Registry, ref)
		if err != nil {
			return nil, err
		}
		upstreams[i] = gateway.Upstream{Name: name, Card: at}
	}
	return upstreams, nil
}
