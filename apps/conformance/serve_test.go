// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves an agent until the test ends and returns its URL.
func serve(t *testing.T, a agent.Agent, card *a2a.AgentCard, wrap func(a2a.Service) a2a.Service,
	guard ...auth.Authenticator) string {
	t.Helper()
	var service a2a.Service = a2atest.Engine(t).Agent("agent", a, &engine.AgentOptions{Card: card})
	if wrap != nil {
		service = wrap(service)
	}
	options := &server.Options{Card: card}
	for _, g := range guard {
		options.Authenticator = g
	}
	return a2atest.ServeService(t, service, options)
}

// run checks an agent.
func run(t *testing.T, url string, o conformance.Options) *conformance.Report {
	t.Helper()
	report, err := conformance.Run(t.Context(), url, &o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// bad returns the names of the checks that found something, with warnings, each once.
func bad(report *conformance.Report) []string {
	var names []string
	for _, r := range report.Results {
		if (r.Bad() || r.Outcome == conformance.Warn) &&
			!strings.Contains(" "+strings.Join(names, " ")+" ", " "+r.Check+" ") {
			names = append(names, r.Check)
		}
	}
	return names
}
