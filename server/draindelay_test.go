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
			for {
				select {
				case err := <-done:
					if err != nil {
						t.Error(err)
					}
					took := time.Since(began)
					if test.longer && (seen == 0 || took < time.Second) || !test.longer && took > time.Second {
						t.Errorf("the server ended after %v, and said %d times that it would", took, seen)
					}
					return
				default:
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
