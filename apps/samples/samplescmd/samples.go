// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"slices"
	"strings"
	"time"

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
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// The names of sample agents that flags are for.
const (
	agentCoder    = "coder"
	agentCurrency = "currency"
	agentFiles    = "files"
	agentHello    = "hello"
	agentImages   = "images"
)

// A sample is an agent that comes with the program.
type sample struct {
	name    string
	port    int    // with --seed-ports
	shows   string // for people
	example string // something to say to it
	thinks  bool   // a language model can do what its rules do
	card    func() *a2a.AgentCard
	open    func(*sampleHost) (agent.Agent, error)
	wrap    func(a2a.Service) a2a.Service // nil: nothing
}

// samples are all there are, in the order in which people should meet them.
var samples = []sample{
	{
		name: agentCurrency, port: 10000, shows: "questions back, progress, data beside text",
		example: "100 USD in GBP", thinks: true,
		card: currency.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			rates, err := currency.NewProvider(h.rates, "", nil)
			if err != nil {
				return nil, cmdline.Usagef("--rates is %q; use snapshot, live or auto", h.rates)
			}
			return currency.New(currency.Options{Rates: rates, Model: h.model}), nil
		},
	},
	{
		name: agentImages, port: 10001, shows: "files: previews, edits, types that the client names",
		example: "a white rabbit in the snow at night", thinks: true,
		card: images.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			fetch, err := h.fetcher("image/*")
			return images.New(images.Options{Model: h.model, Fetch: fetch}), err
		},
	},
	{
		name: "expenses", port: 10002, shows: "forms that return until they are correct",
		example: "reimburse lunch for 20 USD", thinks: true,
		card: expenses.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			return expenses.New(expenses.Options{Model: h.model}), nil
		},
	},
	{
		name: "movies", port: 41241, shows: "a choice if a name is ambiguous, and words such as it and she",
		example: "who directed Dune?", thinks: true,
		card: movies.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			films, err := catalogue.FromEnv(h.run.Env)
			if err != nil {
				return nil, cmdline.Usagef("TMDB_API_KEY: %v", err)
			}
			return movies.New(movies.Options{Catalogue: films, Model: h.model}), nil
		},
	},
	{
		name: agentCoder, port: 41242, shows: "several files at once, in chunks", example: "fibonacci in Go with tests",
		thinks: true,
		card:   coder.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			return coder.New(coder.Options{Model: h.model, Tools: h.tools}), nil
		},
	},
	{
		name: agentFiles, port: 10003, shows: "answers about a file that is sent along, in a form that a schema names",
		example: "how many rows are there?", thinks: true,
		card: samplefiles.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			fetch, err := h.fetcher()
			return samplefiles.New(samplefiles.Options{Model: h.model, Fetch: fetch}), err
		},
	},
	{
		name: agentHello, port: 10004, shows: "the smallest agent", example: "Ada",
		card: hello.Card,
		open: func(h *sampleHost) (agent.Agent, error) {
			return hello.New(hello.Options{Reply: h.reply}), nil
		},
	},
	{
		name: "slow", port: 10005, shows: "long tasks: progress, cancel, reconnect, restart", example: "count to 10",
		card: slow.Card,
		open: func(*sampleHost) (agent.Agent, error) { return slow.New(slow.Options{}), nil },
	},
	{
		name: "flaky", port: 10006, shows: "every state and every error, on command", example: "help",
		card: flaky.Card, wrap: flaky.Service,
		open: func(*sampleHost) (agent.Agent, error) { return flaky.New(flaky.Options{}), nil },
	},
	{
		name: repairshop.ManagerName, port: 10007, shows: "delegation: progress, questions and cancels pass through",
		example: "My car is making a rattling noise",
		card:    repairshop.ManagerCard,
		open: func(h *sampleHost) (agent.Agent, error) {
			mechanic, err := h.sampleByName(repairshop.MechanicName)
			if err != nil {
				return nil, err
			}
			supplier, err := h.sampleByName(repairshop.SupplierName)
			return repairshop.NewManager(mechanic, supplier, shopPace), err
		},
	},
	{
		name: repairshop.MechanicName, port: 10008, shows: "tools over MCP, as one of the repair shop",
		example: "Diagnose a Toyota Camry 2018 that makes a rattling noise", thinks: true,
		card: repairshop.MechanicCard,
		open: func(h *sampleHost) (agent.Agent, error) {
			supplier, err := h.sampleByName(repairshop.SupplierName)
			options := shopPace
			options.Model = h.model
			return repairshop.NewMechanic(supplier, options), err
		},
	},
	{
		name: repairshop.SupplierName, port: 10009, shows: "short answers to other agents, as one of the repair shop",
		example: "Do you have part #12345 in stock for a Toyota Camry 2018?",
		card:    repairshop.SupplierCard,
		open: func(*sampleHost) (agent.Agent, error) {
			return repairshop.NewSupplier(shopPace), nil
		},
	},
}

// shopPace lets people see the repair shop work.
var shopPace = repairshop.Options{Pace: 300 * time.Millisecond, Day: time.Second}

// findSample returns a sample by its name; nil if there is none.
func findSample(name string) *sample {
	i := slices.IndexFunc(samples, func(s sample) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return &samples[i]
}

func namesOfSamples() []string {
	names := make([]string, len(samples))
	for i, s := range samples {
		names[i] = s.name
	}
	return names
}

// sampleNames returns the names as text.
func sampleNames() string {
	names := namesOfSamples()
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
