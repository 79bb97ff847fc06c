// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Client is the client side of the binding (A2A 1.0 §11): an [a2a.Service] that sends every call below one address. It
// sends what it is given; versions, retries and the meaning of a stream's end are its caller's business. A stream that
// ends between two events ends without an error, whatever its last event was.
//
// A request's tenant goes into the path, which all peers know, and into the body where there is one.
type Client struct {
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
	return &Client{base: strings.TrimRight(base, "/"), query: query, caller: caller, send: sendTimeout}
}

// SendMessage posts to /message:send.
func (c *Client) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	body, err := c.call(ctx, exchange{method: http.MethodPost, path: path(req.Tenant, "message:send"), body: req, timeout: c.send})
	if err != nil {
		return nil, err
	}
	result, err := a2a.DecodeSendResponse(body)
	if err != nil {
		return nil, unreadable(err)
	}
	if wire.LacksStatus(result) { // nobody could tell when to stop waiting for it
		return nil, unreadable(wire.ErrNoStatus)
	}
	return result, nil
}

// StreamMessage posts to /message:stream.
func (c *Client) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.stream(ctx, exchange{method: http.MethodPost, path: path(req.Tenant, "message:stream"), body: req})
}

// GetTask gets /tasks/{id}.
func (c *Client) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	var q query
	q.number("historyLength", req.HistoryLength)
	return object[a2a.Task](c.call(ctx, exchange{method: http.MethodGet, path: path(req.Tenant, "tasks", string(req.ID)) + q.String()}))
}

// ListTasks gets /tasks.
func (c *Client) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return object[a2a.ListTasksResponse](c.call(ctx, exchange{method: http.MethodGet, path: path(req.Tenant, "tasks") + listQuery(req)}))
}

// CancelTask posts to /tasks/{id}:cancel.
func (c *Client) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return object[a2a.Task](c.call(ctx, exchange{method: http.MethodPost, path: path(req.Tenant, "tasks", string(req.ID)) + ":cancel", body: req}))
}

// Subscribe posts to /tasks/{id}:subscribe.
func (c *Client) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.stream(ctx, exchange{method: http.MethodPost, path: path(req.Tenant, "tasks", string(req.ID)) + ":subscribe", after: req.After})
}

// CreatePushConfig posts to /tasks/{id}/pushNotificationConfigs.
func (c *Client) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return object[a2a.PushConfig](c.call(ctx, exchange{method: http.MethodPost, path: pushPath(req.Tenant, req.TaskID), body: req}))
}

// GetPushConfig gets /tasks/{id}/pushNotificationConfigs/{configId}.
func (c *Client) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return object[a2a.PushConfig](c.call(ctx, exchange{method: http.MethodGet, path: pushPath(req.Tenant, req.TaskID, req.ID)}))
}

// ListPushConfigs gets /tasks/{id}/pushNotificationConfigs.
func (c *Client) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	var q query
	if req.PageSize != 0 {
		q.number("pageSize", &req.PageSize)
	}
	q.text("pageToken", req.PageToken)
	return object[a2a.ListPushConfigsResponse](c.call(ctx, exchange{method: http.MethodGet, path: pushPath(req.Tenant, req.TaskID) + q.String()}))
}

// DeletePushConfig deletes /tasks/{id}/pushNotificationConfigs/{configId}. What the peer answers beside an error is
// ignored: the standard leaves it open.
func (c *Client) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	_, err := c.call(ctx, exchange{method: http.MethodDelete, path: pushPath(req.Tenant, req.TaskID, req.ID), noResult: true})
	return err
}

// ExtendedCard gets /extendedAgentCard.
func (c *Client) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return object[a2a.AgentCard](c.call(ctx, exchange{method: http.MethodGet, path: path(req.Tenant, "extendedAgentCard")}))
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
	r := &httpcall.Request{Method: x.method, URL: c.url(x.path), Accept: accept, LastEventID: x.after, Timeout: x.timeout}
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

// notStream makes an error of an answer where a stream was asked for. What is wrong with a result is said first.
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

func (c *Client) stream(ctx context.Context, x exchange) (iter.Seq2[a2a.StreamEvent, error], error) {
	r, err := c.request(x, sse.ContentType)
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
