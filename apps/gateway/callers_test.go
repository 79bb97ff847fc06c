// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/server"
)

// scoped is an agent that wants a token with a scope, and another scope for its skill.
func scoped(o *server.Options) {
	o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"bearer": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}
	o.Card.SecurityRequirements = []a2a.SecurityRequirement{{"bearer": {"use"}}}
	o.Card.Skills[0].SecurityRequirements = []a2a.SecurityRequirement{{"bearer": {"work"}}}
	o.Authenticator = auth.Tokens(map[string]a2a.Identity{
		"good": {Subject: "ann", Scopes: []string{"use", "work"}}, "weak": {Subject: "bob"}})
}

func bearer(token string) client.Options {
	return client.Options{Interceptors: []client.Interceptor{client.Bearer(token)}}
}

// The agent judges the scopes of callers that the gateway does not know.
func TestScopesAreTheAgents(t *testing.T) {
	t.Parallel()
	url := front(t, nil, gateway.Upstream{Card: upstream(t, a2a.Generation10, scoped)})
	for token, want := range map[string]error{"good": nil, "weak": a2a.ErrPermissionDenied,
		"wrong": a2a.ErrUnauthenticated} {
		_, err := dial(t, url, a2a.Generation10, bearer(token)).SendMessage(t.Context(), message("hello"))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", token, err, want)
		}
	}
}

// A gateway that knows its callers keeps their credentials to itself, and shows the agent its own. Its card asks for
// what the gateway wants, not for what the agent wants.
func TestTheGatewayKnowsItsCallers(t *testing.T) {
	t.Parallel()
	up := upstream(t, a2a.Generation10, scoped)
	for own, want := range map[string]error{"good": nil, "wrong": a2a.ErrInvalidAgentResponse} {
		opts := &gateway.Options{HideCallers: true, Client: bearer(own)}
		opts.Server.Authenticator = auth.Token("front", a2a.Identity{Subject: "token"})
		url := front(t, opts, gateway.Upstream{Card: up})
		c := dial(t, url, a2a.Generation10, bearer("front"))
		if _, err := c.SendMessage(t.Context(), message("hello")); !errors.Is(err, want) {
			t.Errorf("with the agent's token %s: %v, want %v", own, err, want)
		}
		names := slices.Collect(maps.Keys(c.Card().SecuritySchemes))
		if len(names) != 1 || len(c.Card().Skills[0].SecurityRequirements) > 0 ||
			len(c.Card().SecurityRequirements) != 1 || len(c.Card().SecurityRequirements[0][names[0]]) > 0 {
			t.Errorf("the card asks for %v, %v, and its skill for %v", c.Card().SecuritySchemes,
				c.Card().SecurityRequirements, c.Card().Skills[0].SecurityRequirements)
		}
		for _, token := range []string{"good", "wrong"} { // the agent's token is none of the gateway's
			_, err := dial(t, url, a2a.Generation10, bearer(token)).SendMessage(t.Context(), message("hello"))
			if !errors.Is(err, a2a.ErrUnauthenticated) {
				t.Errorf("a caller with %s: %v", token, err)
			}
		}
	}
}

// A gateway that knows its callers can leave it to the agent to keep them apart.
func TestCallersThatBothKnow(t *testing.T) {
	t.Parallel()
	opts := &gateway.Options{}
	opts.Server.Authenticator = auth.Tokens(map[string]a2a.Identity{"good": {Subject: "a"}, "weak": {Subject: "b"},
		"unknown": {Subject: "c"}})
	url := front(t, opts, gateway.Upstream{Card: upstream(t, a2a.Generation10, scoped)})
	for token, want := range map[string]error{"good": nil, "weak": a2a.ErrPermissionDenied,
		"unknown": a2a.ErrUnauthenticated, "wrong": a2a.ErrUnauthenticated} {
		_, err := dial(t, url, a2a.Generation10, bearer(token)).SendMessage(t.Context(), message("hello"))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", token, err, want)
		}
	}
}

// A card that mixes the addresses of 0.3 and 1.0 shows none of them behind the gateway, in any form, nor does the
// extended card.
func TestNoAddressOfTheAgentPasses(t *testing.T) {
	t.Parallel()
	const mixed = `{"name":"Mixed","description":"d","version":"1","protocolVersion":"0.3.0",
		"url":"UP/","preferredTransport":"JSONRPC",
		"additionalInterfaces":[{"url":"UP/","transport":"JSONRPC"},{"url":"UP/v1","transport":"HTTP+JSON"}],
		"supportedInterfaces":[{"url":"UP/","protocolBinding":"JSONRPC","protocolVersion":"1.0"},
			{"url":"UP/","protocolBinding":"JSONRPC","protocolVersion":"0.3"}],
		"supportsAuthenticatedExtendedCard":true,
		"capabilities":{"streaming":true,"extendedAgentCard":true},
		"securitySchemes":{"b":{"type":"http","scheme":"bearer","httpAuthSecurityScheme":{"scheme":"bearer"}}},
		"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}]}`
	var up string
	up = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text := strings.ReplaceAll(mixed, "UP", up)
		if r.Method == http.MethodPost {
			var in struct{ ID json.RawMessage }
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, in.ID, text)
		}
		io.WriteString(w, text)
	}))
	host := strings.TrimPrefix(up, "http://")
	url := front(t, nil, gateway.Upstream{Card: up})
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json"} {
		for _, version := range []string{"", "1.0", "0.3", "0.2", "0.1"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if version != "" {
				r.Header.Set("A2A-Version", version)
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), "Mixed") ||
				strings.Contains(string(body), host) {
				t.Errorf("%s %s: %d %s %v", path, version, resp.StatusCode, body, err)
			}
		}
	}
	for version, method := range map[string]string{"1.0": "GetExtendedAgentCard",
		"0.3": "agent/getAuthenticatedExtendedCard"} {
		body := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`, "A2A-Version: "+version,
			"Authorization: Bearer x")
		if !strings.Contains(body, "Mixed") || strings.Contains(body, host) {
			t.Errorf("%s: the extended card is %s", version, body)
		}
	}
}
