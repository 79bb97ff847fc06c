// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
)

// A Recorder is a proxy in front of an agent that records what passes. The cards that it passes on lead clients through
// it, over HTTP only.
type Recorder struct {
	tape  *tape
	proxy *httputil.ReverseProxy
}

// NewRecorder returns a recorder in front of the agent at a URL. Clients reach it at self.
func NewRecorder(agent, self string, opts *Options) (*Recorder, error) {
	routes, err := newRoutes(agent, self)
	if err != nil {
		return nil, err
	}
	tape, err := newTape(routes, opts)
	if err != nil {
		return nil, err
	}
	r := &Recorder{tape: tape}
	r.proxy = &httputil.ReverseProxy{
		Rewrite:       func(*httputil.ProxyRequest) {}, // ServeHTTP has done it
		Transport:     tape,
		FlushInterval: -1,
		ErrorHandler:  refuse,
		ErrorLog:      log.New(io.Discard, "", 0), // clients learn of it
	}
	return r, nil
}

// Look fetches the card, so that the addresses which it names are known whatever clients ask for first. That is not
// recorded.
func (r *Recorder) Look(ctx context.Context) error {
	return r.tape.look(ctx)
}

func (t *tape) look(ctx context.Context) error {
	address, err := t.routes.to("/.well-known/agent-card.json")
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := t.opts.Transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := readBody(resp.Body, t.opts.MaxBody)
	if err != nil {
		return err
	}
	n, err := parse(body)
	if resp.StatusCode != http.StatusOK || err != nil || cardIn(n) == nil {
		return fmt.Errorf("%s is no agent card: status %d", address, resp.StatusCode)
	}
	t.routes.fit(cardIn(n))
	return nil
}

// withheld are headers by which a client says what it has already, as a recording shall have all of it, or wants to
// speak something else than HTTP.
var withheld = []string{"If-None-Match", "If-Modified-Since", "Upgrade"}

// ServeHTTP passes a request on.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	address, err := r.tape.routes.to(pathOf(req))
	var to *url.URL
	if err == nil {
		to, err = url.Parse(address)
	}
	if err != nil {
		refuse(w, req, err)
		return
	}
	out := req.Clone(req.Context())
	out.URL, out.Host = to, to.Host
	for _, name := range withheld {
		out.Header.Del(name)
	}
	out.Header.Set("Accept-Encoding", "identity")
	r.proxy.ServeHTTP(w, out)
}

// pathOf returns the path of a request with its query.
func pathOf(req *http.Request) string {
	if req.URL.RawQuery == "" {
		return req.URL.EscapedPath()
	}
	return req.URL.EscapedPath() + "?" + req.URL.RawQuery
}

// refuse answers a request that does not get through.
func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, ErrTooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, `{"error":{"code":`+strconv.Itoa(status)+`,"message":`+quote("dragoman record: "+err.Error())+
		`}}`)
}

func quote(s string) string { return string((&node{kind: '"', text: s}).encode()) }
