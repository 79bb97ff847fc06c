// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// special are the ranges of the IANA registries of special-purpose addresses for IPv4 and IPv6, as of November 2026,
// with multicast and the forms of IPv6 that hold an address of IPv4. Left out are those that the registries call
// globally reachable and that are no wrapping of others.
var special = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/29",
	"192.0.0.8/32", "192.0.0.170/31", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
	"::/128", "::1/128", "::127.0.0.1/128", "::ffff:127.0.0.1/128", "::ffff:10.0.0.0/104", "64:ff9b::/96",
	"64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/32", "2001:2::/48", "2001:10::/28", "2001:db8::/32",
	"2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
}

// private are the ranges that may be called as private networks.
var private = []string{"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128",
	"::ffff:127.0.0.1/128", "::ffff:10.0.0.0/104", "fc00::/7"}

func TestSpecialAddressesAreRefused(t *testing.T) {
	t.Parallel()
	mayBePrivate := make(map[string]bool)
	for _, text := range private {
		mayBePrivate[text] = true
	}
	for _, text := range special {
		prefix := netip.MustParsePrefix(text)
		for _, addr := range []netip.Addr{prefix.Masked().Addr(), lastOf(prefix)} {
			for _, n := range []guard.Networks{guard.Public, guard.Private} {
				err := guard.Check(t.Context(), n, addr.String())
				if want := n == guard.Public || !mayBePrivate[text]; errors.Is(err, guard.ErrRefused) != want {
					t.Errorf("%s of %s in %s: %v; refused is to be %v", addr, text, n, err, want)
				}
			}
		}
	}
	for _, addr := range []string{"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
		"172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255", "2606:4700::1111", "2a00::1"} {
		if err := guard.Check(t.Context(), guard.Public, addr); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// lastOf returns the last address of a range.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < len(b)*8; bit++ {
		b[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(b)
	return last
}

// Resolvers read addresses in forms that parsers of addresses do not know. Whatever a form means, it does not lead to
// this machine.
func TestNoTextLeadsToThisMachine(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	called := make(chan string, 1)
	go func() {
		if conn, err := l.Accept(); err == nil {
			called <- conn.RemoteAddr().String()
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range loopbackTexts() {
		conn, err := guard.Dial(guard.Public)(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			conn.Close()
			t.Errorf("%q connects", host)
		}
	}
	select {
	case from := <-called:
		t.Errorf("%s came through", from)
	default:
	}
	conn, err := guard.Dial(guard.Loopback)(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal("the listener cannot be called at all:", err)
	}
	conn.Close()
	<-called
}

// loopbackTexts returns the ways to write 127.0.0.1 that a resolver or a parser is known to read.
func loopbackTexts() []string {
	texts := []string{"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1",
		"017700000001", "0177.0.0.1", "0177.0x0.0.1", "127.0.0.1.", "127.000.000.001", "0", "0.0.0.0", "localhost",
		"LOCALHOST", "localhost.", "localhost.localdomain", "ip6-localhost",
		"::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1",
		"::ffff:7f00:1", "::127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "::1%lo", "::", "[::1]",
		"１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "127.0.0.1%00.example.com", "127.0.0.1\x00.example.com"}
	for last := range 3 {
		texts = append(texts, fmt.Sprintf("127.0.0.%d", 1+last), strings.Repeat("0", last)+"127.0.0.1")
	}
	return texts
}
