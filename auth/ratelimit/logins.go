// SPDX-License-Identifier: Apache-2.0

package ratelimit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// wrong is how many wrong credentials one address may send.
var wrong = &Limit{PerSecond: 1.0 / 3, Burst: 20}

// The addresses and the good credentials that are remembered.
const (
	maxAddresses = 100_000
	maxKnown     = 10_000
)

// Logins returns an Authenticator that keeps callers from guessing credentials. An address that has sent too many wrong
// ones is told when to come back, and its credentials are not looked at until then. Callers who got in before still
// get in from there: they may share the address, as behind a proxy. An address of IPv6 stands for its network of 64
// bits. If next is Schemed, so is the result; nil stays nil. Servers of package server use it by themselves.
func Logins(next auth.Authenticator) auth.Authenticator {
	switch next.(type) {
	case nil, *logins, schemedLogins:
		return next
	}
	l := &logins{next: next, wrong: newLimiter(maxAddresses)}
	schemed, ok := next.(auth.Schemed)
	if !ok {
		return l
	}
	for _, scheme := range schemed.SecuritySchemes() {
		if key, ok := scheme.(*a2a.APIKeyScheme); ok {
			l.keys = append(l.keys, *key)
		}
	}
	return schemedLogins{l, schemed}
}

type logins struct {
	next  auth.Authenticator
	keys  []a2a.APIKeyScheme // further places of credentials in a request
	wrong *limiter

	mu    sync.Mutex
	known [2]map[[sha256.Size]byte]bool // by hash, good credentials: the recent ones, and those before
}

type schemedLogins struct {
	*logins
	auth.Schemed
}

// Authenticate implements auth.Authenticator.
func (l *logins) Authenticate(r *http.Request) (a2a.Identity, error) {
	sent, any := l.credentials(r)
	if !any || r.RemoteAddr == "" { // where no address is known, there is nothing to count by
		return l.next.Authenticate(r)
	}
	from, known := key{network(r.RemoteAddr), wrong}, l.knows(sent)
	if wait := l.wrong.wait(from); wait > 0 && !known {
		return a2a.Identity{}, &a2a.Error{Kind: a2a.ErrRateLimited, RetryAfter: wait, Message: fmt.Sprintf(
			"your address sent wrong credentials too often; try again in %v", wait.Round(time.Second))}
	}
	id, err := l.next.Authenticate(r)
	switch {
	case err == nil:
		l.learn(sent)
	case errors.Is(err, a2a.ErrUnauthenticated) && !errors.Is(err, auth.ErrMissing) && !known:
		l.wrong.bucket(from).Allow()
	}
	return id, err
}

// credentials returns a hash of all that a request may say who it is of, and whether there is anything.
func (l *logins) credentials(r *http.Request) (sum [sha256.Size]byte, any bool) {
	h := sha256.New()
	add := func(kind string, values []string) {
		for _, v := range values {
			any = true
			fmt.Fprintf(h, "%s %d ", kind, len(v))
			io.WriteString(h, v)
		}
	}
	add("Authorization", r.Header["Authorization"])
	add("Cookie", r.Header["Cookie"])
	for _, k := range l.keys {
		switch k.Location {
		case "header":
			add(k.Name, r.Header.Values(k.Name))
		case "query":
			add("?", r.URL.Query()[k.Name])
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), any
}

func (l *logins) knows(sum [sha256.Size]byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[0][sum] || l.known[1][sum]
}

func (l *logins) learn(sum [sha256.Size]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[0][sum] {
		return
	}
	if l.known[0] == nil || len(l.known[0]) >= maxKnown {
		l.known = [2]map[[sha256.Size]byte]bool{{}, l.known[0]}
	}
	l.known[0][sum] = true
}

// network returns what stands for the maker of a request in an address.
func network(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	prefix, _ := ip.Prefix(64)
	return prefix.String()
}

// wait returns how long a bucket has nothing; 0 if it has, or is not there.
func (l *limiter) wait(k key) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.buckets[k]
	if e == nil {
		return 0
	}
	b := e.Value.(*bucket)
	if missing := 1 - b.TokensAt(time.Now()); missing > 0 {
		return time.Duration(missing / k.limit.PerSecond * float64(time.Second))
	}
	return 0
}
