// SPDX-License-Identifier: Apache-2.0

package client

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/origin"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Bearer returns an Interceptor that sends a token with each call, as Authorization: Bearer. White space around it,
// such as the end of the line in a file, is left out; without a token each call fails. It is sent to interfaces at the
// origin of the agent's card, see [Options.CredentialsTo], and not with requests for the card.
//
//	c, err := client.Dial(ctx, url, &client.Options{Interceptors: []client.Interceptor{client.Bearer(token)}})
func Bearer(token string) Interceptor {
	token = strings.TrimSpace(token)
	return func(ctx context.Context, call *Call, next Handler) (any, error) {
		switch {
		case token == "":
			return nil, &a2a.Error{Kind: a2a.ErrUnauthenticated, Message: "client: the token of Bearer is empty"}
		case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, errors.New("client: the token of Bearer has characters that no token may have")
		}
		call.Params.Set("Authorization", "Bearer "+token)
		return next(ctx, call)
	}
}

// Basic returns an Interceptor that sends a name and a password with each call, as Bearer does a token (RFC 7617).
func Basic(user, password string) Interceptor {
	value := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	return func(ctx context.Context, call *Call, next Handler) (any, error) {
		if strings.Contains(user, ":") {
			return nil, errors.New("client: the user of Basic has a colon, which ends the name")
		}
		call.Params.Set("Authorization", value)
		return next(ctx, call)
	}
}

// APIKey returns an Interceptor that sends a key with each call where a scheme of the agent's card wants it (A2A 1.0
// §4.5.2): in a header, a cookie or the query. gRPC has no query.
func APIKey(scheme *a2a.APIKeyScheme, key string) Interceptor {
	return func(ctx context.Context, call *Call, next Handler) (any, error) {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, errors.New("client: the key of APIKey is empty or has characters that no header may have")
		}
		switch scheme.Location {
		case "header":
			call.Params.Set(scheme.Name, key)
		case "cookie":
			call.Params.Add("Cookie", (&http.Cookie{Name: scheme.Name, Value: key}).String())
		case "query":
			call.Query.Set(scheme.Name, key)
		default:
			return nil, fmt.Errorf("client: the agent's card wants its API key in %q, which is none of header, cookie "+
				"and query", scheme.Location)
		}
		return next(ctx, call)
	}
}

// OriginError says that a call with credentials was not made, as the interface is not at the origin of the agent's
// card, nor at one of Options.CredentialsTo.
type OriginError struct {
	Card      string // origin of the card, or Options.CardURL if that has none
	Interface string // origin of the interface, or its address if that has none
}

// Error names both origins.
func (e *OriginError) Error() string {
	return fmt.Sprintf("the agent's card is at %s, but its interface is at %s: credentials are not sent there",
		e.Card, e.Interface)
}

// mayCarry refuses a call whose credentials would leave the origin of the card.
func (c *Client) mayCarry(call *Call) error {
	if len(call.Query) > 0 && call.Interface.Binding == a2a.BindingGRPC {
		return errors.New("client: the agent wants its API key in the URL, which gRPC does not have; choose another " +
			"binding")
	}
	home, to := origin.Of(c.opts.CardURL), origin.Of(call.Interface.URL)
	if c.opts.CardURL == "" || !c.secret(call) || to != "" && (to == home ||
		slices.ContainsFunc(c.opts.CredentialsTo, func(other string) bool { return origin.Of(other) == to })) {
		return nil
	}
	return &OriginError{cmp.Or(home, c.opts.CardURL), cmp.Or(to, call.Interface.URL)}
}

// secret reports whether a call has credentials: by the names of its parameters, which also the card may choose.
func (c *Client) secret(call *Call) bool {
	if len(call.Query) > 0 {
		return true
	}
	for name, values := range call.Params {
		if name == wire.HeaderVersion || len(values) == 0 {
			continue
		}
		if redact.Name(name) {
			return true
		}
		for _, scheme := range c.Card().SecuritySchemes {
			if key, ok := scheme.(*a2a.APIKeyScheme); ok && strings.EqualFold(key.Name, name) {
				return true
			}
		}
	}
	return false
}
