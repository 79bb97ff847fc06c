// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

// A budgeted is a server that has room for one large request and for one large answer.
type budgeted struct {
	*testing.T
	ts     *httptest.Server
	client *http.Client
}

func budget(t *testing.T, f *fake) *budgeted {
	t.Helper()
	srv, err := server.New(f, &server.Options{Card: aCard(), Limits: server.Limits{
		RequestBytes: 200 << 10, AnswerBytes: 200 << 10, Wait: time.Millisecond,
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := &budgeted{t, httptest.NewServer(srv), &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() { b.client.CloseIdleConnections(); b.ts.Close() })
	return b
}

// ask makes a request of JSON-RPC, or with a path of HTTP+JSON.
func (b *budgeted) ask(path, method, params string) (*http.Response, string) {
	verb, body := http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`
	if path != "/" {
		body = params
	}
	if params == "" {
		verb, body = http.MethodGet, ""
	}
	req, err := http.NewRequestWithContext(b.Context(), verb, b.ts.URL+path, strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return nil, ""
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	resp, err := b.client.Do(req)
	if err != nil {
		b.Error(err)
		return nil, ""
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Error(err)
	}
	return resp, string(answer)
}

func (b *budgeted) wantRefused(what string, resp *http.Response, answer, of string) {
	b.Helper()
	if resp == nil || resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "1" ||
		!strings.Contains(answer, of+" as it may, 204800") {
		b.Errorf("%s: %v %.300s", what, resp, answer)
	}
}

func (b *budgeted) wantServed(what string, resp *http.Response, answer string) {
	b.Helper()
	if resp == nil || resp.StatusCode != 200 {
		b.Errorf("%s: %v %.300s", what, resp, answer)
	}
}

func saying(size int) string {
	return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + strings.Repeat("x", size) + `"}]}}`
}

// While a large request is worked on, another one waits for a moment and is refused, over both bindings; small ones are
// served. A Service that accepts a request early, and one that returns, make room.
func TestBudgetOfRequests(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}, 10), make(chan struct{})
	early := false
	f := &fake{onCall: func(ctx context.Context) {
		if req := a2a.CallFrom(ctx); req.Accepted != nil {
			if early {
				req.Accepted()
			}
			entered <- struct{}{}
			<-leave
		}
	}}
	b := budget(t, f)
	first := func(done chan<- string) {
		resp, answer := b.ask("/", "SendMessage", saying(140<<10))
		b.wantServed("the first", resp, answer)
		done <- answer
	}
	done := make(chan string)
	go first(done)
	<-entered
	resp, answer := b.ask("/", "SendMessage", saying(100<<10))
	b.wantRefused("a large request over JSON-RPC", resp, answer, "requests")
	resp, answer = b.ask("/message:send", "", saying(100<<10))
	b.wantRefused("a large request over HTTP+JSON", resp, answer, "requests")
	resp, answer = b.ask("/", "SendMessage", saying(10<<10))
	b.wantServed("a small request", resp, answer)
	leave <- struct{}{}
	<-done

	early = true
	go first(done)
	<-entered
	go first(done)
	<-entered // it found room, as the one before was accepted
	close(leave)
	<-done
	<-done
}

// A large answer that nobody reads takes room, so that another one is refused; what has been done is told all the same.
func TestBudgetOfAnswers(t *testing.T) {
	t.Parallel()
	large := aTask()
	large.History = []*a2a.Message{a2a.NewMessage(a2a.RoleUser, a2a.TextPart(strings.Repeat("x", 16<<20)))}
	b := budget(t, &fake{result: large})
	stuck, err := b.client.Get(b.ts.URL + "/tasks/t1?A2A-Version=1.0") // not read
	if err != nil {
		t.Fatal(err)
	}
	if stuck.StatusCode != 200 {
		t.Fatal(stuck.Status)
	}
	resp, answer := b.ask("/tasks/t1", "", "")
	b.wantRefused("a task over HTTP+JSON", resp, answer, "answers")
	resp, answer = b.ask("/", "GetTask", `{"id":"t1"}`)
	b.wantRefused("a task over JSON-RPC", resp, answer, "answers")
	resp, answer = b.ask("/", "SendMessage", saying(10))
	b.wantServed("what was done", resp, answer)
	stuck.Body.Close()
}
