// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// newHTTP2Peer is a peer over TLS and HTTP/2, where a broken stream does not break its connection.
func newHTTP2Peer(t *testing.T, binding string, h func(*exchange)) (*peer, client.Options) {
	t.Helper()
	p := &peer{binding: binding, handler: h}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("spoke %s", r.Proto)
		}
		p.serve(w, r)
	}))
	p.EnableHTTP2 = true
	p.Config.ErrorLog = quiet
	p.StartTLS()
	t.Cleanup(p.Close)
	return p, client.Options{HTTPClient: p.Client()}
}

func TestHTTP2(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p, opts := newHTTP2Peer(t, binding, func(x *exchange) {
			switch {
			case x.op == opSend:
				x.cut()
			case x.r.Header.Get("Last-Event-ID") == "":
				x.event("1", taskEvent("WORKING"))
				x.raw("id: 2\ndata: {")
				x.cut()
			case x.r.Header.Get("Last-Event-ID") == "1":
				x.event("2", chunk("a"))
				x.hang() // until the client finds it silent
			default:
				x.event("3", status("COMPLETED"))
			}
		})
		opts.IdleTimeout = 100 * time.Millisecond
		c := p.dial(t, all, opts)
		got, err := updates(c.Stream(t.Context(), send("hi")))
		if want := "1=task:working 2=+a 3=completed"; got != want || err != nil {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
		before := len(p.requests())
		if _, err := c.SendMessage(t.Context(), send("hi")); !errors.Is(err, a2a.ErrUnavailable) {
			t.Errorf("error %v", err)
		}
		if n := len(p.requests()) - before; n != 1 {
			t.Errorf("sent %d times", n)
		}
	})
}
