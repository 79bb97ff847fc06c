// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// extended is a Service whose extended card the server completes as it does the public one, so that the card cannot
// promise what is not there.
type extended struct {
	a2a.Service
	server *Server
}

// ExtendedCard implements a2a.Service.
func (e extended) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	s, call := e.server, a2a.CallFrom(ctx)
	card, err := e.Service.ExtendedCard(ctx, req)
	switch {
	case err != nil:
		return nil, err
	case card == nil:
		return nil, a2a.ErrExtendedCardNotConfigured
	case call.BaseURL == "":
		return nil, a2a.NewError(a2a.ErrInvalidRequest, "the Host header is not a host with an optional port")
	}
	card = s.derive(card, call.BaseURL+s.options.Path)
	if call.Generation != a2a.Generation10 {
		card.Skills = withModes(card)
	}
	if call.Binding != a2a.BindingGRPC && !s.options.CardGRPC {
		card.SupportedInterfaces = withoutGRPC(card.SupportedInterfaces)
	}
	if err := card.Validate(); err != nil {
		return nil, &a2a.Error{Kind: a2a.ErrInternal, Cause: fmt.Errorf("the extended card: %w", err)}
	}
	return card, s.signed.inCard(card, call.Generation)
}

// credentialHeaders returns the headers by which an Authenticator may tell callers apart.
func credentialHeaders(a auth.Authenticator) []string {
	names := []string{"Authorization", "Cookie"}
	if asks, ok := a.(auth.Schemed); ok {
		schemes := asks.SecuritySchemes()
		for _, name := range slices.Sorted(maps.Keys(schemes)) {
			if key, ok := schemes[name].(*a2a.APIKeyScheme); ok && strings.EqualFold(key.Location, "header") {
				names = append(names, key.Name)
			}
		}
	}
	return names
}
