// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// A stream that came to its end leaves its connection to the next call.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		p := newPeer(t, binding, func(x *exchange) {
			if x.op == opStream {
				x.event("1", taskEvent("WORKING"))
				x.event("2", status("COMPLETED"))
				return
			}
			x.result(task("COMPLETED"))
		})
		var dialed atomic.Int32
		counting := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dialed.Add(1)
			return new(net.Dialer).DialContext(ctx, network, addr)
		}}
		t.Cleanup(counting.CloseIdleConnections)
		c := p.dial(t, all, client.Options{HTTPClient: &http.Client{Transport: counting}})
		for range 20 {
			if _, err := updates(c.Stream(t.Context(), send("hi"))); err != nil {
				t.Fatal(err)
			}
			if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t1"}); err != nil {
				t.Fatal(err)
			}
		}
		if n := dialed.Load(); n > 2 {
			t.Errorf("%d connections for 40 calls in a row", n)
		}
	})
}
