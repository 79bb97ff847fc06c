// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	v1 "github.com/dragoman-a2a/dragoman/internal/wire/v1"
)

// Client is the client side of the binding (A2A 1.0 §11): an [a2a.Service] that sends every call below one address. It
// sends what it is given; versions, retries and the meaning of a stream's end are its caller's business. A stream that
// ends between two events ends without an error, whatever its last event was.
//
// A request's tenant goes into the path, which all peers know, and into the body where there is one.
type Client struct {
	wire.Remote
	base   string // without a slash at its end
	query  string // of the agent's URL, added to each request's
	caller *httpcall.Caller
	send   time.Duration
}

var _ a2a.Service = (*Client)(nil)

// NewClient returns a Client for the agent at url. sendTimeout bounds SendMessage, which waits for the agent's work.
func NewClient(url string, caller *httpcall.Caller, sendTimeout time.Duration) *Client {
	url, _, _ = strings.Cut(url, "#")
	base, query, _ := strings.Cut(url, "?")
	c := &Client{base: strings.TrimRight(base, "/"), query: query, caller: caller, send: sendTimeout}
	c.Transport = c
	return c
}

// exchange returns a call in terms of HTTP.
func (c *Client) exchange(op wire.Operation, request any) exchange {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		if op == wire.OpStreamMessage {
			return exchange{method: http.MethodPost, path: path(r.Tenant, "message:stream"), body: r}
		}
		return exchange{method: http.MethodPost, path: path(r.Tenant, "message:send"), body: r, timeout: c.send}
	case *a2a.GetTaskRequest:
		var q query
		q.number("historyLength", r.HistoryLength)
		return get(path(r.Tenant, "tasks", string(r.ID)) + q.String())
	case *a2a.ListTasksRequest:
		return get(path(r.Tenant, "tasks") + listQuery(r))
	case *a2a.CancelTaskRequest:
		return exchange{method: http.MethodPost, path: path(r.Tenant, "tasks", string(r.ID)) + ":cancel", body: r}
	case *a2a.SubscribeRequest:
		return exchange{method: http.MethodPost, path: path(r.Tenant, "tasks", string(r.ID)) + ":subscribe",
			after: r.After}
	case *a2a.PushConfig:
		return exchange{method: http.MethodPost, path: pushPath(r.Tenant, r.TaskID), body: r}
	case *a2a.GetPushConfigRequest:
		return get(pushPath(r.Tenant, r.TaskID, r.ID))
	case *a2a.ListPushConfigsRequest:
		var q query
		if r.PageSize != 0 {
			q.number("pageSize", &r.PageSize)
		}
		q.text("pageToken", r.PageToken)
		return get(pushPath(r.Tenant, r.TaskID) + q.String())
	case *a2a.DeletePushConfigRequest: // the standard leaves open what the answer is
		return exchange{method: http.MethodDelete, path: pushPath(r.Tenant, r.TaskID, r.ID), noResult: true}
	case *a2a.ExtendedCardRequest:
		return get(path(r.Tenant, "extendedAgentCard"))
	}
	return exchange{}
}

func get(path string) exchange { return exchange{method: http.MethodGet, path: path} }

// Call makes a call that is answered once.
func (c *Client) Call(ctx context.Context, op wire.Operation, request any) (any, error) {
	body, err := c.call(ctx, c.exchange(op, request))
	if err != nil {
		return nil, err
	}
	result, err := v1.Dialect.DecodeResult(op, request, body)
	switch {
	case err != nil:
		return nil, unreadable(err)
	case op == wire.OpSendMessage && wire.LacksStatus(result): // nobody could tell when to stop waiting for it
		return nil, unreadable(wire.ErrNoStatus)
	}
	return result, nil
}

// encodable is a request of the model.
type encodable interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// exchange is one call in terms of HTTP.
type exchange struct {
	method   string
	path     string    // with its query
	body     encodable // nil means none
	raw      []byte    // a body that is encoded already
	after    string
	timeout  time.Duration
	noResult bool // any answer of success will do
}

func (c *Client) request(x exchange, accept string) (*httpcall.Request, error) {
	r := &httpcall.Request{Method: x.method, URL: c.url(x.path), Accept: accept, LastEventID: x.after,
		Timeout: x.timeout}
	if x.raw != nil {
		r.Body, r.ContentType = x.raw, wire.MediaTypeJSON
	}
	if x.body == nil {
		return r, nil
	}
	body, err := x.body.AppendJSON(nil)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the request: %w", err)
	}
	r.Body, r.ContentType = body, wire.MediaTypeJSON // servers of 1.0.0 know no other
	return r, nil
}

func (c *Client) url(path string) string {
	switch {
	case c.query == "":
		return c.base + path
	case strings.Contains(path, "?"):
		return c.base + path + "&" + c.query
	}
	return c.base + path + "?" + c.query
}

// acceptJSON names both media types: 1.0.0 answers with the first, 1.0.1 prefers the second.
const acceptJSON = wire.MediaTypeJSON + ", " + wire.MediaTypeA2A

func (c *Client) call(ctx context.Context, x exchange) ([]byte, error) {
	r, err := c.request(x, acceptJSON)
	if err != nil {
		return nil, err
	}
	answer, err := c.caller.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	if answer.OK() && x.noResult {
		return nil, nil
	}
	if !answer.OK() || !answer.IsJSON() {
		return nil, failure(answer)
	}
	return answer.Body, nil
}

// failure makes an error of an answer that is not the result.
func failure(answer *httpcall.Answer) error {
	if answer.Status < 400 || !answer.IsJSON() || !isError(answer.Body) {
		return answer.Unexpected()
	}
	e := wire.DecodeStatusError(answer.Status, answer.Body)
	e.RetryAfter = max(e.RetryAfter, retry.After(answer.Header))
	return e
}

// notStream makes an error of a plain answer to a request for a stream. If the answer holds no valid result, the error
// says so first.
func notStream(answer *httpcall.Answer) error {
	if !answer.OK() || !answer.IsJSON() {
		return failure(answer)
	}
	if strings.TrimSpace(string(answer.Body)) == "null" {
		return unreadable(wire.ErrNullResult)
	}
	if result, err := a2a.DecodeSendResponse(answer.Body); err == nil && wire.LacksStatus(result) {
		return unreadable(wire.ErrNoStatus)
	}
	return failure(answer)
}

// Open makes a call that is answered with a stream.
func (c *Client) Open(ctx context.Context, op wire.Operation, request any) (wire.Events, error) {
	r, err := c.request(c.exchange(op, request), sse.ContentType)
	if err != nil {
		return nil, err
	}
	stream, answer, err := c.caller.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	if stream == nil {
		return nil, notStream(answer)
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		defer stream.Close()
		for {
			e, err := stream.Next()
			if err == io.EOF {
				return
			}
			var event a2a.StreamEvent
			if err == nil {
				event, err = decodeEvent(e)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}, nil
}
