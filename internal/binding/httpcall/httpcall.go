// SPDX-License-Identifier: Apache-2.0

// Package httpcall makes the HTTP exchanges of the client sides of the JSON-RPC and the HTTP+JSON binding: one request,
// and an answer or a stream of server-sent events, with every limit on size and time that a client needs toward a peer
// it does not trust. It knows nothing of the protocol but its service parameters and the kinds of error.
package httpcall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Caller makes exchanges. It is safe for concurrent use and must not be changed after its first exchange.
type Caller struct {
	http *http.Client

	Timeout       time.Duration // of a whole exchange that is not a stream
	HeaderTimeout time.Duration // until a stream's headers
	IdleTimeout   time.Duration // of a stream without any byte
	MaxAnswer     int64         // bytes of an answer that is not a stream
	MaxEvent      int           // bytes of one event
}

// New returns a Caller that uses a copy of client: its Timeout does not apply, as it would end streams, and redirects
// are not followed, as they would carry a message, and credentials, to where the card does not point.
func New(client *http.Client) *Caller {
	c := *client
	c.Timeout = 0
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Caller{http: &c}
}

// A Request is what an exchange sends, beside the service parameters of its context.
type Request struct {
	Method      string
	URL         string
	ContentType string // of Body
	Accept      string
	LastEventID string        // "" when the stream is not resumed
	Body        []byte        // nil when there is none
	Timeout     time.Duration // replaces the Caller's for an exchange that is not a stream; 0 means the Caller's
}

// An Answer is a whole response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes an exchange whose answer is read whole. An error is a [*wire.ConnError], an [*a2a.Error] when a limit of
// this side was reached, or that of ctx.
func (c *Caller) Do(ctx context.Context, r *Request) (*Answer, error) {
	limit := r.Timeout
	if limit == 0 {
		limit = c.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeUp(fmt.Sprintf("no answer within %v", limit)))
	defer cancel()
	resp, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return c.answer(ctx, resp)
}

// Open makes an exchange whose answer should be a stream. When the peer answers with a stream, that is returned, and
// must be closed; else the answer. Errors are as those of Do.
func (c *Caller) Open(ctx context.Context, r *Request) (*Stream, *Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	patience := time.AfterFunc(c.HeaderTimeout, func() {
		cancel(timeUp(fmt.Sprintf("the stream did not open within %v", c.HeaderTimeout)))
	})
	resp, err := c.send(ctx, r)
	if err != nil {
		patience.Stop()
		cancel(nil)
		return nil, nil, err
	}
	if resp.StatusCode == http.StatusOK && mediaType(resp.Header) == sse.ContentType {
		patience.Stop()
		s := newStream(ctx, cancel, resp.Body, c)
		s.whole = resp.ContentLength >= 0
		return s, nil, nil
	}
	defer cancel(nil)
	defer patience.Stop()
	defer resp.Body.Close()
	answer, err := c.answer(ctx, resp)
	return nil, answer, err
}

func (c *Caller) send(ctx context.Context, r *Request) (*http.Response, error) {
	var dialed, sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { dialed.Store(true) },
		WroteHeaders: func() { sent.Store(true) },
	})
	req, err := newRequest(traced, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		u.URL = r.URL // without the query, which holds credentials
	}
	// A RoundTripper that is not net/http's may not tell what it did: then only a failed dial proves that nothing was
	// sent.
	unsent := isDial(err) || dialed.Load() && !sent.Load()
	return nil, &wire.ConnError{Sent: !unsent, Err: err}
}

func newRequest(ctx context.Context, r *Request) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return nil, fmt.Errorf("the card's interface has an address that cannot be used: %w", err)
	}
	if added := wire.QueryFrom(ctx); len(added) > 0 {
		query := req.URL.Query()
		maps.Copy(query, added)
		req.URL.RawQuery = query.Encode()
	}
	for name, values := range wire.ParamsFrom(ctx) {
		req.Header[name] = values
	}
	set := func(name, value string) {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	set("Accept", r.Accept)
	set("Content-Type", r.ContentType)
	set(wire.HeaderLastEventID, r.LastEventID)
	return req, nil
}

func isDial(err error) bool {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// maxRoom is how many bytes are set aside at most for an answer that has not come yet.
const maxRoom = 64 << 10

func (c *Caller) answer(ctx context.Context, resp *http.Response) (*Answer, error) {
	// Room for what the peer announces, but only up to a bound: the announcement may be a lie.
	body := bytes.NewBuffer(make([]byte, 0, min(max(resp.ContentLength, 0), c.MaxAnswer, maxRoom)+bytes.MinRead))
	if _, err := body.ReadFrom(io.LimitReader(resp.Body, c.MaxAnswer+1)); err != nil {
		if ctx.Err() != nil {
			return nil, ended(ctx)
		}
		return nil, &wire.ConnError{Sent: true, Err: err}
	}
	if int64(body.Len()) > c.MaxAnswer {
		return nil, a2a.NewError(a2a.ErrInvalidAgentResponse,
			fmt.Sprintf("the answer is over this client's limit of %d bytes", c.MaxAnswer))
	}
	return &Answer{Status: resp.StatusCode, Header: resp.Header, Body: body.Bytes()}, nil
}

// OK reports whether the status is one of success.
func (a *Answer) OK() bool { return a.Status >= 200 && a.Status <= 299 }

// IsJSON reports whether the answer says that it is JSON of any sort.
func (a *Answer) IsJSON() bool {
	t := mediaType(a.Header)
	return t == wire.MediaTypeJSON || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json")
}

// mediaType returns the media type of a message without its parameters, in lower case.
func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return ""
	}
	return t
}

// ended returns the error of a context that has ended: that of this side's clock, or the context's own with its cause.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, ours := errors.AsType[*a2a.Error](cause); ours || errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}

// timeUp is an error of this side's clock. It is a deadline for those that look for one.
func timeUp(message string) *a2a.Error {
	return &a2a.Error{Kind: a2a.ErrTimeout, Message: message, Cause: context.DeadlineExceeded}
}
