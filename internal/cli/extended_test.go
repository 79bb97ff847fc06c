// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/server"
)

// confiding shows a further card to those it knows.
type confiding struct {
	a2a.Service
	card *a2a.AgentCard // nil: it has none, though it says so
}

func (confiding) Capabilities() a2a.AgentCapabilities {
	yes := true
	return a2a.AgentCapabilities{ExtendedAgentCard: &yes}
}

func (s confiding) ExtendedCard(ctx context.Context, _ *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	if s.card == nil {
		return nil, a2a.NewError(a2a.ErrExtendedCardNotConfigured, "it must follow")
	}
	return s.card, nil
}

func TestExtendedCard(t *testing.T) {
	t.Parallel()
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	quiet := eng.Agent("quiet", agent.Func(func(context.Context, *agent.Turn) error { return nil }), nil)
	stop := func() { eng.Shutdown(context.Background()) }
	public := &a2a.AgentCard{Name: "Test", Description: "For tests", Version: "1",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		SecuritySchemes:    map[string]a2a.SecurityScheme{"token": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}}
	known := func() *server.Options {
		return &server.Options{Card: public.Clone(),
			Authenticator: auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
				if r.Header.Get("Authorization") != "Bearer hunter2" {
					return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "who are you?")
				}
				return a2a.Identity{Subject: "ann"}, nil
			})}
	}
	further := &a2a.AgentCard{Name: "Test, in full", Description: "For those it knows", Version: "2",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}}
	has := serveService(t, confiding{quiet, further}, known(), stop)
	lies := serveService(t, confiding{quiet, nil}, known(), stop)
	without := serveService(t, quiet, nil, stop)
	silentCard := known()
	silentCard.Card = nil
	undeclared := serveService(t, confiding{quiet, further}, silentCard, stop)
	for _, test := range []struct {
		name, url string
		args      []string
		exit      int
		code      string // of the error, or what is shown
	}{
		{"the public one", has, nil, cmdline.ExitOK, `"name": "Test"`},
		{"known", has, []string{"--extended", "--bearer", "hunter2"}, cmdline.ExitOK, `"name": "Test, in full"`},
		{"not known", has, []string{"--extended"}, cmdline.ExitAuth, cmdline.CodeCredentialsMissing},
		{"not configured", lies, []string{"--extended", "--bearer", "hunter2"}, cmdline.ExitFailure,
			"ExtendedAgentCardNotConfiguredError"},
		{"no scheme takes a token", undeclared, []string{"--extended", "--bearer", "hunter2"}, cmdline.ExitUsage,
			cmdline.CodeUsage},
		{"not offered", without, []string{"--extended"}, cmdline.ExitFailure, "UnsupportedOperationError"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := run(t.Context(), append([]string{"card", "get", "-a", test.url, "-o", "json"}, test.args...)...)
			if got.code != test.exit {
				t.Errorf("exit code %d, want %d:\n%s%s", got.code, test.exit, got.stdout, got.stderr)
			}
			if test.exit == cmdline.ExitOK && !strings.Contains(got.stdout, test.code) {
				t.Errorf("no %s in:\n%s", test.code, got.stdout)
			}
			if test.exit != cmdline.ExitOK && codeIn(t, got.stderr) != test.code {
				t.Errorf("want %s:\n%s", test.code, got.stderr)
			}
		})
	}
}
