// SPDX-License-Identifier: Apache-2.0

// Package oauth gets OAuth 2 tokens for calls of agents, by the flow that a scheme of the agent's card names:
// authorization code with PKCE, device code or client credentials, with OpenID Connect discovery. [Bearer] sends them.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
	"github.com/dragoman-a2a/dragoman/internal/origin"
)

// Grant is a way to get a token.
type Grant string

// The grants. Password and implicit flow, which A2A 1.0 deprecates, are not among them.
const (
	AuthorizationCode Grant = "authorization_code"                           // a person signs in with a browser here
	DeviceCode        Grant = "urn:ietf:params:oauth:grant-type:device_code" // a person signs in with any browser
	ClientCredentials Grant = "client_credentials"                           // the program has a secret of its own
)

// Config says as whom tokens are asked for.
type Config struct {
	// ClientID is required: the name of this program at the authorization server.
	ClientID string
	// ClientSecret is that program's secret; empty for one that has none, as installed programs do.
	ClientSecret string
	// Scopes to ask for. Nil asks for all that the card lists for the flow.
	Scopes []string
	// Servers are the authorization servers that get the secret and the sign-in, such as "https://idp.example.com". A
	// path allows only what is below it, such as "https://idp.example.com/realms/one" of a server with several realms.
	// A card could name any server, so one that is not listed is refused.
	Servers []string
	// Grant to use, if the scheme allows several. Empty means client credentials if there is a secret, or else
	// authorization code, or else device code.
	Grant Grant
	// Prompt shows a person where to sign in. It is required for authorization code and device code.
	Prompt func(ctx context.Context, p Prompt) error
	// HTTPClient asks the authorization server. Nil means one that waits for 30 seconds at most.
	HTTPClient *http.Client
}

// Prompt is what a person needs to sign in.
type Prompt struct {
	Grant Grant
	URL   string // to open
	Code  string // to enter there; "" for authorization code, and where the URL has it in it
	Until time.Time
}

// ErrServer is in the error for an authorization server that Config.Servers does not list.
var ErrServer = errors.New("the authorization server is not allowed")

// endpoints are those of an authorization server, for the grants that it has.
type endpoints struct {
	authorize, token, device string
	scopes                   []string
	issuer                   string // as discovery says; else ""
	sendsIssuer              bool   // to where the browser comes back (RFC 9207)
	grants                   []Grant
}

// Login gets a token for a scheme of an agent's card.
func (c *Config) Login(ctx context.Context, scheme a2a.SecurityScheme) (*oauth2.Token, error) {
	ends, err := c.endpoints(ctx, scheme)
	if err != nil {
		return nil, err
	}
	grant, err := c.choose(ends)
	if err != nil {
		return nil, err
	}
	if grant != ClientCredentials && c.Prompt == nil {
		return nil, errors.New("oauth: a person has to sign in, but Config.Prompt is nil")
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, c.web())
	switch grant {
	case ClientCredentials:
		return c.program(ends).Token(ctx)
	case DeviceCode:
		return c.withDevice(ctx, ends)
	}
	return c.withBrowser(ctx, ends)
}

// Source returns where tokens for a scheme come from, beginning with one that is known; nil means none. It refreshes
// the token when it has expired, or gets a new one with client credentials, and hands each new one to save, which may
// be nil. If it can do neither, its error says so: then it is time to [Config.Login] again.
func (c *Config) Source(ctx context.Context, scheme a2a.SecurityScheme, token *oauth2.Token,
	save func(*oauth2.Token) error) (oauth2.TokenSource, error) {
	ends, err := c.endpoints(ctx, scheme)
	if err != nil {
		return nil, err
	}
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, c.web())
	var next oauth2.TokenSource
	switch grant, err := c.choose(ends); {
	case err != nil:
		return nil, err
	case grant == ClientCredentials:
		next = c.program(ends).TokenSource(ctx)
	default:
		next = c.config(ends).TokenSource(ctx, token)
	}
	return oauth2.ReuseTokenSource(token, &saving{next, save}), nil
}

// saving hands tokens that are new to whoever keeps them.
type saving struct {
	oauth2.TokenSource
	save func(*oauth2.Token) error
}

func (s *saving) Token() (*oauth2.Token, error) {
	token, err := s.TokenSource.Token()
	if err == nil && s.save != nil {
		err = s.save(token)
	}
	return token, err
}

// Bearer returns an Interceptor that sends the token of a source with each call.
func Bearer(source oauth2.TokenSource) client.Interceptor {
	return func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
		token, err := source.Token()
		if err != nil {
			return nil, &a2a.Error{Kind: a2a.ErrUnauthenticated, Cause: err,
				Message: "no token could be had from the authorization server; sign in again"}
		}
		call.Params.Set("Authorization", token.Type()+" "+token.AccessToken)
		return next(ctx, call)
	}
}

// web returns the client of HTTP, which follows no redirects: they would take the secret to another server.
func (c *Config) web() *http.Client {
	web := http.Client{Timeout: 30 * time.Second}
	if c.HTTPClient != nil {
		web = *c.HTTPClient
	}
	web.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &web
}

func (c *Config) program(ends *endpoints) *clientcredentials.Config {
	return &clientcredentials.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: ends.token,
		Scopes: c.scopes(ends)}
}

func (c *Config) config(ends *endpoints) *oauth2.Config {
	style := oauth2.AuthStyleAutoDetect
	if c.ClientSecret == "" {
		style = oauth2.AuthStyleInParams // RFC 6749 §3.2.1
	}
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, Scopes: c.scopes(ends),
		Endpoint: oauth2.Endpoint{AuthURL: ends.authorize, TokenURL: ends.token, DeviceAuthURL: ends.device,
			AuthStyle: style}}
}

func (c *Config) scopes(ends *endpoints) []string {
	if c.Scopes != nil {
		return c.Scopes
	}
	return ends.scopes
}

// choose returns the grant to use.
func (c *Config) choose(ends *endpoints) (Grant, error) {
	if c.ClientID == "" {
		return "", errors.New("oauth: Config.ClientID is empty; the authorization server knows programs by it")
	}
	if c.Grant != "" {
		if !slices.Contains(ends.grants, c.Grant) {
			return "", fmt.Errorf("oauth: the card does not allow the grant %q, but %q", c.Grant, ends.grants)
		}
		return c.Grant, nil
	}
	order := []Grant{AuthorizationCode, DeviceCode, ClientCredentials}
	if c.ClientSecret != "" {
		order = []Grant{ClientCredentials, AuthorizationCode, DeviceCode}
	}
	for _, grant := range order {
		if slices.Contains(ends.grants, grant) {
			return grant, nil
		}
	}
	return "", errors.New("oauth: the card names no flow by which this program can get a token")
}

// endpoints returns those of a scheme.
func (c *Config) endpoints(ctx context.Context, scheme a2a.SecurityScheme) (*endpoints, error) {
	var ends *endpoints
	switch s := scheme.(type) {
	case *a2a.OpenIDConnectScheme:
		var err error
		if ends, err = c.discover(ctx, s.URL); err != nil {
			return nil, err
		}
	case *a2a.OAuth2Scheme:
		switch f := s.Flow.(type) {
		case *a2a.AuthorizationCodeFlow:
			ends = &endpoints{authorize: f.AuthorizationURL, token: f.TokenURL, scopes: names(f.Scopes),
				grants: []Grant{AuthorizationCode}}
		case *a2a.DeviceCodeFlow:
			ends = &endpoints{device: f.DeviceAuthorizationURL, token: f.TokenURL, scopes: names(f.Scopes),
				grants: []Grant{DeviceCode}}
		case *a2a.ClientCredentialsFlow:
			ends = &endpoints{token: f.TokenURL, scopes: names(f.Scopes), grants: []Grant{ClientCredentials}}
		}
	}
	if ends == nil {
		return nil, errors.New("oauth: the scheme is neither OpenID Connect nor OAuth 2 with a flow that is supported")
	}
	for _, address := range []string{ends.authorize, ends.token, ends.device} {
		if err := c.allowed(address); address != "" && err != nil {
			return nil, err
		}
	}
	return ends, nil
}

func names(scopes map[string]string) []string { return slices.Sorted(maps.Keys(scopes)) }

// allowed refuses addresses that get no credentials: of servers that are not listed, and those that anybody on the way
// can listen to.
func (c *Config) allowed(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return fmt.Errorf("oauth: the card's address of the authorization server is %q, which is no URL", address)
	}
	if !httpserver.Private(u) {
		return fmt.Errorf("oauth: the card's address of the authorization server is %q; only https is safe", address)
	}
	if !slices.ContainsFunc(c.Servers, func(server string) bool { return below(server, u) }) {
		return fmt.Errorf("oauth: the card sends sign-ins to %s://%s%s: %w", u.Scheme, u.Host, u.EscapedPath(),
			ErrServer)
	}
	return nil
}

// below reports whether an address is at the origin of a server, and below its path if it has one. An address that
// could be read as one outside of the path is not.
func below(server string, u *url.URL) bool {
	root := strings.TrimSuffix(server, "/")
	base, err := url.Parse(root)
	if err != nil || origin.Of(root) == "" || origin.Of(root) != origin.Of(u.String()) {
		return false
	}
	if base.Path == "" {
		return true
	}
	plain := u.Path == path.Clean(u.Path) && u.Path == u.EscapedPath() && !strings.Contains(u.Path, ";")
	return plain && (u.Path == base.Path || strings.HasPrefix(u.Path, base.Path+"/"))
}

const (
	wellKnown     = "/.well-known/openid-configuration"
	maxDiscovered = 1 << 20
)

// discover reads the configuration of an OpenID provider, whose issuer must be the one that it was asked for.
func (c *Config) discover(ctx context.Context, address string) (*endpoints, error) {
	if err := c.allowed(address); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.web().Do(r)
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("oauth: %s answers %s", address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxDiscovered))
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	var found struct {
		Issuer    string  `json:"issuer"`
		Authorize string  `json:"authorization_endpoint"`
		Token     string  `json:"token_endpoint"`
		Device    string  `json:"device_authorization_endpoint"`
		Grants    []Grant `json:"grant_types_supported"`
		SendsIss  bool    `json:"authorization_response_iss_parameter_supported"`
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, fmt.Errorf("oauth: %s has no configuration of OpenID Connect: %w", address, err)
	}
	if issuer, ok := strings.CutSuffix(address, wellKnown); ok && strings.TrimSuffix(found.Issuer, "/") != issuer {
		return nil, fmt.Errorf("oauth: %s says that it is %q", address, found.Issuer)
	}
	if found.Grants == nil {
		found.Grants = []Grant{AuthorizationCode} // OpenID Connect Discovery §3
	}
	// OpenID Connect wants the scope openid.
	return &endpoints{authorize: found.Authorize, token: found.Token, device: found.Device, issuer: found.Issuer,
		sendsIssuer: found.SendsIss,
		scopes:      []string{"openid"}, grants: found.Grants}, nil
}
