// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	samplefiles "github.com/dragoman-a2a/dragoman/apps/samples/files"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/catalogue"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop"
	"github.com/dragoman-a2a/dragoman/apps/samples/slow"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// A sample is an agent that comes with the program.
type sample struct {
	name    string
	port    int    // with --seed-ports
	shows   string // for people
	example string // something to say to it
	thinks  bool   // a language model can do what its rules do
	card    func() *a2a.AgentCard
	open    func(*sampleOptions, *sampleHost) (agent.Agent, error) // the sample host is for those who need others
	wrap    func(a2a.Service) a2a.Service                          // nil: nothing
}

// samples are all there are, in the order in which people should meet them.
var samples = []sample{
	{
		name: agentCurrency, port: 10000, shows: "questions back, progress, data beside text",
		example: "100 USD in GBP", thinks: true,
		card: currency.Card,
		open: func(o *sampleOptions, _ *sampleHost) (agent.Agent, error) {
			rates, err := currency.NewProvider(o.rates, "", nil)
			if err != nil {
				return nil, cmdline.Usagef("--rates is %q; use snapshot, live or auto", o.rates)
			}
			return currency.New(currency.Options{Rates: rates, Model: o.model}), nil
		},
	},
	{
		name: agentImages, port: 10001, shows: "files: previews, edits, types that the client names",
		example: "a white rabbit in the snow at night", thinks: true,
		card: images.Card,
		open: func(o *sampleOptions, _ *sampleHost) (agent.Agent, error) {
			fetch, err := o.fetcher("image/*")
			return images.New(images.Options{Model: o.model, Fetch: fetch}), err
		},
	},
	{
		name: "expenses", port: 10002, shows: "forms that return until they are correct",
		example: "reimburse lunch for 20 USD", thinks: true,
		card: expenses.Card,
		open: func(o *sampleOptions, _ *sampleHost) (agent.Agent, error) {
			return expenses.New(expenses.Options{Model: o.model}), nil
		},
	},
	{
		name: "movies", port: 41241, shows: "a choice if a name is ambiguous, and words such as it and she",
		example: "who directed Dune?", thinks: true,
		card: movies.Card,
		open: func(o *sampleOptions, _ *sampleHost) (agent.Agent, error) {
			films, err := catalogue.FromEnv(o.getenv)
			if err != nil {
				return nil, cmdline.Usagef("TMDB_API_KEY: %v", err)
			}
			return movies.New(movies.Options{Catalogue: films, Model: o.model}), nil
		},
	},
	{
		name: agentCoder, port: 41242, shows: "several files at once, in chunks", example: "fibonacci in Go with tests",
		thinks: true,
		card:   coder.Card,
		open: func(o *sampleOptions, w *sampleHost) (agent.Agent, error) {
			return coder.New(coder.Options{Model: o.model, Tools: w.tools}), nil
		},
	},
	{
		name: agentFiles, port: 10003, shows: "answers about a file that is sent along, in a form that a schema names",
		example: "how many rows are there?", thinks: true,
		card: samplefiles.Card,
		open: func(o *sampleOptions, _ *sampleHost) (agent.Agent, error) {
			fetch, err := o.fetcher()
			return samplefiles.New(samplefiles.Options{Model: o.model, Fetch: fetch}), err
		},
	},
	{
		name: agentHello, port: 10004, shows: "the smallest agent", example: "Ada",
		card: hello.Card,
		open: func(o *sampleOptions, _ *sampleHost) (agent.Agent, error) {
			return hello.New(hello.Options{Reply: o.reply}), nil
		},
	},
	{
		name: "slow", port: 10005, shows: "long tasks: progress, cancel, reconnect, restart", example: "count to 10",
		card: slow.Card,
		open: func(*sampleOptions, *sampleHost) (agent.Agent, error) { return slow.New(slow.Options{}), nil },
	},
	{
		name: "flaky", port: 10006, shows: "every state and every error, on command", example: "help",
		card: flaky.Card, wrap: flaky.Service,
		open: func(*sampleOptions, *sampleHost) (agent.Agent, error) { return flaky.New(flaky.Options{}), nil },
	},
	{
		name: repairshop.ManagerName, port: 10007, shows: "delegation: progress, questions and cancels pass through",
		example: "My car is making a rattling noise",
		card:    repairshop.ManagerCard,
		open: func(_ *sampleOptions, w *sampleHost) (agent.Agent, error) {
			mechanic, err := w.sampleByName(repairshop.MechanicName)
			if err != nil {
				return nil, err
			}
			supplier, err := w.sampleByName(repairshop.SupplierName)
			return repairshop.NewManager(mechanic, supplier, shopPace), err
		},
	},
	{
		name: repairshop.MechanicName, port: 10008, shows: "tools over MCP, as one of the repair shop",
		example: "Diagnose a Toyota Camry 2018 that makes a rattling noise", thinks: true,
		card: repairshop.MechanicCard,
		open: func(o *sampleOptions, w *sampleHost) (agent.Agent, error) {
			supplier, err := w.sampleByName(repairshop.SupplierName)
			options := shopPace
			options.Model = o.model
			return repairshop.NewMechanic(supplier, options), err
		},
	},
	{
		name: repairshop.SupplierName, port: 10009, shows: "short answers to other agents, as one of the repair shop",
		example: "Do you have part #12345 in stock for a Toyota Camry 2018?",
		card:    repairshop.SupplierCard,
		open: func(*sampleOptions, *sampleHost) (agent.Agent, error) {
			return repairshop.NewSupplier(shopPace),
				nil
		},
	},
}

// shopPace lets people see the repair shop work.
var shopPace = repairshop.Options{Pace: 300 * time.Millisecond, Day: time.Second}

// sampleOptions are the flags of the samples.
type sampleOptions struct {
	rates string
	reply bool

	provider, modelName, baseURL string
	model                        llm.Model // of the three, see openModel; nil: rules
	mcp                          []string  // servers with tools for it

	allowURLs []string
	networks  string
	getenv    func(string) string
}

func (o *sampleOptions) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.rates, "rates", "snapshot", "source of the rates of currency: snapshot, live or auto")
	flags.BoolVar(&o.reply, "reply", false, "hello answers with a message instead of a task")
	flags.StringArrayVar(&o.allowURLs, "allow-url", nil,
		"prefix of URLs that files and images may fetch, such as https://example.com/exports/; repeatable (default: "+
			"none)")
	flags.StringVar(&o.networks, "allow-networks", files.NetworksPublic,
		"with --allow-url: networks of these URLs: public, loopback (and public) or private (and both)")
	flags.StringVar(&o.provider, "llm", llmOff,
		"off for rules; auto, gemini, openai or anthropic for a language model, with its key in the environment")
	flags.StringVar(&o.modelName, "model", "", "with --llm: name of the model (default: chosen by the provider)")
	flags.StringVar(&o.baseURL, "base-url", "", "with --llm: the provider's address, such as http://127.0.0.1:11434/v1")
	flags.StringArrayVar(&o.mcp, flagMCP, nil,
		"with --llm: MCP server whose tools coder may use, as a URL or a shell command; repeatable")
}

// fetcher returns what fetches the files that others point at, of some media types or of all.
func (o *sampleOptions) fetcher(mediaTypes ...string) (*files.Fetcher, error) {
	fetch, err := files.NewFetcher(&files.FetchOptions{Allow: o.allowURLs, Networks: o.networks,
		MediaTypes: mediaTypes})
	if err != nil {
		message := strings.NewReplacer("files: ", "", "FetchOptions.Allow: ", "--allow-url: ", "FetchOptions.Networks",
			"--allow-networks").Replace(err.Error())
		return nil, cmdline.Usagef("%s", message)
	}
	return fetch, nil
}

// openModel opens the language model that the flags name.
func (o *sampleOptions) openModel(c *command) error {
	o.getenv = c.Env
	var err error
	if o.model, err = c.openModel(o.provider, o.modelName, o.baseURL); err != nil {
		return err
	}
	if o.model == nil && c.FromFlag(flagMCP) {
		return cmdline.Usagef("--mcp is for a language model, and there is none").WithHint("name one with --llm")
	}
	return nil
}

// engineOf names what thinks for a sample.
func (o *sampleOptions) engineOf(s *sample) string {
	if o.model == nil || !s.thinks {
		return "rules"
	}
	return o.model.Name()
}

// findSample returns a sample by its name.
func findSample(name string) (*sample, error) {
	i := slices.IndexFunc(samples, func(s sample) bool { return s.name == name })
	if i < 0 {
		return nil, cmdline.Usagef("--agent is %q; use %s", name, sampleNames())
	}
	return &samples[i], nil
}

func namesOfSamples() []string {
	names := make([]string, len(samples))
	for i, s := range samples {
		names[i] = s.name
	}
	return names
}

func sampleNames() string {
	names := namesOfSamples()
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

const samplesLong = `samples are the agents that come with dragoman. They work offline and need no key. With --llm a
language model reads requests and chooses tools and words for currency, images, expenses,
movies, coder, files, and the mechanic of the repair shop. The other samples always use rules.
serve and samples up print which agents use the model.

The three agents of the repair shop call each other inside one process, as the mechanic calls
its MCP server. The package samples/repairshop explains how to run each as a separate service.`

func (c *command) samplesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "samples", Short: "Run the sample agents", Long: samplesLong, Args: cmdline.NoArgs,
		Example: "  dragoman samples up\n  dragoman samples list",
	}
	cmd.AddCommand(c.samplesUpCommand(), c.samplesListCommand())
	return cmd
}

func (c *command) samplesListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sample agents", Args: cmdline.NoArgs,
		Example: "  dragoman samples list\n  dragoman samples list -o json",
		RunE: func(*cobra.Command, []string) error {
			if c.AsJSON {
				return c.ShowValue(sampleList(""))
			}
			for _, s := range samples {
				fmt.Fprintf(c.Out, "%-10s port %-6d %s\n%-10s try: %s\n", s.name, s.port, s.shows, "", s.example)
			}
			return nil
		},
	}
}

// sampleEntry is a sample in JSON.
type sampleEntry struct {
	Name    string `json:"name"`
	Port    int    `json:"port"` // with --seed-ports
	Shows   string `json:"shows"`
	Example string `json:"example"`
	URL     string `json:"url,omitzero"`
}

// sampleList lists the samples, below a base URL if they run.
func sampleList(base string) []sampleEntry {
	list := make([]sampleEntry, len(samples))
	for i, s := range samples {
		list[i] = sampleEntry{Name: s.name, Port: s.port, Shows: s.shows, Example: s.example}
		if base != "" {
			list[i].URL = card.AgentURL(base + samplePath(s.name))
		}
	}
	return list
}

func samplePath(name string) string { return "/agents/" + name }

// samplesOptions are the flags of samples up.
type samplesOptions struct {
	serveOptions
	seedPorts bool
}

const samplesUpLong = `up runs all sample agents on one port, each below /agents/NAME/. With --seed-ports each agent has
its own port and is served at the root. When they are ready, up prints one line for each agent to
standard error: serving NAME at URL.`

const samplesUpExample = `  dragoman samples up
  dragoman samples up --addr 127.0.0.1:0 --data-dir :memory:
  dragoman samples up --seed-ports
  OPENAI_API_KEY=none dragoman samples up --llm openai --base-url http://127.0.0.1:11434/v1 --model llama3.3`

func (c *command) samplesUpCommand() *cobra.Command {
	var o samplesOptions
	cmd := &cobra.Command{
		Use: "up", Short: "Run all sample agents", Long: samplesUpLong, Example: samplesUpExample, Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.samplesUp(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free port")
	flags.BoolVar(&o.seedPorts, "seed-ports", false,
		"give each agent its own port of 127.0.0.1: currency 10000, images 10001, ...; see samples list")
	c.DataDirFlag(flags, &o.Data)
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the server (default: the address it "+
		"listens on)")
	o.samples.register(flags)
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that running turns get to finish when the server stops")
	flags.StringVar(&o.LogLevel, "log-level", "warn", "debug, info, warn or error")
	flags.StringVar(&o.LogFormat, "log-format", "text", "text or json")
	return cmd
}

// samplesUp runs all samples until ctx ends.
func (c *command) samplesUp(ctx context.Context, o *samplesOptions) (err error) {
	o.agent, o.turnLimit, o.retention = cmdline.FolderSamples, engine.Options{}.Defaults().TurnLimit,
		engine.Options{}.Defaults().Retention
	if err := o.check(); err != nil {
		return err
	}
	if o.seedPorts && o.URL != "" {
		return cmdline.Usagef("--url is for one port")
	}
	if err := o.samples.openModel(c); err != nil {
		return err
	}
	w, err := c.openSampleHost(ctx, &o.serveOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close(ctx)) }()
	gctune.Tune(w.logger)
	if o.seedPorts {
		return c.onSeedPorts(ctx, o, w)
	}
	return c.onOnePort(ctx, o, w)
}

// onOnePort serves each sample below its path, and all of them over gRPC at the root, where the tenant of a request
// names the sample. The server of that drives them all: what ends it ends the engine.
func (c *command) onOnePort(ctx context.Context, o *samplesOptions, w *sampleHost) error {
	ln, err := o.Listen(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	mux, all := http.NewServeMux(), make(byTenant)
	for i := range samples {
		s := &samples[i]
		service, card, err := w.start(s)
		if err != nil {
			return err
		}
		all[s.name] = service
		srv, err := server.New(service, &server.Options{
			Card: card, URL: o.URL, Path: samplePath(s.name), Logger: w.logger, DrainTimeout: o.Drain,
			Interfaces: []a2a.AgentInterface{{Binding: a2a.BindingGRPC, ProtocolVersion: string(a2a.Generation10),
				Tenant: s.name}},
		})
		if err != nil {
			return err
		}
		mux.Handle(samplePath(s.name), http.StripPrefix(samplePath(s.name), srv))
		mux.Handle(samplePath(s.name)+"/", http.StripPrefix(samplePath(s.name), srv))
	}
	mux.Handle(files.Path, w.files)
	index := func(rw http.ResponseWriter, r *http.Request) { writeSamples(rw, r, o.URL) }
	mux.HandleFunc("GET /agents", index)
	mux.HandleFunc("GET /{$}", index)
	front, err := c.samplesByGRPC(o, w, all, mux)
	if err != nil {
		return err
	}
	return o.Explain(front.Serve(ctx, ln))
}

// samplesByGRPC returns the server that takes calls of gRPC for all samples, and leaves other requests to rest.
func (c *command) samplesByGRPC(o *samplesOptions, w *sampleHost, all byTenant, rest http.Handler) (*server.Server,
	error) {
	var front *server.Server
	front, err := server.New(all, &server.Options{
		Card: &a2a.AgentCard{Name: "Dragoman samples",
			Description: "The sample agents, each named by the tenant of a request", Version: cmdline.Version()},
		URL: o.URL, Logger: w.logger, DrainTimeout: o.Drain, GRPC: grpc.New(nil),
		Generations: []a2a.Generation{a2a.Generation10}, // the only one with tenants
		Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			byGRPC := r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
			if byGRPC || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
				front.ServeHTTP(rw, r)
				return
			}
			rest.ServeHTTP(rw, r)
		}),
		OnReady: func(_ net.Addr, url string) { c.announceSamples(o, w, url) }, OnDrain: w.engine.Shutdown,
		Ready: w.engine.Ready,
	})
	return front, err
}

// announceSamples says where the samples are, and what thinks for each.
func (c *command) announceSamples(o *samplesOptions, w *sampleHost, url string) {
	base := strings.TrimSuffix(cmp.Or(o.URL, url), "/")
	for i := range samples {
		fmt.Fprintf(c.Err, "serving %s at %s, by %s\n", samples[i].name,
			card.AgentURL(base+samplePath(samples[i].name)), terminal.Inline(o.samples.engineOf(&samples[i])))
	}
	fmt.Fprintf(c.Err, "data of the samples: %s\nserving samples at %s\n", terminal.Inline(w.storage.place), base)
}

// onSeedPorts serves each sample at the root of its own port. When it returns nobody serves any more what is on the
// engine.
func (c *command) onSeedPorts(ctx context.Context, o *samplesOptions, w *sampleHost) error {
	var listeners []net.Listener
	defer func() {
		for _, ln := range listeners {
			ln.Close() // the servers do that too
		}
	}()
	for _, s := range samples {
		o.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
		ln, err := o.Listen(ctx)
		if err != nil {
			return err
		}
		listeners = append(listeners, ln)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	err := c.startOnSeedPorts(ctx, o, w, listeners, group)
	if err != nil {
		stop() // those that serve already
	}
	return errors.Join(err, group.Wait())
}

// startOnSeedPorts lets a group serve the samples, each on its listener.
func (c *command) startOnSeedPorts(ctx context.Context, o *samplesOptions, w *sampleHost, listeners []net.Listener,
	group *errgroup.Group) error {
	for i := range samples {
		s := &samples[i]
		service, card, err := w.start(s)
		if err != nil {
			return err
		}
		base := "http://" + listeners[i].Addr().String()
		mux := http.NewServeMux()
		options := &server.Options{Card: card, Logger: w.logger, DrainTimeout: o.Drain, GRPC: grpc.New(nil),
			Handler: mux, Ready: w.engine.Ready}
		if i == 0 {
			options.OnDrain = w.engine.Shutdown
		}
		srv, err := server.New(service, options)
		if err != nil {
			return err
		}
		mux.Handle("/", srv)
		mux.Handle(files.Path, w.files)
		fmt.Fprintf(c.Err, "serving %s at %s, by %s\n", s.name, base, terminal.Inline(o.samples.engineOf(s)))
		group.Go(func() error { return o.Explain(srv.Serve(ctx, listeners[i])) })
	}
	fmt.Fprintf(c.Err, "data of the samples: %s\n", terminal.Inline(w.storage.place))
	return nil
}
