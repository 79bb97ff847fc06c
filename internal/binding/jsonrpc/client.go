// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Client is the client side of the binding (A2A 1.0 §9): an [a2a.Service] that sends every call to one address. It
// sends what it is given; tenants, versions, retries and the meaning of a stream's end are its caller's business. A
// stream that ends between two events ends without an error, whatever its last event was.
type Client struct {
	url    string
	caller *httpcall.Caller
	send   time.Duration
	id     atomic.Uint64
}

var _ a2a.Service = (*Client)(nil)

// NewClient returns a Client for the agent at url. sendTimeout bounds SendMessage, which waits for the agent's work.
func NewClient(url string, caller *httpcall.Caller, sendTimeout time.Duration) *Client {
	return &Client{url: url, caller: caller, send: sendTimeout}
}

// SendMessage calls SendMessage.
func (c *Client) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	result, err := c.call(ctx, wire.OpSendMessage, req, c.send)
	if err != nil {
		return nil, err
	}
	sent, err := a2a.DecodeSendResponse(result)
	if err != nil {
		return nil, unreadable(err)
	}
	return sent, nil
}

// StreamMessage calls SendStreamingMessage.
func (c *Client) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.stream(ctx, wire.OpStreamMessage, req, "")
}

// GetTask calls GetTask.
func (c *Client) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	return object[a2a.Task](c.call(ctx, wire.OpGetTask, req, 0))
}

// ListTasks calls ListTasks.
func (c *Client) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return object[a2a.ListTasksResponse](c.call(ctx, wire.OpListTasks, req, 0))
}

// CancelTask calls CancelTask.
func (c *Client) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return object[a2a.Task](c.call(ctx, wire.OpCancelTask, req, 0))
}

// Subscribe calls SubscribeToTask.
func (c *Client) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.stream(ctx, wire.OpSubscribe, req, req.After)
}

// CreatePushConfig calls CreateTaskPushNotificationConfig.
func (c *Client) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return object[a2a.PushConfig](c.call(ctx, wire.OpCreatePushConfig, req, 0))
}

// GetPushConfig calls GetTaskPushNotificationConfig.
func (c *Client) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return object[a2a.PushConfig](c.call(ctx, wire.OpGetPushConfig, req, 0))
}

// ListPushConfigs calls ListTaskPushNotificationConfigs.
func (c *Client) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	return object[a2a.ListPushConfigsResponse](c.call(ctx, wire.OpListPushConfigs, req, 0))
}

// DeletePushConfig calls DeleteTaskPushNotificationConfig. What the peer answers beside an error is ignored: the
// standard leaves it open.
func (c *Client) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	_, err := c.call(ctx, wire.OpDeletePushConfig, req, 0)
	return err
}

// ExtendedCard calls GetExtendedAgentCard.
func (c *Client) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return object[a2a.AgentCard](c.call(ctx, wire.OpExtendedCard, req, 0))
}

// encodable is a request of the model.
type encodable interface {
	AppendJSON(dst []byte) ([]byte, error)
}

func (c *Client) request(op wire.Operation, params encodable) (*httpcall.Request, string, error) {
	id := strconv.FormatUint(c.id.Add(1), 10)
	body := make([]byte, 0, 512)
	body = append(body, `{"jsonrpc":"2.0","id":`...)
	body = append(body, id...)
	body = append(body, `,"method":"`...)
	body = append(body, op.String()...)
	body = append(body, `","params":`...)
	body, err := params.AppendJSON(body)
	if err != nil {
		return nil, "", fmt.Errorf("cannot encode the request of %v: %w", op, err)
	}
	body = append(body, '}')
	return &httpcall.Request{Method: http.MethodPost, URL: c.url, ContentType: wire.MediaTypeJSON, Body: body}, id, nil
}

func (c *Client) call(ctx context.Context, op wire.Operation, params encodable, timeout time.Duration) (jsontext.Value, error) {
	r, id, err := c.request(op, params)
	if err != nil {
		return nil, err
	}
	r.Accept, r.Timeout = wire.MediaTypeJSON, timeout
	answer, err := c.caller.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	return result(answer, id)
}

// result returns the result in an answer, or its error.
func result(answer *httpcall.Answer, id string) (jsontext.Value, error) {
	if !answer.IsJSON() {
		return nil, answer.Unexpected()
	}
	value, err := decodeResponse(answer.Body, id)
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

func (c *Client) stream(ctx context.Context, op wire.Operation, params encodable, after string) (iter.Seq2[a2a.StreamEvent, error], error) {
	r, id, err := c.request(op, params)
	if err != nil {
		return nil, err
	}
	r.Accept, r.LastEventID = sse.ContentType, after
	stream, answer, err := c.caller.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	if stream == nil {
		return nil, notStream(answer, id)
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
				event, err = decodeEvent(e, id)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}, nil
}

// notStream makes an error of an answer where a stream was asked for: it should hold one.
func notStream(answer *httpcall.Answer, id string) error {
	if _, err := result(answer, id); err != nil {
		return err
	}
	return answer.Unexpected()
}

func decodeEvent(e sse.Event, id string) (a2a.StreamEvent, error) {
	value, err := decodeResponse(e.Data, id)
	if err != nil {
		return a2a.StreamEvent{}, err
	}
	event, err := a2a.DecodeStreamResponse(value)
	if err != nil {
		return a2a.StreamEvent{}, unreadable(err)
	}
	return a2a.NewStreamEvent(e.ID, event), nil
}

// decodable is a pointer to a type of the model.
type decodable[T any] interface {
	*T
	json.UnmarshalerFrom
}

// object decodes a result that is an object of the model.
func object[T any, P decodable[T]](result jsontext.Value, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := a2a.Unmarshal(result, P(v)); err != nil {
		return nil, unreadable(err)
	}
	return v, nil
}
