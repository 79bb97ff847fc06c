// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// running is a server that listens by itself.
type running struct {
	*server.Server
	url  string
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, svc a2a.Service, addr string, opts *server.Options) *running {
	t.Helper()
	ready := make(chan string, 1)
	opts.OnReady = func(_ net.Addr, url string) { ready <- url }
	srv, err := server.New(svc, opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Server: srv, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- srv.ListenAndServe(ctx, addr) }()
	t.Cleanup(cancel)
	select {
	case r.url = <-ready:
	case err := <-r.done:
		t.Fatal(err)
	}
	return r
}

func get(t *testing.T, client *http.Client, url string) (reply, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(body)}, err
}

func TestDrainWaitsForStreams(t *testing.T) {
	t.Parallel()
	svc := &channelService{&fake{}, make(chan string)}
	drained := make(chan struct{})
	srv := start(t, svc, "127.0.0.1:0", &server.Options{Card: aCard()})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	type result struct {
		reply
		err error
	}
	stream := make(chan result, 1)
	go func() {
		r, err := get(t, client, srv.url+"/tasks/t1:subscribe")
		stream <- result{r, err}
	}()
	svc.ch <- "before"
	go func() {
		defer close(drained)
		if err := <-srv.done; err != nil {
			t.Error(err)
		}
	}()
	srv.stop()
	// Once nothing new is accepted, the handler says that it drains, and the open stream goes on.
	deadline := time.Now().Add(5 * time.Second)
	for {
		w := newRecorder()
		srv.ServeHTTP(w, mustRequest(t, "/readyz"))
		if w.status == http.StatusServiceUnavailable {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("/readyz does not say that the server drains")
		}
		runtime.Gosched()
	}
	svc.ch <- "after"
	close(svc.ch)
	got := <-stream
	if got.err != nil || len(dataOf(t, got.body)) != 2 || !strings.Contains(got.body, "after") {
		t.Errorf("%v: %s", got.err, got.body)
	}
	<-drained
	if _, err := net.Dial("tcp", strings.TrimPrefix(srv.url, "http://")); err == nil {
		t.Error("the address still accepts")
	}
}

func mustRequest(t *testing.T, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// A stream that does not end by itself gets the reason for its end, after OnDrain and after the drain timeout.
func TestDrainEndsStreams(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]*server.Options{
		"engine drained": {Card: aCard(), OnDrain: func(context.Context) error { return nil }},
		"timeout":        {Card: aCard(), DrainTimeout: 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			svc := &channelService{&fake{}, make(chan string)}
			srv := start(t, svc, "127.0.0.1:0", opts)
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			go func() { svc.ch <- "first"; srv.stop() }()
			got, err := get(t, client, srv.url+"/tasks/t1:subscribe")
			if err != nil {
				t.Fatal(err)
			}
			data := dataOf(t, got.body)
			if fail := failureOf(t, data[len(data)-1]); fail.reason != "UNAVAILABLE" || len(data) != 2 {
				t.Errorf("stream %q", data)
			}
			if err := <-srv.done; err != nil {
				t.Error(err)
			}
		})
	}
}

// The base URL of the card is the bound address, or the request's host where that is every address.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	var logs syncBuffer
	logger := slog.New(slog.NewTextHandler(&logs, nil))
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	bound := start(t, &fake{}, "127.0.0.1:0", &server.Options{Card: aCard(), Logger: logger})
	req := mustRequest(t, bound.url+cardPath)
	req.Host = "other.localhost"
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if card := readCard(t, reply{200, nil, string(body)}); card.SupportedInterfaces[0]["url"] != bound.url {
		t.Errorf("url %q, want %q", card.SupportedInterfaces[0]["url"], bound.url)
	}
	if strings.Contains(logs.String(), "plain http") {
		t.Errorf("warned about loopback: %s", logs.String())
	}

	wild := start(t, &fake{}, ":0", &server.Options{Card: aCard(), Logger: logger})
	if !strings.HasPrefix(wild.url, "http://localhost:") {
		t.Errorf("ready at %q", wild.url)
	}
	url := strings.Replace(wild.url, "localhost", "127.0.0.1", 1)
	got, err := get(t, client, url+cardPath)
	if err != nil {
		t.Fatal(err)
	}
	if card := readCard(t, got); card.SupportedInterfaces[0]["url"] != url {
		t.Errorf("url %q, want %q", card.SupportedInterfaces[0]["url"], url)
	}
	if !strings.Contains(logs.String(), "plain http beyond this machine") {
		t.Errorf("no warning: %s", logs.String())
	}
	for _, srv := range []*running{bound, wild} {
		client.CloseIdleConnections()
		srv.stop()
		if err := <-srv.done; err != nil {
			t.Error(err)
		}
	}
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// HTTP/1.1, HTTP/2 over TLS and HTTP/2 in the clear all work, streams that outlast the write deadline included.
func TestProtocols(t *testing.T) {
	t.Parallel()
	certFile, keyFile, pool := certificate(t)
	pause := func(ctx context.Context) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) {
			if !yield(a2a.NewStreamEvent("1", aTask()), nil) {
				return
			}
			select {
			case <-time.After(120 * time.Millisecond): // longer than the write timeout
				yield(a2a.NewStreamEvent("2", aTask()), nil)
			case <-ctx.Done():
			}
		}
	}
	for _, test := range []struct {
		name  string
		tls   bool
		proto func(*http.Protocols)
		want  string
	}{
		{"HTTP/1.1", false, func(p *http.Protocols) { p.SetHTTP1(true) }, "HTTP/1.1"},
		{"h2c", false, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, "HTTP/2.0"},
		{"HTTP/1.1 with TLS", true, func(p *http.Protocols) { p.SetHTTP1(true) }, "HTTP/1.1"},
		{"HTTP/2", true, func(p *http.Protocols) { p.SetHTTP2(true) }, "HTTP/2.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			opts := &server.Options{Card: aCard(), Limits: server.Limits{WriteTimeout: 40 * time.Millisecond}}
			if test.tls {
				opts.CertFile, opts.KeyFile = certFile, keyFile
			}
			srv := start(t, &seqService{&fake{}, pause}, "127.0.0.1:0", opts)
			var protocols http.Protocols
			test.proto(&protocols)
			client := &http.Client{Transport: &http.Transport{Protocols: &protocols,
				TLSClientConfig: &tls.Config{RootCAs: pool}}}
			defer client.CloseIdleConnections()
			req := mustRequest(t, srv.url+"/tasks/t1:subscribe")
			req.Header.Set("A2A-Version", "1.0")
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || len(dataOf(t, string(body))) != 2 || resp.Proto != test.want {
				t.Errorf("%s, %v: %s", resp.Proto, err, body)
			}
			if hsts := resp.Header.Get("Strict-Transport-Security"); (hsts != "") != test.tls {
				t.Errorf("Strict-Transport-Security is %q", hsts)
			}
			got, err := get(t, client, srv.url+cardPath)
			if err != nil {
				t.Fatal(err)
			}
			if card := readCard(t, got); card.SupportedInterfaces[0]["url"] != srv.url {
				t.Errorf("url %q, want %q", card.SupportedInterfaces[0]["url"], srv.url)
			}
			client.CloseIdleConnections()
			srv.stop()
			if err := <-srv.done; err != nil {
				t.Error(err)
			}
		})
	}
}

// certificate writes a self-signed certificate for 127.0.0.1.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	certFile, keyFile = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, content := range map[string][]byte{certFile: certPEM,
		keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile, pool
}

func TestListenErrors(t *testing.T) {
	t.Parallel()
	srv := newServer(t, &fake{}, nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := srv.ListenAndServe(t.Context(), ln.Addr().String()); err == nil ||
		!strings.Contains(err.Error(), ln.Addr().String()) {
		t.Errorf("taken address: %v", err)
	}
	srv = newServer(t, &fake{}, func(o *server.Options) { o.CertFile, o.KeyFile = "none.pem", "none.pem" })
	if err := srv.ListenAndServe(t.Context(), "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "none.pem") {
		t.Errorf("no certificate: %v", err)
	}
}

// A body of 100 MB costs no memory, announced or not, and limits hold exactly at their edge.
func TestBodyLimit(t *testing.T) {
	const limit = 64 << 10
	ts := serve(t, &fake{}, func(o *server.Options) { o.Limits.Body = limit; o.Limits.Parts = 3; o.Limits.Depth = 6 })
	message := func(size int) string {
		frame := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":""}]}}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	for size, want := range map[int]int{limit: 200, limit + 1: 413} {
		if got := do(t, ts, "POST", "/message:send", message(size)); got.status != want {
			t.Errorf("%d bytes: %d %.200s", size, got.status, got.body)
		}
	}
	for parts, want := range map[int]int{3: 200, 4: 400} {
		body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[` +
			strings.Repeat(`{"text":"[[[[[[["},`, parts-1) + `{"text":"a"}]}}`
		if got := do(t, ts, "POST", "/message:send", body); got.status != want {
			t.Errorf("%d parts: %d %s", parts, got.status, got.body)
		}
	}
	for depth, want := range map[int]int{6: 200, 7: 413} { // the request, the message, the parts and the part are four
		body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":` +
			strings.Repeat("[", depth-4) + strings.Repeat("]", depth-4) + `}]}}`
		if got := do(t, ts, "POST", "/message:send", body); got.status != want {
			t.Errorf("depth %d: %d %s", depth, got.status, got.body)
		}
	}

	before := inUse()
	for _, header := range []string{fmt.Sprintf("Content-Length: %d", 100<<20), "Transfer-Encoding: chunked"} {
		for path, want := range map[string]string{"/": `"code":-31413`, "/message:send": `"code":413`} {
			conn, err := net.Dial("tcp", ts.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: "+
				"application/json\r\n%s\r\n\r\n", path, header)
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				chunk := bytes.Repeat([]byte("x"), 64<<10)
				for range (100 << 20) / len(chunk) {
					if strings.HasPrefix(header, "Transfer") {
						if _, err := fmt.Fprintf(conn, "%x\r\n%s\r\n", len(chunk), chunk); err != nil {
							return
						}
					} else if _, err := conn.Write(chunk); err != nil {
						return
					}
				}
			}()
			answer := make([]byte, 4096)
			n, err := io.ReadAtLeast(conn, answer, 200)
			if err != nil || !strings.Contains(string(answer[:n]), " 413 ") ||
				!strings.Contains(string(answer[:n]), want) {
				t.Errorf("%s %s: %v %s", path, header, err, answer[:n])
			}
			conn.Close()
			<-sent
		}
	}
	if grown := int64(inUse()) - int64(before); grown > 16<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

func TestRequestLog(t *testing.T) {
	t.Parallel()
	var logs syncBuffer
	f := &fake{}
	ts := serve(t, f, func(o *server.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	do(t, ts, "GET", "/acme/tasks/t9", "", "X-Request-Id: good-one")
	f.err = &a2a.Error{Kind: a2a.ErrInternal, Cause: fmt.Errorf("the cause")}
	rpc(t, ts, "GetTask", `{"id":"t9"}`, "X-Request-Id: bad-one")
	f.err = a2a.ErrTaskNotFound
	rpc(t, ts, "GetTask", `{"id":"t9"}`, "X-Request-Id: not-found")
	for id, want := range map[string][]string{
		"good-one": {"level=DEBUG", "operation=GetTask", "status=200", "task=t1", "context=c1", "tenant=acme",
			"took="},
		"bad-one":   {"level=ERROR", "operation=GetTask", "status=200", "task=t9", "the cause"},
		"not-found": {"level=INFO", "task not found"},
	} {
		var line string
		for l := range strings.Lines(logs.String()) {
			if strings.Contains(l, "request="+id) {
				line = l
			}
		}
		for _, w := range want {
			if !strings.Contains(line, w) {
				t.Errorf("%s: %q is not in %q", id, w, line)
			}
		}
	}
}

// The log cuts the ids of a refused request to the longest valid length.
func TestRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	var logs syncBuffer
	ts := serve(t, &fake{}, func(o *server.Options) { o.Logger = slog.New(slog.NewTextHandler(&logs, nil)) })
	long := strings.Repeat("é", 1<<20)
	message := `{"message":{"messageId":"m","taskId":"` + long + `","contextId":"` + long +
		`","role":"ROLE_USER","parts":[{"text":"x"}]},"tenant":"` + long + `"}`
	for _, got := range []reply{
		do(t, ts, "POST", "/message:send", message), rpc(t, ts, "SendStreamingMessage", message),
		rpc(t, ts, long, "{}"),
	} {
		if got.status == http.StatusOK && !strings.Contains(got.body, `"error"`) {
			t.Errorf("answered %.200s", got.body)
		}
	}
	for line := range strings.Lines(logs.String()) {
		if len(line) > 4<<10 {
			t.Errorf("a line of %d bytes: %.500s", len(line), line)
		}
	}
	if !strings.Contains(logs.String(), "task="+strings.Repeat("é", a2a.MaxIDLength/2)+"... ") {
		t.Errorf("the log does not begin to name the task: %.1000s", logs.String())
	}
}

// A caller who leaves while the agent works is no failure of the server.
func TestCallerWhoLeavesIsNoError(t *testing.T) {
	t.Parallel()
	var logs syncBuffer
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	f := &fake{onCall: func(ctx context.Context) { cancel(); <-ctx.Done() }, err: context.Canceled}
	ts := serve(t, f, func(o *server.Options) { o.Logger = slog.New(slog.NewTextHandler(&logs, nil)) })
	go func() {
		req, err := http.NewRequestWithContext(ctx, "GET", ts.URL+"/tasks/t1", nil)
		if err == nil {
			req.Header.Set("A2A-Version", "1.0")
			_, err = ts.Client().Do(req)
		}
		left <- err
	}()
	if err := <-left; err == nil {
		t.Fatal("got an answer")
	}
	ts.Close() // waits for the handler
	if log := logs.String(); !strings.Contains(log, "level=INFO") || !strings.Contains(log, "cut=") {
		t.Errorf("log %q", log)
	}
}
