// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/server"
)

// from returns the events that come out of ch, each flagged with more while others wait, until ch is closed or ctx
// ends.
func from(ctx context.Context, ch <-chan string) iter.Seq2[a2a.StreamEvent, error] {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				yield(a2a.StreamEvent{}, ctx.Err())
				return
			case text, ok := <-ch:
				if !ok {
					return
				}
				if !yield(a2a.NewStreamEvent(fmt.Sprint(n), statusUpdate(text)).WithMore(len(ch) > 0), nil) {
					return
				}
			}
		}
	}
}

func statusUpdate(text string) *a2a.StatusUpdate {
	return &a2a.StatusUpdate{TaskID: "t1", ContextID: "c1", Status: a2a.TaskStatus{
		State: a2a.TaskStateWorking, Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent,
			Parts: []a2a.Part{a2a.TextPart(text)}},
	}}
}

// channelService streams what its test sends into ch.
type channelService struct {
	*fake
	ch chan string
}

func (s *channelService) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	if err := s.asked(ctx, r); err != nil {
		return nil, err
	}
	return from(ctx, s.ch), nil
}

// recorder is a ResponseWriter that tells what was written between two flushes.
type recorder struct {
	header  http.Header
	mu      sync.Mutex
	status  int
	pending []byte
	flushes chan string
}

func newRecorder() *recorder {
	return &recorder{header: http.Header{}, flushes: make(chan string, 100)}
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(r.pending, b...)
	return len(b), nil
}

func (r *recorder) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushes <- fmt.Sprintf("%d %s", r.status, r.pending)
	r.pending = nil
}

func subscribeRequest(ctx context.Context) *http.Request {
	req := httptest.NewRequestWithContext(ctx, "GET", "/tasks/t1:subscribe", nil)
	req.Header.Set("A2A-Version", "1.0")
	return req
}

// The status goes out before the first event, events that are ready together go out together, a silent stream gets a
// sign of life each interval, counted from the last event.
func TestStreamTiming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan string, 10)
		srv, err := server.New(&channelService{&fake{}, ch}, &server.Options{Card: aCard()})
		if err != nil {
			t.Fatal(err)
		}
		w := newRecorder()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); srv.ServeHTTP(w, subscribeRequest(ctx)) }()
		synctest.Wait()
		next := func(what, want string) {
			t.Helper()
			synctest.Wait()
			select {
			case got := <-w.flushes:
				if got != want {
					t.Errorf("%s: flushed %q, want %q", what, got, want)
				}
			default:
				t.Errorf("%s: nothing was flushed", what)
			}
		}
		event := func(id int, text string) string {
			return fmt.Sprintf("id: %d\ndata: %s\n\n", id,
				`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING",`+
					`"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"`+text+`"}]}}}}`)
		}
		next("open", "200 ")
		if got := w.header.Get("Content-Type"); got != "text/event-stream" {
			t.Errorf("Content-Type is %q", got)
		}
		ch <- "a"
		next("one event", "200 "+event(1, "a"))

		time.Sleep(10 * time.Second)
		ch <- "b"
		next("another event", "200 "+event(2, "b"))
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if len(w.flushes) > 0 {
			t.Errorf("a keep-alive came 14 s after an event: %q", <-w.flushes)
		}
		time.Sleep(2 * time.Second)
		next("keep-alive", "200 : keep-alive\n\n")
		time.Sleep(15 * time.Second)
		next("second keep-alive", "200 : keep-alive\n\n")

		// The three are put in while the stream waits; it wakes up to the first with two behind it.
		ch <- "c"
		ch <- "d"
		ch <- "e"
		synctest.Wait()
		var all strings.Builder
		flushes := 0
		for len(w.flushes) > 0 {
			all.WriteString(strings.TrimPrefix(<-w.flushes, "200 "))
			flushes++
		}
		if all.String() != event(3, "c")+event(4, "d")+event(5, "e") || flushes > 2 {
			t.Errorf("%d flushes of %q", flushes, all.String())
		}
		cancel()
		<-done
		time.Sleep(time.Minute) // no timer may write after the handler has returned
		if len(w.flushes) > 0 {
			t.Errorf("written after the end: %q", <-w.flushes)
		}
	})
}

// Events flagged with more wait for the last of their batch.
func TestStreamBatches(t *testing.T) {
	t.Parallel()
	f := &fake{events: func(yield func(a2a.StreamEvent, error) bool) {
		for i := range 5 {
			if !yield(a2a.NewStreamEvent("", statusUpdate("x")).WithMore(i < 4), nil) {
				return
			}
		}
	}}
	w := newRecorder()
	newServer(t, f, nil).ServeHTTP(w, subscribeRequest(t.Context()))
	if n := len(w.flushes); n != 2 {
		t.Errorf("flushed %d times, want once for the header and once for the batch", n)
	}
	<-w.flushes
	if batch := <-w.flushes; strings.Count(batch, "data: ") != 5 || strings.Contains(batch, "id:") {
		t.Errorf("batch %q", batch)
	}
}

// An error after the stream opened is one last event in the form of the binding, behind what came before it.
func TestStreamEndsWithError(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(yield func(a2a.StreamEvent, error) bool){
		"error": func(yield func(a2a.StreamEvent, error) bool) {
			yield(a2a.StreamEvent{}, &a2a.Error{Kind: a2a.ErrInternal, Cause: errors.New("secret")})
		},
		"panic": func(func(a2a.StreamEvent, error) bool) { panic("secret") },
	} {
		f := &fake{events: func(yield func(a2a.StreamEvent, error) bool) {
			if yield(a2a.NewStreamEvent("1", aTask()).WithMore(true), nil) {
				fail(yield)
			}
		}}
		ts := serve(t, f, nil)
		for binding, got := range map[string]reply{
			"JSON-RPC":  rpc(t, ts, "SubscribeToTask", `{"id":"t1"}`),
			"HTTP+JSON": do(t, ts, "GET", "/tasks/t1:subscribe", ""),
		} {
			data := dataOf(t, got.body)
			if got.status != 200 || len(data) != 2 || strings.Contains(got.body, "secret") {
				t.Fatalf("%s, %s: %d %s", name, binding, got.status, got.body)
			}
			want := failure{code: -32603, reason: "INTERNAL_ERROR"}
			if binding == "HTTP+JSON" {
				want.code = 500
			} else if !strings.HasPrefix(data[1], `{"jsonrpc":"2.0","id":7,"error":{`) {
				t.Errorf("%s: %s", name, data[1])
			}
			if fail := failureOf(t, data[1]); fail.code != want.code || fail.reason != want.reason {
				t.Errorf("%s, %s: %s", name, binding, data[1])
			}
		}
	}
}

// Last-Event-ID counts only under the replay extension.
func TestReplay(t *testing.T) {
	t.Parallel()
	f := &fake{}
	ts := serve(t, f, nil)
	for header, want := range map[string]string{"A2A-Extensions: " + server.ReplayExtension: "41",
		"A2A-Extensions: urn:other": ""} {
		for _, got := range []func() reply{
			func() reply { return rpc(t, ts, "SubscribeToTask", `{"id":"t1"}`, header, "Last-Event-ID: 41") },
			func() reply { return do(t, ts, "GET", "/tasks/t1:subscribe", "", header, "Last-Event-ID: 41") },
			func() reply { return do(t, ts, "POST", "/tasks/t1:subscribe", "", header, "Last-Event-ID: 41") },
		} {
			if got := got(); !strings.HasPrefix(got.body, "id: 1\ndata: ") {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if request, _ := f.last(); request.(*a2a.SubscribeRequest).After != want {
				t.Errorf("%s: After is %q, want %q", header, request.(*a2a.SubscribeRequest).After, want)
			}
		}
	}
}

// A reader that stops reading is cut after the write deadline, and nobody else notices.
func TestStalledReaderIsCut(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	big := strings.Repeat("x", 1<<20)
	f := &fake{}
	svc := &seqService{fake: f, subscribe: func(ctx context.Context) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) {
			for yield(a2a.NewStreamEvent("", statusUpdate(big)), nil) {
			}
			ended <- ctx.Err()
		}
	}}
	srv, err := server.New(svc, &server.Options{Card: aCard(),
		Limits: server.Limits{WriteTimeout: 100 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	defer ts.Close()
	conn, err := net.Dial("tcp", ts.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /tasks/t1:subscribe HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\r\n")
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the service's context goes on")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the stream was not cut")
	}
	// The client got a cut, not an end.
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the cut stream looks like one that ended")
	}
}

// seqService gives each subscriber a sequence of its own.
type seqService struct {
	*fake
	subscribe func(context.Context) iter.Seq2[a2a.StreamEvent, error]
}

func (s *seqService) Subscribe(ctx context.Context, _ *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return s.subscribe(ctx), nil
}

// A client that goes away ends the service's context.
func TestDisconnectEndsStream(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	svc := &seqService{fake: &fake{}, subscribe: func(ctx context.Context) iter.Seq2[a2a.StreamEvent, error] {
		return func(func(a2a.StreamEvent, error) bool) { <-ctx.Done(); close(ended) }
	}}
	srv, err := server.New(svc, &server.Options{Card: aCard()})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	defer ts.Close()
	ctx, cancel := context.WithCancel(t.Context())
	resp := openStream(t, ctx, ts, http.DefaultClient)
	cancel()
	resp.Body.Close()
	<-ended
	http.DefaultClient.CloseIdleConnections()
}

func openStream(t *testing.T, ctx context.Context, ts *httptest.Server, client *http.Client,
	header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", ts.URL+"/tasks/t1:subscribe", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestStreamLimits(t *testing.T) {
	t.Parallel()
	bySubject := auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		name, isProgram := strings.CutPrefix(r.Header.Get("X-User"), "program ")
		if isProgram {
			return a2a.Identity{Client: name}, nil
		}
		return a2a.Identity{Subject: name}, nil
	})
	svc := &channelService{&fake{}, make(chan string)}
	srv, err := server.New(svc, &server.Options{
		Card: aCard(), Authenticator: bySubject, Limits: server.Limits{StreamsPerOwner: 2, Streams: 6},
	})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	defer ts.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var open []*http.Response
	defer func() {
		for _, resp := range open {
			resp.Body.Close()
		}
	}()
	for _, step := range []struct {
		user  string
		limit string // "" means that the stream opens
	}{
		{"alice", ""}, {"alice", ""}, {"alice", "2 open streams"},
		{"program alice", ""}, {"program alice", ""}, {"program alice", "2 open streams"},
		{"bob", ""}, {"", ""}, {"", "6 streams"}, {"bob", "6 streams"},
	} {
		resp := openStream(t, t.Context(), ts, client, "X-User: "+step.user)
		if step.limit == "" {
			open = append(open, resp)
			if resp.StatusCode != 200 {
				t.Fatalf("%q: status %d", step.user, resp.StatusCode)
			}
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "1" ||
			!strings.Contains(failureOf(t, string(body)).message, step.limit) {
			t.Errorf("%q: %d %s", step.user, resp.StatusCode, body)
		}
	}
	// A place that is given back can be taken.
	open[0].Body.Close()
	open = open[1:]
	deadline := time.Now().Add(5 * time.Second)
	for {
		resp := openStream(t, t.Context(), ts, client, "X-User: alice")
		open = append(open, resp)
		if resp.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the place did not become free")
		}
		runtime.Gosched()
	}
}

// 1,000 open streams cost at most 2 goroutines and 32 KB each, and all get the same bytes.
func TestManyStreamsAreCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a thousand connections; run without -short")
	}
	const n = 1000
	start := make(chan struct{})
	event := a2a.NewStreamEvent("1", aTask())
	svc := &seqService{fake: &fake{}, subscribe: func(ctx context.Context) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) {
			select {
			case <-start:
				yield(event, nil)
			case <-ctx.Done():
			}
		}
	}}
	srv, err := server.New(svc, &server.Options{Card: aCard()})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	defer ts.Close()
	goroutines, memory := runtime.NumGoroutine(), inUse()
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns[i] = conn
		fmt.Fprintf(conn, "GET /tasks/t1:subscribe HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\r\n")
	}
	head := make([]byte, 15)
	for _, conn := range conns {
		if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 200 OK" {
			t.Fatalf("%q, %v", head, err)
		}
	}
	if got := float64(runtime.NumGoroutine()-goroutines) / n; got > 2.01 {
		t.Errorf("%.2f goroutines a stream", got)
	}
	perStream := float64(inUse()-memory) / n / 1024
	t.Logf("%.1f KB a stream", perStream)
	if perStream > 32 && !raceEnabled {
		t.Errorf("%.1f KB a stream, want at most 32", perStream)
	}
	close(start)
	for _, conn := range conns {
		resp, err := http.ReadResponse(bufio.NewReader(io.MultiReader(strings.NewReader(string(head)), conn)), nil)
		if err != nil {
			t.Fatal(err)
		}
		ev, err := sse.NewReader(resp.Body, 0).Next()
		if err != nil || ev.ID != "1" || string(ev.Data) != `{"task":`+taskJSON+`}` {
			t.Fatalf("%q, %v", ev.Data, err)
		}
	}
}

// inUse returns the bytes of heap and stacks in use after a collection.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// Before 1.0 the error of a stream that does not open is the one event of it; what has an HTTP status of its own, and
// all of
// 1.0, is answered in JSON.
func TestErrorsOfStreamsThatDoNotOpen(t *testing.T) {
	t.Parallel()
	f := &fake{caps: can()}
	ts := serve(t, f, func(o *server.Options) {
		o.Generations = []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation02, a2a.Generation01}
	})
	send03 := `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}`
	send01 := `{"id":"t9","message":{"role":"user","parts":[{"type":"text","text":"hi"}]}}`
	for _, row := range []struct{ version, method, params string }{
		{"0.3", "message/stream", send03},
		{"0.3", "message/stream", `{}`}, // refused before the service is asked
		{"0.2", "tasks/resubscribe", `{"id":"t1"}`},
		{"0.1", "tasks/sendSubscribe", send01},
		{"1.0", "SendStreamingMessage", `{"message":` + hello + `}`},
	} {
		for kind, status := range map[a2a.Kind]int{a2a.ErrTaskNotFound: 200, a2a.ErrRateLimited: 429} {
			f.err = a2a.NewError(kind, "for you")
			got := do(t, ts, "POST", "/", `{"jsonrpc":"2.0","id":7,"method":"`+row.method+`","params":`+row.params+`}`,
				"A2A-Version: "+row.version)
			if row.params == "{}" {
				status = 200
			}
			body, isEvent := strings.CutPrefix(got.body, "data: ")
			wantEvent := row.version != "1.0" && status == 200
			if isEvent != wantEvent || (got.header.Get("Content-Type") == "text/event-stream") != wantEvent ||
				got.status != status {
				t.Errorf("%s of %s: %d %v %s", row.method, row.version, got.status, got.header, got.body)
			}
			if isEvent && !strings.HasSuffix(body, "}\n\n") {
				t.Errorf("%s of %s: %q is not one event", row.method, row.version, got.body)
			}
			if !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":7,"error":{"code":-3`) {
				t.Errorf("%s of %s: no error in %s", row.method, row.version, got.body)
			}
		}
	}
}
