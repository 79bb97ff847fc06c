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
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Client is the client side of the binding (A2A 1.0 §9): an [a2a.Service] that sends every call to one address, in one
// generation of the protocol. It sends what it is given; tenants, versions, retries and the meaning of a stream's end
// are its caller's business. A stream that ends between two events ends without an error, whatever its last event was.
type Client struct {
	wire.Remote
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
func NewClient(url string, gen a2a.Generation, dialect wire.Dialect, caller *httpcall.Caller,
	sendTimeout time.Duration) *Client {
	c := &Client{url: url, gen: gen, dialect: dialect, caller: caller, send: sendTimeout}
	c.Remote.Transport = c
	return c
}

// Call makes a call that is answered once.
func (c *Client) Call(ctx context.Context, op wire.Operation, request any) (any, error) {
	if op != wire.OpSendMessage {
		return c.call(ctx, op, request, 0)
	}
	if send, ok := request.(*a2a.SendMessageRequest); ok && c.gen == a2a.Generation01 {
		return c.send01(ctx, send)
	}
	return c.call(ctx, op, request, c.send)
}

// Open makes a call that is answered with a stream.
func (c *Client) Open(ctx context.Context, op wire.Operation, request any) (wire.Events, error) {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		if c.gen == a2a.Generation01 {
			return c.stream01(ctx, r)
		}
	case *a2a.SubscribeRequest:
		return c.stream(ctx, op, r, r.After)
	}
	return c.stream(ctx, op, request, "")
}

func (c *Client) request(op wire.Operation, params any) (*httpcall.Request, string, error) {
	method := wire.MethodIn(c.gen, op)
	if method == "" {
		return nil, "", a2a.NewError(a2a.ErrUnsupportedOperation,
			fmt.Sprintf("version %s of the protocol, which the agent speaks, has no %v", c.gen, op))
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
			// its code says nothing; codes for 401, 429 and so on are not standard
			remote.Kind = wire.KindOfStatus(answer.Status)
		}
		return nil, remote
	}
	if !answer.OK() {
		return nil, answer.Unexpected() // JSON, but not that of an agent's error
	}
	return value, err
}

func (c *Client) stream(ctx context.Context, op wire.Operation, params any,
	after string) (iter.Seq2[a2a.StreamEvent, error], error) {
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
	s := httpcall.Events{
		Source: source, Decoder: c.dialect.NewStreamDecoder(op, params),
		Unwrap: func(e sse.Event) ([]byte, error) { return c.decodeResponse(e.Data, id) },
	}
	if op == wire.OpSubscribe {
		s.Snapshot = func(task a2a.TaskID) (*a2a.Task, error) { return c.GetTask(ctx, &a2a.GetTaskRequest{ID: task}) }
	}
	return s.All(), nil
}

// refusal returns the error that a stream begins with, nil for none. Agents before 1.0 refuse to open a stream by one
// that has an error and nothing else.
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

// notStream makes an error of a plain answer to a request for a stream. If the answer holds no valid result, the error
// says so first.
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
