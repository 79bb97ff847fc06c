// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// A tap is a transport to an agent that keeps what passes. What passes is not changed, nor held up until it is whole.
type tap struct {
	log   *wireLog
	next  http.RoundTripper
	agent string // id
}

// tapped returns the options of a client of an agent, with a tap.
func (c *Console) tapped(agent string) *client.Options {
	o := c.options.Client
	one := *o.HTTPClient
	t := &tap{c.wire, cmp.Or(one.Transport, http.DefaultTransport), agent}
	one.Transport = t
	o.HTTPClient = &one
	o.Interceptors = append(o.Interceptors[:len(o.Interceptors):len(o.Interceptors)], t.grpc)
	return &o
}

// Unwrap returns the transport below, for its settings of TLS.
func (t *tap) Unwrap() http.RoundTripper { return t.next }

// RoundTrip makes an exchange and keeps it.
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	row := wireRow{Exchange: t.log.exchange.Add(1), Dir: wireRequest, Agent: t.agent, Verb: req.Method,
		URL: redact.URL(req.URL, func(string) bool { return false }), Headers: headersOf(req.Header)}
	row.Method = row.Verb + " " + req.URL.Path
	if req.GetBody != nil { // the body itself is the transport's
		if body, err := req.GetBody(); err == nil {
			text, _ := io.ReadAll(io.LimitReader(body, maxWireBody+wireOverlong))
			body.Close()
			row.setBody(text, req.ContentLength)
			if method := readOf(text).Method; method != "" {
				row.Method = method
			}
		}
	}
	start := time.Now()
	row.At = start
	request := row
	t.log.add(&request)
	exchange := &exchange{log: t.log, row: wireRow{Exchange: row.Exchange, Agent: row.Agent, Verb: row.Verb,
		URL: row.URL, Method: row.Method}, start: start}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		exchange.end(err)
		return nil, err
	}
	exchange.row.Status, exchange.headers = resp.StatusCode, headersOf(resp.Header)
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	exchange.stream = mediaType == sse.ContentType
	if exchange.stream {
		exchange.answer()
	}
	resp.Body = &tappedBody{ReadCloser: resp.Body, exchange: exchange}
	return resp, nil
}

func headersOf(h http.Header) map[string]string {
	all := make(map[string]string)
	for name, values := range h {
		value := strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
		if redact.Name(name) {
			value = redact.Mark
		}
		all[name] = redact.Text(value)
	}
	return all
}

// An exchange is a request whose answer is coming.
type exchange struct {
	log     *wireLog
	row     wireRow // what all rows of the exchange have
	headers map[string]string
	start   time.Time
	stream  bool

	text   []byte // the beginning of the answer, or of the event that is coming
	size   int64  // of it
	inLine bool   // the line that is coming is not empty
	over   bool
}

// keep keeps one row of the answer.
func (e *exchange) keep(dir string, text []byte, size int64, fill func(*wireRow)) {
	row := e.row
	row.Dir, row.Took = dir, time.Since(e.start).Microseconds()
	row.setBody(text, size)
	fill(&row)
	row.Failed = row.Failed || row.Status >= 400 || row.Code != 0
	e.log.add(&row)
}

func (e *exchange) answer() {
	e.keep(wireAnswer, e.text, e.size, func(row *wireRow) {
		row.Headers = e.headers
		row.Code, row.About = aboutOf(e.text)
		if e.stream {
			row.About = "a stream begins"
		}
	})
}

// end keeps why nothing more comes.
func (e *exchange) end(err error) {
	e.keep(wireEnd, nil, 0, func(row *wireRow) {
		row.Failed, row.About = !errors.Is(err, context.Canceled), err.Error()
	})
}

// take takes bytes of the answer. An empty line ends an event.
func (e *exchange) take(p []byte) {
	for len(p) > 0 {
		line, rest, whole := p, []byte(nil), false
		if e.stream {
			line, rest, whole = bytes.Cut(p, []byte{'\n'})
		}
		n := len(p) - len(rest)
		e.inLine = e.inLine || len(bytes.Trim(line, "\r")) > 0
		e.size += int64(n)
		e.text = append(e.text, p[:min(n, max(0, maxWireBody+wireOverlong-len(e.text)))]...)
		if whole && !e.inLine {
			e.event()
		}
		if whole {
			e.inLine = false
		}
		p = rest
	}
}

// event keeps an event of a stream, unless it is a comment that keeps the stream alive.
func (e *exchange) event() {
	if data := dataOf(e.text); len(data) > 0 {
		e.keep(wireEvent, e.text, e.size, func(row *wireRow) { row.Code, row.About = aboutOf(data) })
	}
	e.text, e.size = e.text[:0], 0
}

// dataOf returns the data of an event, as far as it came.
func dataOf(block []byte) []byte {
	ev, err := sse.NewReader(bytes.NewReader(slices.Concat(bytes.TrimSpace(block), []byte("\n\n"))), 0).Next()
	if err != nil {
		return nil
	}
	return ev.Data
}

// A tappedBody is an answer that is kept when it has been read.
type tappedBody struct {
	io.ReadCloser
	mu       sync.Mutex // the goroutine that closes a stream need not be the one that reads it
	exchange *exchange
}

func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.exchange.over {
		b.exchange.take(p[:n])
	}
	if err != nil {
		b.end(err)
	}
	return n, err
}

func (b *tappedBody) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(io.EOF)
	return err
}

// end keeps how the answer ended, once; b.mu is held.
func (b *tappedBody) end(err error) {
	e := b.exchange
	if e.over {
		return
	}
	e.over = true
	if !e.stream {
		e.answer()
	}
	if err != io.EOF {
		e.end(err)
	}
}

// message is a request or an answer that can be shown as JSON.
type message interface{ AppendJSON([]byte) ([]byte, error) }

// grpc keeps calls over gRPC, which pass no RoundTrip: their messages as JSON.
func (t *tap) grpc(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
	if call.Interface.Binding != a2a.BindingGRPC {
		return next(ctx, call)
	}
	e := &exchange{log: t.log, start: time.Now(), row: wireRow{Exchange: t.log.exchange.Add(1), Agent: t.agent,
		Verb: "gRPC", URL: grpcURL(call.Interface.URL), Method: call.Operation}}
	keep := func(dir string, m message) {
		text, err := m.AppendJSON(nil)
		if err != nil {
			return // it could not be sent either
		}
		e.keep(dir, text[:min(len(text), maxWireBody+wireOverlong)], int64(len(text)), func(row *wireRow) {
			row.Code, row.About = aboutOf(text)
			if dir == wireRequest {
				row.Headers, row.Took, row.About = headersOf(call.Params), 0, ""
			}
		})
	}
	if request, ok := call.Request.(message); ok {
		keep(wireRequest, request)
	}
	result, err := next(ctx, call)
	if err != nil {
		e.end(err)
		return nil, err
	}
	switch r := result.(type) {
	case iter.Seq2[a2a.StreamEvent, error]:
		return iter.Seq2[a2a.StreamEvent, error](func(yield func(a2a.StreamEvent, error) bool) {
			for ev, err := range r {
				if err != nil {
					e.end(err)
				} else {
					keep(wireEvent, &a2a.StreamResponse{Event: ev.Event})
				}
				if !yield(ev, err) {
					return
				}
			}
		}), nil
	case a2a.SendResult:
		keep(wireAnswer, &a2a.SendResponse{Result: r})
	case message:
		keep(wireAnswer, r)
	}
	return result, nil
}

func grpcURL(address string) string {
	if u, err := url.Parse(address); err == nil {
		return redact.URL(u, func(string) bool { return false })
	}
	return redact.Text(address)
}

// A read body is what the wire view says of one. It may be of any version, and cut.
type readBody struct {
	Method string `json:"method"`
	Result *shape `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"` // of HTTP+JSON, which has no code of JSON-RPC
	} `json:"error"`
	JSONRPC string `json:"jsonrpc"`
	shape
}

// A shape is what results of all versions may have.
type shape struct {
	Kind           string  `json:"kind"`
	Status         *status `json:"status"`
	Task           *shape  `json:"task"`
	StatusUpdate   *shape  `json:"statusUpdate"`
	ArtifactUpdate *shape  `json:"artifactUpdate"`
	Message        *shape  `json:"message"`
	Artifact       *struct {
		Name string `json:"name"`
	} `json:"artifact"`
}

type status struct {
	State string `json:"state"`
}

func readOf(text []byte) (b readBody) {
	_ = json.Unmarshal(text, &b) // what it has before a fault
	return b
}

// aboutOf returns the code of a JSON-RPC error in a body, and what the body says.
func aboutOf(text []byte) (code int, about string) {
	b := readOf(text)
	if b.Error != nil {
		if b.JSONRPC != "" {
			code = b.Error.Code
		}
		return code, b.Error.Message
	}
	if b.Result != nil {
		return 0, b.Result.about()
	}
	return 0, b.shape.about()
}

func (s *shape) about() string {
	switch {
	case s.Task != nil:
		return "task " + s.Task.state()
	case s.StatusUpdate != nil:
		return "status " + s.StatusUpdate.state()
	case s.ArtifactUpdate != nil:
		return s.ArtifactUpdate.about()
	case s.Artifact != nil:
		return strings.TrimSpace("artifact " + s.Artifact.Name)
	case s.Message != nil, s.Kind == "message":
		return "message"
	case s.Status != nil:
		return strings.TrimSpace(strings.TrimSuffix(s.Kind, "-update") + " " + s.state())
	}
	return ""
}

func (s *shape) state() string {
	if s.Status == nil {
		return ""
	}
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.Status.State, "TASK_STATE_")), "_", "-")
}
