// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/retry"
)

const (
	maxAnswer = 32 << 20 // bytes of one answer, a stream's included
	maxError  = 64 << 10 // bytes of an error that are read
)

// policy bounds the tries of one request. A provider that asks for a longer pause is not waited for.
var policy = retry.Policy{Tries: 4, First: 500 * time.Millisecond, Max: 8 * time.Second, MaxWait: 30 * time.Second}

// client speaks the chat completions of OpenAI over HTTP.
type client struct {
	provider   string
	facts      provider
	model      string
	effort     string
	imageModel string
	base       string // without a slash at its end
	key        string
	idle       time.Duration
	http       *http.Client

	// inWords is set once the server has refused a schema in response_format but taken it in words; the second is for
	// requests with tools, which some servers refuse only together with a schema.
	inWords, inWordsWithTools atomic.Bool
}

// Name is the provider and the model.
func (c *client) Name() string { return c.provider + "/" + c.model }

// post sends one request, repeating it as long as that may help and nothing has come back. The caller closes the reply.
func (c *client) post(ctx context.Context, url, contentType string, body []byte) (*reply, error) {
	send := func(ctx context.Context) (*reply, error) { return c.send(ctx, url, contentType, body) }
	r, err := retry.Do(ctx, policy, send, func(err error) (time.Duration, bool) { return again(ctx, err) })
	if err != nil && ctx.Err() != nil {
		return nil, ended(ctx, err)
	}
	return r, err
}

// again says whether an error may pass when the request is repeated after a pause, and within the time that is left.
func again(ctx context.Context, err error) (pause time.Duration, ok bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.final || e.Kind != ErrRateLimit && e.Kind != ErrUnavailable {
		return 0, false
	}
	if end, bounded := ctx.Deadline(); bounded && time.Until(end) < e.RetryAfter {
		return 0, false
	}
	return e.RetryAfter, true
}

// ended is the error of a request whose context has ended. Where this is a budget, what went wrong before is told too.
func ended(ctx context.Context, last error) error {
	cause := context.Cause(ctx)
	budget, ok := errors.AsType[*Error](cause)
	before, hasBefore := errors.AsType[*Error](last)
	if !ok || budget.Kind != ErrBudget || !hasBefore || before.Kind == ErrBudget {
		return cause
	}
	return &Error{Kind: ErrBudget, Message: budget.Message, RetryAfter: before.RetryAfter, Err: last}
}

// reply is an answer whose body is still to be read.
type reply struct {
	*http.Response
	body   io.Reader // bounded, and ended when the provider is silent
	cancel context.CancelCauseFunc
	alarm  *time.Timer
}

func (r *reply) close() {
	r.alarm.Stop()
	r.cancel(nil)
	r.Body.Close()
}

// send makes one request. An answer that is no success is an error.
func (c *client) send(ctx context.Context, url, contentType string, body []byte) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	alarm := time.AfterFunc(c.idle, func() { cancel(silent(c.idle)) })
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		alarm.Stop()
		cancel(nil)
		return nil, &Error{Kind: ErrBadRequest, Err: errors.New("the base URL cannot be used")}
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "dragoman")
	c.authorize(req)
	resp, err := c.http.Do(req)
	if err != nil {
		err = c.broken(ctx, err)
		alarm.Stop()
		cancel(nil)
		return nil, err
	}
	r := &reply{Response: resp, cancel: cancel, alarm: alarm}
	r.body = &bounded{src: resp.Body, left: maxAnswer, client: c, ctx: ctx, alarm: alarm}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer r.close()
		text, _ := io.ReadAll(io.LimitReader(r.body, maxError))
		return nil, c.fault(resp, text)
	}
	return r, nil
}

// authorize adds the key, in the manner of the API that the URL belongs to.
func (c *client) authorize(r *http.Request) {
	switch {
	case c.key == "":
	case strings.HasSuffix(r.URL.Path, ":generateContent"):
		r.Header.Set("X-Goog-Api-Key", c.key)
	default:
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
}

// silent is the error of a provider that says nothing.
func silent(idle time.Duration) error {
	return &Error{Kind: ErrUnavailable, Message: fmt.Sprintf("the provider was silent for %s", idle)}
}

// broken is the error of a connection that failed or ended.
func (c *client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) // that of the alarm is an Error
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // without the URL
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the answer was cut")
	}
	return &Error{Kind: ErrUnavailable, Err: err}
}

// bounded reads an answer, no longer than it may be and only while the provider keeps talking.
type bounded struct {
	src    io.Reader
	left   int64
	client *client
	ctx    context.Context
	alarm  *time.Timer
}

// Read reads on. The alarm runs meanwhile only: a consumer that takes its time is no silence of the provider.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, &Error{Kind: ErrBadOutput,
			Message: fmt.Sprintf("the answer is over the limit of %d MiB", maxAnswer>>20)}
	}
	b.alarm.Reset(b.client.idle)
	n, err := b.src.Read(p[:min(int64(len(p)), b.left)])
	b.alarm.Stop()
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		err = b.client.broken(b.ctx, err)
	}
	return n, err
}
