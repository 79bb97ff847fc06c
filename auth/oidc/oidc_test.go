// SPDX-License-Identifier: Apache-2.0

package oidc_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/oidc"
)

// provider is an identity provider whose keys change when a test says so.
type provider struct {
	*httptest.Server
	keys  atomic.Pointer[[]jose.JSONWebKey]
	asked atomic.Int32 // for its keys
	down  atomic.Bool
}

func newProvider(t *testing.T, keys ...jose.JSONWebKey) *provider {
	t.Helper()
	p := &provider{}
	p.keys.Store(&keys)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"authorization_endpoint":"http://x","token_endpoint":"http://x"}`,
			p.URL, p.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.asked.Add(1)
		if p.down.Load() {
			http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
			return
		}
		var set jose.JSONWebKeySet
		for _, key := range *p.keys.Load() {
			set.Keys = append(set.Keys, key.Public())
		}
		json.NewEncoder(w).Encode(set)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func ecKey(t *testing.T, id string) jose.JSONWebKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: key, KeyID: id, Algorithm: "ES256", Use: "sig"}
}

func rsaKey(t *testing.T, id string) jose.JSONWebKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: key, KeyID: id, Algorithm: "RS256", Use: "sig"}
}

func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, claims any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// claimsOf returns good claims, changed by what a case says; nil takes a claim away.
func claimsOf(p *provider, changes map[string]any) map[string]any {
	now := time.Now()
	all := map[string]any{"iss": p.URL, "sub": "ann", "aud": "agent", "exp": now.Add(time.Hour).Unix(),
		"iat": now.Unix()}
	for name, value := range changes {
		all[name] = value
		if value == nil {
			delete(all, name)
		}
	}
	return all
}

func ask(t *testing.T, a auth.Authenticator, token string) (a2a.Identity, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://agent.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return a.Authenticate(r)
}

func authenticator(t *testing.T, o oidc.Options) *oidc.Authenticator {
	t.Helper()
	a, err := oidc.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestClaims(t *testing.T) {
	t.Parallel()
	ec, rs := ecKey(t, "ec"), rsaKey(t, "rs")
	p := newProvider(t, ec, rs)
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent", "agents"}})
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).Unix() }

	for name, c := range map[string]struct {
		claims  map[string]any
		refusal string // "" for none
	}{
		"good":                        {nil, ""},
		"one of several audiences":    {map[string]any{"aud": []string{"x", "agents"}}, ""},
		"expired within the skew":     {map[string]any{"exp": ago(30 * time.Second)}, ""},
		"valid soon, within the skew": {map[string]any{"nbf": ago(-30 * time.Second)}, ""},
		"expired":                     {map[string]any{"exp": ago(2 * time.Minute)}, "has expired"},
		"without an end":              {map[string]any{"exp": nil}, "no time at which it expires"},
		"not valid yet":               {map[string]any{"nbf": ago(-2 * time.Minute)}, "not valid yet"},
		"issued in the future":        {map[string]any{"iat": ago(-2 * time.Minute)}, "issued in the future"},
		"for another audience":        {map[string]any{"aud": "other"}, "another audience"},
		"for no audience":             {map[string]any{"aud": nil}, "another audience"},
		"by another issuer":           {map[string]any{"iss": p.URL + "/"}, "another issuer"},
		"of nobody":                   {map[string]any{"sub": nil}, "names no subject"},
		"of a strange form":           {map[string]any{"scope": 7}, "cannot be read"},
	} {
		for alg, key := range map[jose.SignatureAlgorithm]jose.JSONWebKey{"ES256": ec, "RS256": rs} {
			id, err := ask(t, a, sign(t, alg, key, claimsOf(p, c.claims)))
			switch {
			case c.refusal == "" && (err != nil || id.Subject != "ann"):
				t.Errorf("%s, %s: %v, %v", name, alg, id, err)
			case c.refusal != "" && (!errors.Is(err, a2a.ErrUnauthenticated) ||
				!strings.Contains(a2a.AsError(err).PublicMessage(), c.refusal)):
				t.Errorf("%s, %s: %v, want %q", name, alg, err, c.refusal)
			}
		}
	}
	if p.asked.Load() != 1 {
		t.Errorf("the keys were fetched %d times for good signatures", p.asked.Load())
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	key := ecKey(t, "ec")
	p := newProvider(t, key)
	for name, c := range map[string]struct {
		claims map[string]any
		want   a2a.Identity
	}{
		"RFC 9068": {map[string]any{"client_id": "cli", "scope": "a b"},
			a2a.Identity{Subject: "x:ann", Client: "x:cli", Scopes: []string{"a", "b"}}},
		"a program": {map[string]any{"sub": "cli", "client_id": "cli", "scope": "a"},
			a2a.Identity{Client: "x:cli", Scopes: []string{"a"}}},
		"OpenID Connect": {map[string]any{"azp": "web", "client_id": "cli", "scp": []string{"a"}},
			a2a.Identity{Subject: "x:ann", Client: "x:web", Scopes: []string{"a"}}},
		"RFC 8693": {map[string]any{"scope": "a", "act": map[string]any{"sub": "host"}},
			a2a.Identity{Subject: "x:ann", Scopes: []string{"a"}, Actors: []string{"host"}}},
	} {
		a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}, Prefix: "x:",
			Scopes: []string{"a"}})
		id, err := ask(t, a, sign(t, jose.ES256, key, claimsOf(p, c.claims)))
		if diff := cmp.Diff(c.want, id); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
		_, err = ask(t, a, sign(t, jose.ES256, key, claimsOf(p, map[string]any{"scope": "b"})))
		if !errors.Is(err, a2a.ErrPermissionDenied) || !strings.Contains(err.Error(), `lacks the scope "a"`) {
			t.Errorf("%s: without the scope: %v", name, err)
		}
	}
}

// A token must not choose how it is verified (RFC 8725 §2.1, §3.1).
func TestAlgorithms(t *testing.T) {
	t.Parallel()
	key := rsaKey(t, "rs")
	p := newProvider(t, key)
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}, Algorithms: []string{"RS256"}})
	good := sign(t, jose.RS256, key, claimsOf(p, nil))
	if _, err := ask(t, a, good); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	public, err := x509.MarshalPKIXPublicKey(key.Public().Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"none":                       "eyJhbGciOiJub25lIn0." + parts[1] + ".",
		"none, with a signature":     "eyJhbGciOiJub25lIn0." + parts[1] + "." + parts[2],
		"the public key as a secret": sign(t, jose.HS256, public, claimsOf(p, nil)),
		"an algorithm not asked for": sign(t, jose.RS512, key, claimsOf(p, nil)),
		"the signature of other claims": parts[0] + "." +
			strings.Split(sign(t, jose.RS256, key, claimsOf(p, map[string]any{"sub": "bob"})), ".")[1] + "." + parts[2],
		"no signature":                parts[0] + "." + parts[1] + ".",
		"two parts":                   parts[0] + "." + parts[1],
		"a key that it brings itself": selfSigned(t, claimsOf(p, nil)),
		"too long":                    good + strings.Repeat("x", oidc.MaxToken),
		"not a token":                 "secret",
	} {
		if id, err := ask(t, a, token); !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%s: %v, %v", name, id, err)
		} else if strings.Contains(err.Error(), parts[2]) {
			t.Errorf("%s: the error has the token in it", name)
		}
	}
	if _, err := ask(t, a, ""); !errors.Is(err, auth.ErrMissing) {
		t.Errorf("no token: %v", err)
	}
}

// Only an algorithm on the list gets as far as a key. The keys cannot be had here, which such tokens are told.
func TestAlgorithmsBeforeKeys(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.Close()
	curve := func(c elliptic.Curve) any {
		key, err := ecdsa.GenerateKey(c, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, rs := make([]byte, 64), rsaKey(t, "rs").Key
	for alg, key := range map[jose.SignatureAlgorithm]any{
		jose.HS256: secret, jose.HS384: secret, jose.HS512: secret,
		jose.RS256: rs, jose.RS384: rs, jose.RS512: rs, jose.PS256: rs, jose.PS384: rs, jose.PS512: rs,
		jose.ES256: curve(elliptic.P256()), jose.ES384: curve(elliptic.P384()), jose.ES512: curve(elliptic.P521()),
		jose.EdDSA: edwards,
	} {
		token := sign(t, alg, key, claimsOf(p, nil))
		for _, list := range [][]string{nil, {"RS512", "ES512"}} {
			a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}, Algorithms: list})
			taken := list
			if list == nil {
				taken = []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"}
			}
			want := error(a2a.ErrUnauthenticated)
			if slices.Contains(taken, string(alg)) {
				want = a2a.ErrUnavailable
			}
			if _, err := ask(t, a, token); !errors.Is(err, want) {
				t.Errorf("%s with the list %v: %v, want %v", alg, list, err, want)
			}
		}
	}
}

// selfSigned returns a token with the key that verifies it in its header.
func selfSigned(t *testing.T, claims any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: rsaKey(t, "rs").Key},
		&jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestRotation(t *testing.T) {
	t.Parallel()
	first, second := ecKey(t, "1"), ecKey(t, "2")
	p := newProvider(t, first)
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}})
	old, young := sign(t, jose.ES256, first, claimsOf(p, nil)), sign(t, jose.ES256, second, claimsOf(p, nil))
	if _, err := ask(t, a, old); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, a, young); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Fatalf("a key that the provider does not have: %v", err)
	}
	p.keys.Store(&[]jose.JSONWebKey{second})
	if _, err := ask(t, a, young); err != nil {
		t.Fatalf("after the rotation: %v", err)
	}
	if _, err := ask(t, a, old); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Fatalf("with the key that was taken back: %v", err)
	}
}

// Tokens with made-up keys are no means to make a server flood the provider.
func TestForgedTokensAreNoFlood(t *testing.T) {
	t.Parallel()
	key := ecKey(t, "1")
	p := newProvider(t, key)
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}})
	forged := sign(t, jose.ES256, ecKey(t, "2"), claimsOf(p, nil))
	for i := range 100 {
		_, err := ask(t, a, forged)
		paced := i >= 4 // the first of five questions was for the provider's configuration
		if e := a2a.AsError(err); err == nil || e.Kind != a2a.ErrUnauthenticated && !paced ||
			paced && (e.Kind != a2a.ErrUnavailable || e.RetryAfter == 0) {
			t.Fatalf("token %d: %v", i, err)
		}
	}
	if asked := p.asked.Load(); asked > 10 {
		t.Errorf("the provider was asked %d times", asked)
	}
	if _, err := ask(t, a, sign(t, jose.ES256, key, claimsOf(p, nil))); err != nil {
		t.Errorf("a good token after forged ones: %v", err)
	}
}

// Only access tokens are taken, however their provider marks them.
func TestKindsOfTokens(t *testing.T) {
	t.Parallel()
	key := ecKey(t, "1")
	p := newProvider(t, key)
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}})
	for name, c := range map[string]struct {
		typ    string
		claims map[string]any
		good   bool
	}{
		"RFC 9068":                      {"at+jwt", nil, true},
		"RFC 9068, the long form":       {"application/AT+JWT", nil, true},
		"RFC 9068, with a nonce":        {"at+jwt", map[string]any{"nonce": "n"}, true},
		"Auth0, Entra, zitadel":         {"JWT", nil, true},
		"Keycloak":                      {"JWT", map[string]any{"typ": "Bearer"}, true},
		"Keycloak before 25":            {"JWT", map[string]any{"typ": "Bearer", "nonce": "n"}, true},
		"ID token of Keycloak":          {"JWT", map[string]any{"typ": "ID"}, false},
		"refresh token of Keycloak":     {"JWT", map[string]any{"typ": "Refresh"}, false},
		"ID token, asked for by nonce":  {"JWT", map[string]any{"nonce": "n"}, false},
		"ID token beside a token":       {"JWT", map[string]any{"at_hash": "h"}, false},
		"ID token beside a code":        {"", map[string]any{"c_hash": "h"}, false},
		"logout token":                  {"logout+jwt", nil, false},
		"a proof of having a key, DPoP": {"dpop+jwt", nil, false},
	} {
		options := &jose.SignerOptions{}
		if c.typ != "" {
			options.WithType(jose.ContentType(c.typ))
		}
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
		if err != nil {
			t.Fatal(err)
		}
		token, err := jwt.Signed(signer).Claims(claimsOf(p, c.claims)).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t, a, token); c.good != (err == nil) || err != nil && !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%s: %v, want it taken: %v", name, err, c.good)
		}
	}
}

// A provider that is down is no fault of the caller: it is told to try again, and is let in once the provider is back.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	key := ecKey(t, "1")
	p := newProvider(t, key)
	p.down.Store(true)
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}})
	token := sign(t, jose.ES256, key, claimsOf(p, nil))
	_, err := ask(t, a, token)
	if e := a2a.AsError(err); e.Kind != a2a.ErrUnavailable || e.RetryAfter == 0 {
		t.Fatalf("the provider is down: %v", err)
	}
	p.down.Store(false)
	if _, err := ask(t, a, token); err != nil {
		t.Fatalf("the provider is back: %v", err)
	}
	p.Close()
	if _, err := ask(t, a, token); err != nil {
		t.Fatalf("a known key, and no provider: %v", err)
	}
	if _, err := ask(t, authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}}),
		token); !errors.Is(err, a2a.ErrUnavailable) {
		t.Fatalf("no provider: %v", err)
	}
}

// A configuration over TLS must not send the server for its keys where others on the way can change them.
func TestKeysOverPlainHTTP(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	p := httptest.NewTLSServer(mux)
	t.Cleanup(p.Close)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"http://192.0.2.1/keys"}`, p.URL)
	})
	a := authenticator(t, oidc.Options{Issuer: p.URL, Audience: []string{"agent"}, HTTPClient: p.Client()})
	token := sign(t, jose.ES256, ecKey(t, "1"), claimsOf(&provider{Server: p}, nil))
	if _, err := ask(t, a, token); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("%v", err)
	}
}

// A provider that is down is not asked about tokens of another one, which lets its callers in.
func TestTwoProviders(t *testing.T) {
	t.Parallel()
	key := ecKey(t, "1")
	up, down := newProvider(t, key), newProvider(t)
	down.Close()
	both := auth.AnyOf(authenticator(t, oidc.Options{Issuer: down.URL, Audience: []string{"agent"}, Prefix: "a:"}),
		authenticator(t, oidc.Options{Issuer: up.URL, Audience: []string{"agent"}, Prefix: "b:"}))
	id, err := ask(t, both, sign(t, jose.ES256, key, claimsOf(up, nil)))
	if err != nil || id.Subject != "b:ann" {
		t.Errorf("%+v, %v", id, err)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]oidc.Options{
		"Issuer":     {Issuer: "idp.example", Audience: []string{"a"}},
		"Issuer ":    {Issuer: "http://idp.example", Audience: []string{"a"}},
		"JWKS":       {Issuer: "https://idp.example", JWKS: "http://idp.example/k", Audience: []string{"a"}},
		"Audience":   {Issuer: "https://idp.example"},
		"Algorithms": {Issuer: "https://idp.example", Audience: []string{"a"}, Algorithms: []string{"HS256"}},
	} {
		field := "oidc: Options." + strings.TrimSpace(name)
		if _, err := oidc.New(o); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", name, err)
		}
	}
	authenticator(t, oidc.Options{Issuer: "http://idp.example", PlainHTTP: true, Audience: []string{"a"}})
	a := authenticator(t, oidc.Options{Issuer: "https://idp.example/", Audience: []string{"a"}})
	b := authenticator(t, oidc.Options{Issuer: "https://idp.example/", Audience: []string{"a"},
		JWKS: "https://idp.example/k"})
	want := map[string]a2a.SecurityScheme{
		"oidc": &a2a.OpenIDConnectScheme{URL: "https://idp.example/.well-known/openid-configuration"},
		"jwt":  &a2a.HTTPAuthScheme{Scheme: "Bearer", BearerFormat: "JWT"},
	}
	if diff := cmp.Diff(want, auth.AnyOf(a, b).(auth.Schemed).SecuritySchemes()); diff != "" {
		t.Error(diff)
	}
}
