// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/server"
)

// The proofs speak raw HTTP where they are about what goes over the wire. A binding knows how.
type binding struct {
	name      string
	send      func(method, text string, task a2a.TaskID) (path, body string) // of SendMessage and SendStreamingMessage
	subscribe func(id a2a.TaskID) (method, path, body string)
	event     func(data []byte) ([]byte, error) // the stream response in an event's data
}

var rest = binding{
	name: "HTTP+JSON",
	send: func(method, text string, task a2a.TaskID) (string, string) {
		path := map[string]string{"SendMessage": "/message:send", "SendStreamingMessage": "/message:stream"}[method]
		return path, sendParams(text, task)
	},
	subscribe: func(id a2a.TaskID) (string, string, string) {
		return http.MethodGet, "/tasks/" + string(id) + ":subscribe", ""
	},
	event: func(data []byte) ([]byte, error) { return data, nil },
}

var jsonrpc = binding{
	name: "JSON-RPC",
	send: func(method, text string, task a2a.TaskID) (string, string) {
		return "/", call(method, sendParams(text, task))
	},
	subscribe: func(id a2a.TaskID) (string, string, string) {
		return http.MethodPost, "/", call("SubscribeToTask", fmt.Sprintf(`{"id":%q}`, id))
	},
	event: func(data []byte) ([]byte, error) {
		var res struct{ Result, Error json.RawMessage }
		if err := json.Unmarshal(data, &res); err != nil {
			return nil, err
		}
		if res.Error != nil {
			return nil, fmt.Errorf("JSON-RPC error: %s", res.Error)
		}
		return res.Result, nil
	},
}

var bindings = []binding{rest, jsonrpc}

func call(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

func sendParams(text string, task a2a.TaskID) string {
	return fmt.Sprintf(`{"message":{"messageId":%q,"taskId":%q,"role":"ROLE_USER","parts":[{"text":%q}]}}`,
		a2a.NewMessageID(), task, text)
}

// request makes a raw request of A2A 1.0.
func request(ctx context.Context, method, addr, path, body string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("A2A-Version", "1.0")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// A stream is an open stream of one binding.
type stream struct {
	b      binding
	body   io.Closer
	events *sse.Reader
}

// An event is a stream response with its id.
type event struct {
	id   string
	data string
}

// askReplay makes of a request for a stream one for what came after an event.
func askReplay(req *http.Request, after string) {
	req.Header.Set("A2A-Extensions", server.ReplayExtension)
	req.Header.Set("Last-Event-ID", after)
}

// stream sends a raw request for a stream. after, when it is not empty, asks for a replay.
func (p *process) stream(ctx context.Context, b binding, req *http.Request, after string) (*stream, error) {
	if after != "" {
		askReplay(req, after)
	}
	res, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != sse.ContentType {
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", req.Method, req.URL.Path, res.Status, text)
	}
	context.AfterFunc(ctx, func() { res.Body.Close() })
	return &stream{b, res.Body, sse.NewReader(res.Body, 0)}, nil
}

func (p *process) sendStream(ctx context.Context, b binding, addr, text string) (*stream, error) {
	path, body := b.send("SendStreamingMessage", text, "")
	req, err := request(ctx, http.MethodPost, addr, path, body)
	if err != nil {
		return nil, err
	}
	return p.stream(ctx, b, req, "")
}

func (p *process) subscribe(ctx context.Context, b binding, addr string, id a2a.TaskID, after string) (*stream, error) {
	method, path, body := b.subscribe(id)
	req, err := request(ctx, method, addr, path, body)
	if err != nil {
		return nil, err
	}
	return p.stream(ctx, b, req, after)
}

// next returns the next event; io.EOF is the end of the stream between two events.
func (s *stream) next() (event, error) {
	ev, err := s.events.Next()
	if err != nil {
		return event{}, err
	}
	data, err := s.b.event(ev.Data)
	return event{ev.ID, string(data)}, err
}

// rest reads what is left of the stream. The error is nil when it ended in good order, as far as HTTP can tell.
func (s *stream) rest() ([]event, error) {
	defer s.body.Close()
	var all []event
	for {
		ev, err := s.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, ev)
	}
}

// replay returns all events after one, through to the end of the task.
func (p *process) replay(b binding, addr string, id a2a.TaskID, after string) []event {
	p.t.Helper()
	s, err := p.subscribe(p.t.Context(), b, addr, id, after)
	if err != nil {
		p.t.Fatal(err)
	}
	all, err := s.rest()
	if err != nil {
		p.t.Fatalf("a replay after event %s broke after %d events: %v", after, len(all), err)
	}
	return all
}

func decode(t testing.TB, ev event) a2a.Event {
	t.Helper()
	decoded, err := a2a.DecodeStreamResponse([]byte(ev.data))
	if err != nil {
		t.Fatalf("event %s: %v: %s", ev.id, err, ev.data)
	}
	return decoded
}

// taskOf returns the task with which a stream begins.
func taskOf(t testing.TB, first event) *a2a.Task {
	t.Helper()
	task, ok := decode(t, first).(*a2a.Task)
	if !ok {
		t.Fatalf("the stream begins with %s", first.data)
	}
	return task
}

// mustEqual compares sequences of events.
func mustEqual(t testing.TB, what string, got, want []event) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: event %d is %s %s\nwant %s %s", what, i, got[i].id, got[i].data, want[i].id, want[i].data)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d events, want %d", what, len(got), len(want))
	}
}

// mustRise checks that no event came twice or out of order.
func mustRise(t testing.TB, events []event) {
	t.Helper()
	last := 0
	for _, ev := range events {
		n, err := strconv.Atoi(ev.id)
		if err != nil || n <= last {
			t.Fatalf("event %q comes after event %d", ev.id, last)
		}
		last = n
	}
}

// mustCount checks that the chunks of a task are all there, once and in order, from the first one on.
func mustCount(t testing.TB, task *a2a.Task) (chunks int) {
	t.Helper()
	for _, a := range task.Artifacts {
		if a.Name != "numbers" {
			continue
		}
		for _, part := range a.Parts {
			text, _ := part.Content.(a2a.Text)
			if got := string(bytes.TrimSpace([]byte(text))); got != strconv.Itoa(chunks) {
				t.Fatalf("chunk %d is %q", chunks, got)
			}
			chunks++
		}
	}
	return chunks
}
