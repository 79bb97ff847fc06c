// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/push"
)

// A fickleName is a DNS server on this machine. Each name has the address that the server has at the moment.
type fickleName struct {
	mu   sync.Mutex
	addr netip.Addr
}

func (f *fickleName) become(addr string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.addr = netip.MustParseAddr(addr)
}

// resolver serves until the test ends, and returns what asks the server.
func (f *fickleName) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer, err := f.answer(buf[:n]); err == nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (f *fickleName) answer(request []byte) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var m dnsmessage.Message
	if err := m.Unpack(request); err != nil {
		return nil, err
	}
	m.Response, m.Additionals = true, nil
	for _, q := range m.Questions {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: f.addr.As4()}})
		}
	}
	return m.Pack()
}

// The name of a webhook that worked comes to mean denied addresses. They are never dialled, and the events go on when
// the name means the webhook again.
func TestRebinding(t *testing.T) {
	t.Parallel()
	denied := []string{"169.254.169.254", "100.100.100.200", "168.63.129.16", "0.0.0.0", "224.0.0.1"}
	name := new(fickleName)
	name.become("127.0.0.1")
	const before = 3 // requests at the webhook
	next := 0
	hook := newWebhook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close") // the next request resolves anew
		if n == before {
			name.become(denied[0])
		}
	})
	b := newBed(t, push.Options{Schedule: slices.Repeat([]time.Duration{10 * time.Millisecond}, 1000)})
	dialer := guard.Dialer(guard.Private)
	dialer.Resolver = name.resolver(t)
	var mu sync.Mutex
	dialled, refused := map[string]bool{}, 0
	judge := dialer.ControlContext
	dialer.ControlContext = func(ctx context.Context, network, addr string, c syscall.RawConn) error {
		err := judge(ctx, network, addr, c)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			dialled[addr] = true
			return nil
		}
		refused++
		if next++; next < len(denied) {
			name.become(denied[next])
		} else {
			name.become("127.0.0.1")
		}
		return err
	}
	b.sender.DialBy(dialer)
	url := strings.Replace(hook.URL, "127.0.0.1", "hook.example", 1)
	b.send(t, as(t, a2a.Generation10), "5", &a2a.PushConfig{URL: url})
	got := hook.until(t, completed)
	mu.Lock()
	defer mu.Unlock()
	if host := strings.TrimPrefix(hook.URL, "http://"); len(dialled) != 1 || !dialled[host] {
		t.Errorf("dialled %v", dialled)
	}
	if refused != len(denied) {
		t.Errorf("%d connections were refused, want %d", refused, len(denied))
	}
	ids := map[string]bool{}
	for _, r := range got {
		ids[r.header.Get(push.HeaderID)] = true
	}
	if len(ids) != len(got) || len(got) < 7 {
		t.Errorf("%d requests with %d ids", len(got), len(ids))
	}
}
