// SPDX-License-Identifier: Apache-2.0

// Package oauth authenticates callers by OAuth 2 tokens that only the authorization server can read, which it asks
// about each of them (RFC 7662).
package oauth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// Options say who is asked about tokens, and which are taken.
type Options struct {
	// URL is required: the introspection endpoint of the authorization server.
	URL string
	// ClientID and ClientSecret are the server's own credentials there, sent as Authorization: Basic. ClientID is
	// required.
	ClientID, ClientSecret string
	// Audience that a token must be for, if the answer names any: one of these. Nil takes tokens for every audience.
	Audience []string
	// Scopes that every token needs. A token without one of them is refused as not sufficient.
	Scopes []string
	// Prefix goes before the subject and the client of each token, see oidc.Options.Prefix.
	Prefix string
	// PlainHTTP allows an authorization server beyond this machine without TLS. Those on the way to it read the tokens
	// and ClientSecret.
	PlainHTTP bool
	// Keep is how long an answer is used again, so that a token that is revoked is good for so long at most. 0 means
	// 30 seconds; below 0 means that every request asks.
	Keep time.Duration
	// Scheme is what the card says of the tokens, for instance an OAuth2Scheme with the flow by which callers get one.
	// Nil means a bearer token.
	Scheme a2a.SecurityScheme
	// HTTPClient asks the authorization server. Nil means one that waits for 10 seconds at most.
	HTTPClient *http.Client
}

const (
	maxToken  = 16 << 10
	maxAnswer = 1 << 20
	maxKept   = 10_000 // answers, and as many about tokens that are not active
	maxAsking = 64     // questions at once

	keepWrong = 10 * time.Second // how long a token that is not active is not asked about again

	// So many tokens that are not active are asked about in a second, and at once. While there are more, only tokens
	// that were good before are asked about.
	wrongRate, wrongBurst = 20, 100
)

// Introspection is an auth.Authenticator that asks an authorization server. It is safe for concurrent use.
type Introspection struct {
	opts   Options
	asking chan struct{} // has an element for each question
	flight singleflight.Group

	wrong *rate.Limiter // of answers that a token is not active

	mu   sync.Mutex
	good answers
	bad  answers
}

// answers are kept by the hash of the token.
type answers map[[sha256.Size]byte]*answer

var (
	_ auth.Authenticator = (*Introspection)(nil)
	_ auth.Schemed       = (*Introspection)(nil)
)

// New returns an Introspection. The authorization server is not asked yet.
func New(opts Options) (*Introspection, error) {
	u, err := url.Parse(opts.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("oauth: Options.URL is %q; it must be the URL of the introspection endpoint", opts.URL)
	}
	if !opts.PlainHTTP && !httpserver.Private(u) {
		return nil, fmt.Errorf("oauth: Options.URL is %q, and others on the way could read the tokens; use https",
			u.Redacted())
	}
	if opts.ClientID == "" {
		return nil, errors.New("oauth: Options.ClientID is empty; the introspection endpoint wants to know who asks")
	}
	opts.Keep = cmp.Or(opts.Keep, 30*time.Second)
	if opts.HTTPClient == nil {
		opts.HTTPClient = &http.Client{Timeout: 10 * time.Second, // and sends tokens to no other address
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if opts.Scheme == nil {
		opts.Scheme = &a2a.HTTPAuthScheme{Scheme: "Bearer"}
	}
	return &Introspection{opts: opts, asking: make(chan struct{}, maxAsking),
		wrong: rate.NewLimiter(wrongRate, wrongBurst), good: answers{}, bad: answers{}}, nil
}

// answer is what the authorization server says of a token (RFC 7662 §2.2).
type answer struct {
	Active   bool    `json:"active"`
	Scope    string  `json:"scope"`
	Client   string  `json:"client_id"`
	Username string  `json:"username"`
	Subject  string  `json:"sub"`
	Audience oneList `json:"aud"`
	Expiry   float64 `json:"exp"`
	Actor    any     `json:"act"`

	until time.Time // that it is used again
}

// oneList is one string, or a list of strings.
type oneList []string

func (l *oneList) UnmarshalJSON(b []byte) error {
	var one string
	if err := json.Unmarshal(b, &one); err == nil {
		*l = oneList{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// Authenticate returns the identity of a request's bearer token: the subject is sub or else username, the client is
// client_id. A program that acts for itself has only a client. If the authorization server cannot be asked, the error
// is an a2a.ErrUnavailable.
func (i *Introspection) Authenticate(r *http.Request) (a2a.Identity, error) {
	token, err := auth.BearerToken(r)
	if err != nil {
		return a2a.Identity{}, err
	}
	if len(token) > maxToken {
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, fmt.Sprintf("the token is longer than %d bytes",
			maxToken))
	}
	said, err := i.about(r.Context(), token)
	if err != nil {
		return a2a.Identity{}, err
	}
	now := time.Now()
	subject := cmp.Or(said.Subject, said.Username)
	switch {
	case !said.Active, said.Expiry > 0 && now.After(time.Unix(int64(said.Expiry), 0)):
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "the token is wrong, expired or revoked")
	case len(i.opts.Audience) > 0 && len(said.Audience) > 0 && !intersect(i.opts.Audience, said.Audience):
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "the token is for another audience")
	case subject == "" && said.Client == "":
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "the token names neither a user nor a client")
	}
	id := a2a.Identity{Scopes: strings.Fields(said.Scope), Actors: auth.Actors(said.Actor)}
	if said.Client != "" {
		id.Client = i.opts.Prefix + said.Client
	}
	if subject != "" && subject != said.Client {
		id.Subject = i.opts.Prefix + subject
	}
	for _, scope := range i.opts.Scopes {
		if !slices.Contains(id.Scopes, scope) {
			return a2a.Identity{}, a2a.NewError(a2a.ErrPermissionDenied, fmt.Sprintf("the token lacks the scope %q",
				scope))
		}
	}
	return id, nil
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// about returns what is known of a token, of which the authorization server is asked once for all who send it now.
func (i *Introspection) about(ctx context.Context, token string) (*answer, error) {
	key := sha256.Sum256([]byte(token))
	i.mu.Lock()
	good, bad := i.good[key], i.bad[key]
	i.mu.Unlock()
	for _, kept := range []*answer{good, bad} {
		if kept != nil && time.Now().Before(kept.until) {
			return kept, nil
		}
	}
	if good == nil && i.wrong.Tokens() < 1 {
		return nil, &a2a.Error{Kind: a2a.ErrUnavailable, RetryAfter: time.Second,
			Message: "new tokens cannot be checked now, as many were wrong; try again"}
	}
	found := i.flight.DoChan(string(key[:]), func() (any, error) { return i.ask(token) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-found:
		if result.Err != nil {
			return nil, &a2a.Error{Kind: a2a.ErrUnavailable, Cause: result.Err, RetryAfter: 5 * time.Second,
				Message: "tokens cannot be checked now, as the authorization server does not answer; try again"}
		}
		said := result.Val.(*answer)
		i.keep(key, said)
		return said, nil
	}
}

// keep notes an answer.
func (i *Introspection) keep(key [sha256.Size]byte, said *answer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.good, key)
	delete(i.bad, key)
	switch {
	case i.opts.Keep < 0:
	case said.Active:
		i.good.add(key, said)
	default:
		i.bad.add(key, said)
	}
}

// add makes room, of an outdated answer or of any, and keeps one.
func (a answers) add(key [sha256.Size]byte, said *answer) {
	for old, kept := range a {
		if len(a) < maxKept && time.Now().Before(kept.until) {
			break
		}
		delete(a, old)
	}
	a[key] = said
}

// ask asks the authorization server. Its error is for the log: it has neither the token nor the credentials in it.
func (i *Introspection) ask(token string) (*answer, error) {
	select {
	case i.asking <- struct{}{}:
		defer func() { <-i.asking }()
	default:
		return nil, fmt.Errorf("%d questions to the authorization server wait for an answer", maxAsking)
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	r, err := http.NewRequest(http.MethodPost, i.opts.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.SetBasicAuth(url.QueryEscape(i.opts.ClientID), url.QueryEscape(i.opts.ClientSecret)) // RFC 6749 §2.3.1
	response, err := i.opts.HTTPClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", i.opts.URL, response.Status)
	}
	var said answer
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, fmt.Errorf("%s does not answer as RFC 7662 wants: %w", i.opts.URL, err)
	}
	said.until = time.Now().Add(i.opts.Keep)
	if !said.Active {
		said.until = time.Now().Add(min(i.opts.Keep, keepWrong))
		i.wrong.Allow()
	}
	return &said, nil
}

// SecuritySchemes says how callers send their token.
func (i *Introspection) SecuritySchemes() map[string]a2a.SecurityScheme {
	return map[string]a2a.SecurityScheme{"oauth2": i.opts.Scheme}
}
