// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"Bearer secret": true, "bearer secret": true, "Bearer  secret": true,
		"": false, "secret": false, "Basic secret": false, "Bearer": false, "Bearer Secret": false,
		"Bearer secrets": false,
	} {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		id, err := auth.Token("secret", a2a.Identity{Subject: "ann"}).Authenticate(r)
		if want && (err != nil || id.Subject != "ann") {
			t.Errorf("%q: %v, %v", header, id, err)
		}
		if !want && !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%q: %v, %v", header, id, err)
		}
	}
}

func TestTokenTellsAWrongOneFromAMissingOne(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "missing", "Bearer": "missing", "Basic secret": "missing", "Bearer wrong": "the token is wrong",
	} {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		_, err := auth.Token("secret", a2a.Identity{Subject: "ann"}).Authenticate(r)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", header, err, want)
		}
	}
}

// request returns one with a header line, and a URL with a query.
func request(t *testing.T, header, value, query string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://agent.example/?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != "" {
		r.Header.Set(header, value)
	}
	return r
}

func TestStaticSecrets(t *testing.T) {
	t.Parallel()
	ann := map[string]a2a.Identity{"secret": {Subject: "ann"}, "other": {Subject: "bob"}}
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	const missing, wrong = "missing", "wrong"
	for name, c := range map[string]struct {
		by                   auth.Authenticator
		header, value, query string
		subject, refusal     string
	}{
		"token":               {auth.Tokens(ann), "Authorization", "Bearer other", "", "bob", ""},
		"wrong token":         {auth.Tokens(ann), "Authorization", "Bearer no", "", "", wrong},
		"key in a header":     {auth.APIKeys("header", "X-Key", ann), "X-Key", "secret", "", "ann", ""},
		"wrong key":           {auth.APIKeys("header", "X-Key", ann), "X-Key", "Secret", "", "", wrong},
		"key elsewhere":       {auth.APIKeys("header", "X-Key", ann), "", "", "X-Key=secret", "", missing},
		"key in the query":    {auth.APIKeys("query", "key", ann), "", "", "key=secret", "ann", ""},
		"no key in the query": {auth.APIKeys("query", "key", ann), "key", "secret", "", "", missing},
		"key in a cookie":     {auth.APIKeys("cookie", "key", ann), "Cookie", "a=b; key=other", "", "bob", ""},
		"wrong cookie":        {auth.APIKeys("cookie", "key", ann), "Cookie", "key=x", "", "", wrong},
		"no cookie":           {auth.APIKeys("cookie", "key", ann), "Cookie", "keys=x", "", "", missing},
		"password": {auth.Basic(map[string]string{"ann": "a:b"}), "Authorization", basic("ann:a:b"), "",
			"ann", ""},
		"wrong password": {auth.Basic(map[string]string{"ann": "b"}), "Authorization", basic("ann:c"), "", "",
			wrong},
		"another's password": {auth.Basic(map[string]string{"ann": "b", "bo": "c"}), "Authorization", basic("ann:c"),
			"", "", wrong},
		"no password": {auth.Basic(map[string]string{"ann": "b"}), "Authorization", "Bearer x", "", "",
			missing},
		"malformed password": {auth.Basic(map[string]string{"ann": "b"}), "Authorization", "Basic !", "", "",
			"not well-formed"},
		"certificate, no TLS": {auth.Certificates(nil), "", "", "", "", missing},
		"one of several kinds": {auth.AnyOf(auth.Tokens(ann), auth.APIKeys("query", "key", ann)), "", "", "key=other",
			"bob", ""},
	} {
		id, err := c.by.Authenticate(request(t, c.header, c.value, c.query))
		if id.Subject != c.subject || (err != nil) != (c.refusal != "") {
			t.Errorf("%s: %q, %v", name, id.Subject, err)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, a2a.ErrUnauthenticated) || !strings.Contains(err.Error(), c.refusal) ||
			errors.Is(err, auth.ErrMissing) != (c.refusal == missing) {
			t.Errorf("%s: %v, want %s", name, err, c.refusal)
		}
		if c.value != "" && strings.Contains(err.Error(), c.value) {
			t.Errorf("%s: the error repeats what was sent: %v", name, err)
		}
	}
}

// Two credentials of one kind are refused: a proxy may have judged the one, and this server would judge the other.
func TestSeveralCredentials(t *testing.T) {
	t.Parallel()
	key := map[string]a2a.Identity{"secret": {Subject: "ann"}}
	for header, by := range map[string]auth.Authenticator{
		"Authorization: Bearer secret": auth.Tokens(key), "X-Key: secret": auth.APIKeys("header", "X-Key", key),
		"Authorization: Basic YW5uOmI=": auth.Basic(map[string]string{"ann": "b"}),
		"Cookie: key=secret; key=other": auth.APIKeys("cookie", "key", key),
	} {
		name, value, _ := strings.Cut(header, ": ")
		r := request(t, name, value, "")
		if name != "Cookie" {
			if _, err := by.Authenticate(r); err != nil {
				t.Errorf("%s: %v", header, err)
			}
			r.Header.Add(name, value)
		}
		if id, err := by.Authenticate(r); !errors.Is(err, a2a.ErrUnauthenticated) || errors.Is(err, auth.ErrMissing) {
			t.Errorf("%s, twice: %v, %v", header, id, err)
		}
	}
}

func TestAnyOf(t *testing.T) {
	t.Parallel()
	fails := func(kind a2a.Kind, message string) auth.Authenticator {
		return auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) {
			return a2a.Identity{}, a2a.NewError(kind, message)
		})
	}
	tokens := auth.Token("secret", a2a.Identity{Subject: "ann"})
	keys := auth.APIKeys("header", "X-Key", map[string]a2a.Identity{"key": {Subject: "bob"}})
	for name, c := range map[string]struct {
		by            auth.Authenticator
		header, value string
		kind          a2a.Kind
		says          string
	}{
		"all missing": {auth.AnyOf(tokens, keys), "", "", a2a.ErrUnauthenticated,
			"the token is missing; send it as Authorization: Bearer; or the API key is missing; send it in the " +
				"header X-Key"},
		"one wrong": {auth.AnyOf(keys, tokens), "Authorization", "Bearer x", a2a.ErrUnauthenticated,
			"the token is wrong"},
		"two wrong": {auth.AnyOf(tokens, fails(a2a.ErrUnauthenticated, "it has expired")), "Authorization",
			"Bearer x", a2a.ErrUnauthenticated, "the token is wrong; it has expired"},
		"provider down": {auth.AnyOf(tokens, fails(a2a.ErrUnavailable, "no provider")), "Authorization", "Bearer x",
			a2a.ErrUnavailable, "no provider"},
		"known, unwanted": {auth.AnyOf(fails(a2a.ErrPermissionDenied, "no scope"), tokens), "", "",
			a2a.ErrPermissionDenied, "no scope"},
	} {
		_, err := c.by.Authenticate(request(t, c.header, c.value, ""))
		if got := a2a.AsError(err); got.Kind != c.kind || got.PublicMessage() != c.says {
			t.Errorf("%s: %v %q, want %v %q", name, got.Kind, got.PublicMessage(), c.kind, c.says)
		}
	}

	want := map[string]a2a.SecurityScheme{
		"bearer": &a2a.HTTPAuthScheme{Scheme: "Bearer"}, "basic": &a2a.HTTPAuthScheme{Scheme: "Basic"},
		"apiKey":    &a2a.APIKeyScheme{Location: "header", Name: "X-Key"},
		"apiKey2":   &a2a.APIKeyScheme{Location: "query", Name: "key"},
		"mutualTLS": &a2a.MutualTLSScheme{},
	}
	cron := a2a.Identity{Client: "cron"}
	all := auth.AnyOf(tokens, auth.Token("again", cron), keys, auth.Basic(map[string]string{"a": "b"}),
		auth.APIKeys("query", "key", map[string]a2a.Identity{"k": cron}), auth.Certificates(nil),
		fails(a2a.ErrInternal, ""))
	if diff := cmp.Diff(want, all.(auth.Schemed).SecuritySchemes()); diff != "" {
		t.Error(diff)
	}
}

// A server takes what no client could send for a mistake in its configuration, and says so at the start.
func TestUselessSecretsAreRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	ann := a2a.Identity{Subject: "ann"}
	key := map[string]a2a.Identity{"k": ann}
	for name, make := range map[string]func(){
		"no token":           func() { auth.Tokens(nil) },
		"empty token":        func() { auth.Token("", ann) },
		"white space":        func() { auth.Tokens(map[string]a2a.Identity{" \n": ann}) },
		"empty key":          func() { auth.APIKeys("header", "X", map[string]a2a.Identity{"": ann}) },
		"anonymous token":    func() { auth.Token("t", a2a.Identity{Scopes: []string{"pay"}}) },
		"anonymous key":      func() { auth.APIKeys("header", "X", map[string]a2a.Identity{"k": {}}) },
		"unknown location":   func() { auth.APIKeys("body", "X", key) },
		"key without a name": func() { auth.APIKeys("header", "", key) },
		"empty password":     func() { auth.Basic(map[string]string{"ann": ""}) },
		"user with a colon":  func() { auth.Basic(map[string]string{"a:b": "c"}) },
		"nothing of several": func() { auth.AnyOf() },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "auth: ") {
					t.Errorf("%s: panic %q", name, said)
				}
			}()
			make()
		}()
	}
}
