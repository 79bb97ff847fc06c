// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves an agent until the test ends and returns its URL.
func serve(t *testing.T, a agent.Agent, card *a2a.AgentCard, wrap func(a2a.Service) a2a.Service,
	guard ...auth.Authenticator) string {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	var service a2a.Service = e.Agent("agent", a, &engine.AgentOptions{Card: card})
	if wrap != nil {
		service = wrap(service)
	}
	web := httptest.NewUnstartedServer(nil)
	url := "http://" + web.Listener.Addr().String()
	options := &server.Options{Card: card, URL: url, Logger: quiet}
	for _, g := range guard {
		options.Authenticator = g
	}
	web.Config.Handler, err = server.New(service, options)
	if err != nil {
		t.Fatal(err)
	}
	web.Start()
	t.Cleanup(func() {
		if err := e.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	return url
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
