// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
)

// Members by which the forms of the card are told apart.
var formMembers = map[string][]string{
	"0.1": {"url", "authentication"},
	"0.3": {"url", "protocolVersion", "preferredTransport", "additionalInterfaces", "securitySchemes"},
	"1.0": {"supportedInterfaces", "securitySchemes"},
	"union": {"supportedInterfaces", "url", "protocolVersion", "preferredTransport", "additionalInterfaces",
		"securitySchemes", "authentication"},
}

func formOf(t *testing.T, body string) string {
	t.Helper()
	var card map[string]any
	if err := json.Unmarshal([]byte(body), &card); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var all, has []string
	for _, members := range formMembers {
		all = append(all, members...)
	}
	slices.Sort(all)
	for _, member := range slices.Compact(all) {
		if _, ok := card[member]; ok {
			has = append(has, member)
		}
	}
	for form, members := range formMembers {
		slices.Sort(members)
		if slices.Equal(has, slices.Sorted(slices.Values(members))) {
			return form
		}
	}
	t.Errorf("the card has the members %v", has)
	return ""
}

// The card comes in the form of the version that the request names, or in the union; caches can tell.
func TestFormsOfTheCard(t *testing.T) {
	t.Parallel()
	tune := func(o *server.Options) {
		o.Generations = wire.Generations
		o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"token": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}
	}
	ts := serve(t, &fake{}, tune)
	pure := serve(t, &fake{}, func(o *server.Options) { tune(o); o.CardGeneration = a2a.Generation03 })
	etags := map[string]string{}
	const oldPath = "/.well-known/agent.json"
	for _, row := range []struct {
		path, version, want string
	}{
		{cardPath, "A2A-Version:", "union"}, {oldPath, "A2A-Version:", "union"},
		{cardPath, "A2A-Version: 1.0", "1.0"}, {oldPath, "A2A-Version: 1.0", "1.0"},
		{cardPath, "A2A-Version: 0.3", "0.3"}, {oldPath, "A2A-Version: 0.3", "0.3"},
		{cardPath, "A2A-Version: 0.1", "0.1"}, {oldPath, "A2A-Version: 0.1", "0.1"},
		{cardPath, "A2A-Version: banana", "union"},
	} {
		got := do(t, ts, "GET", row.path, "", row.version)
		if form := formOf(t, got.body); got.status != 200 || form != row.want || got.header.Get("Vary") == "" {
			t.Errorf("%s %s: %d, form %s, want %s, %v", row.path, row.version, got.status, form, row.want, got.header)
		}
		etag := got.header.Get("Etag")
		if other, ok := etags[row.want]; ok && other != etag {
			t.Errorf("form %s has the ETags %s and %s", row.want, other, etag)
		}
		etags[row.want] = etag
		if again := do(t, ts, "GET", row.path, "", row.version, "If-None-Match: "+etag); again.status != 304 {
			t.Errorf("%s %s again: %d", row.path, row.version, again.status)
		}
	}
	seen := map[string]bool{}
	for form, etag := range etags {
		if seen[etag] {
			t.Errorf("form %s has the ETag of another", form)
		}
		seen[etag] = true
	}
	if got := do(t, pure, "GET", cardPath, "", "A2A-Version:"); formOf(t, got.body) != "0.3" {
		t.Error("Options.CardGeneration does not count")
	}
}

// A card that names no scheme gets those of the Authenticator, in every form and on the page; another card stays as it
// is.
func TestSchemesOfTheAuthenticator(t *testing.T) {
	t.Parallel()
	guard := func(o *server.Options) {
		o.Generations = wire.Generations
		o.Authenticator = auth.Token("secret", a2a.Identity{Subject: "ann"})
	}
	guarded := serve(t, &fake{}, guard)
	named := serve(t, &fake{}, func(o *server.Options) {
		guard(o)
		o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"key": &a2a.APIKeyScheme{Location: "header",
			Name: "X-Key"}}
	})
	open := serve(t, &fake{}, func(o *server.Options) { guard(o); asAlice(o) })
	for _, version := range []string{"", "1.0", "0.3", "0.2", "0.1"} {
		header := "A2A-Version: " + version
		body := do(t, guarded, "GET", cardPath, "", header).body
		want := map[string]string{
			"": `"securityRequirements":[{"schemes":{"bearer":`, "1.0": `"securityRequirements":[{"schemes":{"bearer":`,
			"0.3": `"security":[{"bearer":[]}]`, "0.2": `"security":[{"bearer":[]}]`, "0.1": `"schemes":["Bearer"]`,
		}[version]
		if !strings.Contains(body, want) {
			t.Errorf("version %q: want %s in %s", version, want, body)
		}
		if body := do(t, named, "GET", cardPath, "", header).body; strings.Contains(body, "bearer") ||
			strings.Contains(body, "Bearer") {
			t.Errorf("version %q: the card with a scheme of its own became %s", version, body)
		}
		if body := do(t, open, "GET", cardPath, "", header).body; strings.Contains(body, `"security`) {
			t.Errorf("version %q: an Authenticator that says nothing made it %s", version, body)
		}
	}
	for ts, want := range map[*httptest.Server]bool{guarded: true, named: true, open: false} {
		if body := do(t, ts, "GET", "/", "", "Accept: text/html").body; strings.Contains(body,
			"DRAGOMAN_BEARER") != want {
			t.Errorf("the page speaks of credentials: %v, want %v", !want, want)
		}
	}
}

// A server names and serves the generations it is told to, and no others.
func TestGenerations(t *testing.T) {
	t.Parallel()
	for _, bad := range []*server.Options{
		{Generations: []a2a.Generation{"0.4"}},
		{Generations: []a2a.Generation{a2a.Generation10}, CardGeneration: a2a.Generation01},
	} {
		bad.Card = aCard()
		if _, err := server.New(&fake{}, bad); err == nil {
			t.Errorf("%v, card of %q: accepted", bad.Generations, bad.CardGeneration)
		}
	}
	for gen, members := range map[a2a.Generation][2]string{ // one that the form has, one that it has not
		a2a.Generation01: {"authentication", "preferredTransport"},
		a2a.Generation02: {"preferredTransport", "supportedInterfaces"},
		a2a.Generation03: {"preferredTransport", "supportedInterfaces"},
		a2a.Generation10: {"supportedInterfaces", "preferredTransport"},
	} {
		alone := serve(t, &fake{}, func(o *server.Options) { o.Generations = []a2a.Generation{gen} })
		for _, version := range []string{"", "7.0"} { // neither names a generation that is served
			got := do(t, alone, "GET", cardPath, "", "A2A-Version: "+version)
			if !strings.Contains(got.body, `"`+members[0]+`":`) || strings.Contains(got.body, `"`+members[1]+`":`) {
				t.Errorf("the card of an agent of %s alone: %d %s", gen, got.status, got.body)
			}
		}
	}
	old := serve(t, &fake{}, func(o *server.Options) { o.Generations = []a2a.Generation{a2a.Generation01} })
	if got := rpc(t, old, "GetTask", `{"id":"t1"}`); failureOf(t, got.body).reason != "VERSION_NOT_SUPPORTED" {
		t.Errorf("1.0 of an old agent: %s", got.body)
	}
}
