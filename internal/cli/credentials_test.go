// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/server"
)

const testKey = "hunter2hunter2"

// serveKeyed serves an agent to those who have the key where the scheme says.
func serveKeyed(t *testing.T, scheme a2a.SecurityScheme, given func(*http.Request) string) string {
	t.Helper()
	card := &a2a.AgentCard{Name: "Test", Description: "For tests", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		SecuritySchemes: map[string]a2a.SecurityScheme{"a": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}}
	if scheme != nil {
		card.SecuritySchemes["k"] = scheme
		card.SecurityRequirements = []a2a.SecurityRequirement{{"k": nil}}
	}
	return serveAgent(t, echoAgent, &server.Options{Card: card,
		Authenticator: auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			if given(r) != testKey {
				return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "who are you?")
			}
			return a2a.Identity{Subject: "ann"}, nil
		})})
}

// The key goes where the card says, and is nowhere to be seen, not even with --debug.
func TestAPIKeyGoesWhereTheCardSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scheme a2a.SecurityScheme
		given  func(*http.Request) string
	}{
		"header": {&a2a.APIKeyScheme{Location: "header", Name: "X-Team"},
			func(r *http.Request) string { return r.Header.Get("X-Team") }},
		"query": {&a2a.APIKeyScheme{Location: "query", Name: "team"},
			func(r *http.Request) string { return r.URL.Query().Get("team") }},
		"cookie": {&a2a.APIKeyScheme{Location: "cookie", Name: "team"}, func(r *http.Request) string {
			cookie, err := r.Cookie("team")
			if err != nil {
				return ""
			}
			return cookie.Value
		}},
	} {
		url := serveKeyed(t, test.scheme, test.given)
		for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
			got := runWith(t.Context(), map[string]string{"A2ACLI_API_KEY": testKey}, "", "send", "-a", url, "--text",
				"hi", "--debug", "--stream", "--transport", binding)
			if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "message 1: hi") ||
				strings.Contains(got.stderr, testKey) || !strings.Contains(got.stderr, redact.Mark) {
				t.Errorf("%s, %s: %+v", name, binding, got)
			}
		}
		got := run(t.Context(), "send", "-a", url, "--text", "hi")
		if got.code != cmdline.ExitAuth || !strings.Contains(got.stderr, "DRAGOMAN_API_KEY") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAPIKeyWithoutAPlace(t *testing.T) {
	t.Parallel()
	never := func(*http.Request) string { return testKey }
	for _, test := range []struct {
		scheme a2a.SecurityScheme
		exit   int
		says   string
	}{
		{nil, cmdline.ExitUsage, "declares no API key"},
		{&a2a.APIKeyScheme{Location: "header", Name: "X Team"}, cmdline.ExitFailure, "cannot be sent"},
	} {
		got := run(t.Context(), "send", "-a", serveKeyed(t, test.scheme, never), "--api-key", testKey, "hi")
		if got.code != test.exit || !strings.Contains(got.stderr, test.says) || strings.Contains(got.stderr, testKey) {
			t.Errorf("%+v: %+v", test.scheme, got)
		}
	}
	got := run(t.Context(), "config", "show", "--api-key", testKey)
	if got.code != cmdline.ExitOK || strings.Contains(got.stdout, testKey) ||
		!strings.Contains(got.stdout, "api-key: set, not shown (flag)") {
		t.Errorf("%+v", got)
	}
}

func TestInsecureWarns(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	got := run(t.Context(), "card", "get", "-a", secure.URL, "--insecure")
	if got.code != cmdline.ExitUnreachable ||
		!strings.Contains(got.stderr, "Warning: --insecure: certificates are not verified") ||
		!strings.Contains(got.stderr, "HTTP 404") && !strings.Contains(got.stderr, "not found") {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), "card", "get", "-a", secure.URL, "--insecure", "--bearer", testKey)
	if !strings.Contains(got.stderr, "can steal the credentials") {
		t.Errorf("%+v", got)
	}
	if got := run(t.Context(), "card", "get", "-a", secure.URL); !strings.Contains(got.stderr, "does not trust") {
		t.Errorf("%+v", got)
	}
}

func TestFailOn(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		switch turn.Text() {
		case "ask":
			return turn.Ask(a2a.TextPart("what?"))
		case "reject":
			return agent.Reject(a2a.TextPart("no"))
		}
		return nil
	}), nil)
	for _, test := range []struct {
		text, states string
		exit         int
	}{
		{"ask", "failed,input-required", cmdline.ExitState}, {"ask", "failed", cmdline.ExitOK},
		{"reject", "TASK_STATE_REJECTED", cmdline.ExitState}, {"fine", "rejected,failed", cmdline.ExitOK},
		{"fine", "asleep", cmdline.ExitUsage},
	} {
		got := run(t.Context(), "send", "-a", url, "--fail-on", test.states, "-o", "json", test.text)
		if got.code != test.exit || test.exit == cmdline.ExitState &&
			!strings.Contains(got.stderr, `"code":"DRAGOMAN_ERR_STATE"`) ||
			test.exit != cmdline.ExitUsage && !strings.Contains(got.stdout, `"task"`) {
			t.Errorf("%+v: %+v", test, got)
		}
	}
	got := run(t.Context(), "task", "wait", "-a", url, taskOf(t, url), "--fail-on", "completed")
	if got.code != cmdline.ExitState || !strings.Contains(got.stderr, "the task is completed, which --fail-on names") {
		t.Errorf("%+v", got)
	}
}

func TestVerboseShowsAll(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echoAgent, nil)
	got := run(t.Context(), "send", "-a", url, "--verbose", "--metadata", `{"ticket": 7}`, "--history", "1", "hi")
	has(t, "the error stream", got.stderr, "Sent: user\n  ID: ", "  Metadata: ticket: 7\n",
		"  Media type: text/plain\n  Text: hi\n")
	has(t, "the output", got.stdout, "History: user\n  ID: ", "  Metadata: ticket: 7\n")
	if got := run(t.Context(), "send", "-a", url, "hi"); strings.Contains(got.stdout+got.stderr, "Media type") {
		t.Errorf("%+v", got)
	}
}

// A task id that the agent refuses is an error, and leads to what the agent said.
func TestRefusedTaskPointsAtDebug(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echoAgent, nil)
	for _, id := range []string{"nowhere", taskOf(t, url)} {
		got := run(t.Context(), "send", "-a", url, "--task-id", id, "hi")
		if got.code != cmdline.ExitFailure || got.stdout != "" || !strings.Contains(got.stderr, "--debug") {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// A token stays at the origin of the agent's card, unless a flag names the other one.
func TestATokenDoesNotFollowACard(t *testing.T) {
	t.Parallel()
	var stolen atomic.Int32
	other := serveAgent(t, echoAgent, &server.Options{
		Authenticator: auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			if r.Header.Get("Authorization") == "Bearer "+testKey {
				stolen.Add(1)
			}
			return a2a.Identity{Subject: "ann"}, nil
		})})
	home := serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		answer, err := http.Get(other + card.WellKnownPath)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		io.Copy(w, answer.Body)
	})
	env := map[string]string{"DRAGOMAN_BEARER": testKey}
	for name, args := range map[string][]string{
		"send": {"send", "-a", home, "hi"}, "task": {"task", "list", "-a", home},
	} {
		got := runWith(t.Context(), env, "", append(args, "-o", "json")...)
		if got.code != cmdline.ExitAuth || stolen.Load() > 0 ||
			!strings.Contains(got.stderr, "DRAGOMAN_ERR_CREDENTIALS_ORIGIN") ||
			!strings.Contains(got.stderr, "--credentials-to "+other) {
			t.Errorf("%s: %+v, %d calls with the token", name, got, stolen.Load())
		}
		if got := runWith(t.Context(), nil, "", args...); got.code != cmdline.ExitOK {
			t.Errorf("%s without a token: %+v", name, got)
		}
	}
	got := runWith(t.Context(), env, "", "send", "-a", home, "hi", "--credentials-to", other)
	if got.code != cmdline.ExitOK || stolen.Load() == 0 {
		t.Errorf("allowed: %+v", got)
	}
	got = runWith(t.Context(), env, "", "send", "-a", home, "hi", "--credentials-to", "agent")
	if got.code != cmdline.ExitUsage {
		t.Errorf("no origin: %+v", got)
	}
}
