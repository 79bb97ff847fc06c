// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// Options are those of a recording.
type Options struct {
	Transport http.RoundTripper // to the agent; nil means http.DefaultTransport
	Out       io.Writer         // gets each line with one Write, and no two at once
	MaxBody   int               // bytes of a body that is recorded; 0 means MaxBody
	MaxFile   int64             // bytes of the cassette; 0 means MaxFile

	// Stopped is told, once, why nothing more is recorded. Traffic goes on passing. Nil ignores it.
	Stopped func(error)
}

// ErrTooLarge is the error of a request that is over the limit of a recording.
var ErrTooLarge = errors.New("the request is larger than what is recorded")

// A tape is a transport to an agent that records what passes.
type tape struct {
	opts   Options
	routes *routes
	start  time.Time

	mu      sync.Mutex
	names   *namer
	n       int   // the last exchange
	written int64 // bytes
	stopped bool
}

func newTape(r *routes, opts *Options) (*tape, error) {
	t := &tape{opts: *opts, routes: r, names: newNamer(r), start: time.Now()}
	t.opts.Transport = cmp.Or(t.opts.Transport, http.DefaultTransport)
	t.opts.MaxBody = cmp.Or(t.opts.MaxBody, MaxBody)
	t.opts.MaxFile = cmp.Or(t.opts.MaxFile, MaxFile)
	text, err := encodeLine(header)
	if err == nil {
		_, err = t.opts.Out.Write(text)
		t.written = int64(len(text))
	}
	return t, err
}

// write writes a line; the caller holds the lock.
func (t *tape) write(l *Line) {
	l.T, l.IDs = time.Since(t.start).Milliseconds(), t.names.take()
	text, err := encodeLine(l)
	switch {
	case err != nil:
	case t.written+int64(len(text)) > t.opts.MaxFile:
		err = fmt.Errorf("the cassette has reached its limit of %d MiB", t.opts.MaxFile>>20)
	default:
		t.written += int64(len(text))
		_, err = t.opts.Out.Write(text)
	}
	if err != nil {
		t.stopped = true
		if t.opts.Stopped != nil {
			t.opts.Stopped(err)
		}
	}
}

// RoundTrip makes an exchange with the agent and records it.
func (t *tape) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.roundTrip(req, func() {})
}

// roundTrip is RoundTrip; it calls began when the request is in the cassette, or cannot be.
func (t *tape) roundTrip(req *http.Request, began func()) (*http.Response, error) {
	body, err := readBody(req.Body, t.opts.MaxBody)
	if err != nil {
		began()
		return nil, err
	}
	number := t.request(req, body)
	began()
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	if len(body) == 0 {
		out.Body, out.GetBody = http.NoBody, nil
	}
	resp, err := t.opts.Transport.RoundTrip(out)
	if err != nil {
		t.end(number, "no answer: "+err.Error())
		return nil, err
	}
	if isStream(resp.Header.Get("Content-Type")) {
		t.answer(number, resp, nil)
		resp.Body = &eventTape{ReadCloser: resp.Body, tape: t, number: number}
		return resp, nil
	}
	return resp, t.whole(number, resp)
}

// readBody returns a body that is not over the limit.
func readBody(body io.ReadCloser, limit int) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	if err == nil && len(b) > limit {
		return nil, fmt.Errorf("%w: the limit is %d bytes", ErrTooLarge, limit)
	}
	return b, err
}

// whole records an answer that is no stream. Cards are changed on the way, so that clients come back here.
func (t *tape) whole(number int, resp *http.Response) error {
	body, err := readBody(resp.Body, t.opts.MaxBody)
	if errors.Is(err, ErrTooLarge) { // which is about requests
		err = fmt.Errorf("the answer is larger than what is recorded: the limit is %d bytes", t.opts.MaxBody)
	}
	if err != nil {
		t.end(number, err.Error())
		return err
	}
	if n, err := parse(body); err == nil && cardIn(n) != nil {
		t.routes.fit(cardIn(n))
		body = n.encode()
		resp.Header.Del("Etag")
		resp.Header.Del("Content-Length")
		resp.ContentLength = int64(len(body))
	}
	t.answer(number, resp, body)
	if path := t.routes.path(resp.Header.Get("Location")); path != "" && t.routes.self != "" {
		resp.Header.Set("Location", t.routes.self+path)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// request records a request and returns its number.
func (t *tape) request(req *http.Request, body []byte) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	if t.stopped {
		return t.n
	}
	for name, values := range req.Header {
		if redact.Name(name) {
			for _, value := range values {
				t.names.hide(value)
			}
		}
	}
	l := &Line{N: t.n, Dir: Request, Method: req.Method, Headers: t.headers(req.Header, false)}
	t.body(l, body, false)
	path := t.routes.path(req.URL.String())
	l.Path, l.Proto = t.names.path(path), proto(path, body)
	t.write(l)
	return t.n
}

// answer records an answer, or how it begins.
func (t *tape) answer(number int, resp *http.Response, body []byte) {
	t.record(func() *Line {
		l := &Line{N: number, Dir: Answer, Status: resp.StatusCode, Headers: t.headers(resp.Header, true)}
		t.body(l, body, true)
		return l
	})
}

// record writes the line that it makes, unless the recording has stopped.
func (t *tape) record(line func() *Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopped {
		t.write(line())
	}
}

func (t *tape) event(number int, ev sse.Event) {
	t.record(func() *Line {
		l := &Line{N: number, Dir: Event}
		t.body(l, ev.Data, true)
		if ev.ID != "" || ev.Type != "" {
			l.SSE = &SSE{Event: t.names.text(ev.Type, true)}
			if ev.ID != "" {
				l.SSE.ID = put(t.names.name(kindEvent, ev.ID, true))
			}
		}
		return l
	})
}

// end records that no more of an answer comes.
func (t *tape) end(number int, why string) {
	t.record(func() *Line {
		return &Line{N: number, Dir: End, Error: t.names.text(strings.ToValidUTF8(why, "\uFFFD"), true)}
	})
}

func (t *tape) body(l *Line, body []byte, answer bool) {
	switch n, err := parse(body); {
	case len(body) == 0:
	case err == nil:
		t.names.fold(n, answer)
		l.Body = n.encode()
	case utf8.Valid(body):
		l.Text = t.names.text(string(body), answer)
	default:
		l.Binary = body
	}
}

// noise are headers that say nothing of the conversation, or are another time otherwise.
var noise = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Date", "Etag", "Forwarded", "Host", "If-Modified-Since",
	"If-None-Match", "Keep-Alive",
	"Last-Modified", "Proxy-Connection", "Server-Timing", "Te", "Trailer", "Traceparent", "Tracestate",
	"Transfer-Encoding", "Upgrade",
	"User-Agent", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id",
}

func (t *tape) headers(h http.Header, answer bool) map[string]string {
	kept := make(map[string]string)
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		value := strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
		switch {
		case slices.Contains(noise, name):
		case redact.Name(name):
			kept[name] = redact.Mark
		case name == "Last-Event-Id":
			kept[name] = put(t.names.name(kindEvent, value, false))
		default:
			kept[name] = t.names.text(value, answer)
		}
	}
	return kept
}

// path puts placeholders into a path with its query, whose parameters it sorts.
func (n *namer) path(path string) string {
	path, query, _ := strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	for i, s := range segments {
		kind := ""
		if i > 0 {
			kind = map[string]string{"tasks": "task", "pushNotificationConfigs": "config"}[segments[i-1]]
		}
		id, verb, _ := strings.Cut(s, ":")
		plain, err := url.PathUnescape(id)
		switch {
		case kind == "" || id == "" || err != nil:
			segments[i] = n.text(s, false)
		case verb == "cancel" || verb == "subscribe":
			segments[i] = put(n.name(kind, plain, false)) + ":" + verb
		default:
			plain, _ = url.PathUnescape(s)
			segments[i] = put(n.name(kind, plain, false))
		}
	}
	if query == "" {
		return strings.Join(segments, "/")
	}
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(value)
		switch kind := memberKinds[name]; {
		case err != nil:
		case redact.Name(name):
			n.hide(plain)
			pairs[i] = name + "=" + redact.Mark
		case kind != "" && plain != "":
			pairs[i] = name + "=" + put(n.name(kind, plain, false))
		case isTime(plain):
			pairs[i] = name + "=" + put(n.name(kindTime, plain, false))
		default:
			pairs[i] = n.text(pair, false)
		}
	}
	return strings.Join(segments, "/") + "?" + strings.Join(pairs, "&")
}

// proto names what a request belongs to.
func proto(path string, body []byte) string {
	n, err := parse(body)
	switch {
	case strings.Contains(path, "/.well-known/"):
		return "card"
	case err == nil && n.has("jsonrpc"):
		return "JSONRPC"
	case strings.Contains(path, "/message:") || strings.Contains(path, "/tasks") || strings.HasPrefix(path, "/v1/") ||
		strings.HasSuffix(path, "/extendedAgentCard"):
		return "HTTP+JSON"
	}
	return "other"
}

func isStream(contentType string) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType == sse.ContentType
}

// An eventTape records the events of a stream as they pass: each is in the cassette before its end is passed on.
type eventTape struct {
	io.ReadCloser
	tape   *tape
	number int

	mu     sync.Mutex // who closes a stream need not be who reads it
	block  []byte     // what has come of an event
	inLine bool       // its last line has not ended
	skipLF bool       // the last line ended in CR: a LF belongs to it
	over   bool
}

func (e *eventTape) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range p[:n] {
		e.take(c)
	}
	switch {
	case err == io.EOF:
		e.end("")
	case errors.Is(err, context.Canceled): // the request ended with the client that made it
		e.end(Left)
	case err != nil:
		e.end("the stream broke: " + err.Error())
	}
	return n, err
}

// take takes the next byte. An empty line ends an event.
func (e *eventTape) take(c byte) {
	switch {
	case e.over:
	case c == '\n' && e.skipLF:
		e.skipLF = false
	case c == '\n' || c == '\r':
		e.skipLF = c == '\r'
		e.block = append(e.block, '\n')
		if !e.inLine {
			e.ended()
		}
		e.inLine = false
	default:
		e.skipLF, e.inLine = false, true
		e.block = append(e.block, c)
		if len(e.block) > e.tape.opts.MaxBody {
			e.end(fmt.Sprintf("an event is larger than what is recorded: the limit is %d bytes", e.tape.opts.MaxBody))
		}
	}
}

// ended records the event, if it is one and no comment.
func (e *eventTape) ended() {
	if ev, err := sse.NewReader(bytes.NewReader(e.block), e.tape.opts.MaxBody).Next(); err == nil {
		e.tape.event(e.number, ev)
	}
	e.block = e.block[:0]
}

// end records the end of the stream, once.
func (e *eventTape) end(why string) {
	if !e.over {
		e.over, e.block = true, nil
		e.tape.end(e.number, why)
	}
}

func (e *eventTape) Close() error {
	err := e.ReadCloser.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.end(Left)
	return err
}
