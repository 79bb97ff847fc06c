// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/origin"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Caller calls the agent that a command line names, with the options of that command line.
type Caller struct {
	*cmdline.Run
	*Options
	Agent string    // a URL, a host, a file or registry:NAME
	Own   *OwnAgent // nil: the agent is there for others, too

	web   func() *http.Client // over the connections of all callers of a run
	trust func() (*signature.Trust, error)
}

// An OwnAgent is one that exists for one run of the program only.
type OwnAgent struct {
	Resume    map[string][]string  // the words to type instead of "send -a AGENT" and the like, by the command
	Ephemeral bool                 // it keeps no task
	Unreached func(*a2a.Task) bool // reports whether a task failed because it reached no agent
}

// NewCaller returns the caller of a run of the program.
func NewCaller(run *cmdline.Run) *Caller {
	o := new(Options)
	web := sync.OnceValue(func() *http.Client {
		web := o.newClient(run.Terminal)
		run.OnEnd(web.CloseIdleConnections)
		return web
	})
	return &Caller{Run: run, Options: o, web: web, trust: sync.OnceValues(func() (*signature.Trust, error) {
		return o.Trust.Open(signature.VerifierOptions{HTTPClient: web()}, run.Warn)
	})}
}

// OpenTrust returns how the cards of agents are trusted. The caller's own agent needs no signature.
func (c *Caller) OpenTrust() (*signature.Trust, error) {
	if c.Own != nil {
		return &signature.Trust{Policy: signature.Off}, nil
	}
	return c.trust()
}

// To returns a caller of another agent, over the same connections.
func (c *Caller) To(agent string) *Caller {
	other := *c
	other.Agent = agent
	return &other
}

// At returns the same caller at another terminal.
func (c *Caller) At(t *terminal.Terminal) *Caller {
	other, run := *c, *c.Run
	run.Terminal, other.Run = t, &run
	return &other
}

// AsFailure returns an error of a call as the user sees it, with hints that name this agent. The error of an
// interrupted run stays what it is.
func (c *Caller) AsFailure(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return c.Failure(err)
}

// HTTPClient returns the client that fetches cards and calls agents.
func (c *Caller) HTTPClient() *http.Client { return c.web() }

var errTimeUp = errors.New("--timeout is over")

// Limit puts --timeout on a context.
func (c *Caller) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.Timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.Timeout, errTimeUp)
}

// TimeUp returns the failure of a command that --timeout ended; nil if something else ended the context.
func (c *Caller) TimeUp(ctx context.Context) *cmdline.Failure {
	if context.Cause(ctx) != errTimeUp {
		return nil
	}
	return &cmdline.Failure{Exit: cmdline.ExitTimeout, Code: cmdline.CodeTimeout,
		Message: fmt.Sprintf("no result within %v", c.Timeout)}
}

// Within runs f under --timeout and shows progress. If the run is interrupted or its time is up, it calls stopped,
// unless that is nil: with the failure in the second case and nil in the first one.
func (c *Caller) Within(ctx context.Context, stopped func(timeUp *cmdline.Failure),
	f func(context.Context) error) error {
	limited, done := c.Limit(ctx)
	defer done()
	who := WithoutUser(c.Agent)
	if c.Own != nil { // whose address means nothing to anybody
		who = ""
	}
	c.StartProgress(who)
	err := f(limited)
	c.Progress.End()
	if err == nil || limited.Err() == nil {
		return err
	}
	if f, own := errors.AsType[*cmdline.Failure](err); own && f.Exit == cmdline.ExitUsage {
		return err
	}
	if stopped == nil {
		stopped = func(*cmdline.Failure) {}
	}
	if ctx.Err() != nil {
		stopped(nil)
		return context.Cause(limited)
	}
	timeUp := c.TimeUp(limited).WithHint("give it more time with --timeout")
	stopped(timeUp)
	return timeUp
}

// Dial returns a client for the agent. Close it.
func (c *Caller) Dial(ctx context.Context) (*client.Client, error) {
	params, err := c.Params()
	if err != nil {
		return nil, err
	}
	found, err := c.Card(ctx)
	if err != nil {
		return nil, err
	}
	cardURL, err := c.CardURL()
	if err != nil {
		return nil, err
	}
	c.Progress.Calls(found.Name)
	options := &client.Options{
		HTTPClient: c.HTTPClient(),
		Extensions: c.Extensions,
		CardURL:    cardURL, CredentialsTo: c.CredentialsTo, Credentials: c.Login,
		PollInterval: c.PollInterval,
		Interceptors: []client.Interceptor{c.Send(params), (&reconnect{Terminal: c.Terminal}).see},
	}
	if err := c.ChooseInterface(options); err != nil {
		return nil, err
	}
	if err := c.addKey(found, options); err != nil {
		return nil, err
	}
	if tap, ok := c.HTTPClient().Transport.(*Tap); ok {
		options.Interceptors = append(options.Interceptors, tap.ShowGRPC) // the last one, which sees what is sent
	}
	agent, err := client.New(found, options)
	if err != nil {
		return nil, c.noInterface(found, err)
	}
	for _, uri := range c.Extensions {
		if !slices.ContainsFunc(found.Capabilities.Extensions,
			func(e a2a.AgentExtension) bool { return e.URI == uri }) {
			c.Warn("the agent's card does not offer the extension %s", uri)
		}
	}
	return agent, nil
}

// Streams reports whether an agent offers streams.
func Streams(card *a2a.AgentCard) bool {
	return card.Capabilities.Streaming != nil && *card.Capabilities.Streaming
}

// Send returns the interceptor that adds service parameters to each call.
func (c *Caller) Send(params http.Header) client.Interceptor {
	var warned atomic.Bool
	return func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
		for name, values := range params {
			call.Params[name] = values
		}
		if c.HasCredentials() && !IsPrivate(call.Interface.URL) && warned.CompareAndSwap(false, true) {
			c.Warn("credentials are sent over plain http: anyone on the network path can read them")
		}
		return next(ctx, call)
	}
}

// noInterface explains that none of the card's interfaces may be used.
func (c *Caller) noInterface(card *a2a.AgentCard, err error) error {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable, Message: err.Error(),
		Hint: "see the card's interfaces with " + terminal.CommandLine(c.CommandFor("card", "get"))}
	if others := c.OtherTransports(card); others != nil {
		f.Message = fmt.Sprintf("the agent's card names no interface of %s", strings.Join(c.Transports, " or "))
		if c.Version != AnyVersion {
			f.Message += " in version " + c.Version
		}
		f.Hint = "it has " + strings.Join(others, ", ") + "; choose one of these with --transport, or leave it out"
		return f
	}
	speaks := func(version string) bool {
		return slices.ContainsFunc(card.SupportedInterfaces,
			func(i a2a.AgentInterface) bool { return strings.HasPrefix(i.ProtocolVersion, version) })
	}
	if speaks(string(a2a.Generation10)) {
		return f // the version is not what is in the way
	}
	for _, version := range []string{"0.1", "0.2", "0.3"} {
		if speaks(version) {
			f.Hint = "the agent speaks version " + version + "; allow it with --a2a-version " + version
		}
	}
	return f
}

// CommandFor returns a command of this program that calls the same agent in the same way. Credentials are left out.
func (c *Caller) CommandFor(noun, verb string, args ...string) []string {
	words := []string{c.Program, noun}
	if verb != "" {
		words = append(words, verb)
	}
	if c.Agent != "" {
		words = append(words, "-a", WithoutUser(c.Agent))
	}
	if _, isEntry := entryName(c.Agent); isEntry && c.FromFlag(FlagRegistry) {
		words = append(words, "--registry", WithoutUser(c.Registry))
	}
	if c.Own != nil && c.Own.Resume[noun] != nil {
		words = slices.Clone(c.Own.Resume[noun])
	}
	words = append(words, args...)
	words = append(words, c.ConfigFlag()...)
	words = append(words, c.InterfaceFlags()...)
	words = append(words, c.TLS.ResumeArgs(c.FromFlag)...)
	for _, to := range c.CredentialsTo {
		if c.FromFlag(FlagCredentialsTo) {
			words = append(words, "--"+FlagCredentialsTo, to)
		}
	}
	for _, uri := range c.Extensions {
		words = append(words, "--extension", uri)
	}
	return words
}

// Flags returns the flags of the commands that call agents. They stand for the same options each time.
func (c *Caller) Flags() *pflag.FlagSet {
	flags, o := pflag.NewFlagSet("client", pflag.ContinueOnError), c.Options
	flags.StringVarP(&c.Agent, FlagAgentCard, "a", "",
		"the agent: its URL, host, the file of its card, or registry:NAME for an entry of a registry")
	RegistryFlag(flags, &o.Registry)
	flags.DurationVar(&o.Timeout, "timeout", 0, "time limit; 0 waits until the task ends")
	flags.DurationVar(&o.PollInterval, "poll-interval", defaultPoll,
		"first pause between two polls of a task that cannot be streamed; the pauses grow")
	flags.StringVar(&o.Bearer, "bearer", "", "token to send as Authorization: Bearer; prefer DRAGOMAN_BEARER")
	flags.StringVar(&o.APIKey, "api-key", "", "key to send as the agent's card says; prefer DRAGOMAN_API_KEY")
	o.CredentialsToFlag(flags)
	o.TLS.Add(flags)
	o.Trust.Add(flags)
	flags.BoolVar(&c.All, "verbose", false,
		"show everything that is sent and received: messages, ids, media types, metadata")
	flags.StringArrayVar(&o.SvcParams, FlagSvcParam, nil,
		"service parameter (HTTP header) to send, as name:value; repeatable")
	flags.StringVar(&o.Version, "a2a-version", AnyVersion,
		"protocol version to speak: 1.0, 0.3, 0.2 or 0.1; any means the first version in the card")
	flags.StringArrayVar(&o.Transports, "transport", nil,
		"binding to use: JSONRPC, HTTP+JSON or GRPC; repeatable, in order of preference (default: the card's order)")
	flags.StringVar(&o.Tenant, "tenant", "", "tenant of each request (default: the card's)")
	flags.StringArrayVar(&o.Extensions, "extension", nil, "URI of an extension to activate; repeatable")
	c.DebugFlag(flags)
	return flags
}

// CredentialsToFlag adds the flag that lets credentials go to interfaces at other origins than the card's.
func (o *Options) CredentialsToFlag(flags *pflag.FlagSet) {
	flags.StringArrayVar(&o.CredentialsTo, FlagCredentialsTo, nil, "origin that may get credentials although the card "+
		"is at another one, such as https://agent.example.com; repeatable")
}

// CheckOrigins refuses values of --credentials-to that are not origins.
func (o *Options) CheckOrigins() error {
	for _, to := range o.CredentialsTo {
		if !strings.Contains(to, "://") || origin.Of(to) == "" {
			return cmdline.Usagef("--%s is %q, which is no origin", FlagCredentialsTo, to).WithHint(
				"for example --" + FlagCredentialsTo + " https://agent.example.com")
		}
	}
	return nil
}

// DebugFlag adds --debug.
func (o *Options) DebugFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Debug, "debug", false,
		"print each HTTP request or gRPC call and its response to standard error, without credentials")
}

// AgentsFlag adds -a to a command that takes several agents.
func AgentsFlag(flags *pflag.FlagSet, agents *[]string) {
	flags.StringArrayVarP(agents, FlagAgentCard, "a", nil,
		"an agent: its URL, host, the file of its card, or registry:NAME for an entry of a registry; NAME=AGENT "+
			"gives it another name; repeatable")
}
