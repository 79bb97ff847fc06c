// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/origin"
)

// Callers lets a server act for its callers: it holds their tokens, in memory only, and exchanges them for tokens that
// are for one agent each (RFC 8693). It is safe for concurrent use.
type Callers struct {
	config   *Config
	tokenURL string

	mu   sync.Mutex
	held [2]map[string]*caller // by identity: the recent ones, and those before
}

// Bounds of Callers.
const (
	maxCallers   = 10_000 // in each of its two maps
	maxAudiences = 1000   // of one caller
	maxToken     = 16 << 10
)

// caller is the last token of one identity, with the tokens that it was exchanged for.
type caller struct {
	token   string
	sources map[string]oauth2.TokenSource // by audience
}

// Callers returns a Callers that exchanges tokens at an endpoint, which must be of Config.Servers.
func (c *Config) Callers(tokenURL string) (*Callers, error) {
	if err := c.mayExchange(tokenURL); err != nil {
		return nil, err
	}
	return &Callers{config: c, tokenURL: tokenURL}, nil
}

// Authenticator returns one that knows callers as next does and holds their tokens. It holds only JSON Web Tokens whose
// issuer is of Config.Servers: no other secret goes to the token endpoint.
func (c *Callers) Authenticator(next auth.Authenticator) auth.Authenticator {
	holding := auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		id, err := next.Authenticate(r)
		if err == nil {
			c.hold(r, id)
		}
		return id, err
	})
	if schemed, ok := next.(auth.Schemed); ok {
		return struct {
			auth.Authenticator
			auth.Schemed
		}{holding, schemed}
	}
	return holding
}

func (c *Callers) hold(r *http.Request, id a2a.Identity) {
	token, err := auth.BearerToken(r)
	if err != nil || len(token) > maxToken || c.config.allowed(issuer(token)) != nil {
		return
	}
	key := keyOf(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept := c.find(key); kept == nil || kept.token != token {
		c.put(key, &caller{token: token, sources: make(map[string]oauth2.TokenSource)})
	}
}

// issuer returns the claim iss of a token, which is verified already; "" if it has none.
func issuer(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var says struct {
		Issuer string `json:"iss"`
	}
	if err != nil || json.Unmarshal(text, &says) != nil {
		return ""
	}
	return says.Issuer
}

// keyOf tells callers apart by all that their tokens allow: a turn that began with few scopes gets no token of many.
func keyOf(id a2a.Identity) string {
	return fmt.Sprintf("%q %q %q %q", id.Subject, id.Client, id.Scopes, id.Actors)
}

// find returns a caller, as one of the recent ones now; mu is held.
func (c *Callers) find(key string) *caller {
	found := c.held[0][key]
	if found == nil {
		if found = c.held[1][key]; found != nil {
			c.put(key, found)
		}
	}
	return found
}

// put keeps a caller; mu is held.
func (c *Callers) put(key string, kept *caller) {
	if c.held[0] == nil || len(c.held[0]) >= maxCallers {
		c.held = [2]map[string]*caller{make(map[string]*caller), c.held[0]}
	}
	c.held[0][key] = kept
}

// Send is an Interceptor that sends a token for the caller in whose name the context is, which an engine's turn has.
// The token's audience is the origin of the interface, such as "https://agent.example.com".
func (c *Callers) Send(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
	source, err := c.source(ctx, origin.Of(call.Interface.URL))
	if err != nil {
		return nil, &a2a.Error{Kind: a2a.ErrUnauthenticated, Cause: err,
			Message: "there is no token of the caller to exchange for one of this agent; send the message again"}
	}
	return Bearer(source)(ctx, call, next)
}

func (c *Callers) source(ctx context.Context, audience string) (oauth2.TokenSource, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.find(keyOf(a2a.CallFrom(ctx).Identity))
	switch {
	case audience == "":
		return nil, errors.New("oauth: the agent's interface has no origin")
	case kept == nil:
		return nil, errors.New("oauth: no token of the caller is held")
	case kept.sources[audience] != nil:
		return kept.sources[audience], nil
	case len(kept.sources) >= maxAudiences:
		clear(kept.sources)
	}
	source, err := c.config.Exchange(ctx, c.tokenURL, kept.token, audience)
	if err == nil {
		kept.sources[audience] = source
	}
	return source, err
}
