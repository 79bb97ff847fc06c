// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	serveroauth "github.com/dragoman-a2a/dragoman/auth/oauth"
	"github.com/dragoman-a2a/dragoman/auth/oidc"
	"github.com/dragoman-a2a/dragoman/client/oauth"
)

func startProvider(t *testing.T) *provider {
	t.Helper()
	p, err := newProvider()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

func (p *provider) scheme() *a2a.OpenIDConnectScheme {
	return &a2a.OpenIDConnectScheme{URL: p.url + "/.well-known/openid-configuration"}
}

// signIn is a person at a browser, who fills in the provider's page.
func signIn(ctx context.Context, prompt oauth.Prompt) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Timeout: 10 * time.Second}
	page, err := browser.Get(prompt.URL)
	if err != nil {
		return err
	}
	io.Copy(io.Discard, page.Body)
	page.Body.Close()
	at := page.Request.URL
	if page.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", at, page.Status)
	}
	form := url.Values{"username": {"test-user2"}, "password": {"verysecure"}, "id": {at.Query().Get("authRequestID")}}
	go func() { // the page that it ends at is answered when the program has the code
		if done, err := browser.PostForm(at.Scheme+"://"+at.Host+at.Path, form); err == nil {
			done.Body.Close()
		}
	}()
	return nil
}

func withToken(t *testing.T, a auth.Authenticator, token string) (a2a.Identity, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://agent.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	return a.Authenticate(r)
}

func accepts(t *testing.T, p *provider, audience string) *oidc.Authenticator {
	t.Helper()
	a, err := oidc.New(oidc.Options{Issuer: p.url, Audience: []string{audience}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A person signs in with a browser, and the agent knows them by the token; keys change; the token is refreshed.
func TestOpenIDProvider(t *testing.T) {
	p := startProvider(t)
	config := oauth.Config{ClientID: "cli", Servers: []string{p.url}, Prompt: signIn,
		Scopes: []string{"openid", "offline_access"}}
	token, err := config.Login(t.Context(), p.scheme())
	if err != nil {
		t.Fatal(err)
	}
	agent := accepts(t, p, "cli")
	if id, err := withToken(t, agent, token.AccessToken); err != nil || id.Subject != "id2" {
		t.Fatalf("%+v, %v", id, err)
	}
	if _, err := withToken(t, accepts(t, p, "another"), token.AccessToken); err == nil ||
		!strings.Contains(err.Error(), "another audience") {
		t.Errorf("a token for another agent: %v", err)
	}
	broken := token.AccessToken[:len(token.AccessToken)-10] + "AAAAAAAAAA"
	if _, err := withToken(t, agent, broken); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Errorf("a broken signature: %v", err)
	}

	if _, err := withToken(t, agent, token.Extra("id_token").(string)); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Errorf("the ID token: %v", err)
	}

	if err := p.rotate("second"); err != nil {
		t.Fatal(err)
	}
	expired := *token
	expired.Expiry = time.Now().Add(-time.Minute)
	source, err := config.Source(t.Context(), p.scheme(), &expired, nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := source.Token()
	if err != nil || fresh.AccessToken == token.AccessToken {
		t.Fatalf("the token is not refreshed: %v", err)
	}
	if id, err := withToken(t, agent, fresh.AccessToken); err != nil || id.Subject != "id2" {
		t.Errorf("with the new key: %+v, %v", id, err)
	}
	if _, err := withToken(t, agent, token.AccessToken); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Errorf("with the old key: %v", err)
	}
}

// Tokens that the provider could have made, with its keys, and tokens that it could not.
func TestTokensOfTheProvider(t *testing.T) {
	p := startProvider(t)
	agent := accepts(t, p, "cli")
	public, err := x509.MarshalPKIXPublicKey(p.key.private.Public())
	if err != nil {
		t.Fatal(err)
	}
	var secret bytes.Buffer
	if err := pem.Encode(&secret, &pem.Block{Type: "PUBLIC KEY", Bytes: public}); err != nil {
		t.Fatal(err)
	}
	rs := jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: p.key.private, KeyID: "first"}}
	hs := jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: secret.Bytes(), KeyID: "first"}}
	hsDER := jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: public, KeyID: "first"}}
	const hour, minute, second = time.Hour, time.Minute, time.Second
	for name, c := range map[string]struct {
		key                        jose.SigningKey
		issuer, audience           string
		issued, notBefore, expires time.Duration // from now
		good                       bool
	}{
		"good":                              {rs, p.url, "cli", 0, 0, hour, true},
		"expired":                           {rs, p.url, "cli", -hour, -hour, -2 * minute, false},
		"expired within the skew":           {rs, p.url, "cli", -hour, -hour, -30 * second, true},
		"not valid yet":                     {rs, p.url, "cli", 0, 2 * minute, hour, false},
		"valid soon, within the skew":       {rs, p.url, "cli", 30 * second, 30 * second, hour, true},
		"issued in the future":              {rs, p.url, "cli", 2 * minute, 0, hour, false},
		"for another audience":              {rs, p.url, "web", 0, 0, hour, false},
		"by another issuer":                 {rs, p.url + "/", "cli", 0, 0, hour, false},
		"the public key, in PEM, as secret": {hs, p.url, "cli", 0, 0, hour, false},
		"the public key, in DER, as secret": {hsDER, p.url, "cli", 0, 0, hour, false},
	} {
		signer, err := jose.NewSigner(c.key, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := func(d time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(time.Now().Add(d)) }
		token, err := jwt.Signed(signer).Claims(jwt.Claims{Issuer: c.issuer, Subject: "id2",
			Audience: jwt.Audience{c.audience}, IssuedAt: at(c.issued), NotBefore: at(c.notBefore),
			Expiry: at(c.expires)}).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := withToken(t, agent, token); c.good != (err == nil) ||
			err != nil && !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("%s: %v, want it taken: %v", name, err, c.good)
		}
		if parts := strings.Split(token, "."); c.good { // the same claims without a signature
			unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
			if _, err := withToken(t, agent, unsigned); !errors.Is(err, a2a.ErrUnauthenticated) {
				t.Errorf("%s, with alg none: %v", name, err)
			}
		}
	}
}

func TestOpenIDProviderByDevice(t *testing.T) {
	p := startProvider(t)
	config := oauth.Config{ClientID: "cli", Servers: []string{p.url}, Grant: oauth.DeviceCode,
		Prompt: func(ctx context.Context, prompt oauth.Prompt) error {
			return p.CompleteDeviceAuthorization(ctx, prompt.Code, "id1")
		}}
	token, err := config.Login(t.Context(), p.scheme())
	if err != nil {
		t.Fatal(err)
	}
	if id, err := withToken(t, accepts(t, p, "cli"), token.AccessToken); err != nil || id.Subject != "id1" {
		t.Errorf("%+v, %v", id, err)
	}
}

// Tokens that only the provider can read: it is asked about them.
func TestIntrospection(t *testing.T) {
	p := startProvider(t)
	config := oauth.Config{ClientID: "agent", ClientSecret: "secret", Servers: []string{p.url}, Prompt: signIn,
		Grant: oauth.AuthorizationCode}
	token, err := config.Login(t.Context(), p.scheme())
	if err != nil {
		t.Fatal(err)
	}
	agent, err := serveroauth.New(serveroauth.Options{URL: p.url + "/oauth/introspect", ClientID: "agent",
		ClientSecret: "secret", Keep: -1})
	if err != nil {
		t.Fatal(err)
	}
	if id, err := withToken(t, agent, token.AccessToken); err != nil || id.Subject != "id2" || id.Client != "agent" {
		t.Fatalf("%+v, %v", id, err)
	}
	if _, err := withToken(t, agent, token.AccessToken+"x"); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Errorf("a made-up token: %v", err)
	}
	revoke := url.Values{"token": {token.AccessToken}, "client_id": {"agent"}, "client_secret": {"secret"}}
	answer, err := http.PostForm(p.url+"/revoke", revoke)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", answer, err)
	}
	answer.Body.Close()
	if _, err := withToken(t, agent, token.AccessToken); !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Errorf("a revoked token: %v", err)
	}
	program := oauth.Config{ClientID: "sid1", ClientSecret: "verysecret", Servers: []string{p.url}}
	scheme := &a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{TokenURL: p.url + "/oauth/token"}}
	if token, err := program.Login(t.Context(), scheme); err != nil || token.AccessToken == "" {
		t.Errorf("client credentials: %v", err)
	}
}
