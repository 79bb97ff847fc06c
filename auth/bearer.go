// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Token returns an Authenticator for callers who share one secret. A caller that sends it as Authorization: Bearer
// gets the identity. All others are refused with a2a.ErrUnauthenticated, which says whether the token is missing or
// wrong. The time that a refusal takes does not reveal the token. The Authenticator is [Schemed], so the card of its
// agent asks for the token. Token panics if the token is empty or white space, because no client could send it.
func Token(token string, id a2a.Identity) Authenticator {
	if strings.TrimSpace(token) == "" {
		panic("auth: the token of auth.Token is empty, so every caller would be refused; " +
			"if it comes from an environment variable or a file, check that it is set")
	}
	return &bearer{want: sha256.Sum256([]byte(token)), id: id}
}

// bearer is the Authenticator for one token.
type bearer struct {
	want [sha256.Size]byte // the hash of the token
	id   a2a.Identity
}

func (b *bearer) Authenticate(r *http.Request) (a2a.Identity, error) {
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sent = strings.TrimSpace(sent)
	if !strings.EqualFold(scheme, "Bearer") || sent == "" {
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated,
			"the token is missing; send it as Authorization: Bearer")
	}
	got := sha256.Sum256([]byte(sent))
	if subtle.ConstantTimeCompare(got[:], b.want[:]) != 1 {
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "the token is wrong")
	}
	return b.id, nil
}

// SecuritySchemes says that callers send the token as Authorization: Bearer.
func (b *bearer) SecuritySchemes() map[string]a2a.SecurityScheme {
	return map[string]a2a.SecurityScheme{"bearer": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}
}
