// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// carded is a service that has the card of its agent.
type carded struct {
	*fake
	card *a2a.AgentCard
}

func (c carded) AgentCard() *a2a.AgentCard { return c.card }

func TestServerTakesTheCardOfItsService(t *testing.T) {
	t.Parallel()
	of := func(name string) *a2a.AgentCard {
		card := aCard()
		card.Name = name
		return card
	}
	for name, test := range map[string]struct {
		own, option *a2a.AgentCard
		want        string // the name on the card, or part of the error
	}{
		"of the service":   {of("own"), nil, "own"},
		"of the options":   {of("own"), of("other"), "other"},
		"of neither":       {nil, nil, "set engine.AgentOptions.Card"},
		"of the wrong one": {&a2a.AgentCard{Name: "own"}, nil, "description"},
	} {
		srv, err := server.New(carded{&fake{}, test.own}, &server.Options{Card: test.option})
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, cardPath, nil))
		if !strings.Contains(w.Body.String(), `"name":"`+test.want+`"`) {
			t.Errorf("%s: the card is %s", name, w.Body)
		}
	}
}

// A wrapper that embeds a service hides that this can resume streams: the server says so when it starts.
func TestServerWarnsOfHiddenCapabilities(t *testing.T) {
	t.Parallel()
	type wrapper struct{ a2a.Service }
	for name, test := range map[string]struct {
		svc   a2a.Service
		warns bool
	}{
		"a wrapper": {wrapper{&fake{}}, true},
		"a service": {&fake{}, false},
	} {
		var log syncBuffer
		_, err := server.New(test.svc, &server.Options{Card: aCard(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if got := log.String(); strings.Contains(got, "wrapped=*server_test.fake") != test.warns {
			t.Errorf("%s: the log has %q", name, got)
		}
	}
}

func TestJSONRPCAtFurtherPaths(t *testing.T) {
	t.Parallel()
	f := &fake{}
	ts := serve(t, f, func(o *server.Options) { o.JSONRPCPaths = []string{"/jsonrpc", "/a2a/v1/"} })
	const body = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`
	for path, found := range map[string]bool{"/": true, "/jsonrpc": true, "/a2a/v1/": true, "/a2a": false} {
		got := do(t, ts, http.MethodPost, path, body)
		if ok := got.status == http.StatusOK && strings.Contains(got.body, `"result"`); ok != found {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	for _, bad := range []server.Options{
		{JSONRPCPaths: []string{"jsonrpc"}}, {JSONRPCPaths: []string{"/healthz"}},
		{JSONRPCPaths: []string{"/jsonrpc"}, Bindings: []string{a2a.BindingHTTPJSON}},
	} {
		bad.Card = aCard()
		if _, err := server.New(f, &bad); err == nil || !strings.Contains(err.Error(), "Options.JSONRPCPaths") {
			t.Errorf("%q with %q: %v", bad.JSONRPCPaths, bad.Bindings, err)
		}
	}
}
