// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
)

// A body that never arrives holds its connection no longer than the time for bodies, also where nobody wants it.
func TestUnreadBodies(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Limits.BodyTimeout = 50 * time.Millisecond
		o.Authenticator = auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			if r.Header.Get("Authorization") == "" {
				return a2a.Identity{}, a2a.ErrUnauthenticated
			}
			return a2a.Identity{Subject: "alice"}, nil
		})
	})
	const json = "Content-Type: application/json\r\n"
	for head, want := range map[string]string{
		"POST /message:send HTTP/1.1\r\n" + json:                                "401",
		"POST / HTTP/1.1\r\nAuthorization: a\r\nContent-Type: text/plain\r\n":   "415",
		"POST /nothing HTTP/1.1\r\nAuthorization: a\r\n" + json:                 "404",
		"PUT / HTTP/1.1\r\n" + json:                                             "405",
		"GET /healthz HTTP/1.1\r\n":                                             "200",
		"GET /tasks/t1 HTTP/1.1\r\nAuthorization: a\r\nA2A-Version: 1.0\r\n":    "200",
		"GET /.well-known/agent-card.json HTTP/1.1\r\n":                         "200",
		"POST /message:send HTTP/1.1\r\nAuthorization: a\r\n" + json:            "400", // no version
		"OPTIONS /message:send HTTP/1.1\r\nOrigin: https://a.example\r\n":       "401",
		"DELETE /tasks/t1 HTTP/1.1\r\nAuthorization: a\r\nA2A-Version: 1.0\r\n": "405",
	} {
		for _, length := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
			conn, err := net.Dial("tcp", ts.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(10 * time.Second))
			fmt.Fprintf(conn, "%sHost: x\r\n%s\r\n\r\n", head, length)
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) {
				t.Errorf("%q, %s: %v %.200s", head, length, err, answer)
			}
		}
	}
}

// A body that is not what HTTP makes it is called that, and not late.
func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) { o.Limits.BodyTimeout = 200 * time.Millisecond })
	for body, want := range map[string]string{
		"xyz\r\n{}\r\n0\r\n\r\n":       "the body cannot be read: invalid byte in chunk length",
		"2\r\n{}{}\r\n0\r\n\r\n":       "the body cannot be read: malformed chunked encoding",
		"ffffffffffffffffff\r\n{}\r\n": "the body cannot be read: ",
		"2\r\n{}\r\n":                  "the body did not arrive within 200ms",
	} {
		for _, path := range []string{"/", "/message:send"} {
			conn, err := net.Dial("tcp", ts.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(10 * time.Second))
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "+
				"application/json\r\n"+
				"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n%s", path, body)
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.Contains(string(answer), want) {
				t.Errorf("%s %q: %v %s", path, body, err, answer)
			}
		}
	}
}

// The time for the body ends with the body: neither a stream nor the connection's next request feels it.
func TestBodyTimeoutEndsWithTheBody(t *testing.T) {
	t.Parallel()
	const timeout = 50 * time.Millisecond
	cut := make(chan error, 8)
	svc := &seqService{&fake{}, func(ctx context.Context) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) {
			select {
			case <-time.After(3 * timeout):
				yield(a2a.NewStreamEvent("1", aTask()), nil)
			case <-ctx.Done():
				cut <- ctx.Err()
			}
		}
	}}
	srv := start(t, svc, "127.0.0.1:0", &server.Options{Card: aCard(), Limits: server.Limits{BodyTimeout: timeout}})
	addr := strings.TrimPrefix(srv.url, "http://")
	for _, request := range []string{
		// the body is read
		"POST /tasks/t1:subscribe HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n",
		// and here it is not
		"GET /tasks/t1:subscribe HTTP/1.1\r\nContent-Length: 2\r\n",
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		replies := bufio.NewReader(conn)
		for range 2 { // the second request finds a connection whose first deadline has passed
			fmt.Fprintf(conn, "%sHost: %s\r\nA2A-Version: 1.0\r\n\r\n{}", request, addr)
			resp, err := http.ReadResponse(replies, nil)
			if err != nil {
				t.Fatalf("%s: %v", request, err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || len(dataOf(t, string(body))) != 1 {
				t.Errorf("%s: %v %s", request, err, body)
			}
		}
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: other.example\r\nContent-Length: 1000\r\n\r\n")
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 403") {
		t.Errorf("another host: %v %s", err, answer)
	}
	select {
	case err := <-cut:
		t.Errorf("a stream was cut: %v", err)
	default:
	}
	srv.stop()
	if err := <-srv.done; err != nil {
		t.Error(err)
	}
}
