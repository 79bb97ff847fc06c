// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// nowhere is a ResponseWriter that costs nothing, so that a benchmark shows what the server costs.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header         { return w.header }
func (w nowhere) WriteHeader(int)             {}
func (w nowhere) Write(b []byte) (int, error) { return len(b), nil }

func (w nowhere) SetReadDeadline(time.Time) error  { return nil }
func (w nowhere) SetWriteDeadline(time.Time) error { return nil }

func BenchmarkSend(b *testing.B) {
	srv, err := server.New(&fake{}, &server.Options{Card: aCard(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	for name, test := range map[string]struct{ path, body string }{
		"jsonrpc": {"/", `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":` + hello + `}}`},
		"rest":    {"/message:send", `{"message":` + hello + `}`},
	} {
		b.Run(name, func(b *testing.B) {
			req, err := http.NewRequestWithContext(context.Background(), "POST", test.path, nil)
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("A2A-Version", "1.0")
			req.Header.Set("Content-Type", "application/json")
			req.ContentLength = int64(len(test.body))
			b.ReportAllocs()
			for b.Loop() {
				req.Body = io.NopCloser(strings.NewReader(test.body))
				srv.ServeHTTP(nowhere{http.Header{}}, req)
			}
		})
	}
}

// BenchmarkEvent is one event to one subscriber, beyond what net/http does.
func BenchmarkEvent(b *testing.B) {
	event := a2a.NewStreamEvent("1", statusUpdate("some words"))
	f := &fake{events: func(yield func(a2a.StreamEvent, error) bool) {
		for b.Loop() {
			if !yield(event, nil) {
				return
			}
		}
	}}
	srv, err := server.New(f, &server.Options{Card: aCard(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	w := flushing{nowhere{http.Header{}}}
	srv.ServeHTTP(w, subscribeRequest(context.Background()))
}

type flushing struct{ nowhere }

func (flushing) Flush() {}
