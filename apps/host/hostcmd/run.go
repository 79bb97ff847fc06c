// SPDX-License-Identifier: Apache-2.0

package hostcmd

import (
	"cmp"
	"context"
	"errors"
	"net"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/client/oauth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/modelflag"
	"github.com/dragoman-a2a/dragoman/internal/origin"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// withHost runs a host for as long as f runs; its URL is f's. f says whether the host stays until its turns have ended.
func (c *hostCommand) withHost(ctx context.Context, o *hostOptions,
	f func(ctx context.Context, url string) (stays bool, err error)) (err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return err
	}
	acting, err := c.exchange(o)
	if err != nil {
		return err
	}
	directory, err := c.directory(o, acting)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, directory.Close()) }()
	planner, err := c.planner(o)
	if err != nil {
		return err
	}
	h, err := host.New(host.Options{Directory: directory, Planner: planner, Parallel: o.parallel, StepTimeout: o.step})
	if err != nil {
		return err
	}
	signing, err := o.Signing(server.KeysPath)
	if err != nil {
		return err
	}
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	var callers cmdline.Callers
	if !o.alone { // else this program is the only caller
		if callers, err = o.callers.Read(c.Terminal, &o.ListenOptions, ln.Addr()); err != nil {
			return err
		}
	}
	if acting != nil {
		callers.Authenticator = acting.Authenticator(callers.Authenticator)
	}
	audit, err := o.callers.OpenAudit()
	if err != nil {
		return err
	}
	defer cmdline.CloseAudit(audit, &err)
	kept, err := c.openHost(ctx, o, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	options := &engine.Options{Journal: kept.Journal, Waker: kept.Waker, Logger: logger}
	sender, err := o.push.Open(c.Run, kept, logger, signing.TokenSigner, nil)
	if err != nil {
		return err
	}
	if sender != nil {
		options.Push = sender
		defer func() { err = errors.Join(err, sender.Shutdown(context.WithoutCancel(ctx))) }()
	}
	eng, err := engine.New(options)
	if err != nil {
		return err
	}
	card := host.Card()
	end := &hostEnd{
		tell: c.Tell, engine: eng, service: eng.Agent(agentHost, h, &engine.AgentOptions{Card: card}), run: ctx,
		patience: o.Drain, patient: o.patient, alone: o.alone, keeps: o.Data != cmdline.InMemory,
	}
	defer func() { err = errors.Join(err, end.drain(ctx)) }()
	ready := make(chan string, 1)
	srv, err := server.New(end.service, &server.Options{
		Card: card, URL: o.URL, Logger: logger, DrainTimeout: o.Drain, TLS: o.TLS, GRPC: grpc.New(nil),
		CardGRPC:      o.cardGRPC,
		Authenticator: callers.Authenticator, Policy: callers.Policy, Audit: audit,
		CardSigner: signing.CardSigner, PublicKeys: signing.PublicKeys,
		OnReady: func(_ net.Addr, url string) { ready <- url },
		OnDrain: end.drain, Ready: eng.Ready,
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
func (c *hostCommand) directory(o *hostOptions, acting *oauth.Callers) (*host.Directory, error) {
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
	trust, err := c.OpenTrust()
	if err != nil {
		return nil, err
	}
	options := &host.DirectoryOptions{Networks: o.networks, Verify: trust.Verify(),
		Client: client.Options{HTTPClient: c.HTTPClient(), Bindings: bindings, Generations: generations,
			CredentialsTo: c.CredentialsTo, Credentials: c.credentials(acting)}}
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
		catalog, err := registry.NewClient(o.registry, &registry.ClientOptions{HTTPClient: c.HTTPClient(),
			Token: c.Env(envRegistryToken)})
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

// exchange returns how the host acts for its callers; nil if the flags do not ask for it.
func (c *hostCommand) exchange(o *hostOptions) (*oauth.Callers, error) {
	if o.exchange == "" {
		return nil, nil
	}
	if o.alone || o.callers.File == "" {
		return nil, cmdline.Usagef("--token-exchange is for the callers that --access names").WithHint(
			"add --serve, and --access with oidc callers, whose tokens are exchanged")
	}
	config := oauth.Config{ClientID: o.clientID, ClientSecret: c.Env("DRAGOMAN_CLIENT_SECRET"),
		Servers: []string{origin.Of(o.exchange)}}
	acting, err := config.Callers(o.exchange)
	if err != nil {
		return nil, cmdline.Usagef("--token-exchange: %v", err).WithHint(
			"set --token-exchange to an https URL, --client-id and DRAGOMAN_CLIENT_SECRET")
	}
	return acting, nil
}

// credentials returns what sends the credentials for an agent. An agent that takes tokens gets one of the caller, and
// never the login of the host: its rights are not the caller's.
func (c *hostCommand) credentials(acting *oauth.Callers) func(*a2a.AgentCard, string) client.Interceptor {
	return func(card *a2a.AgentCard, cardURL string) client.Interceptor {
		if acting != nil && connect.TakesToken(card) {
			return acting.Send
		}
		return c.Login(card, cardURL)
	}
}

// planner returns what plans.
func (c *hostCommand) planner(o *hostOptions) (plan.Planner, error) {
	model, err := modelflag.Open(c.Run, o.model, "", "")
	if err != nil || model == nil {
		return plan.Rules(), err
	}
	return plan.NewLLM(model), nil
}
