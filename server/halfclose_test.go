// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// A halfClose is a server whose callers close their sending side. Its service waits for the test before it continues.
type halfClose struct {
	*running
	closed chan struct{} // net/http has seen that a caller sends nothing more
	goOn   chan struct{} // closed to let the service answer
	ended  chan error    // why a context of the service ended before that
}

func startHalfClose(t *testing.T, opts *server.Options) *halfClose {
	h := &halfClose{closed: make(chan struct{}, 10), goOn: make(chan struct{}), ended: make(chan error, 10)}
	var requests context.Context
	wait := func(ctx context.Context) bool {
		select {
		case <-h.goOn:
			return true
		case <-ctx.Done():
			h.ended <- context.Cause(ctx)
			return false
		}
	}
	svc := &fake{onCall: func(ctx context.Context) { requests = ctx }}
	svc.events = func(yield func(a2a.StreamEvent, error) bool) {
		ctx := requests
		working := &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}
		switch {
		case !yield(a2a.NewStreamEvent("1", working), nil):
		case wait(ctx):
			yield(a2a.NewStreamEvent("2", aTask()), nil)
		default:
			yield(a2a.StreamEvent{}, context.Cause(ctx))
		}
	}
	opts.Card = aCard()
	opts.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer context.AfterFunc(r.Context(), func() { h.closed <- struct{}{} })()
		h.ServeHTTP(w, r)
	})
	h.running = start(t, &halfCloseService{svc, wait}, "127.0.0.1:0", opts)
	return h
}

type halfCloseService struct {
	*fake
	wait func(context.Context) bool
}

func (s *halfCloseService) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if !s.wait(ctx) {
		return nil, ctx.Err()
	}
	return s.fake.SendMessage(ctx, r)
}

// The ways to send a message in HTTP/1, by path and body.
const (
	sendParams = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`
	sendRPC    = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + sendParams + `}`
	streamRPC  = `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":` + sendParams + `}`
)

func (h *halfClose) call(t *testing.T, path, body string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", path, len(body), body)
	return conn.(*net.TCPConn)
}

// readUntil reads until text has come, and returns all that came.
func readUntil(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	var got strings.Builder
	for b := make([]byte, 1024); !strings.Contains(got.String(), text); {
		n, err := conn.Read(b)
		if got.Write(b[:n]); err != nil {
			t.Fatalf("%v, want %q in %s", err, text, got.String())
		}
	}
	return got.String()
}

// A caller that closes its sending side after the request gets all of its answer.
func TestHalfClosedCallersAreAnswered(t *testing.T) {
	t.Parallel()
	for name, request := range map[string][2]string{
		"stream over JSON-RPC":     {"/", streamRPC},
		"stream over HTTP+JSON":    {"/message:stream", sendParams},
		"subscribe over HTTP+JSON": {"/tasks/t1:subscribe", "{}"},
		"send over JSON-RPC":       {"/", sendRPC},
		"send over HTTP+JSON":      {"/message:send", sendParams},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := startHalfClose(t, &server.Options{})
			conn := h.call(t, request[0], request[1])
			conn.CloseWrite()
			<-h.closed
			stream := !strings.HasPrefix(name, "send")
			if stream {
				readUntil(t, conn, "keep-alive") // the server has noticed
			}
			close(h.goOn)
			rest, err := io.ReadAll(conn)
			if err != nil || !strings.Contains(string(rest), "TASK_STATE_COMPLETED") ||
				stream && !strings.HasSuffix(string(rest), "\r\n0\r\n\r\n") {
				t.Errorf("%v: %s", err, rest)
			}
			h.stop()
			if err := <-h.done; err != nil {
				t.Error(err)
			}
		})
	}
}

// A caller that has gone ends its stream soon, although neither the service nor the timer of the stream writes.
func TestGoneReadersAreNoticed(t *testing.T) {
	t.Parallel()
	h := startHalfClose(t, &server.Options{Limits: server.Limits{KeepAlive: time.Hour}})
	conn := h.call(t, "/message:stream", sendParams)
	readUntil(t, conn, "TASK_STATE_WORKING")
	conn.Close()
	select {
	case <-h.ended:
	case <-time.After(10 * time.Second):
		t.Error("the stream goes on without its reader")
	}
	h.stop()
	if err := <-h.done; err != nil {
		t.Error(err)
	}
}

// A caller that waits for one answer may have gone as well as not, so it is waited for no longer than for a sign of
// life.
func TestHalfClosedCallersWaitTheirTime(t *testing.T) {
	t.Parallel()
	h := startHalfClose(t, &server.Options{Limits: server.Limits{KeepAlive: 50 * time.Millisecond}})
	conn := h.call(t, "/message:send", sendParams)
	conn.CloseWrite()
	answer, err := io.ReadAll(conn)
	if want := "the answer took more than 50ms after that"; err != nil || !strings.Contains(string(answer), want) {
		t.Errorf("%v: %s", err, answer)
	}
	if cause := <-h.ended; !strings.Contains(cause.Error(), "closed its side") {
		t.Errorf("the context of the service ended with %v", cause)
	}
	h.stop()
	if err := <-h.done; err != nil {
		t.Error(err)
	}
}

// A server that ends ends the streams of such callers as it does others.
func TestShutdownEndsHalfClosedStreams(t *testing.T) {
	t.Parallel()
	h := startHalfClose(t, &server.Options{DrainTimeout: 50 * time.Millisecond})
	conn := h.call(t, "/message:stream", sendParams)
	conn.CloseWrite()
	<-h.closed
	readUntil(t, conn, "keep-alive")
	h.stop()
	rest, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(rest), "the server is shutting down") {
		t.Errorf("%v: %s", err, rest)
	}
	if err := <-h.done; err != nil {
		t.Error(err)
	}
}
