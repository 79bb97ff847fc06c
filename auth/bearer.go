// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Token returns an Authenticator for callers who share one secret: who sends it as Authorization: Bearer is the
// identity, all others are refused with a2a.ErrUnauthenticated. How long a refusal takes tells nothing of the token,
// which must not be empty.
func Token(token string, id a2a.Identity) Authenticator {
	want := sha256.Sum256([]byte(token))
	return AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(sent)))
		if token == "" || !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "send the token as Authorization: Bearer")
		}
		return id, nil
	})
}
