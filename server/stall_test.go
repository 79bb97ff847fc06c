// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// slowly is a server with room for one large request and one large answer of a caller.
func slowly(t *testing.T, f *fake) (dial func(request, body string, length int) net.Conn) {
	t.Helper()
	srv, err := server.New(f, &server.Options{Card: aCard(), Limits: server.Limits{
		RequestBytes: 300 << 10, AnswerBytes: 25 << 20, Wait: time.Minute, WriteTimeout: time.Second,
	}})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewUnstartedServer(srv)
	// With a large buffer the kernel lets a writer go on only once much of it is free, which takes a slow reader longer
	// than Limits.WriteTimeout.
	ts.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetWriteBuffer(32 << 10)
		return ctx
	}
	ts.Start()
	t.Cleanup(ts.Close)
	const head = "%s HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: " +
		"%d\r\n\r\n%s"
	return func(request, body string, length int) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.(*net.TCPConn).SetReadBuffer(32 << 10)
		if _, err := fmt.Fprintf(conn, head, request, length, body); err != nil {
			t.Fatal(err)
		}
		return conn
	}
}

// received returns an answer, which must come soon.
func received(t *testing.T, conn net.Conn) (code int, text string) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// TestSlowBodyGivesWay has a caller that announces a large body and stalls: the next one gets its room long before
// Limits.BodyTimeout.
func TestSlowBodyGivesWay(t *testing.T) {
	t.Parallel()
	dial := slowly(t, &fake{})
	body := saying(200 << 10)
	slow := dial("POST /message:send", body[:100<<10], len(body))
	over := make(chan struct{})
	go func() {
		defer close(over)
		slow.SetReadDeadline(time.Now().Add(20 * time.Second))
		text, err := io.ReadAll(slow)
		if err != nil || !strings.Contains(string(text), "waited for room") {
			t.Errorf("the slow caller got %.500s, error %v", text, err)
		}
	}()
	for again := true; again; { // the first ones may come before the slow caller has room
		if code, text := received(t, dial("POST /message:send", body, len(body))); code != http.StatusOK {
			t.Errorf("the next caller got %d %.200s", code, text)
		}
		select {
		case <-over:
			again = false
		default:
		}
	}
}

// TestSlowReaderGivesWay has a caller that reads a large answer, and always something of it in Limits.WriteTimeout, but
// slowly.
func TestSlowReaderGivesWay(t *testing.T) {
	t.Parallel()
	large := aTask()
	large.History = []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", 18<<20)))}
	dial := slowly(t, &fake{result: large})
	slow := dial("GET /tasks/t1", "", 0)
	first := make([]byte, 1)
	if _, err := slow.Read(first); err != nil {
		t.Fatal(err)
	}
	over := make(chan int)
	go func() { // 18 MiB would take 30 seconds
		defer close(over)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := io.CopyN(io.Discard, slow, 60<<10); err != nil {
				return
			}
		}
	}()
	code, text := received(t, dial("GET /tasks/t1", "", 0))
	if code != http.StatusOK || len(text) < 18<<20 {
		t.Errorf("the next reader got %d and %d bytes", code, len(text))
	}
	slow.Close()
	<-over
}
