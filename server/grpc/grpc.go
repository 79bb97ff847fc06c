// SPDX-License-Identifier: Apache-2.0

// Package grpc adds the gRPC binding to a server (A2A 1.0 §10), by being imported:
//
//	srv, err := server.New(svc, &server.Options{Card: card, GRPC: grpc.New(nil)})
//
// It serves package lf.a2a.v1 of version 1.0, package a2a.v1 of 0.3 where the server serves that, and the standard
// health service, grpc.health.v1. Everything else, such as limits, authentication, extensions, the log and the drain,
// is the server's and the same as for the bindings over HTTP.
//
// # Ports
//
// Calls come to the server's own port, over HTTP/2 with TLS or without. With Options.Addr there is a second one that is
// for gRPC only and nearly three times as quick, because net/http has no part in it; the card names that one then. The
// card lists gRPC for clients that ask for it, as Dragoman's does, and with server.Options.CardGRPC for all.
//
// # Versions
//
// The package of a call decides its version, and metadata a2a-version that says otherwise is an error. A call of
// lf.a2a.v1 that names no version is refused, as the standard reads it as 0.3, unless server.Options.AcceptUnversioned
// says otherwise; in a2a.v1 a version need not be named.
//
// # Streams
//
// Each message has the server's Limits.WriteTimeout to be taken; a reader that misses it is cut. With the replay
// extension active each event has its id in its metadata, under the extension's URI, and metadata last-event-id resumes
// after it.
package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	pb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	wire "github.com/dragoman-a2a/dragoman/internal/binding/grpc"
	"github.com/dragoman-a2a/dragoman/server"
)

// Options tune the binding. Every zero value is a safe default.
type Options struct {
	// Addr is the TCP address of a port of the binding's own, such as "127.0.0.1:8081"; port 0 takes a free one. Empty
	// means none. It serves with TLS if the server does.
	Addr string
	// URL is host and port under which clients reach gRPC, for the card. Empty means those of Addr or, without it,
	// those of the server; where that is every address of the machine, the host that each request for the card names.
	URL string
	// Reflection lets everybody who can reach the port list services and messages, as tools such as grpcurl do.
	Reflection bool
	// OnReady runs once Addr is bound.
	OnReady func(addr net.Addr)
}

// A Binding is the gRPC binding of one server.
type Binding struct {
	options Options
	health  *health
	server  *wire.Server
	shared  *grpc.Server // serves what comes to the server's own port

	own     *grpc.Server // nil without a port of its own
	address atomic.Pointer[net.TCPAddr]
	stop    sync.Once
	stopped chan struct{} // closed when own has come to its end
}

var _ server.GRPC = (*Binding)(nil)

// New returns a Binding, for server.Options.GRPC of one server. opts may be nil.
func New(opts *Options) *Binding {
	b := &Binding{health: newHealth(), stopped: make(chan struct{})}
	if opts != nil {
		b.options = *opts
	}
	return b
}

// Bind connects the binding to its server, which calls it.
func (b *Binding) Bind(host *binding.Host) error {
	if b.server != nil {
		return errors.New("server/grpc: a Binding is for one server; make another one by New")
	}
	if b.options.URL != "" {
		_, port, err := net.SplitHostPort(b.options.URL)
		if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
			return fmt.Errorf("server/grpc: Options.URL: %q is not of the form host:port", b.options.URL)
		}
	}
	b.server = &wire.Server{Host: host}
	b.health.add(b.server.Forms())
	b.shared = b.make()
	return nil
}

// make returns a gRPC server with all services.
func (b *Binding) make(more ...grpc.ServerOption) *grpc.Server {
	g := grpc.NewServer(append(b.server.Options(), more...)...)
	b.server.Register(g)
	pb.RegisterHealthServer(g, b.health)
	if b.options.Reflection {
		reflection.Register(g)
	}
	return g
}

// ServeHTTP serves a call that came to the server's own port.
func (b *Binding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.server.ServeHTTP(b.shared, w, r)
}

// Interfaces returns what the card says of the binding.
func (b *Binding) Interfaces(base string, gen a2a.Generation) []a2a.AgentInterface {
	if wire.FormOf(gen, 0, false) == nil {
		return nil
	}
	return []a2a.AgentInterface{{URL: b.url(base), Binding: a2a.BindingGRPC, ProtocolVersion: string(gen)}}
}

// url returns host and port, as the standard has it for gRPC, for a server with this base URL.
func (b *Binding) url(base string) string {
	if b.options.URL != "" {
		return b.options.URL
	}
	u, err := url.Parse(base)
	if err != nil {
		u = &url.URL{Host: "localhost"}
	}
	host, port := u.Hostname(), u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	if own := b.address.Load(); own != nil {
		port = strconv.Itoa(own.Port)
		if !own.IP.IsUnspecified() {
			host = own.IP.String()
		}
	}
	return net.JoinHostPort(host, port)
}

// Listen opens the port of Options.Addr.
func (b *Binding) Listen(ctx, calls context.Context, config *tls.Config) error {
	if b.options.Addr == "" {
		return nil
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", b.options.Addr)
	if err != nil {
		return fmt.Errorf("server/grpc: %w", err)
	}
	var more []grpc.ServerOption
	if config != nil {
		more = append(more, grpc.Creds(credentials.NewTLS(config)))
	}
	tcp, _ := ln.Addr().(*net.TCPAddr)
	if config == nil && !tcp.IP.IsLoopback() {
		b.server.Host.Logger.WarnContext(ctx,
			"serving plain gRPC beyond this machine: everybody on the way can read and change it; set a certificate, "+
				"or put a proxy with TLS in front", "addr", ln.Addr().String())
	}
	b.address.Store(tcp)
	b.server.Context = calls
	b.own = b.make(more...)
	go b.own.Serve(ln) // ends with Shutdown or Close, which close ln
	if b.options.OnReady != nil {
		b.options.OnReady(ln.Addr())
	}
	return nil
}

// Drain makes the health service say that the server is about to end.
func (b *Binding) Drain() { b.health.drain() }

// Shutdown lets the calls of the binding's own port come to their end.
func (b *Binding) Shutdown(ctx context.Context) error {
	if b.own == nil {
		return nil
	}
	b.stop.Do(func() {
		go func() {
			b.own.GracefulStop()
			close(b.stopped)
		}()
	})
	select {
	case <-b.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close cuts what is still open at the binding's own port.
func (b *Binding) Close() {
	b.health.drain()
	if b.own != nil {
		b.own.Stop()
	}
}
