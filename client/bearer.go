// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Bearer returns an Interceptor that sends a token with each call, as Authorization: Bearer. White space around it,
// such as the end of the line in a file, is left out; without a token each call fails. It is sent to the interfaces
// that the agent's card names, and not with requests for the card.
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
