// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/oidc"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
	"github.com/dragoman-a2a/dragoman/internal/loadgen"
	"github.com/dragoman-a2a/dragoman/server"
)

const (
	callers     = 10_000
	abusers     = 100   // of the callers
	callerLimit = 2     // requests of each caller a second
	callerRate  = 1_000 // requests of all callers but the abusers a second
	audience    = "bench"
)

func tokenOf(caller int) string { return fmt.Sprintf("token-of-caller-%05d", caller) }

// takeJWTs makes a server take the JSON Web Tokens of an issuer.
func takeJWTs(issuer string) func(*server.Options) error {
	return func(o *server.Options) (err error) {
		o.Authenticator, err = oidc.New(oidc.Options{Issuer: issuer, JWKS: issuer, Audience: []string{audience}})
		return err
	}
}

// knowCallers makes a server know all callers by their tokens, and bound how often each may call, if it is limited.
func knowCallers(limited bool) func(*server.Options) error {
	return func(o *server.Options) (err error) {
		known := make(map[string]a2a.Identity, callers)
		for i := range callers {
			known[tokenOf(i)] = a2a.Identity{Subject: fmt.Sprint(i)}
		}
		o.Authenticator = auth.Tokens(known)
		if limited {
			limit := ratelimit.Limit{PerSecond: callerLimit, Burst: 10}
			o.Policy, err = ratelimit.New(ratelimit.Options{Limits: []ratelimit.Limit{limit}})
		}
		return err
	}
}

// as adds a bearer token to a request.
func as(token string, request []byte) []byte {
	return bytes.Replace(request, []byte("\r\n"), []byte("\r\nAuthorization: Bearer "+token+"\r\n"), 1)
}

// measureJWT is what it costs to authenticate the caller of each request by a JSON Web Token.
func measureJWT(ctx context.Context, s *settings, _ *fleet) ([]row, error) {
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	es, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: rs.Public(), KeyID: "RS256"}, {Key: es.Public(), KeyID: "ES256"}}})
	}))
	defer issuer.Close()
	open, err := startOwn(ctx, "without credentials", "memory")
	if err != nil {
		return nil, err
	}
	defer open.stop()
	guarded, err := startOwn(ctx, "JWT", "jwt:"+issuer.URL)
	if err != nil {
		return nil, err
	}
	defer guarded.stop()
	const conns = 16
	found := map[string][]result{}
	for range s.rounds {
		for alg, key := range map[string]any{"": nil, "RS256": rs, "ES256": es} {
			at, requests := open, sends(open.Path)
			if key != nil {
				token, err := tokenFrom(issuer.URL, alg, key)
				if err != nil {
					return nil, err
				}
				at, requests = guarded, sendsAs(token, guarded.Path)
			}
			r, err := load(ctx, at, conns, s.slice, requests)
			if err != nil {
				return nil, err
			}
			found[alg] = append(found[alg], r)
		}
	}
	without := medians(found[""])
	var rows []row
	for _, alg := range []string{"RS256", "ES256"} {
		with := medians(found[alg])
		rows = append(rows, row{
			Case: "JWT, " + alg + ", send, memory", Conns: conns,
			Ours: fmt.Sprintf("+%.0f us of CPU a request", with.cpu-without.cpu),
			P50:  fmt.Sprintf("%s (without %s)", inMS(with.p50), inMS(without.p50)),
			P99:  fmt.Sprintf("%s (without %s)", inMS(with.p99), inMS(without.p99)),
			CPU:  fmt.Sprintf("%.0f (without %.0f)", with.cpu, without.cpu),
			Peer: fmt.Sprintf("%s, without %s", perSecond(with.rate), perSecond(without.rate)),
		})
	}
	return rows, nil
}

// tokenFrom returns an access token of an issuer.
func tokenFrom(issuer, alg string, key any) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(alg),
		Key: jose.JSONWebKey{Key: key, KeyID: alg}}, nil)
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(jwt.Claims{Issuer: issuer, Subject: "ann", Audience: jwt.Audience{audience},
		Expiry: jwt.NewNumericDate(time.Now().Add(time.Hour))}).Serialize()
}

func sendsAs(token, path string) func(int) requester {
	return func(i int) requester {
		next := sends(path)(i)
		return func() []byte { return as(token, next()) }
	}
}

// measureAbuse is how long the requests of well-behaved callers take while others call far more often than they may.
func measureAbuse(ctx context.Context, s *settings, _ *fleet) ([]row, error) {
	limited, err := startOwn(ctx, "limited", "limited")
	if err != nil {
		return nil, err
	}
	defer limited.stop()
	open, err := startOwn(ctx, "not limited", "callers")
	if err != nil {
		return nil, err
	}
	defer open.stop()
	cases := []struct {
		name   string
		server *process
		abuse  int // requests of all abusers a second
	}{
		{"10,000 callers, no abuse", limited, 0},
		{"10,000 callers, 1 % send 2,500/s", limited, 2500},
		{"10,000 callers, 1 % send 2,500/s, without limits", open, 2500},
		{"10,000 callers, 1 % send 10,000/s", limited, 10_000},
		{"10,000 callers, 1 % send 10,000/s, without limits", open, 10_000},
	}
	found := make([][]result, len(cases))
	for range s.rounds {
		for i, c := range cases {
			r, err := callersAt(ctx, s, c.server, c.abuse)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			found[i] = append(found[i], r)
		}
	}
	var rows []row
	for i, c := range cases {
		r := medians(found[i])
		rows = append(rows, row{Case: c.name, Conns: abusers, Ours: perSecond(r.rate), P50: inMS(r.p50),
			P99: inMS(r.p99)})
	}
	return rows, nil
}

// callersAt returns how well-behaved callers fare at a server, with or without the others. Each time counts from when
// the request was due.
func callersAt(ctx context.Context, s *settings, at *process, abuse int) (result, error) {
	if abuse > 0 {
		flood, err := startOwn(ctx, "abusers", fmt.Sprintf("abusers:%d@%s", abuse, at.Addr))
		if err != nil {
			return result{}, err
		}
		defer flood.stop()
	}
	send, closeAll, err := sender(at.Addr, false, func() int { return abusers + mathrand.IntN(callers-abusers) })
	if err != nil {
		return result{}, err
	}
	defer closeAll()
	report, err := loadgen.Run(ctx, loadgen.Options{Rate: callerRate, Duration: 3 * s.slice, Concurrency: abusers,
		Drain: patience}, send, error.Error)
	if err != nil {
		return result{}, err
	}
	if report.Failed > 0 {
		return result{}, fmt.Errorf("of %d requests %d failed: %v", report.Planned, report.Failed, report.Errors)
	}
	return result{rate: report.Throughput(), p50: report.Latency.P50, p99: report.Latency.P99}, nil
}

// flood is a program that calls as the abusers until ctx ends, so many times a second in all at an address.
func flood(ctx context.Context, to string) error {
	runtime.GOMAXPROCS(1)
	number, addr, _ := strings.Cut(to, "@")
	perSecond, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return err
	}
	send, closeAll, err := sender(addr, true, func() int { return mathrand.IntN(abusers) })
	if err != nil {
		return err
	}
	defer closeAll()
	_, err = loadgen.Run(ctx, loadgen.Options{Rate: perSecond, Duration: time.Hour, Concurrency: abusers}, send,
		error.Error)
	return err
}

// sender returns a request of a caller that next names, over one of some connections. Refused ones may be answered with
// an error.
func sender(addr string, refused bool, next func() int) (_ loadgen.Request, closeAll func(), _ error) {
	free := make(chan *conn, abusers)
	closeAll = func() {
		for len(free) > 0 {
			(<-free).Close()
		}
	}
	for range cap(free) {
		c, err := dial(addr)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		c.refused = refused
		free <- c
	}
	return func(context.Context, func()) error {
		c := <-free
		defer func() { free <- c }()
		body, err := c.do(as(tokenOf(next()), post("/", message("SendMessage", "Ada"))))
		if err == nil && !refused && !bytes.Contains(body, resultMember) {
			err = fmt.Errorf("answered %.300s", body)
		}
		return err
	}, closeAll, nil
}
