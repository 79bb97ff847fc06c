// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/card"
)

func FuzzPageToken(f *testing.F) {
	q := &Query{Tag: "art"}
	f.Add(place{alias: "painter"}.token(q.mark()))
	f.Add(place{score: 1.5, number: 7}.token(q.mark()))
	f.Add(place{score: math.NaN(), number: math.MinInt64}.token(q.mark()))
	f.Add("")
	f.Add("====")
	f.Fuzz(func(t *testing.T, token string) {
		p, err := placeIn(token, q.mark())
		if err != nil || p == nil {
			return
		}
		if again, err := placeIn(p.token(q.mark()), q.mark()); err != nil || *again != *p {
			t.Errorf("%q: %+v became %+v, %v", token, p, again, err)
		}
		if _, err := placeIn(token, (&Query{}).mark()); err == nil {
			t.Errorf("%q is a token of two lists", token)
		}
	})
}

func FuzzLocation(f *testing.F) {
	for _, ref := range []string{"http://127.0.0.1:80/", "localhost:10000",
		"HTTPS://Example.COM:443/a/../b/.well-known/agent.json#x",
		"[::1]:1", "http://[::1%25eth0]/", "http://h/%2e%2e/%zz", "a b", "http://h:99999/", "http://h?q#f", "//h",
		"http://\x00"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		u, err := location(ref)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
			t.Errorf("%q: %v", ref, u)
		}
		again, err := location(u.String())
		if err == nil && again.String() != u.String() {
			t.Errorf("%q: %q became %q", ref, u, again)
		}
	})
}

func FuzzRegistration(f *testing.F) {
	f.Add(`{"url": "http://127.0.0.1:1", "alias": "a"}`)
	f.Add(
		`{"card": {"name": "x", "supportedInterfaces": [{"url": "http://127.0.0.1:1", "protocolBinding": "JSONRPC"}]}}`)
	f.Add(`{"card": {"name": "x", "url": "h:1", "preferredTransport": "GRPC", "protocolVersion": "0.3.0"}}`)
	f.Add(`{"card": null}`)
	g := &Registry{opts: Options{}.Defaults(), cards: card.NewResolver(nil)}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, "/v1/agents", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		registration, err := registrationIn(r)
		if err != nil {
			return
		}
		at, err := g.targetOf(t.Context(), registration)
		if err != nil {
			return
		}
		if at.identity == "" || at.host() == "" {
			t.Errorf("%s: %+v", body, at)
		}
		if at.given == nil {
			return
		}
		checkDerived(t, body, at.known.Raw)
	})
}

// checkDerived holds what is made of a card for lists to its bounds.
func checkDerived(t *testing.T, from string, raw []byte) {
	c, err := card.Decode(raw)
	if err != nil {
		t.Fatalf("%s: what was kept cannot be read: %v", from, err)
	}
	if alias := aliasFrom(c.Name, "host"); checkAlias(alias) != nil {
		t.Errorf("%s: alias %q", from, alias)
	}
	list := facetsOf(c)
	if len(list) > maxFacets {
		t.Errorf("%s: %d facets", from, len(list))
	}
	seen := make(map[facet]bool)
	for _, one := range list {
		if seen[one] || one.value == "" || len(one.value) > MaxFilter {
			t.Errorf("%s: facet %+v", from, one)
		}
		seen[one] = true
	}
	d := documentOf(c)
	for _, text := range []string{d.name, d.skills, d.tags, d.description, d.examples} {
		if !utf8.ValidString(text) || len(text) > 3*maxIndexed+100_000 {
			t.Errorf("%s: text of %d bytes", from, len(text))
		}
	}
	addressOf(&c.SupportedInterfaces[0])
}

func FuzzParameters(f *testing.F) {
	f.Add("q=a&pageSize=1&tag=%20")
	f.Add("tag=a&tag=b")
	f.Add("%")
	f.Add("pageSize=-1")
	f.Fuzz(func(t *testing.T, query string) {
		values := parametersOf(&http.Request{URL: &url.URL{RawQuery: query}})
		var q Query
		for _, p := range q.parameters() {
			*p.value = values.take(p.name)
		}
		if q.PageSize, q.PageToken = values.page(); values.err != nil {
			return
		}
		again, err := url.ParseQuery(q.values().Encode())
		if err != nil || again.Get("q") != q.Text || again.Get("pageToken") != q.PageToken {
			t.Errorf("%q: %+v became %v, %v", query, q, again, err)
		}
		expression := fts5(q.Text)
		if strings.Count(expression, `"`)%2 != 0 || strings.ContainsRune(expression, 0) {
			t.Errorf("%q: %s", query, expression)
		}
	})
}
