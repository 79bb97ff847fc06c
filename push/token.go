// SPDX-License-Identifier: Apache-2.0

package push

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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
