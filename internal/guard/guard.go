// SPDX-License-Identifier: Apache-2.0

// Package guard makes connections to addresses that strangers chose, and keeps them out of networks that are none of
// the strangers' business: who can make a server ask any address can look around behind its firewall.
//
// The address is judged after its name was resolved and right before it is dialled, so that neither a name that means
// something else a moment later nor a redirect gets around it.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Networks says where connections may go.
type Networks string

// The networks. Link-local addresses, where clouds have their metadata, and multicast are in none of them.
const (
	Public   Networks = "public"   // addresses of the internet only
	Loopback Networks = "loopback" // and this machine
	Private  Networks = "private"  // and private networks
)

// ErrRefused is wrapped by the error of a connection that may not be made.
var ErrRefused = errors.New("the address is in a network that may not be called")

var (
	loopback = prefixes("127.0.0.0/8", "::1/128")
	private  = append(prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
		"100.64.0.0/10", "fc00::/7"), loopback...)
)

// metadata are addresses, in private networks and even public ones, at which clouds tell a machine its credentials or
// configuration: those of Amazon and Google over IPv6, of Alibaba, and of Azure.
var metadata = prefixes("fd00:ec2::254/128", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32")

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// Valid reports whether n is one of the constants.
func (n Networks) Valid() bool { return n == Public || n == Loopback || n == Private }

// Dial returns a function that connects to TCP addresses in the networks, for http.Transport and others. Networks that
// are none of the constants count as Public.
func Dial(n Networks) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return Dialer(n).DialContext
}

// Dialer returns the dialer of [Dial], to which tests give another resolver.
// Addresses in also are permitted too.
func Dialer(n Networks, also ...netip.Prefix) *net.Dialer {
	judge := n.judge(also)
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	dialer.ControlContext = func(_ context.Context, _, addr string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(addr)
		if err != nil {
			return fmt.Errorf("%w: %s", ErrRefused, addr)
		}
		return judge(to.Addr())
	}
	return dialer
}

// judge returns a function that refuses the addresses that are neither in the networks nor in also.
func (n Networks) judge(also []netip.Prefix) func(netip.Addr) error {
	allowed := slices.Clone(also)
	switch n {
	case Loopback:
		allowed = append(allowed, loopback...)
	case Private:
		allowed = append(allowed, private...)
	}
	judge := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(allowed...),
		ssrf.WithAllowedV6Prefixes(allowed...))
	return func(addr netip.Addr) error {
		ip := addr.Unmap().WithZone("")
		isMetadata := slices.ContainsFunc(metadata, func(p netip.Prefix) bool { return p.Contains(ip) })
		if judge.SafeAddr(ip) != nil || isMetadata {
			return fmt.Errorf("%w: %s is not in the networks that count as %s", ErrRefused, addr, n)
		}
		return nil
	}
}

// Check tells in advance whether a host, given by name or address, is one that [Dial] refuses to connect to: the error
// wraps ErrRefused then. One address outside of the networks is enough. A name that cannot be resolved is not refused.
// It is no substitute for Dial, as names may mean something else a moment later.
func Check(ctx context.Context, n Networks, host string, also ...netip.Prefix) error {
	judge := n.judge(also)
	if addr, err := netip.ParseAddr(host); err == nil {
		return judge(addr)
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil
	}
	for _, addr := range addrs {
		if err := judge(addr); err != nil {
			return err
		}
	}
	return nil
}

// Transport returns an HTTP transport whose connections dial makes. It uses no proxy, which would dial by itself.
func Transport(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  10 * time.Second,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    2,
		MaxResponseHeaderBytes: 64 << 10,
	}
}
