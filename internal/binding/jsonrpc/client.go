// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/incoming"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Client is the client side of the binding (A2A 1.0 §9): an [a2a.Service] that sends every call to one address, in one
// generation of the protocol. It sends what it is given; tenants, versions, retries and the meaning of a stream's end are
// its caller's business. A stream that ends between two events ends without an error, whatever its last event was.
type Client struct {
	url     string
	gen     a2a.Generation
	dialect wire.Dialect
	caller  *httpcall.Caller
	send    time.Duration
	id      atomic.Uint64
}

var _ a2a.Service = (*Client)(nil)

// NewClient returns a Client for the agent at url, which speaks a generation in the dialect. sendTimeout bounds
// SendMessage, which waits for the agent's work.
func NewClient(url string, gen a2a.Generation, dialect wire.Dialect, caller *httpcall.Caller, sendTimeout time.Duration) *Client {
	return &Client{url: url, gen: gen, dialect: dialect, caller: caller, send: sendTimeout}
}

// SendMessage sends a message.
func (c *Client) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if c.gen == a2a.Generation01 {
		return c.send01(ctx, req)
	}
	return result[a2a.SendResult](c.call(ctx, wire.OpSendMessage, req, c.send))
}

// StreamMessage sends a message and streams what comes of it.
func (c *Client) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	if c.gen == a2a.Generation01 {
		return c.stream01(ctx, req)
	}
	return c.stream(ctx, wire.OpStreamMessage, req, "")
}

// GetTask gets a task.
func (c *Client) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return result[*a2a.Task](c.call(ctx, wire.OpGetTask, req, 0))
}

// ListTasks lists tasks.
func (c *Client) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return result[*a2a.ListTasksResponse](c.call(ctx, wire.OpListTasks, req, 0))
}

// CancelTask cancels a task.
func (c *Client) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return result[*a2a.Task](c.call(ctx, wire.OpCancelTask, req, 0))
}

// Subscribe subscribes to a task.
func (c *Client) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.stream(ctx, wire.OpSubscribe, req, req.After)
}

// CreatePushConfig makes a push config.
func (c *Client) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return result[*a2a.PushConfig](c.call(ctx, wire.OpCreatePushConfig, req, 0))
}

// GetPushConfig gets a push config.
func (c *Client) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return result[*a2a.PushConfig](c.call(ctx, wire.OpGetPushConfig, req, 0))
}

// ListPushConfigs lists push configs.
func (c *Client) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	return result[*a2a.ListPushConfigsResponse](c.call(ctx, wire.OpListPushConfigs, req, 0))
}

// DeletePushConfig deletes a push config.
func (c *Client) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	_, err := c.call(ctx, wire.OpDeletePushConfig, req, 0)
	return err
}

// ExtendedCard gets the extended card.
func (c *Client) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return result[*a2a.AgentCard](c.call(ctx, wire.OpExtendedCard, req, 0))
}

// result makes of a decoded result what the operation's method returns.
func result[T any](value any, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	res, ok := value.(T)
	if !ok {
		return none, unreadable(fmt.Errorf("it is a %T", value))
	}
	return res, nil
}

func (c *Client) request(op wire.Operation, params any) (*httpcall.Request, string, error) {
	method := wire.MethodIn(c.gen, op)
	if method == "" {
		return nil, "", a2a.NewError(a2a.ErrUnsupportedOperation, fmt.Sprintf("version %s of the protocol, which the agent speaks, has no %v", c.gen, op))
	}
	id := strconv.FormatUint(c.id.Add(1), 10)
	body := make([]byte, 0, 512)
	body = append(body, `{"jsonrpc":"2.0","id":`...)
	body = append(body, id...)
	body = append(body, `,"method":"`...)
	body = append(body, method...)
	body = append(body, `","params":`...)
	body, err := c.dialect.AppendRequest(body, op, params)
	if err != nil {
		return nil, "", fmt.Errorf("cannot encode the request of %v: %w", op, err)
	}
	body = append(body, '}')
	return &httpcall.Request{Method: http.MethodPost, URL: c.url, ContentType: wire.MediaTypeJSON, Body: body}, id, nil
}

func (c *Client) call(ctx context.Context, op wire.Operation, params any, timeout time.Duration) (any, error) {
	r, id, err := c.request(op, params)
	if err != nil {
		return nil, err
	}
	r.Accept, r.Timeout = wire.MediaTypeJSON, timeout
	answer, err := c.caller.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	value, err := c.payload(answer, id)
	if err != nil {
		return nil, err
	}
	if op != wire.OpDeletePushConfig && value.Kind() == 'n' {
		return nil, unreadable(wire.ErrNullResult)
	}
	res, err := c.dialect.DecodeResult(op, params, value)
	if err != nil {
		return nil, unreadable(err)
	}
	if op == wire.OpSendMessage && wire.LacksStatus(res) { // nobody could tell when to stop waiting for it
		return nil, unreadable(wire.ErrNoStatus)
	}
	return res, nil
}

// payload returns the result in an answer, or the error.
func (c *Client) payload(answer *httpcall.Answer, id string) (jsontext.Value, error) {
	if !answer.IsJSON() && !isResponse(answer.Body) { // which agents in Go send as text/plain
		return nil, answer.Unexpected()
	}
	value, err := c.decodeResponse(answer.Body, id)
	if remote, ok := errors.AsType[*a2a.Error](err); ok && remote.Remote {
		remote.RetryAfter = max(remote.RetryAfter, retry.After(answer.Header))
		if remote.Kind == a2a.ErrInternal && answer.Status >= 400 {
			remote.Kind = wire.KindOfStatus(answer.Status) // its code says nothing; codes for 401, 429 and so on are not standard
		}
		return nil, remote
	}
	if !answer.OK() {
		return nil, answer.Unexpected() // JSON, but not that of an agent's error
	}
	return value, err
}

func (c *Client) stream(ctx context.Context, op wire.Operation, params any, after string) (iter.Seq2[a2a.StreamEvent, error], error) {
	r, id, err := c.request(op, params)
	if err != nil {
		return nil, err
	}
	r.Accept, r.LastEventID = sse.ContentType, after
	source, answer, err := c.caller.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, c.notStream(op, params, answer, id)
	}
	if source.Whole() {
		if err := c.refusal(source, id); err != nil {
			source.Close()
			return nil, err
		}
	}
	s := incoming.Stream{
		Source: source, Decoder: c.dialect.NewStreamDecoder(op, params),
		Unwrap: func(e sse.Event) ([]byte, error) { return c.decodeResponse(e.Data, id) },
	}
	if op == wire.OpSubscribe {
		s.Snapshot = func(task a2a.TaskID) (*a2a.Task, error) { return c.GetTask(ctx, &a2a.GetTaskRequest{ID: task}) }
	}
	return s.Events(), nil
}

// refusal returns the error that a stream begins with, nil for none. Agents before 1.0 refuse to open a stream by one that
// has an error and nothing else.
func (c *Client) refusal(source *httpcall.Stream, id string) error {
	first, err := source.Peek()
	if err != nil {
		return nil // for whoever reads the stream
	}
	_, err = c.decodeResponse(first.Data, id)
	if remote, ok := errors.AsType[*a2a.Error](err); ok && remote.Remote {
		return err
	}
	return nil
}

// notStream makes an error of an answer where a stream was asked for: it should hold one. What is wrong with an answer that
// holds something else is said first.
func (c *Client) notStream(op wire.Operation, params any, answer *httpcall.Answer, id string) error {
	value, err := c.payload(answer, id)
	if err != nil {
		return err
	}
	if value.Kind() == 'n' {
		return unreadable(wire.ErrNullResult)
	}
	if op != wire.OpStreamMessage {
		return answer.Unexpected()
	}
	result, err := c.dialect.DecodeResult(wire.OpSendMessage, params, value)
	if err != nil {
		return unreadable(err)
	}
	if wire.LacksStatus(result) {
		return unreadable(wire.ErrNoStatus)
	}
	return answer.Unexpected()
}
