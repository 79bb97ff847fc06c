// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/push"
)

var quiet = slog.New(slog.DiscardHandler)

// counter is an agent that makes as many chunks as a message says.
var counter = agent.Func(func(_ context.Context, t *agent.Turn) error {
	var n int
	if _, err := fmt.Sscan(t.Text(), &n); err != nil {
		return t.Ask(a2a.TextPart("how many?"))
	}
	w := t.NewArtifact("count")
	for i := range n {
		if _, err := fmt.Fprintln(w, i); err != nil {
			return err
		}
	}
	return w.Close()
})

// A bed is an engine with a sender over one journal.
type bed struct {
	a2a.Service
	journal journal.Journal
	sender  *push.Sender
}

func newBed(t *testing.T, o push.Options) *bed {
	t.Helper()
	if o.Journal == nil {
		o.Journal = memory.New(nil)
	}
	o.AllowPrivate, o.Logger, o.Poll = o.Allow == nil, quiet, 50*time.Millisecond
	sender, err := push.New(o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(&engine.Options{Journal: o.Journal, Push: sender, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.Shutdown(context.Background()), sender.Shutdown(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return &bed{e.Agent("counter", counter, nil), o.Journal, sender}
}

// as returns a context with a call of a protocol version.
func as(t *testing.T, gen a2a.Generation) context.Context {
	return a2a.WithCall(t.Context(), &a2a.Call{Generation: gen})
}

// send sends a message with a config, nil for none, and returns the task.
func (b *bed) send(t *testing.T, ctx context.Context, text string, c *a2a.PushConfig) *a2a.Task {
	t.Helper()
	result, err := b.SendMessage(ctx, &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text)),
		Configuration: &a2a.SendConfiguration{PushConfig: c},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.(*a2a.Task)
}

// A webhook keeps the requests that it gets.
type webhook struct {
	*httptest.Server
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1; nil: 200

	mu   sync.Mutex
	got  []request
	more chan struct{}
}

type request struct {
	header http.Header
	body   []byte
}

func newWebhook(t *testing.T, answer func(int, http.ResponseWriter, *http.Request)) *webhook {
	t.Helper()
	w := &webhook{answer: answer, more: make(chan struct{}, 1)}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *webhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if token := r.URL.Query().Get("validationToken"); token != "" {
		io.WriteString(rw, token)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.got = append(w.got, request{r.Header.Clone(), body})
	n := len(w.got)
	w.mu.Unlock()
	if w.answer != nil {
		w.answer(n, rw, r)
	}
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *webhook) requests() []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.got)
}

// until waits until the requests satisfy a condition, and returns them.
func (w *webhook) until(t *testing.T, cond func([]request) bool) []request {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		if got := w.requests(); cond(got) {
			return got
		}
		select {
		case <-w.more:
		case <-deadline:
			t.Fatalf("the webhook got %d requests", len(w.requests()))
		}
	}
}

// event reads the body of a config of 1.0.
func (r request) event(t *testing.T) a2a.Event {
	t.Helper()
	ev, err := a2a.DecodeStreamResponse(r.body)
	if err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return ev
}

func completed(got []request) bool {
	return len(got) > 0 && strings.Contains(string(got[len(got)-1].body), "COMPLETED")
}

func TestEachEventArrivesOnceInOrder(t *testing.T) {
	t.Parallel()
	b, hook := newBed(t, push.Options{}), newWebhook(t, nil)
	task := b.send(t, as(t, a2a.Generation10), "100", &a2a.PushConfig{URL: hook.URL, Token: "let me in"})
	got := hook.until(t, completed)
	events, err := b.journal.Events(t.Context(), keyOf(task), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, ev := range events {
		if u, ok := ev.Wire.Event.(*a2a.ArtifactUpdate); ev.Wire.Event != nil && !(ok && u.OnlyEnds()) {
			body, _ := a2a.AppendStreamResponse(nil, ev.Wire.Event)
			want = append(want, string(body))
		}
	}
	ids := make(map[string]bool)
	var bodies []string
	for _, r := range got {
		bodies = append(bodies, string(r.body))
		ids[r.header.Get(push.HeaderID)] = true
		if r.header.Get(push.HeaderToken) != "let me in" || r.header.Get("Content-Type") != "application/a2a+json" {
			t.Fatalf("headers %v", r.header)
		}
	}
	if !slices.Equal(bodies, want) || len(ids) != len(want) {
		t.Errorf("got %d bodies with %d ids, want %d", len(bodies), len(ids), len(want))
	}
}

func keyOf(task *a2a.Task) journal.Key {
	return journal.Key{Scope: journal.Scope{Agent: "counter"}, ID: task.ID}
}

func TestFailuresAreTriedAgainInOrder(t *testing.T) {
	t.Parallel()
	failures := map[int]func(http.ResponseWriter, *http.Request){
		1: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		3: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		5: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		6: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		8: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
	hook := newWebhook(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			t.Error("the redirect was followed")
		}
		if fail := failures[n]; fail != nil {
			fail(w, r)
		}
	})
	b := newBed(t, push.Options{Schedule: slices.Repeat([]time.Duration{10 * time.Millisecond}, 9),
		Timeout: 200 * time.Millisecond})
	b.send(t, as(t, a2a.Generation10), "3", &a2a.PushConfig{URL: hook.URL})
	got := hook.until(t, completed)
	for n := range failures {
		if got[n-1].header.Get(push.HeaderID) != got[n].header.Get(push.HeaderID) ||
			string(got[n-1].body) != string(got[n].body) {
			t.Errorf("request %d is not repeated", n)
		}
	}
	if _, ok := got[0].event(t).(*a2a.Task); !ok {
		t.Errorf("the first event is %s", got[0].body)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	var first, second time.Time
	hook := newWebhook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			first = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			second = time.Now()
		}
	})
	b := newBed(t, push.Options{Schedule: []time.Duration{time.Millisecond}})
	b.send(t, as(t, a2a.Generation10), "1", &a2a.PushConfig{URL: hook.URL})
	hook.until(t, completed)
	if wait := second.Sub(first); wait < time.Second {
		t.Errorf("tried again after %v", wait)
	}
}

func TestParkedConfigs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ status, tries int }{
		"gone":               {http.StatusGone, 1},
		"the schedule is up": {http.StatusInternalServerError, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hook := newWebhook(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(test.status) })
			b := newBed(t, push.Options{Schedule: []time.Duration{time.Millisecond, time.Millisecond}})
			task := b.send(t, as(t, a2a.Generation10), "1", &a2a.PushConfig{ID: "c", URL: hook.URL})
			eventually(t, func() bool {
				cursors, err := b.journal.Cursors(t.Context(), keyOf(task))
				return err == nil && len(cursors) == 1 && cursors[0].Delivered == journal.Parked
			})
			if n := len(hook.requests()); n != test.tries {
				t.Errorf("%d tries, want %d", n, test.tries)
			}
			eventually(t, func() bool { // the config does not keep its task
				n, err := b.journal.Prune(t.Context(), time.Now().Add(time.Minute), 1)
				return n == 1 && err == nil
			})
		})
	}
}

func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !cond(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}

// A restart finds what was not delivered, and the secrets with the same key.
func TestRestart(t *testing.T) {
	t.Parallel()
	key := []byte(strings.Repeat("k", push.KeySize))
	j := memory.New(nil)
	hook := newWebhook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.WriteHeader(500)
		}
	})
	first, err := push.New(push.Options{Journal: j, Key: key, AllowPrivate: true, Logger: quiet,
		Schedule: []time.Duration{100 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(&engine.Options{Journal: j, Push: first, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{Service: e.Agent("counter", counter, nil), journal: j}
	b.send(t, as(t, a2a.Generation10), "5", &a2a.PushConfig{URL: hook.URL, Token: "secret"})
	hook.until(t, func(got []request) bool { return len(got) == 1 })
	if err := errors.Join(first.Shutdown(t.Context()), e.Shutdown(t.Context())); err != nil {
		t.Fatal(err)
	}
	newBed(t, push.Options{Journal: j, Key: key})
	for _, r := range hook.until(t, completed) {
		if r.header.Get(push.HeaderToken) != "secret" {
			t.Fatalf("headers %v", r.header)
		}
	}
}

// A config made in an older version gets the task in that version, also when a caller of 1.0 changes the task.
func TestBodiesFollowTheVersionOfTheConfig(t *testing.T) {
	t.Parallel()
	for gen, member := range map[a2a.Generation]string{a2a.Generation03: "contextId", a2a.Generation01: "sessionId"} {
		t.Run(string(gen), func(t *testing.T) {
			t.Parallel()
			b, hook := newBed(t, push.Options{}), newWebhook(t, nil)
			task := b.send(t, as(t, gen), "ask", &a2a.PushConfig{URL: hook.URL, Token: "x"})
			hook.until(t, func(got []request) bool { return len(got) > 0 })
			m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("2"))
			m.TaskID = task.ID
			if _, err := b.SendMessage(as(t, a2a.Generation10), &a2a.SendMessageRequest{Message: m}); err != nil {
				t.Fatal(err)
			}
			got := hook.until(t, func(got []request) bool {
				return len(got) > 0 && strings.Contains(string(got[len(got)-1].body), `"completed"`)
			})
			for _, r := range got {
				var body map[string]any
				if err := json.Unmarshal(r.body, &body); err != nil {
					t.Fatal(err)
				}
				if body["id"] != string(task.ID) || body[member] != string(task.ContextID) ||
					r.header.Get("Content-Type") != "application/json" || r.header.Get(push.HeaderToken) != "x" {
					t.Errorf("got %s with %v", r.body, r.header)
				}
			}
		})
	}
}

func TestConfigs(t *testing.T) {
	t.Parallel()
	b, hook := newBed(t, push.Options{}), newWebhook(t, nil)
	ctx := as(t, a2a.Generation10)
	task := b.send(t, ctx, "1", nil) // has ended: its last event is delivered
	for _, id := range []string{"b", "a", "c"} {
		made, err := b.CreatePushConfig(ctx, &a2a.PushConfig{TaskID: task.ID, ID: id, URL: hook.URL, Token: "token",
			Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "credentials"}})
		if err != nil {
			t.Fatal(err)
		}
		if made.ID != id || made.TaskID != task.ID || made.URL != hook.URL || made.Token != redact.Mark ||
			made.Authentication.Scheme != "Bearer" || made.Authentication.Credentials != redact.Mark {
			t.Errorf("made %+v", made)
		}
	}
	hook.until(t, func(got []request) bool { return len(got) == 3 && completed(got) })
	cursors, err := b.journal.Cursors(ctx, keyOf(task))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cursors {
		if bytes.Contains(c.Data, []byte("token\":\"token")) || bytes.Contains(c.Data, []byte(":\"credentials")) {
			t.Errorf("stored in the clear: %s", c.Data)
		}
	}
	var ids []string
	for list := (&a2a.ListPushConfigsRequest{TaskID: task.ID, PageSize: 2}); ; {
		page, err := b.ListPushConfigs(ctx, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Configs {
			ids = append(ids, c.ID)
		}
		if list.PageToken = page.NextPageToken; list.PageToken == "" {
			break
		}
	}
	if !slices.Equal(ids, []string{"a", "b", "c"}) {
		t.Errorf("listed %v", ids)
	}
	for range 2 {
		if err := b.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: task.ID, ID: "b"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: task.ID, ID: "b"}); !errors.Is(err,
		a2a.ErrTaskNotFound) {
		t.Errorf("a deleted config: %v", err)
	}
	if c, err := b.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: task.ID, ID: "a"}); err != nil ||
		c.Token != redact.Mark {
		t.Errorf("got %+v, %v", c, err)
	}
	stranger := a2a.WithCall(t.Context(), &a2a.Call{Identity: a2a.Identity{Subject: "eve"}})
	if _, err := b.CreatePushConfig(stranger, &a2a.PushConfig{TaskID: task.ID, URL: hook.URL}); !errors.Is(err,
		a2a.ErrTaskNotFound) {
		t.Errorf("a config for the task of another caller: %v", err)
	}
	if _, err := b.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{TaskID: task.ID, PageToken: "?"}); !errors.Is(err,
		a2a.ErrInvalidParams) {
		t.Errorf("a page token that is none: %v", err)
	}
}

func TestBadConfigs(t *testing.T) {
	t.Parallel()
	b := newBed(t, push.Options{})
	strict, err := push.New(push.Options{Journal: b.journal, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Shutdown(t.Context())
	ctx := as(t, a2a.Generation10)
	task := b.send(t, ctx, "ask", nil)
	auth := func(scheme, credentials string) *a2a.PushConfig {
		return &a2a.PushConfig{URL: "https://a.example",
			Authentication: &a2a.PushAuthentication{Scheme: scheme, Credentials: credentials}}
	}
	for _, test := range []struct {
		config *a2a.PushConfig
		field  string
	}{
		{&a2a.PushConfig{URL: "not a URL"}, "url"},
		{&a2a.PushConfig{URL: "a.example/hook"}, "url"},
		{&a2a.PushConfig{URL: "ftp://a.example"}, "url"},
		{&a2a.PushConfig{URL: "http://a.example"}, "url"},
		{&a2a.PushConfig{URL: "https://user:pass@a.example"}, "url"},
		{&a2a.PushConfig{URL: "https://10.0.0.1"}, "url"},
		{&a2a.PushConfig{URL: "https://[::1]:8443"}, "url"},
		{&a2a.PushConfig{URL: "https://a.example/" + strings.Repeat("x", 5000)}, "url"},
		{&a2a.PushConfig{URL: "https://a.example", Token: strings.Repeat("x", 1<<20)}, "token"},
		{&a2a.PushConfig{URL: "https://a.example", Token: "x\r\nX-Evil: 1"}, "token"},
		{auth("Smoke", "x"), "authentication.scheme"},
		{auth("Basic", ""), "authentication.credentials"},
		{auth("StandardWebhooks", "whsec_short"), "authentication.credentials"},
		{auth("StandardWebhooks", "whsk_c2hvcnQ="), "authentication.credentials"},
	} {
		_, err := strict.Create(ctx, keyOf(task), test.config)
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || e.Kind != a2a.ErrInvalidParams || len(e.Violations) != 1 || e.Violations[0].Field != test.field {
			t.Errorf("%.60v: %v", test.config, err)
		}
	}
	if _, err := strict.Create(ctx, keyOf(task), &a2a.PushConfig{URL: "https://no-such-name.invalid"}); err != nil {
		t.Errorf("a name that does not resolve: %v", err)
	}
	for i := range push.MaxConfigs {
		_, err = strict.Create(ctx, keyOf(task), &a2a.PushConfig{ID: fmt.Sprint(i), URL: "https://a.invalid"})
	}
	if e, ok := errors.AsType[*a2a.Error](err); !ok || e.Violations[0].Field != "taskId" {
		t.Errorf("the config above the limit: %v", err)
	}
	_, err = b.SendMessage(ctx, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("1")),
		Configuration: &a2a.SendConfiguration{PushConfig: auth("Smoke", "x")}})
	if e, ok := errors.AsType[*a2a.Error](err); !ok ||
		e.Violations[0].Field != "configuration.taskPushNotificationConfig.authentication.scheme" {
		t.Errorf("a config within a send: %v", err)
	}
}

func TestOwnershipOfOldWebhooks(t *testing.T) {
	t.Parallel()
	b := newBed(t, push.Options{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer silent.Close()
	task := b.send(t, as(t, a2a.Generation01), "ask", nil)
	for url, want := range map[string]error{newWebhook(t, nil).URL + "/?a=b": nil, silent.URL: a2a.ErrInvalidParams} {
		_, err := b.CreatePushConfig(as(t, a2a.Generation01), &a2a.PushConfig{TaskID: task.ID, URL: url})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestDeletedConfigGetsNothingMore(t *testing.T) {
	t.Parallel()
	asked, deleted := make(chan struct{}), make(chan struct{})
	hook := newWebhook(t, func(n int, _ http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			close(asked)
			<-deleted
		}
	})
	b, ctx := newBed(t, push.Options{}), as(t, a2a.Generation10)
	task := b.send(t, ctx, "20", &a2a.PushConfig{ID: "c", URL: hook.URL})
	<-asked
	if err := b.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: task.ID, ID: "c"}); err != nil {
		t.Fatal(err)
	}
	close(deleted)
	other := newWebhook(t, nil)
	b.send(t, ctx, "20", &a2a.PushConfig{URL: other.URL})
	other.until(t, completed)
	if n := len(hook.requests()); n != 1 {
		t.Errorf("%d requests after the deletion", n-1)
	}
}

// A name that leads into a denied network is never dialled, and tried again later.
func TestDeniedAddresses(t *testing.T) {
	t.Parallel()
	dialled := make(chan string, 1)
	server := httptest.NewUnstartedServer(nil)
	server.Config.ConnState = func(c net.Conn, _ http.ConnState) {
		select {
		case dialled <- c.RemoteAddr().String():
		default:
		}
	}
	server.StartTLS()
	defer server.Close()
	j := memory.New(nil)
	b := newBed(t, push.Options{Journal: j, Schedule: []time.Duration{time.Hour}})
	task := b.send(t, as(t, a2a.Generation10), "1", nil)
	if err := b.sender.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	strict, err := push.New(push.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Shutdown(t.Context())
	local := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	if _, err := strict.Create(t.Context(), keyOf(task), &a2a.PushConfig{URL: local}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		cursors, err := j.Cursors(t.Context(), keyOf(task))
		return err == nil && cursors[0].Attempts == 1
	})
	select {
	case from := <-dialled:
		t.Errorf("%s was dialled", from)
	default:
	}
}
