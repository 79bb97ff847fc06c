// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const replayURI = "https://dragoman-a2a.dev/extensions/replay/v1"

// peer is an agent made of literal JSON, so that the client is not tested against code that shares its errors.
type peer struct {
	*httptest.Server
	binding string
	handler func(*exchange)

	mu   sync.Mutex
	seen []*exchange
}

// exchange is one request to a peer.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	op   string
	n    int            // how many requests of this operation came before
	body jsontext.Value // params of JSON-RPC, the body of HTTP+JSON
	id   string
	rpc  bool
	open bool
}

func newPeer(t *testing.T, binding string, h func(*exchange)) *peer {
	t.Helper()
	p := &peer{binding: binding, handler: h}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

// bothBindings runs a test against a peer of each binding.
func bothBindings(t *testing.T, test func(t *testing.T, binding string)) {
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		t.Run(binding, func(t *testing.T) {
			t.Parallel()
			test(t, binding)
		})
	}
}

func (p *peer) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r, rpc: p.binding == a2a.BindingJSONRPC}
	x.body, _ = io.ReadAll(r.Body)
	x.op = restOperation(r)
	if x.rpc {
		x.readCall()
	}
	p.mu.Lock()
	for _, before := range p.seen {
		if before.op == x.op {
			x.n++
		}
	}
	p.seen = append(p.seen, x)
	p.mu.Unlock()
	p.handler(x)
}

func (x *exchange) readCall() {
	var call struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
		Params jsontext.Value `json:"params"`
	}
	if err := json.Unmarshal(x.body, &call); err != nil {
		panic(err)
	}
	x.id, x.op, x.body = string(call.ID), call.Method, call.Params
}

var restOperations = []struct{ pattern, op string }{
	{`^POST .*/message:send$`, "SendMessage"},
	{`^POST .*/message:stream$`, "SendStreamingMessage"},
	{`^GET .*/tasks/[^/]+$`, "GetTask"},
	{`^GET .*/tasks$`, "ListTasks"},
	{`^POST .*/tasks/[^/]+:cancel$`, "CancelTask"},
	{`^POST .*/tasks/[^/]+:subscribe$`, "SubscribeToTask"},
	{`^POST .*/pushNotificationConfigs$`, "CreateTaskPushNotificationConfig"},
	{`^GET .*/pushNotificationConfigs/[^/]+$`, "GetTaskPushNotificationConfig"},
	{`^GET .*/pushNotificationConfigs$`, "ListTaskPushNotificationConfigs"},
	{`^DELETE .*/pushNotificationConfigs/[^/]+$`, "DeleteTaskPushNotificationConfig"},
	{`^GET .*/extendedAgentCard$`, "GetExtendedAgentCard"},
}

func restOperation(r *http.Request) string {
	for _, o := range restOperations {
		if regexp.MustCompile(o.pattern).MatchString(r.Method + " " + r.URL.EscapedPath()) {
			return o.op
		}
	}
	return ""
}

// ops returns the operations that were called, in order.
func (p *peer) ops() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ops []string
	for _, x := range p.seen {
		ops = append(ops, x.op)
	}
	return strings.Join(ops, " ")
}

func (p *peer) requests() []*exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*exchange(nil), p.seen...)
}

// result answers with a result.
func (x *exchange) result(text string) {
	x.w.Header().Set("Content-Type", "application/json")
	if x.rpc {
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, x.id, text)
	}
	io.WriteString(x.w, text)
}

// fail answers with an error as 1.0.1 writes it.
func (x *exchange) fail(code, status int, reason, message string) {
	x.w.Header().Set("Content-Type", "application/json")
	info := ""
	if reason != "" {
		info = fmt.Sprintf(
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"a2a-protocol.org"}`, reason)
	}
	if x.rpc {
		fmt.Fprintf(x.w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":[%s]}}`, x.id, code, message,
			info)
		return
	}
	x.w.WriteHeader(status)
	fmt.Fprintf(x.w, `{"error":{"code":%d,"status":"UNKNOWN","message":%q,"details":[%s]}}`, status, message, info)
}

// start opens a stream.
func (x *exchange) start() {
	if !x.open {
		x.open = true
		x.w.Header().Set("Content-Type", "text/event-stream")
		x.w.WriteHeader(http.StatusOK)
		x.flush()
	}
}

func (x *exchange) flush() { x.w.(http.Flusher).Flush() }

// event sends one event of a stream. An empty id is left out.
func (x *exchange) event(id, text string) {
	x.start()
	if id != "" {
		fmt.Fprintf(x.w, "id: %s\n", id)
	}
	if x.rpc {
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, x.id, text)
	}
	fmt.Fprintf(x.w, "data: %s\n\n", text)
	x.flush()
}

// eventError ends a stream with an error.
func (x *exchange) eventError(code, status int, name, message string) {
	x.start()
	if x.rpc {
		fmt.Fprintf(x.w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":%q}}\n\n", x.id, code,
			message)
	} else {
		fmt.Fprintf(x.w, "data: {\"error\":{\"code\":%d,\"status\":%q,\"message\":%q}}\n\n", status, name, message)
	}
	x.flush()
}

// raw sends bytes as they are.
func (x *exchange) raw(text string) {
	x.start()
	io.WriteString(x.w, text)
	x.flush()
}

// cut breaks the connection.
func (x *exchange) cut() { panic(http.ErrAbortHandler) }

// hang waits until the client is gone.
func (x *exchange) hang() { <-x.r.Context().Done() }

// Pieces of the protocol, as text.

func task(state string, rest ...string) string {
	return fmt.Sprintf(`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_%s"}%s}`, state,
		strings.Join(rest, ""))
}

func taskEvent(state string, rest ...string) string {
	return `{"task":` + task(state, rest...) + `}`
}

func status(state string) string {
	return fmt.Sprintf(`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_%s"}}}`, state)
}

func chunk(text string) string {
	return fmt.Sprintf(
		`{"artifactUpdate":{"taskId":"t1","contextId":"c1","append":true,"artifact":{"artifactId":"a1",`+
			`"parts":[{"text":%q}]}}}`, text)
}

func message(text string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m1","contextId":"c1","role":"ROLE_AGENT","parts":[{"text":%q}]}}`,
		text)
}

// artifact is a member of a task.
func artifact(text string) string {
	return fmt.Sprintf(`,"artifacts":[{"artifactId":"a1","parts":[{"text":%q}]}]`, text)
}

// cardText returns a card whose interfaces are those given.
func cardText(capabilities string, interfaces ...string) string {
	return fmt.Sprintf(`{"name":"Clock","description":"Tells the time.","version":"1","supportedInterfaces":[%s],
		"capabilities":{%s},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"now","name":"Now","description":"The time.",
		"tags":["time"]}]}`, strings.Join(interfaces, ","), capabilities)
}

func iface(url, binding, rest string) string {
	return fmt.Sprintf(`{"url":%q,"protocolBinding":%q,"protocolVersion":"1.0"%s}`, url, binding, rest)
}

// Capabilities of cards.
const (
	all = `"streaming":true,"pushNotifications":true,"extendedAgentCard":true,"extensions":[{"uri":"` + replayURI +
		`"}]`
	streams = `"streaming":true`
	nothing = ``
)

// dial returns a client for the peer, with times fit for tests.
func (p *peer) dial(t *testing.T, capabilities string, opts client.Options) *client.Client {
	t.Helper()
	return dial(t, cardText(capabilities, iface(p.URL, p.binding, "")), opts)
}

func dial(t *testing.T, text string, opts client.Options) *client.Client {
	t.Helper()
	c, err := card.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if opts.PollInterval == 0 {
		opts.PollInterval = time.Millisecond
	}
	cl, err := client.New(c, &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cl.Close(); err != nil {
			t.Error(err)
		}
	})
	return cl
}

func send(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))}
}

// show writes an event in a few characters.
func show(e a2a.Event) string {
	short := func(s a2a.TaskState) string {
		names := map[a2a.TaskState]string{
			a2a.TaskStateSubmitted: "submitted", a2a.TaskStateWorking: "working", a2a.TaskStateCompleted: "completed",
			a2a.TaskStateFailed: "failed", a2a.TaskStateCanceled: "canceled", a2a.TaskStateInputRequired: "input",
			a2a.TaskStateRejected: "rejected", a2a.TaskStateAuthRequired: "auth",
		}
		return names[s]
	}
	text := func(parts []a2a.Part) (s string) {
		for _, p := range parts {
			s += string(p.Content.(a2a.Text))
		}
		return s
	}
	switch e := e.(type) {
	case *a2a.Task:
		s := "task:" + short(e.Status.State)
		for _, a := range e.Artifacts {
			s += ":" + text(a.Parts)
		}
		return s
	case *a2a.StatusUpdate:
		return short(e.Status.State)
	case *a2a.ArtifactUpdate:
		return "+" + text(e.Artifact.Parts)
	case *a2a.Message:
		return "message:" + text(e.Parts)
	}
	return "nothing"
}

// updates ranges over a sequence and returns its events in short, and its error.
func updates(seq func(func(client.Update, error) bool)) (string, error) {
	var got []string
	for u, err := range seq {
		if err != nil {
			return strings.Join(got, " "), err
		}
		s := show(u.Event)
		if u.Resync {
			s += "(resync)"
		}
		if u.Polled {
			s += "(polled)"
		}
		if u.ID != "" {
			s = u.ID + "=" + s
		}
		got = append(got, s)
	}
	return strings.Join(got, " "), nil
}

func streamEvents(seq func(func(a2a.StreamEvent, error) bool)) (string, error) {
	return updates(func(yield func(client.Update, error) bool) {
		for e, err := range seq {
			if !yield(client.Update{StreamEvent: e}, err) {
				return
			}
		}
	})
}
