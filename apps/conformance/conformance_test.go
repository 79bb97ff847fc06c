// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
)

// The sample agents conform, whether or not they understand what checks say.
func TestSamplesConform(t *testing.T) {
	t.Parallel()
	for _, sample := range []struct {
		name      string
		agent     agent.Agent
		card      *a2a.AgentCard
		wrap      func(a2a.Service) a2a.Service
		text, ask string
	}{
		{"currency", currency.New(currency.Options{}), currency.Card(), nil, "100 USD in GBP", "How much is 1 USD?"},
		{"images", images.New(images.Options{}), images.Card(), nil, "a white rabbit", ""},
		{"expenses", expenses.New(expenses.Options{}), expenses.Card(), nil, "", "reimburse lunch"},
		{"movies", movies.New(movies.Options{}), movies.Card(), nil, "who directed Dune?", "who directed Dune?"},
		{"coder", coder.New(coder.Options{}), coder.Card(), nil, "fibonacci in Go", ""},
		{"hello", hello.New(hello.Options{}), hello.Card(), nil, "Ada", ""},
		{"hello that replies", hello.New(hello.Options{Reply: true}), hello.Card(), nil, "Ada", ""},
		{"flaky", flaky.New(flaky.Options{}), flaky.Card(), flaky.Service, "chunks 5", "ask"},
	} {
		t.Run(sample.name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, sample.agent, sample.card, sample.wrap)
			for _, profile := range []string{conformance.Profile10, conformance.Profile03} {
				for _, o := range []conformance.Options{{}, {Text: sample.text, Ask: sample.ask}} {
					o.Profile, o.Timeout = profile, 30*time.Second // machines that run tests are slow
					report := run(t, url, o)
					for _, r := range report.Results {
						if r.Bad() || r.Outcome == conformance.Warn {
							t.Errorf("%s %s: %s\nwant %s\nsent %s\ngot %s", r.Transport, r.Check, r.Reason, r.Expected,
								r.Request, r.Answer)
						}
					}
					if report.Agent != sample.card.Name || !report.Conforms() || report.Count(conformance.Pass) < 30 {
						t.Errorf("%s: %q passed %d checks", profile, report.Agent, report.Count(conformance.Pass))
					}
				}
			}
		})
	}
}
