// SPDX-License-Identifier: Apache-2.0

package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// Exchange returns where a program that acts for a user gets tokens: it exchanges the user's token for one that names
// both, for the audience of an agent (RFC 8693). The token endpoint must be of Config.Servers.
func (c *Config) Exchange(ctx context.Context, tokenURL, userToken, audience string) (oauth2.TokenSource, error) {
	if err := c.mayExchange(tokenURL); err != nil {
		return nil, err
	}
	if userToken == "" {
		return nil, errors.New("oauth: there is no token of a user to exchange")
	}
	params := url.Values{
		"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"subject_token":      {userToken},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
	}
	if audience != "" {
		params.Set("audience", audience)
	}
	config := &clientcredentials.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: tokenURL,
		Scopes: c.Scopes, EndpointParams: params}
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, c.web())
	return named{config.TokenSource(ctx)}, nil
}

// mayExchange says what is missing to exchange tokens.
func (c *Config) mayExchange(tokenURL string) error {
	if c.ClientID == "" || c.ClientSecret == "" {
		return errors.New("oauth: Config.ClientID and ClientSecret are needed to exchange tokens")
	}
	return c.allowed(tokenURL)
}

// named gives errors the name of the package.
type named struct{ oauth2.TokenSource }

func (n named) Token() (*oauth2.Token, error) {
	token, err := n.TokenSource.Token()
	if err != nil {
		return nil, fmt.Errorf("oauth: %w", err)
	}
	return token, nil
}
