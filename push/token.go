// SPDX-License-Identifier: Apache-2.0

package push

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Signer makes signed JSON Web Tokens. That of package card/signature is one.
type Signer interface {
	// Token returns the token with these claims, which are a JSON object.
	Token(claims []byte) (string, error)
}

// tokenAge is for how long a token of a notification is valid: five minutes, as the samples of April 2025 check.
const tokenAge = 5 * time.Minute

// claims are those of the token of a notification.
type claims struct {
	Issuer   string     `json:"iss"`           // the URL at which the config was made
	Audience string     `json:"aud,omitempty"` // the webhook
	Issued   int64      `json:"iat"`
	Expires  int64      `json:"exp"`
	ID       string     `json:"jti"` // of this try
	Task     a2a.TaskID `json:"taskId"`
	Body     string     `json:"request_body_sha256"` // in hexadecimal digits
}

// token returns the token of a notification.
func (s *Sender) token(j *job, n *notification) (string, error) {
	sum := sha256.Sum256(n.body)
	c := claims{Issuer: cmp.Or(j.rec.Base, "dragoman"), Audience: j.rec.URL, Issued: n.at.Unix(),
		Expires: n.at.Add(tokenAge).Unix(), ID: rand.Text(), Task: j.Key.ID, Body: hex.EncodeToString(sum[:])}
	if j.rec.Generation == a2a.Generation01 {
		c.Audience = "" // the samples of April 2025 refuse tokens that have one
	}
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return s.opts.Signer.Token(text)
}

// A KeySet verifies the signatures of tokens. A RemoteKeySet of github.com/coreos/go-oidc is one. It gets the keys
// again when a token names another one.
type KeySet interface {
	// VerifySignature returns the claims of a token.
	VerifySignature(ctx context.Context, token string) ([]byte, error)
}

// audience is one or several.
type audience []string

func (a *audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// received are the claims of a token that a receiver reads.
type received struct {
	claims
	Audience audience `json:"aud"`
}

// checkToken returns the claims of the token of a notification, or why it is refused.
func (r *Checks) checkToken(req *http.Request, body []byte) (*received, *verdict) {
	token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil, refuse(http.StatusUnauthorized, "the header Authorization has no token")
	}
	text, err := r.Tokens.VerifySignature(req.Context(), token)
	if err != nil {
		return nil, refuse(http.StatusForbidden, "the token cannot be verified: %w", err)
	}
	c := new(received)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, refuse(http.StatusForbidden, "the claims of the token cannot be read")
	}
	age, sum := time.Since(time.Unix(c.Issued, 0)), sha256.Sum256(body)
	switch {
	case age.Abs() > cmp.Or(r.MaxAge, tokenAge):
		return nil, refuse(http.StatusForbidden, "the token was issued %v ago", age.Round(time.Second))
	case c.Expires != 0 && time.Now().After(time.Unix(c.Expires, 0)):
		return nil, refuse(http.StatusForbidden, "the token has expired")
	case r.Audience != "" && !slices.Contains(c.Audience, r.Audience):
		return nil, refuse(http.StatusForbidden, "the token is for %q", c.Audience)
	case c.Body != hex.EncodeToString(sum[:]):
		return nil, refuse(http.StatusForbidden, "the token is of another body")
	case c.ID == "":
		return nil, refuse(http.StatusForbidden, "the token has no jti")
	}
	return c, nil
}
