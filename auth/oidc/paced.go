// SPDX-License-Identifier: Apache-2.0

package oidc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/time/rate"

	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// pace is the time between two requests to the provider, once a few are spent.
const pace = 5 * time.Second

// maxAnswer bounds an answer of the provider in bytes.
const maxAnswer = 1 << 20

// errNoAnswer is in the chain of each error of a request to the provider: it came too soon after others, or got no
// good answer. It tells such errors from those of tokens.
var errNoAnswer = errors.New("the identity provider was not asked, or did not answer")

// paced bounds what callers can make a server ask of the provider: a token signed with an unknown key is a reason to
// fetch the keys again, and everybody can make such tokens.
type paced struct {
	next  http.RoundTripper
	plain bool // allows plain HTTP beyond this machine
	limit *rate.Limiter
}

func newPaced(next http.RoundTripper, plain bool) *paced {
	if next == nil {
		next = http.DefaultTransport
	}
	return &paced{next: next, plain: plain, limit: rate.NewLimiter(rate.Every(pace), 5)}
}

// RoundTrip returns an answer with JSON in it, or an error with errNoAnswer in its chain.
func (p *paced) RoundTrip(r *http.Request) (*http.Response, error) {
	if !p.plain && !httpserver.Private(r.URL) {
		return nil, fmt.Errorf("%w: %s is not https", errNoAnswer, r.URL.Redacted())
	}
	if !p.limit.Allow() {
		return nil, fmt.Errorf("%w: it was asked a moment ago", errNoAnswer)
	}
	answer, err := p.next.RoundTrip(r)
	if err != nil {
		return nil, errors.Join(errNoAnswer, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil || answer.StatusCode != http.StatusOK || !jsontext.Value(body).IsValid() {
		return nil, errors.Join(fmt.Errorf("%w: %s answers %s", errNoAnswer, r.URL.Redacted(), answer.Status), err)
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}
