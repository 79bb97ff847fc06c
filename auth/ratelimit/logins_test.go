// SPDX-License-Identifier: Apache-2.0

package ratelimit_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
)

// logins returns a function that sends a header from an address.
func logins(t *testing.T, by auth.Authenticator) func(address, header, value string) error {
	t.Helper()
	by = ratelimit.Logins(by)
	return func(address, header, value string) error {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://agent.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.RemoteAddr = address
		if header != "" {
			r.Header.Set(header, value)
		}
		_, err = by.Authenticate(r)
		return err
	}
}

func TestGuessesAreBounded(t *testing.T) {
	t.Parallel()
	ann, bob := a2a.Identity{Subject: "ann"}, a2a.Identity{Subject: "bob"}
	for name, c := range map[string]struct {
		by            auth.Authenticator
		header, begin string // of the value
	}{
		"token": {auth.Tokens(map[string]a2a.Identity{"ann's": ann, "bob's": bob}), "Authorization", "Bearer "},
		"key in a header": {auth.APIKeys("header", "X-Key", map[string]a2a.Identity{"ann's": ann, "bob's": bob}),
			"X-Key",
			""},
		"key in a cookie": {auth.APIKeys("cookie", "key", map[string]a2a.Identity{"ann's": ann, "bob's": bob}),
			"Cookie",
			"key="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				send := logins(t, c.by)
				const proxy = "192.0.2.1:1000"
				if err := send(proxy, c.header, c.begin+"ann's"); err != nil {
					t.Fatal(err)
				}
				for i := range 20 {
					if err := send(proxy, c.header, c.begin+fmt.Sprint(i)); !errors.Is(err, a2a.ErrUnauthenticated) {
						t.Fatalf("guess %d: %v", i, err)
					}
				}
				limited := func(err error, wait time.Duration) {
					t.Helper()
					if e := a2a.AsError(err); err == nil || e.Kind != a2a.ErrRateLimited || e.RetryAfter != wait {
						t.Errorf("%v, want one to wait for %v", err, wait)
					}
				}
				limited(send(proxy, c.header, c.begin+"x"), 3*time.Second)
				limited(send("192.0.2.1:2000", c.header, c.begin+"bob's"), 3*time.Second) // right, but unknown there
				for _, err := range []error{
					send(proxy, c.header, c.begin+"ann's"), // is known
					send("192.0.2.2:1000", c.header, c.begin+"bob's"),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				if err := send(proxy, "", ""); !errors.Is(err, auth.ErrMissing) {
					t.Errorf("without credentials: %v", err)
				}
				time.Sleep(3 * time.Second)
				if err := send(proxy, c.header, c.begin+"x"); !errors.Is(err, a2a.ErrUnauthenticated) {
					t.Errorf("three seconds later: %v", err)
				}
				limited(send(proxy, c.header, c.begin+"x"), 3*time.Second)
			})
		})
	}
}

// Neighbours in IPv6 are one caller, who has 2^64 addresses. Credentials that were good and are no more are no guess,
// nor is a provider that is down.
func TestWhatCountsAsAGuess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fails := error(nil)
		send := logins(t, auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			return a2a.Identity{Subject: "ann"}, fails
		}))
		if err := send("[2001:db8::1]:1", "Authorization", "Bearer old"); err != nil {
			t.Fatal(err)
		}
		fails = a2a.NewError(a2a.ErrUnavailable, "the provider is down")
		for range 30 {
			if err := send("[2001:db8::1]:1", "Authorization", "Bearer new"); !errors.Is(err, a2a.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		fails = a2a.NewError(a2a.ErrUnauthenticated, "it has expired")
		for range 30 {
			if err := send("[2001:db8::1]:1", "Authorization", "Bearer old"); !errors.Is(err, a2a.ErrUnauthenticated) {
				t.Fatal(err)
			}
		}
		for i := range 20 {
			send(fmt.Sprintf("[2001:db8::%d]:1", i), "Authorization", fmt.Sprint("Bearer ", i))
		}
		if err := send("[2001:db8::ffff]:1", "Authorization", "Bearer x"); !errors.Is(err, a2a.ErrRateLimited) {
			t.Errorf("from a neighbour: %v", err)
		}
		if err := send("[2001:db8:0:1::1]:1", "Authorization", "Bearer x"); !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("from another network: %v", err)
		}
	})
}

func TestLoginsKeepsSchemes(t *testing.T) {
	t.Parallel()
	token := ratelimit.Logins(auth.Token("secret", a2a.Identity{Subject: "ann"}))
	if _, ok := token.(auth.Schemed); !ok {
		t.Error("the schemes are lost")
	}
	if again := ratelimit.Logins(token); again != token {
		t.Error("it is counted twice")
	}
	if _, ok := ratelimit.Logins(auth.AuthenticatorFunc(nil)).(auth.Schemed); ok {
		t.Error("there are schemes from nowhere")
	}
	if ratelimit.Logins(nil) != nil {
		t.Error("nil is not left alone")
	}
}
