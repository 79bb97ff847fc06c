// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const (
	MaxDebugLine = 8 << 10  // bytes of a line of a body that --debug shows
	MaxDebugBody = 64 << 10 // bytes of a body that --debug shows, unless it is a stream
)

// A Tap shows the requests and answers that pass through a transport, without credentials. Answers pass on as they
// come, streams too. It is safe for concurrent use; the number before each line tells exchanges apart.
type Tap struct {
	next    http.RoundTripper
	out     io.Writer // gets a line with each Write
	headers []string  // further names of headers and parameters that hold credentials, as headers are written
	secrets []string  // what is hidden wherever it appears
	longest int       // the length of the longest of them
	count   atomic.Int64
}

// NewTap returns a tap on next. params are the user's service parameters, credentials among them.
func NewTap(next http.RoundTripper, out io.Writer, params http.Header) *Tap {
	t := &Tap{next: next, out: out}
	for name, values := range params {
		t.headers = append(t.headers, http.CanonicalHeaderKey(name))
		for _, value := range values {
			_, token, _ := strings.Cut(value, " ") // as in "Bearer token"
			for _, secret := range []string{value, token} {
				if len(secret) >= redact.MinLength {
					t.secrets = append(t.secrets, secret)
					t.longest = max(t.longest, len(secret))
				}
			}
		}
	}
	// The longer one first: it may contain the other.
	slices.SortFunc(t.secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return t
}

// Hide names a header or parameter that holds a credential. It is called before the first exchange that has it.
func (t *Tap) Hide(name string) {
	if !t.hidden(name) {
		t.headers = append(t.headers, http.CanonicalHeaderKey(name))
	}
}

func (t *Tap) hidden(name string) bool {
	return slices.Contains(t.headers, http.CanonicalHeaderKey(name))
}

// RoundTrip makes an exchange and shows it.
func (t *Tap) RoundTrip(req *http.Request) (*http.Response, error) {
	number := t.count.Add(1)
	sent, got := fmt.Sprintf("[%d] > ", number), fmt.Sprintf("[%d] < ", number)
	t.line(sent, req.Method+" "+t.URL(req.URL))
	t.header(sent, req.Header)
	t.requestBody(sent, req)
	start := time.Now()
	resp, err := t.next.RoundTrip(req)
	took := time.Since(start).Round(time.Microsecond)
	if err != nil {
		t.line(got, fmt.Sprintf("no answer after %v: %v", took, err))
		return nil, err
	}
	t.line(got, fmt.Sprintf("%s %s after %v", resp.Proto, resp.Status, took))
	t.header(got, resp.Header)
	resp.Body = &tappedBody{ReadCloser: resp.Body, shown: transcript{tap: t, prefix: got, left: shownOf(resp.Header)}}
	return resp, nil
}

// Unwrap returns the transport below, for its settings of TLS.
func (t *Tap) Unwrap() http.RoundTripper { return t.next }

// CloseIdleConnections does so below, where [http.Client] would not find it else.
func (t *Tap) CloseIdleConnections() {
	if below, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// shownOf returns how many bytes of a body are shown: all of a stream, which would else fall silent while it goes on.
func shownOf(header http.Header) int {
	if mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type")); mediaType == "text/event-stream" {
		return -1
	}
	return MaxDebugBody
}

// requestBody shows a copy of the body, as far as there is one: the body itself is the transport's.
func (t *Tap) requestBody(prefix string, req *http.Request) {
	if req.Body == nil || req.Body == http.NoBody {
		return
	}
	if req.GetBody == nil {
		t.line(prefix, "(a body that can be read only once is not shown)")
		return
	}
	body, err := req.GetBody()
	if err != nil {
		return // the transport will say so
	}
	defer body.Close()
	shown := &transcript{tap: t, prefix: prefix, left: MaxDebugBody}
	io.Copy(shown, io.LimitReader(body, MaxDebugBody+1))
	shown.end(true)
}

func (t *Tap) header(prefix string, header http.Header) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			t.line(prefix, name+": "+t.HeaderValue(name, value))
		}
	}
	t.line(prefix, "")
}

func (t *Tap) HeaderValue(name, value string) string {
	canonical := http.CanonicalHeaderKey(name)
	if t.hidden(name) || redact.Name(canonical) {
		return redact.Mark
	}
	if canonical == "Location" || canonical == "Referer" {
		if u, err := url.Parse(value); err == nil {
			return t.URL(u)
		}
	}
	return value
}

// URL returns a URL without what its user part and its query know.
func (t *Tap) URL(u *url.URL) string { return redact.URL(u, t.hidden) }

// HideBody replaces the credentials in a line of a body.
func (t *Tap) HideBody(line string) string { return redact.Body(t.hideKnown(line)) }

// hideKnown replaces the credentials of the user.
func (t *Tap) hideKnown(line string) string {
	for _, secret := range t.secrets {
		line = strings.ReplaceAll(line, secret, redact.Mark)
	}
	return line
}

func (t *Tap) line(prefix, text string) {
	fmt.Fprintf(t.out, "%s%s\n", prefix, terminal.Inline(t.hideKnown(text)))
}

// tappedBody shows what is read from a body.
type tappedBody struct {
	io.ReadCloser
	mu    sync.Mutex // who closes a stream need not be who reads it
	shown transcript
}

func (b *tappedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown.Write(p[:n])
	if err != nil {
		b.shown.end(err == io.EOF)
	}
	return n, err
}

func (b *tappedBody) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown.end(false)
	return err
}

// A transcript shows a body line by line, as it comes. It holds no more than the beginning of one line.
type transcript struct {
	tap    *Tap
	prefix string
	line   []byte // the beginning of the line that is coming
	length int    // of that line so far
	left   int    // bytes of the body that are still shown; below 0 for all
	over   bool
}

// Write takes the next bytes of the body; it never fails.
func (t *transcript) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && !t.over; {
		text, after, ended := bytes.Cut(rest, []byte{'\n'})
		taken := len(rest) - len(after)
		if t.left >= 0 && taken > t.left {
			t.add(rest[:min(t.left, len(text))])
			t.end(false)
			t.tap.line(t.prefix, fmt.Sprintf("(only the first %d bytes are shown)", MaxDebugBody))
			break
		}
		if t.left >= 0 {
			t.left -= taken
		}
		t.add(text)
		if ended {
			t.show(true)
		}
		rest = after
	}
	return len(p), nil
}

// add takes a piece of a line. It holds a little more than is shown of it, see show.
func (t *transcript) add(text []byte) {
	t.length += len(text)
	room := MaxDebugLine + t.tap.longest - len(t.line)
	t.line = append(t.line, text[:min(max(room, 0), len(text))]...)
}

// end shows what has no line break after it. Nothing is shown after that. The body is whole, or was left.
func (t *transcript) end(whole bool) {
	if !t.over && t.length > 0 {
		t.show(whole)
	}
	t.over = true
}

// show shows the line. A piece of a credential may stand at the end of what is held of one that is not whole, and
// would not be known for what it is, so as much as the longest credential stays away there.
func (t *transcript) show(whole bool) {
	text := t.tap.HideBody(strings.TrimSuffix(string(t.line), "\r"))
	whole = whole && t.length == len(t.line)
	if !whole {
		text = text[:max(len(text)-t.tap.longest, 0)]
	}
	if !whole || len(text) > MaxDebugLine {
		text = fmt.Sprintf("%s... (%d bytes)", cutText(text, MaxDebugLine), t.length)
	}
	fmt.Fprintf(t.tap.out, "%s%s\n", t.prefix, text)
	t.line, t.length = t.line[:0], 0
}

// cutText returns the first bytes of a text, as far as they are whole characters.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
