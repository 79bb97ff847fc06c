// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
)

// GRPC is the gRPC binding. Package github.com/dragoman-a2a/dragoman/server/grpc makes it; a program that does not
// import that package does not link gRPC. There is no other implementation.
type GRPC interface {
	// Bind gives the binding what it shares with the others. New calls it once.
	Bind(*binding.Host) error
	// Interfaces returns what the card says of the binding in a generation, at a server with this base URL.
	Interfaces(base string, gen a2a.Generation) []a2a.AgentInterface
	// ServeHTTP serves a call that came to the server's own port.
	http.Handler
	// Listen opens the binding's own port, if it is to have one, and serves it until Shutdown or Close. Calls end when
	// the context of the calls does; ctx is for binding the address only.
	Listen(ctx, calls context.Context, config *tls.Config) error
	// Drain makes the health service say that the server is about to end.
	Drain()
	// Shutdown lets open calls of the binding's own port come to their end. It may be called again after its context
	// has ended.
	Shutdown(context.Context) error
	// Close cuts what is still open.
	Close()
}

// bindGRPC hands the binding what it needs.
func (s *Server) bindGRPC() error {
	if s.options.GRPC == nil {
		return nil
	}
	if s.options.Path != "" {
		return errors.New("server: Options.GRPC: gRPC has no paths, so a server below a path cannot serve it; leave " +
			"out Options.Path or Options.GRPC")
	}
	l := s.options.Limits
	return s.options.GRPC.Bind(&binding.Host{
		Core: s.core, Exchange: s.exchange, Logger: s.options.Logger,
		StreamsPerConn: l.StreamsPerOwner + 100, HeaderTimeout: l.HeaderTimeout, IdleTimeout: l.IdleTimeout,
	})
}

// isGRPC reports whether a request is a call of gRPC, which is HTTP/2 with a content type of its own.
func (s *Server) isGRPC(r *http.Request) bool {
	return s.options.GRPC != nil && r.ProtoMajor == 2 &&
		strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// interfacesOfGRPC returns those that the card lists in a generation.
func (s *Server) interfacesOfGRPC(base string, gen a2a.Generation) []a2a.AgentInterface {
	if s.options.GRPC == nil || !s.core.Serves(gen) {
		return nil
	}
	return s.options.GRPC.Interfaces(base, gen)
}

// shutdown lets everything that is open come to its end, on all ports.
func (s *Server) shutdown(ctx context.Context, srv *http.Server) error {
	if s.options.GRPC == nil {
		return srv.Shutdown(ctx)
	}
	other := make(chan error, 1)
	go func() { other <- s.options.GRPC.Shutdown(ctx) }()
	return errors.Join(srv.Shutdown(ctx), <-other)
}

// cut ends everything that is still open.
func (s *Server) cut(srv *http.Server) error {
	if s.options.GRPC != nil {
		s.options.GRPC.Close()
	}
	return srv.Close()
}
