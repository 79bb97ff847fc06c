// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Token returns an Authenticator for callers who share one secret: a caller that sends it as Authorization: Bearer gets the
// identity, and all others are refused with a2a.ErrUnauthenticated, which says whether the token is missing or wrong. How
// long a refusal takes tells nothing of the token, which must not be empty.
func Token(token string, id a2a.Identity) Authenticator {
	want := sha256.Sum256([]byte(token))
	return AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sent = strings.TrimSpace(sent)
		if !strings.EqualFold(scheme, "Bearer") || sent == "" {
			return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "the token is missing; send it as Authorization: Bearer")
		}
		got := sha256.Sum256([]byte(sent))
		if token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "the token is wrong")
		}
		return id, nil
	})
}
