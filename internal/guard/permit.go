// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// A Permit is what an operator lets connections go to besides the [Networks]. The addresses at which clouds keep
// credentials stay refused.
type Permit struct {
	Prefixes []netip.Prefix  // of private networks and this machine
	hosts    map[string]bool // names that may have addresses there
}

// hostName is a name of letters, digits, hyphens and underscores. Its last label begins with no digit: such a name may
// be an address in a form that some resolvers read.
var hostName = regexp.MustCompile(`^(?:[a-z0-9_-]{1,63}\.)*[a-z_][a-z0-9_-]{0,62}$`)

// ParsePermit reads host names, addresses, and prefixes such as 10.1.0.0/16.
func ParsePermit(entries []string) (*Permit, error) {
	p := &Permit{hosts: make(map[string]bool)}
	for _, entry := range entries {
		prefix, err := netip.ParsePrefix(entry)
		if addr, bad := netip.ParseAddr(entry); bad == nil {
			addr = addr.Unmap()
			prefix, err = addr.Prefix(addr.BitLen()) // drops a zone
		}
		name := normal(entry)
		switch {
		case err == nil && !inPrivate(prefix):
			return nil, fmt.Errorf("%q is not within a private network or this machine; public addresses need no "+
				"entry, "+
				"others cannot be allowed", entry)
		case err == nil:
			p.Prefixes = append(p.Prefixes, prefix.Masked())
		case len(name) <= 253 && hostName.MatchString(name):
			p.hosts[name] = true
		default:
			return nil, fmt.Errorf("%q is no host name, address or prefix; give one like hooks.example.com, 10.1.2.3 "+
				"or 10.1.0.0/16, without scheme and port, and an international name in its xn-- form", entry)
		}
	}
	return p, nil
}

func inPrivate(p netip.Prefix) bool {
	return slices.ContainsFunc(private, func(q netip.Prefix) bool {
		return q.Bits() <= p.Bits() &&
			q.Contains(p.Addr())
	})
}

// normal returns a host name in the form in which names are compared.
func normal(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// Dial returns a function like that of [Dial], which also connects to what is permitted. A nil resolver is that of the
// machine.
func (p *Permit) Dial(n Networks, names *net.Resolver) func(ctx context.Context, network, addr string) (net.Conn,
	error) {
	others, permitted := Dialer(n, p.Prefixes...), Dialer(Private)
	others.Resolver, permitted.Resolver = names, names
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, errors.Join(ErrRefused, err)
		}
		if p.hosts[normal(host)] {
			return permitted.DialContext(ctx, network, addr)
		}
		return others.DialContext(ctx, network, addr)
	}
}
