// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/dragoman-a2a/dragoman/apps/gateway"
)

// serveGateway serves a gateway in front of an agent.
func serveGateway(ctx context.Context, ln net.Listener, upstream string) error {
	g, err := gateway.New([]gateway.Upstream{{Card: "http://" + upstream}}, nil)
	if err != nil {
		return err
	}
	defer g.Close()
	return serveHandler(ctx, ln, http.Handler(g))
}

// measureGateway compares calls through one hop with those made directly: what the hop costs is the difference.
func measureGateway(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	hop, err := startOwn(ctx, "gateway", "gateway:"+f.memory.Addr)
	if err != nil {
		return nil, err
	}
	defer hop.stop()
	var rows []row
	for _, c := range []struct {
		name    string
		request func(path string) func(int) requester
	}{
		{"gateway, send of 1.0 to 1.0", sends},
		{"gateway, send of 0.3 to 1.0", oldSends},
	} {
		var direct, through []result
		for range s.rounds {
			for _, at := range []struct {
				server *process
				into   *[]result
			}{{f.memory, &direct}, {hop, &through}} {
				r, err := load(ctx, at.server, 1, s.slice, c.request(at.server.Path))
				if err != nil {
					return nil, err
				}
				*at.into = append(*at.into, r)
			}
		}
		a, b := medians(direct), medians(through)
		rows = append(rows, row{
			Case: c.name, Conns: 1, Ours: fmt.Sprintf("+%s a hop", inMS(b.p50-a.p50)),
			P50: fmt.Sprintf("%s (direct %s)", inMS(b.p50), inMS(a.p50)),
			P99: inMS(b.p99), CPU: fmt.Sprintf("%.0f", b.cpu),
		})
	}
	return rows, nil
}
