// SPDX-License-Identifier: Apache-2.0

// Package grpc makes clients speak gRPC (A2A 1.0 §10), by being imported:
//
//	import _ "github.com/dragoman-a2a/dragoman/client/grpc"
//
// From then on a client.Client calls interfaces with the binding GRPC: those of version 1.0 and, where
// client.Options.Generations allows it, of 0.3.
//
// # Addresses and TLS
//
// The standard writes the address of a gRPC interface as host:port, which does not say whether it is secured. Such an
// address is called with TLS, except on this machine (localhost and loopback addresses), where it is called without.
// An address may say it: https://host:port and grpcs://host:port are with TLS, http:// and grpc:// without. Without a
// port it is 443 or, without TLS, 80. The certificates that are trusted, and those that are shown, are those of
// client.Options.HTTPClient when its Transport is an *http.Transport, or has a method Unwrap that leads to one.
//
// Credentials and other service parameters travel as metadata. They are sent in the clear only where the above says so,
// never because TLS fails.
//
// # What client.Options means here
//
// Timeout, SendTimeout, MaxAnswer and MaxEvent are what they are elsewhere; the first two reach the agent as deadlines.
// HeaderTimeout is how long a stream is waited for to be refused: some agents say nothing before their first event, and
// such a stream counts as open then. IdleTimeout does not apply, because gRPC has no comments that keep a stream alive:
// the connection is asked for signs of life instead, every five minutes, as many servers end connections that ask more
// often.
package grpc

import (
	"crypto/tls"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	binding "github.com/dragoman-a2a/dragoman/internal/binding/grpc"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func init() {
	client.RegisterTransport(a2a.BindingGRPC, NewTransport)
}

// NewTransport is the client.NewTransport of gRPC, which importing this package registers. Nothing is dialed before the
// first call.
func NewTransport(iface a2a.AgentInterface, opts *client.Options) (client.Transport, error) {
	return newTransport(iface, opts)
}

// With returns a client.NewTransport that dials with further options: credentials of one's own, an interceptor, a
// dialer. They count before those of this package. To use it, register it:
//
//	client.RegisterTransport(a2a.BindingGRPC, grpc.With(ggrpc.WithTransportCredentials(creds)))
func With(dial ...grpc.DialOption) client.NewTransport {
	return func(iface a2a.AgentInterface, opts *client.Options) (client.Transport, error) {
		return newTransport(iface, opts, dial...)
	}
}

func newTransport(iface a2a.AgentInterface, opts *client.Options, dial ...grpc.DialOption) (client.Transport, error) {
	form, err := formOf(iface.ProtocolVersion, opts.RawFiles)
	if err != nil {
		return nil, err
	}
	addr, err := parse(iface.URL)
	if err != nil {
		return nil, err
	}
	creds := insecure.NewCredentials()
	if addr.secure {
		creds = credentials.NewTLS(tlsOf(opts.HTTPClient))
	}
	all := append(binding.DialOptions(),
		grpc.WithTransportCredentials(creds),
		grpc.WithUserAgent("dragoman"),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 5 * time.Minute, Timeout: 20 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2,
				MaxDelay: 5 * time.Second},
			MinConnectTimeout: 10 * time.Second,
		}),
		grpc.WithMaxHeaderListSize(256<<10),
	)
	conn, err := grpc.NewClient("dns:///"+addr.target, append(all, dial...)...)
	if err != nil {
		return nil, fmt.Errorf("its address %q cannot be used: %w", iface.URL, err)
	}
	return &transport{conn: conn, Remote: wire.Remote{Transport: &binding.Client{
		Conn: conn, Form: form,
		Timeout: opts.Timeout, SendTimeout: opts.SendTimeout, HeaderTimeout: opts.HeaderTimeout,
		MaxAnswer: int(min(opts.MaxAnswer, math.MaxInt32)), MaxEvent: min(opts.MaxEvent, math.MaxInt32),
	}}}, nil
}

// transport is the agent behind a connection.
type transport struct {
	wire.Remote
	conn *grpc.ClientConn
}

func (t *transport) Close() error { return t.conn.Close() }

func formOf(version string, rawFiles bool) (binding.Form, error) {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	gen := a2a.Generation(major + "." + minor)
	if major == "1" { // a minor version adds what older peers may ignore
		gen = a2a.Generation10
	}
	if form := binding.FormOf(gen, 0, rawFiles); form != nil {
		return form, nil
	}
	return nil, fmt.Errorf("version %q of the protocol has no gRPC", version)
}

// tlsOf returns the TLS settings of an HTTP client.
func tlsOf(c *http.Client) *tls.Config {
	if c != nil {
		below := c.Transport
		for wrapped, ok := below.(interface{ Unwrap() http.RoundTripper }); ok; wrapped,
			ok = below.(interface{ Unwrap() http.RoundTripper }) {
			below = wrapped.Unwrap()
		}
		if t, ok := below.(*http.Transport); ok && t.TLSClientConfig != nil {
			config := t.TLSClientConfig.Clone()
			config.NextProtos = nil // gRPC sets its own
			return config
		}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12}
}

// An address is where and how to call.
type address struct {
	target string // host:port
	secure bool
}

// parse reads the address of an interface.
func parse(raw string) (address, error) {
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		scheme, rest = "", raw
	}
	u, err := url.Parse("//" + rest)
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		u.User != nil {
		return address{}, fmt.Errorf("its address %q is not of the form host:port", raw)
	}
	var secure bool
	switch strings.ToLower(scheme) {
	case "":
		secure = !local(u.Hostname())
	case "https", "grpcs":
		secure = true
	case "http", "grpc":
	default:
		return address{}, fmt.Errorf("its address %q has a scheme that is none of https, http, grpcs and grpc", raw)
	}
	port := u.Port()
	if port == "" {
		port = "80"
		if secure {
			port = "443"
		}
	}
	return address{net.JoinHostPort(u.Hostname(), port), secure}, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761 §6.3
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
