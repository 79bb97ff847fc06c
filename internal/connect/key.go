// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// TakesToken reports whether the card names a scheme by which a bearer token is sent.
func TakesToken(card *a2a.AgentCard) bool {
	for _, scheme := range card.SecuritySchemes {
		switch s := scheme.(type) {
		case *a2a.HTTPAuthScheme:
			if strings.EqualFold(s.Scheme, "bearer") {
				return true
			}
		case *a2a.OAuth2Scheme, *a2a.OpenIDConnectScheme:
			return true
		}
	}
	return false
}

// keyScheme returns the scheme of the card that takes an API key: one that the agent requires, or else the first one by
// name.
func keyScheme(card *a2a.AgentCard) *a2a.APIKeyScheme {
	var names []string
	for _, need := range card.SecurityRequirements {
		names = append(names, slices.Sorted(maps.Keys(need))...)
	}
	names = append(names, slices.Sorted(maps.Keys(card.SecuritySchemes))...)
	for _, name := range names {
		if scheme, ok := card.SecuritySchemes[name].(*a2a.APIKeyScheme); ok {
			return scheme
		}
	}
	return nil
}

// addKey sends --api-key with each call as the agent's card says (A2A 1.0 §4.5.2): in a header, a cookie or the query.
func (c *Caller) addKey(card *a2a.AgentCard, options *client.Options) error {
	key := c.APIKey
	if key == "" {
		return nil
	}
	scheme := keyScheme(card)
	switch {
	case scheme == nil:
		return cmdline.Usagef("--api-key cannot be sent: the agent's card declares no API key").
			WithHint("see what the agent takes with " + terminal.CommandLine(c.CommandFor("card", "get")))
	case !IsHeaderValue(key):
		return cmdline.Usagef("--api-key has characters that are not allowed in a header")
	case !IsToken(scheme.Name):
		return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeCardInvalid,
			Message: "--api-key cannot be sent: the name of the API key in the agent's card is not valid"}
	}
	if tap, ok := c.HTTPClient().Transport.(*Tap); ok {
		tap.Hide(scheme.Name)
	}
	options.Interceptors = append(options.Interceptors, client.APIKey(scheme, key))
	return nil
}

// A RoundTripper is a function that makes exchanges.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
