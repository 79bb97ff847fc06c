// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
)

// silent is a Service that returns neither results nor errors.
type silent struct{ a2a.Service }

func (silent) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return nil, nil
}
func (silent) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) { return nil, nil }
func (silent) StreamMessage(context.Context, *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return nil, nil
}

func TestServiceThatReturnsNothing(t *testing.T) {
	t.Parallel()
	var logs syncBuffer
	srv, err := server.New(silent{}, &server.Options{Card: aCard(), Logger: slog.New(slog.NewTextHandler(&logs, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for path, method := range map[string]string{"/message:send": "POST", "/message:stream": "POST",
		"/tasks/t1": "GET"} {
		body := io.NopCloser(strings.NewReader(`{"message":` + hello + `}`))
		req := mustRequest(t, path)
		req.Method, req.Body, req.ContentLength = method, body, -1
		req.Header.Set("A2A-Version", "1.0")
		req.Header.Set("Content-Type", "application/json")
		w := newRecorder()
		srv.ServeHTTP(w, req)
		if fail := failureOf(t, string(w.pending)); w.status != 500 || fail.reason != "INTERNAL_ERROR" {
			t.Errorf("%s: %d %s", path, w.status, w.pending)
		}
	}
	if n := strings.Count(logs.String(), "neither a result nor an error"); n != 3 {
		t.Errorf("%d of 3 lines say what was wrong: %s", n, logs.String())
	}
}

// A panic of what the user plugs in beside the service is answered and logged as well.
func TestAuthenticatorPanics(t *testing.T) {
	t.Parallel()
	var logs syncBuffer
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logs, nil))
		o.Authenticator = auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) { panic("secret") })
	})
	for _, got := range []reply{rpc(t, ts, "GetTask", `{"id":"t1"}`), do(t, ts, "GET", "/tasks/t1", "")} {
		if got.status != 500 || failureOf(t, got.body).reason != "INTERNAL_ERROR" ||
			strings.Contains(got.body, "secret") {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if log := logs.String(); !strings.Contains(log, `error="internal error: panic: secret" stack="goroutine `) {
		t.Errorf("the log has %s", log)
	}
}

// A body that trickles in holds a connection only so long, and a body that ends early is the caller's fault.
func TestSlowAndShortBodies(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) { o.Limits.BodyTimeout = 50 * time.Millisecond })
	for name, test := range map[string]struct {
		close bool
		want  string
	}{
		"slow":  {false, "504"},
		"short": {true, "400"},
	} {
		conn, err := net.Dial("tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /message:send HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: "+
			"application/json\r\nContent-Length: 100\r\n\r\n{")
		if test.close {
			conn.(*net.TCPConn).CloseWrite()
		}
		answer, err := io.ReadAll(conn)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+test.want) {
			t.Errorf("%s: %v %s", name, err, answer)
		}
	}
}
