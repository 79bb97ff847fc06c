// SPDX-License-Identifier: Apache-2.0

package oidc

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// pace is the time between two requests to the provider, once a few are spent.
const pace = 5 * time.Second

// maxAnswer bounds an answer of the provider in bytes.
const maxAnswer = 1 << 20

// errPaced is the error of a request to the provider that comes too soon after others.
var errPaced = errors.New("the identity provider was asked a moment ago")

// paced bounds what callers can make a server ask of the provider: a token signed with an unknown key is a reason to
// fetch the keys again, and everybody can make such tokens.
type paced struct {
	next  http.RoundTripper
	limit *rate.Limiter

	failing atomic.Bool // the last request that was made got no good answer
}

func newPaced(next http.RoundTripper) *paced {
	if next == nil {
		next = http.DefaultTransport
	}
	return &paced{next: next, limit: rate.NewLimiter(rate.Every(pace), 5)}
}

func (p *paced) RoundTrip(r *http.Request) (*http.Response, error) {
	if !p.limit.Allow() {
		return nil, errPaced
	}
	answer, err := p.next.RoundTrip(r)
	p.failing.Store(err != nil || answer.StatusCode != http.StatusOK)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	return answer, nil
}
