// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// closeGrace is how long requests get to say goodbye once they were told to end.
const closeGrace = time.Second

// ListenAndServe serves on a TCP address such as "127.0.0.1:8080" until ctx ends, see [Server.Serve].
func (s *Server) ListenAndServe(ctx context.Context, addr string) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	return s.Serve(ctx, ln)
}

// Serve serves on ln, which it closes, until ctx ends: over HTTP/1.1 and HTTP/2, with TLS if the options say so. Then
// it drains: /readyz says so and, after Options.DrainDelay, nothing new is accepted, open requests and streams come to
// their end or, after Options.DrainTimeout, are told that the server shuts down. It returns nil after a drain. A server
// serves once.
//
// On a loopback address, and without Options.URL, it answers only requests whose host is a name of this machine, so
// that no web page reaches it under a name of its own.
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	err := srv.ListenAndServe(ctx, "127.0.0.1:8080")
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	config, err := s.tlsConfig()
	if err != nil {
		ln.Close()
		return err
	}
	requests, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	srv := s.httpServer(requests, config)
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() && s.options.URL == "" {
		srv.Handler = s.localOnly()
	}
	if s.options.GRPC != nil {
		if err := s.options.GRPC.Listen(ctx, requests, config); err != nil {
			ln.Close()
			return err
		}
		defer s.options.GRPC.Close()
	}
	s.announce(ctx, ln.Addr(), config != nil)

	failed := make(chan error, 1)
	listening, ended := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer ended()
		if config != nil {
			failed <- srv.ServeTLS(ln, "", "")
		} else {
			failed <- srv.Serve(ln)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("server: %w", err)
	case <-ctx.Done():
	}
	s.awaitBalancer(listening)
	err = s.drain(ctx, srv, cancel)
	<-failed
	return err
}

func (s *Server) tlsConfig() (*tls.Config, error) {
	if s.options.TLS == nil && s.options.CertFile == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.options.TLS != nil {
		config = s.options.TLS.Clone()
	}
	if s.options.CertFile != "" {
		cert, err := tls.LoadX509KeyPair(s.options.CertFile, s.options.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("server: loading the certificate: %w", err)
		}
		config.Certificates = append(config.Certificates, cert)
	}
	return config, nil
}

func (s *Server) httpServer(requests context.Context, config *tls.Config) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           s.options.Handler,
		TLSConfig:         config,
		Protocols:         &protocols,
		ReadHeaderTimeout: s.options.Limits.HeaderTimeout,
		IdleTimeout:       s.options.Limits.IdleTimeout,
		MaxHeaderBytes:    64 << 10,
		// One connection may carry all streams of a caller, who then meets our limit, which says so, first.
		HTTP2:       &http.HTTP2Config{MaxConcurrentStreams: s.options.Limits.StreamsPerOwner + 100},
		BaseContext: func(net.Listener) context.Context { return binding.Serving(requests) },
		ErrorLog:    httpserver.ErrorLog(s.options.Logger),
	}
}

// announce makes the bound address the base URL of the card, and tells whoever wants to know.
func (s *Server) announce(ctx context.Context, addr net.Addr, secure bool) {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	local := scheme + "://" + addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok {
		if tcp.IP.IsUnspecified() {
			port := strconv.Itoa(tcp.Port)
			local = scheme + "://" + net.JoinHostPort("localhost", port)
			s.port.Store(&port)
		} else if s.options.URL == "" {
			s.root.Store(&local)
		}
		if !secure && !tcp.IP.IsLoopback() {
			s.options.Logger.WarnContext(ctx,
				"serving plain http beyond this machine: everybody on the way can read and change it; set a "+
					"certificate, or put a proxy with TLS in front", "addr", addr.String())
		}
	}
	if s.options.OnReady != nil {
		s.options.OnReady(addr, local)
	}
}

// DefaultDrainDelay is what Options.DrainDelay is when it is 0 and /readyz was asked for in the last minute.
const DefaultDrainDelay = 5 * time.Second

// watchedFor is how long after a request for /readyz a load balancer is taken to watch the server.
const watchedFor = time.Minute

// drainDelay returns how long to go on taking requests.
func (s *Server) drainDelay(now time.Time) time.Duration {
	if s.options.DrainDelay != 0 {
		return max(s.options.DrainDelay, 0)
	}
	if asked := s.asked.Load(); asked != 0 && now.Sub(time.Unix(0, asked)) < watchedFor {
		return DefaultDrainDelay
	}
	return 0
}

// awaitBalancer says at /readyz that the server drains and goes on for the drain delay, unless it can take no more
// connections anyway.
func (s *Server) awaitBalancer(listening context.Context) {
	s.draining.Store(true)
	delay := time.NewTimer(s.drainDelay(time.Now()))
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-listening.Done():
	}
}

// drain brings everything to its end within the drain timeout.
func (s *Server) drain(ctx context.Context, srv *http.Server, cancel context.CancelCauseFunc) error {
	if s.options.GRPC != nil {
		s.options.GRPC.Drain()
	}
	drain, stop := context.WithTimeout(context.WithoutCancel(ctx), s.options.DrainTimeout)
	defer stop()
	quiet := make(chan error, 1)
	go func() { quiet <- s.shutdown(drain, srv) }()

	var err error
	if s.options.OnDrain != nil {
		err = s.options.OnDrain(drain)
		cancel(binding.ShuttingDown)
	}
	if <-quiet == nil {
		return err
	}
	cancel(binding.ShuttingDown)
	grace, stopGrace := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer stopGrace()
	if s.shutdown(grace, srv) == nil {
		return err
	}
	s.options.Logger.WarnContext(ctx, "cutting requests that did not end", "after", s.options.DrainTimeout)
	return errors.Join(err, s.cut(srv))
}
