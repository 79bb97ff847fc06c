// SPDX-License-Identifier: Apache-2.0

// Package oidc authenticates callers by the JSON Web Tokens of an identity provider, which it finds by OpenID Connect
// discovery or by the URL of its keys.
package oidc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// Options say whose tokens are taken.
type Options struct {
	// Issuer is required: the URL of the provider, compared with the claim iss to the letter. The provider is asked for
	// its configuration below it when the first token arrives.
	Issuer string
	// Audience is required: a token must be for one of these. It keeps a token that another service got from being used
	// here.
	Audience []string
	// JWKS is the URL of the provider's keys. Empty means the one in the provider's configuration.
	JWKS string
	// Algorithms that signatures may have. Nil means RS256, PS256, ES256, ES384 and EdDSA. Those with a shared secret,
	// such as HS256, are refused.
	Algorithms []string
	// Scopes that every token needs. A token without one of them is refused as not sufficient.
	Scopes []string
	// Prefix goes before the subject and the client of each token. Set it if one agent takes the tokens of several
	// providers, so that a user of one is not taken for the user of another one with the same subject.
	Prefix string
	// PlainHTTP allows a provider beyond this machine without TLS. Those on the way to it can then make tokens.
	PlainHTTP bool
	// Skew is how far the clocks of provider and server may be apart. 0 means 1 minute; below 0 means none.
	Skew time.Duration
	// HTTPClient asks the provider. Nil means one that waits for 10 seconds at most.
	HTTPClient *http.Client
}

// MaxToken is the length of the longest token that is looked at.
const MaxToken = 16 << 10

// An Authenticator takes the tokens of one provider. It is an auth.Authenticator, and is safe for concurrent use.
type Authenticator struct {
	opts       Options
	algorithms []jose.SignatureAlgorithm
	client     *http.Client
	provider   *paced
	keys       atomic.Pointer[gooidc.RemoteKeySet] // nil until the provider's configuration is known
	discovery  singleflight.Group
}

var (
	_ auth.Authenticator = (*Authenticator)(nil)
	_ auth.Schemed       = (*Authenticator)(nil)
)

// asymmetric are the algorithms whose verifying key is public.
var asymmetric = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// New returns an Authenticator. The provider is not asked yet.
func New(opts Options) (*Authenticator, error) {
	for _, one := range [][2]string{{"Issuer", opts.Issuer}, {"JWKS", cmp.Or(opts.JWKS, opts.Issuer)}} {
		name, address := one[0], one[1]
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("oidc: Options.%s is %q; it must be a URL of the provider", name, address)
		}
		if !opts.PlainHTTP && !httpserver.Private(u) {
			return nil, fmt.Errorf("oidc: Options.%s is %q, whose answers others on the way can change; use https",
				name, address)
		}
	}
	if len(opts.Audience) == 0 || slices.Contains(opts.Audience, "") {
		return nil, errors.New("oidc: Options.Audience is empty; name what tokens for this agent have in the claim aud")
	}
	if opts.Algorithms == nil {
		opts.Algorithms = []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"}
	}
	opts.Skew = max(0, cmp.Or(opts.Skew, time.Minute))
	a := &Authenticator{opts: opts}
	for _, name := range opts.Algorithms {
		if !slices.Contains(asymmetric, name) {
			return nil, fmt.Errorf("oidc: Options.Algorithms: %q is not taken; use some of %s", name,
				strings.Join(asymmetric, ", "))
		}
		a.algorithms = append(a.algorithms, jose.SignatureAlgorithm(name))
	}
	client := http.Client{Timeout: 10 * time.Second}
	if opts.HTTPClient != nil {
		client = *opts.HTTPClient
	}
	a.provider = newPaced(client.Transport, opts.PlainHTTP)
	client.Transport = a.provider
	a.client = &client
	if opts.JWKS != "" {
		a.keys.Store(gooidc.NewRemoteKeySet(a.asking(), opts.JWKS))
	}
	return a, nil
}

// asking returns the context in which the provider is asked.
func (a *Authenticator) asking() context.Context {
	return gooidc.ClientContext(context.Background(), a.client)
}

// claims are those of a token that say who calls. RFC 9068 names client_id and scope; azp is of OpenID Connect, and
// some providers write the scopes as scp.
type claims struct {
	jwt.Claims
	Party  string `json:"azp"`
	Client string `json:"client_id"`
	Scope  words  `json:"scope"`
	Scp    words  `json:"scp"`
	Actor  any    `json:"act"`

	// These tell what kind of token it is.
	Kind     string `json:"typ"` // of Keycloak, such as Bearer, ID, Refresh
	Nonce    any    `json:"nonce"`
	AtHash   any    `json:"at_hash"`
	CodeHash any    `json:"c_hash"`
}

// words are those of one string, or of a list of strings.
type words []string

func (w *words) UnmarshalJSON(b []byte) error {
	var list []string
	if err := json.Unmarshal(b, &list); err == nil {
		*w = list
		return nil
	}
	var one string
	if err := json.Unmarshal(b, &one); err != nil {
		return err
	}
	*w = strings.Fields(one)
	return nil
}

// Authenticate returns the identity of a request's bearer token: the subject is the claim sub, the client is azp or
// client_id, and the actors are act. A program that acts for itself has only a client: its token has one name in both
// (RFC 9068 §2.2). If the provider cannot be asked for its keys, the error is an a2a.ErrUnavailable.
func (a *Authenticator) Authenticate(r *http.Request) (a2a.Identity, error) {
	token, err := auth.BearerToken(r)
	if err != nil {
		return a2a.Identity{}, err
	}
	c, err := a.verify(r.Context(), token)
	if err != nil {
		return a2a.Identity{}, err
	}
	id := a2a.Identity{Scopes: append(c.Scope, c.Scp...), Actors: auth.Actors(c.Actor)}
	client := cmp.Or(c.Party, c.Client)
	if client != "" {
		id.Client = a.opts.Prefix + client
	}
	if c.Subject != client {
		id.Subject = a.opts.Prefix + c.Subject
	}
	for _, scope := range a.opts.Scopes {
		if !slices.Contains(id.Scopes, scope) {
			return a2a.Identity{}, a2a.NewError(a2a.ErrPermissionDenied,
				fmt.Sprintf("the token lacks the scope %q", scope))
		}
	}
	return id, nil
}

// verify returns the claims of a token once its signature and they are found good.
func (a *Authenticator) verify(ctx context.Context, token string) (*claims, error) {
	if len(token) > MaxToken {
		return nil, refused(fmt.Sprintf("the token is longer than %d bytes", MaxToken), nil)
	}
	// The algorithms come first: a key must never be used with one that the token chose.
	signed, err := jose.ParseSignedCompact(token, a.algorithms)
	if err != nil {
		return nil, refused("the token is not a JSON Web Token with a signature of one of "+
			strings.Join(a.opts.Algorithms, ", "), err)
	}
	// Whose token it says it is decides nothing but that this provider is not asked about those of others.
	var says struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &says) != nil || says.Issuer != a.opts.Issuer {
		return nil, refused("the token is by another issuer", nil)
	}
	keys, err := a.keySet(ctx)
	if err != nil {
		return nil, err
	}
	payload, err := keys.VerifySignature(ctx, token)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errNoAnswer):
		return nil, down(err)
	case err != nil:
		return nil, refused("the signature of the token is not by a key of the provider", err)
	}
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, refused("the claims of the token cannot be read", err)
	}
	if !isAccessToken(signed, &c) {
		return nil, refused("the token is no access token; send the one that the provider calls access_token", nil)
	}
	return &c, a.check(&c)
}

// isAccessToken tells an access token from others that a provider signs with the same keys, above all ID tokens: these
// are for the program that signs a person in, and reach many places. The header of RFC 9068 §2.1 decides, and then
// Keycloak's claim typ. Auth0, Entra and others say no more than JWT: there, a token with the claims that only ID
// tokens have is one (OpenID Connect Core §2, §3.3.2.11).
func isAccessToken(signed *jose.JSONWebSignature, c *claims) bool {
	header, _ := signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType].(string)
	switch strings.TrimPrefix(strings.ToLower(header), "application/") {
	case "at+jwt":
		return true
	case "", "jwt":
	default:
		return false
	}
	if c.Kind != "" {
		return strings.EqualFold(c.Kind, "Bearer")
	}
	return c.Nonce == nil && c.AtHash == nil && c.CodeHash == nil
}

// check refuses a token whose signature is good, but that is not for here and now.
func (a *Authenticator) check(c *claims) error {
	if c.Expiry == nil {
		return refused("the token has no time at which it expires", nil)
	}
	err := c.ValidateWithLeeway(jwt.Expected{
		Issuer: a.opts.Issuer, AnyAudience: a.opts.Audience, Time: time.Now(),
	}, a.opts.Skew)
	for cause, message := range map[error]string{
		jwt.ErrExpired:           "the token has expired; get a new one",
		jwt.ErrNotValidYet:       "the token is not valid yet",
		jwt.ErrIssuedInTheFuture: "the token was issued in the future",
		jwt.ErrInvalidAudience:   "the token is for another audience",
		jwt.ErrInvalidIssuer:     "the token is by another issuer",
	} {
		if errors.Is(err, cause) {
			return refused(message, nil)
		}
	}
	if err != nil {
		return refused("the token is not valid", err)
	}
	if c.Subject == "" {
		return refused("the token names no subject", nil)
	}
	return nil
}

// keySet returns the provider's keys, which are looked for until they have been found once.
func (a *Authenticator) keySet(ctx context.Context) (gooidc.KeySet, error) {
	if keys := a.keys.Load(); keys != nil {
		return keys, nil
	}
	found := a.discovery.DoChan("", func() (any, error) {
		provider, err := gooidc.NewProvider(a.asking(), a.opts.Issuer)
		if err != nil {
			return nil, err
		}
		var c struct {
			JWKS string `json:"jwks_uri"`
		}
		if err := provider.Claims(&c); err != nil || c.JWKS == "" {
			return nil, fmt.Errorf("the configuration of %s names no jwks_uri (%v)", a.opts.Issuer, err)
		}
		a.keys.Store(gooidc.NewRemoteKeySet(a.asking(), c.JWKS))
		return nil, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-found:
		if result.Err != nil {
			return nil, down(result.Err)
		}
		return a.keys.Load(), nil
	}
}

func refused(message string, cause error) error {
	return &a2a.Error{Kind: a2a.ErrUnauthenticated, Message: message, Cause: cause}
}

func down(cause error) error {
	return &a2a.Error{Kind: a2a.ErrUnavailable, Cause: cause, RetryAfter: pace,
		Message: "tokens cannot be checked now, as the identity provider does not answer; try again"}
}

// SecuritySchemes says where callers get their tokens.
func (a *Authenticator) SecuritySchemes() map[string]a2a.SecurityScheme {
	if a.opts.JWKS != "" { // the provider may have no configuration to read
		return map[string]a2a.SecurityScheme{"jwt": &a2a.HTTPAuthScheme{Scheme: "Bearer", BearerFormat: "JWT"}}
	}
	return map[string]a2a.SecurityScheme{"oidc": &a2a.OpenIDConnectScheme{
		URL: strings.TrimSuffix(a.opts.Issuer, "/") + "/.well-known/openid-configuration",
	}}
}
