// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// ErrMissing is the cause of an Authenticator's error if the request has no credentials of the kind that it takes.
// [AnyOf] needs it, to tell credentials that are missing from those that are wrong.
var ErrMissing = errors.New("no such credentials in the request")

// missing returns the error for a request without credentials. The phrase says which they are and how to send them.
func missing(phrase string) *a2a.Error {
	return &a2a.Error{Kind: a2a.ErrUnauthenticated, Message: phrase, Cause: ErrMissing}
}

// wrong returns the error for credentials that are refused.
func wrong(message string) *a2a.Error { return a2a.NewError(a2a.ErrUnauthenticated, message) }

// AnyOf returns an Authenticator for agents that take several kinds of credentials, one of which suffices. The first
// one that knows the caller decides. If none does, the error says why each of those refused for which there were
// credentials, or else what is missing. It panics without an Authenticator.
func AnyOf(all ...Authenticator) Authenticator {
	if len(all) == 0 {
		panic("auth: AnyOf without an Authenticator would refuse every caller")
	}
	return anyOf(all)
}

type anyOf []Authenticator

func (all anyOf) Authenticate(r *http.Request) (a2a.Identity, error) {
	var absent, refused []string
	for _, one := range all {
		id, err := one.Authenticate(r)
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, ErrMissing):
			absent = append(absent, a2a.AsError(err).PublicMessage())
		case errors.Is(err, a2a.ErrUnauthenticated):
			refused = append(refused, a2a.AsError(err).PublicMessage())
		default: // knows the caller, who may not come in, or cannot tell now, as its provider is down
			return a2a.Identity{}, err
		}
	}
	if refused != nil {
		return a2a.Identity{}, wrong(strings.Join(refused, "; "))
	}
	return a2a.Identity{}, missing(strings.Join(absent, "; or "))
}

// SecuritySchemes returns those of all. If two have one name, and are not the same, the later one gets a number.
func (all anyOf) SecuritySchemes() map[string]a2a.SecurityScheme {
	schemes := map[string]a2a.SecurityScheme{}
	for _, one := range all {
		asks, ok := one.(Schemed)
		if !ok {
			continue
		}
		for name, scheme := range asks.SecuritySchemes() {
			free := name
			for i := 2; schemes[free] != nil && !reflect.DeepEqual(schemes[free], scheme); i++ {
				free = name + strconv.Itoa(i)
			}
			schemes[free] = scheme
		}
	}
	return schemes
}
