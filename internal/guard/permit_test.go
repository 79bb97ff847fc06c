// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/idna"

	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// namesAt returns a resolver for which each name has the address.
func namesAt(addr string) *net.Resolver {
	ip := netip.MustParseAddr(addr).As4()
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(ours, size[:]); err != nil {
					return
				}
				request := make([]byte, binary.BigEndian.Uint16(size[:]))
				var m dnsmessage.Message
				if _, err := io.ReadFull(ours, request); err != nil || m.Unpack(request) != nil {
					return
				}
				m.Response, m.Additionals = true, nil
				for _, q := range m.Questions {
					if q.Type == dnsmessage.TypeA {
						m.Answers = append(m.Answers, dnsmessage.Resource{Body: &dnsmessage.AResource{A: ip},
							Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}})
					}
				}
				answer, err := m.AppendPack(make([]byte, 2))
				if err != nil {
					return
				}
				binary.BigEndian.PutUint16(answer, uint16(len(answer)-2))
				if _, err := ours.Write(answer); err != nil {
					return
				}
			}
		}()
		return theirs, nil
	}}
}

func TestPermit(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, c := range []struct {
		entry, host, names string
		allowed            bool
	}{
		{"hook.example", "hook.example", "127.0.0.1", true},
		{"Hook.Example.", "hook.example", "127.0.0.1", true},
		{"hook.example", "HOOK.example.", "127.0.0.1", true},
		{"hook.example", "x.hook.example", "127.0.0.1", false},
		{"hook.example", "hook.example.org", "127.0.0.1", false},
		{"hook.example", "127.0.0.1", "127.0.0.1", false},
		{"hook.example", "hook.example", "169.254.169.254", false},
		{"hook.example", "hook.example", "100.100.100.200", false},
		{"hook.example", "hook.example", "0.0.0.0", false},
		{"127.0.0.1", "127.0.0.1", "127.0.0.1", true},
		{"::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1", true},
		{"127.0.0.0/30", "::ffff:127.0.0.1", "127.0.0.1", true},
		{"127.0.0.0/30", "any.example", "127.0.0.1", true},
		{"127.0.0.0/30", "any.example", "127.0.0.4", false},
		{"127.0.0.2", "any.example", "127.0.0.1", false},
		{"100.64.0.0/10", "any.example", "100.100.100.200", false},
		{"10.0.0.0/8", "any.example", "127.0.0.1", false},
	} {
		p, err := guard.ParsePermit([]string{"other.example", c.entry})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := p.Dial(guard.Public, namesAt(c.names))(t.Context(), "tcp", net.JoinHostPort(c.host, port))
		if err == nil {
			conn.Close()
		}
		if c.allowed && err != nil || !c.allowed && !errors.Is(err, guard.ErrRefused) {
			t.Errorf("%s at %s with %s permitted: %v", c.host, c.names, c.entry, err)
		}
	}
}

func TestPermitRefusesEntries(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"", ".", "0.0.0.0/0", "::/0", "8.8.8.8", "169.254.169.254", "169.254.0.0/16",
		"10.0.0.0/7", "64:ff9b::/96", "::ffff:10.0.0.0/104", "127.1", "0x7f.1", "017700000001", "2130706433",
		"0x7f000001",
		"https://hook.example", "hook.example:443", "user@hook.example", "hook.example/x", "*.example", "a..b",
		"hook。example", "bücher.example", "fe80::1%lo", "hook.example\x00", strings.Repeat("a.", 130) + "a"} {
		if _, err := guard.ParsePermit([]string{entry}); err == nil {
			t.Errorf("%q is taken", entry)
		}
	}
}

var errNotSent = errors.New("nothing leaves this test")

// Parsers of URLs differ in what they read as the host. The guard dials the host that net/url reads, and connects to
// the address in the URL or to none: here each name has an address of this machine, which is refused.
func FuzzURL(f *testing.F) {
	for _, text := range []string{"http://]0", "http://8.8.8.8/", "http://user@8.8.8.8:80/",
		"http://8.8.8.8@127.0.0.1/",
		"http://127.0.0.1\\@8.8.8.8/", "http://8.8.8.8\\.example/",
		"http://127。0。0。1/", "http://１２７.0.0.1/",
		"http://8.8.8.8。/", "http://127.0.0.1%2f@8.8.8.8/", "http://8.8.8.8%00.example/", "http://8.8.8.8./",
		"http://127.0.0.1./", "http://0177.0.0.1/", "http://0x7f.1/", "http://127.1/", "http://2130706433/",
		"http://[::ffff:7f00:1]/", "http://[::1%25lo]/", "http://[2606:4700::1111]:8080/", "http://8.8.8.8:/",
		"http://8.8.8.8#@127.0.0.1/", "http://8.8.8.8?@127.0.0.1/", "http:///127.0.0.1/", "http:127.0.0.1",
		"//127.0.0.1/", "http://hook.example:65536/", "https://bücher.example/", "http://ⓔxample.com/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		host := u.Hostname()
		if ascii, err := idna.Lookup.ToASCII(host); err == nil && strings.IndexFunc(host, notASCII) >= 0 {
			host = ascii
		}
		dialer := guard.Dialer(guard.Public)
		dialer.Resolver = namesAt("127.0.0.1")
		judge := dialer.ControlContext
		dialer.ControlContext = func(ctx context.Context, network, addr string, c syscall.RawConn) error {
			if err := judge(ctx, network, addr, c); err != nil {
				return err
			}
			to := netip.MustParseAddrPort(addr).Addr().WithZone("")
			if stated, err := netip.ParseAddr(host); err != nil || stated.Unmap().WithZone("") != to.Unmap() {
				t.Errorf("%q leads to %s, but its host is %q", text, addr, host)
			}
			return errNotSent
		}
		transport := guard.Transport(func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dialled, _, err := net.SplitHostPort(addr); err == nil && dialled != host { // else the dialer refuses it
				t.Errorf("%q dials %q, but its host is %q", text, addr, host)
			}
			return dialer.DialContext(ctx, network, addr)
		})
		if resp, err := (&http.Client{Transport: transport}).Get(text); err == nil {
			resp.Body.Close()
			t.Errorf("%q is answered", text)
		}
	})
}

func notASCII(r rune) bool { return r >= 0x80 }
