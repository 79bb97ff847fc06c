// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/guard"
)

func TestDial(t *testing.T) {
	t.Parallel()
	for addr, allowed := range map[string][]guard.Networks{
		"127.0.0.1:1":                 {guard.Loopback, guard.Private},
		"[::1]:1":                     {guard.Loopback, guard.Private},
		"localhost:1":                 {guard.Loopback, guard.Private},
		"[::ffff:127.0.0.1]:1":        {guard.Loopback, guard.Private},
		"0.0.0.0:1":                   {},
		"169.254.169.254:80":          {},
		"[fe80::1]:80":                {},
		"224.0.0.1:80":                {},
		"[::]:80":                     {},
		"[64:ff9b::7f00:1]:80":        {},
		"[::ffff:169.254.169.254]:80": {},
	} {
		for _, n := range []guard.Networks{"", guard.Public, guard.Loopback, guard.Private} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			conn, err := guard.Dial(n)(ctx, "tcp", addr)
			cancel()
			if err == nil {
				conn.Close()
			}
			want := true
			for _, a := range allowed {
				want = want && a != n
			}
			if got := errors.Is(err, guard.ErrRefused); got != want {
				t.Errorf("%s in %q: %v; refused is %v, want %v", addr, n, err, got, want)
			}
		}
	}
}

// Private networks need not exist here: that they are not refused shows before anything is sent.
func TestPrivateNetworks(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, addr := range []string{"10.0.0.1:1", "172.16.0.1:1", "192.168.0.1:1", "[fd00::1]:1"} {
		if _, err := guard.Dial(guard.Private)(ctx, "tcp", addr); errors.Is(err, guard.ErrRefused) {
			t.Errorf("%s: %v", addr, err)
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		if _, err := guard.Dial(guard.Loopback)(short, "tcp", addr); !errors.Is(err, guard.ErrRefused) {
			t.Errorf("%s: %v", addr, err)
		}
		stop()
	}
}

// Where clouds keep the credentials of a machine nobody is let, also not into private networks.
func TestMetadataOfClouds(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"169.254.169.254:80", "[fd00:ec2::254]:80", "100.100.100.200:80",
		"[::ffff:100.100.100.200]:80",
		"[fd20:ce::254]:80", "168.63.129.16:80", "[::ffff:168.63.129.16]:32526"} {
		for _, n := range []guard.Networks{guard.Public, guard.Loopback, guard.Private} {
			short, stop := context.WithTimeout(t.Context(), time.Second)
			if _, err := guard.Dial(n)(short, "tcp", addr); !errors.Is(err, guard.ErrRefused) {
				t.Errorf("%s in %s: %v", addr, n, err)
			}
			stop()
		}
	}
}

func TestRedirectsAreJudgedToo(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.RedirectHandler("http://169.254.169.254/latest", http.StatusFound))
	defer s.Close()
	transport := guard.Transport(guard.Dial(guard.Loopback))
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(s.URL)
	if err == nil {
		resp.Body.Close()
	}
	if !errors.Is(err, guard.ErrRefused) {
		t.Errorf("got %v", err)
	}
	if _, ok := errors.AsType[*net.OpError](err); !ok {
		t.Errorf("it was refused before it was dialled: %v", err)
	}
}

func TestTransportUsesNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	if guard.Transport(guard.Dial(guard.Public)).Proxy != nil {
		t.Error("a proxy dials out of the guard's sight")
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	if !guard.Private.Valid() || guard.Networks("").Valid() || guard.Networks("all").Valid() {
		t.Error("only the constants are valid")
	}
}

func TestCheckTellsInAdvance(t *testing.T) {
	t.Parallel()
	for host, allowed := range map[string]bool{
		"127.0.0.1": true, "localhost": true, "::1": true, "8.8.8.8": true, "no-such-host.invalid": true,
		"10.1.2.3": false, "169.254.169.254": false, "::ffff:10.1.2.3": false, "fe80::1": false,
	} {
		err := guard.Check(t.Context(), guard.Loopback, host)
		if allowed && err != nil || !allowed && !errors.Is(err, guard.ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
}
