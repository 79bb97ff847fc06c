// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/server"
)

// TestDrainDelay has a balancer see that the server ends while it still takes connections.
func TestDrainDelay(t *testing.T) {
	for name, test := range map[string]struct {
		delay   time.Duration
		watched bool // /readyz is asked for before
		longer  bool // the server takes connections for a while after it was told to end
	}{
		"said":          {2 * time.Second, false, true},
		"by itself":     {0, true, true},
		"never":         {-1, true, false},
		"not looked at": {0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ready := make(chan string, 1)
			srv, err := server.New(&fake{}, &server.Options{
				Card: aCard(), Logger: slog.New(slog.DiscardHandler), DrainDelay: test.delay,
				OnReady: func(_ net.Addr, url string) { ready <- url },
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			done := make(chan error, 1)
			go func() { done <- srv.ListenAndServe(ctx, "127.0.0.1:0") }()
			url := <-ready
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			status := func() int {
				res, err := client.Get(url + "/readyz")
				if err != nil {
					return 0 // it takes no connection
				}
				res.Body.Close()
				return res.StatusCode
			}
			if test.watched && status() != http.StatusOK {
				t.Fatal("the server is not ready")
			}
			began := time.Now()
			stop()
			seen := 0
			look := time.NewTicker(20 * time.Millisecond)
			defer look.Stop()
			deadline := time.After(30 * time.Second)
			for {
				select {
				case <-deadline:
					t.Fatal("the server did not end")
				case err := <-done:
					if err != nil {
						t.Error(err)
					}
					took := time.Since(began)
					if test.longer && (seen == 0 || took < time.Second) || !test.longer && took > time.Second {
						t.Errorf("the server ended after %v, and said %d times that it would", took, seen)
					}
					return
				case <-look.C:
				}
				switch status() {
				case http.StatusServiceUnavailable:
					seen++
				case http.StatusOK:
					if seen > 0 {
						t.Error("the server is ready once more")
					}
				}
			}
		})
	}
}

// TestDrainDelayEndsWithTheListener closes the listener of a server that would take connections for an hour more.
func TestDrainDelayEndsWithTheListener(t *testing.T) {
	t.Parallel()
	srv, err := server.New(&fake{}, &server.Options{Card: aCard(), Logger: slog.New(slog.DiscardHandler),
		DrainDelay: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, ln) }()
	stop()
	url := "http://" + ln.Addr().String() + "/readyz"
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for range look.C {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode == http.StatusServiceUnavailable {
			break
		}
	}
	ln.Close()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server waits with nothing to accept")
	}
}
