// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/incoming"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

// OldClient is the client side of the binding in 0.2 and 0.3: an [a2a.Service] like [Client], below the /v1 of an address.
// Those generations have no tenants.
type OldClient struct {
	Client
	dialect wire.Dialect
}

var _ a2a.Service = (*OldClient)(nil)

// NewOldClient returns an OldClient for the agent at url, which is what stands before the /v1 of its paths. The dialect is
// [v03pb.Proto] or [v03pb.ProtoRaw].
func NewOldClient(url string, dialect wire.Dialect, caller *httpcall.Caller, sendTimeout time.Duration) *OldClient {
	c := &OldClient{*NewClient(url, caller, sendTimeout), dialect}
	c.base += "/v1"
	return c
}

// SendMessage posts to /v1/message:send.
func (c *OldClient) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	res, err := c.post(ctx, wire.OpSendMessage, req, "/message:send", c.send)
	return result[a2a.SendResult](res, err)
}

// StreamMessage posts to /v1/message:stream.
func (c *OldClient) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.events(ctx, wire.OpStreamMessage, req, exchange{method: http.MethodPost, path: "/message:stream"})
}

// GetTask gets /v1/tasks/{id}.
func (c *OldClient) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	var q query
	if req.HistoryLength != nil {
		q.text("historyLength", strconv.Itoa(max(1, *req.HistoryLength))) // 0 would be all of it
	}
	return result[*a2a.Task](c.ask(ctx, wire.OpGetTask, req, exchange{method: http.MethodGet, path: path("", "tasks", string(req.ID)) + q.String()}))
}

// ListTasks gets /v1/tasks.
func (c *OldClient) ListTasks(ctx context.Context, req *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return result[*a2a.ListTasksResponse](c.ask(ctx, wire.OpListTasks, req, exchange{method: http.MethodGet, path: "/tasks" + oldListQuery(req)}))
}

// CancelTask posts to /v1/tasks/{id}:cancel.
func (c *OldClient) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return result[*a2a.Task](c.post(ctx, wire.OpCancelTask, req, path("", "tasks", string(req.ID))+":cancel", 0))
}

// Subscribe gets /v1/tasks/{id}:subscribe: the proto says GET and the text POST, and SDKs follow the proto.
func (c *OldClient) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return c.events(ctx, wire.OpSubscribe, req, exchange{
		method: http.MethodGet, path: path("", "tasks", string(req.ID)) + ":subscribe", after: req.After,
	})
}

// CreatePushConfig posts to /v1/tasks/{id}/pushNotificationConfigs.
func (c *OldClient) CreatePushConfig(ctx context.Context, req *a2a.PushConfig) (*a2a.PushConfig, error) {
	return result[*a2a.PushConfig](c.post(ctx, wire.OpCreatePushConfig, req, pushPath("", req.TaskID), 0))
}

// GetPushConfig gets /v1/tasks/{id}/pushNotificationConfigs/{configId}.
func (c *OldClient) GetPushConfig(ctx context.Context, req *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return result[*a2a.PushConfig](c.ask(ctx, wire.OpGetPushConfig, req, exchange{method: http.MethodGet, path: pushPath("", req.TaskID, req.ID)}))
}

// ListPushConfigs gets /v1/tasks/{id}/pushNotificationConfigs.
func (c *OldClient) ListPushConfigs(ctx context.Context, req *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse, error) {
	return result[*a2a.ListPushConfigsResponse](c.ask(ctx, wire.OpListPushConfigs, req, exchange{method: http.MethodGet, path: pushPath("", req.TaskID)}))
}

// DeletePushConfig deletes /v1/tasks/{id}/pushNotificationConfigs/{configId}.
func (c *OldClient) DeletePushConfig(ctx context.Context, req *a2a.DeletePushConfigRequest) error {
	_, err := c.ask(ctx, wire.OpDeletePushConfig, req, exchange{method: http.MethodDelete, path: pushPath("", req.TaskID, req.ID), noResult: true})
	return err
}

// ExtendedCard gets /v1/card.
func (c *OldClient) ExtendedCard(ctx context.Context, req *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return result[*a2a.AgentCard](c.ask(ctx, wire.OpExtendedCard, req, exchange{method: http.MethodGet, path: "/card"}))
}

// oldListQuery is listQuery with the names that drafts after 0.3.0 have, which are the first with such a list.
func oldListQuery(req *a2a.ListTasksRequest) string {
	var q query
	q.text("contextId", string(req.ContextID))
	if req.Status != a2a.TaskStateUnspecified {
		q.text("status", v03pb.StateName(req.Status))
	}
	q.number("pageSize", req.PageSize)
	q.text("pageToken", req.PageToken)
	q.number("historyLength", req.HistoryLength)
	if !req.StatusTimestampAfter.IsZero() {
		q.text("lastUpdatedAfter", strconv.FormatInt(req.StatusTimestampAfter.UnixMilli(), 10))
	}
	if req.IncludeArtifacts {
		q.text("includeArtifacts", "true")
	}
	return q.String()
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

// post makes a call with a body.
func (c *OldClient) post(ctx context.Context, op wire.Operation, req any, path string, timeout time.Duration) (any, error) {
	body, err := c.dialect.AppendRequest(nil, op, req)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the request of %v: %w", op, err)
	}
	return c.ask(ctx, op, req, exchange{method: http.MethodPost, path: path, raw: body, timeout: timeout})
}

// ask makes a call and decodes what answers it.
func (c *OldClient) ask(ctx context.Context, op wire.Operation, req any, x exchange) (any, error) {
	r, err := c.request(x, wire.MediaTypeJSON)
	if err != nil {
		return nil, err
	}
	answer, err := c.caller.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	success := answer.Status/100 == 2 // SDKs have several for it
	switch {
	case success && x.noResult:
		return nil, nil
	case !success || !answer.IsJSON():
		return nil, oldFailure(op, answer)
	}
	res, err := c.dialect.DecodeResult(op, req, answer.Body)
	if err != nil {
		return nil, unreadable(err)
	}
	return res, nil
}

// oldFailure makes an error of an answer that is not the result.
func oldFailure(op wire.Operation, answer *httpcall.Answer) error {
	if answer.Status < 400 || !answer.IsJSON() {
		return answer.Unexpected()
	}
	e := wire.DecodeStatusError03(op, answer.Status, answer.Body)
	if e == nil {
		return answer.Unexpected()
	}
	e.RetryAfter = max(e.RetryAfter, retry.After(answer.Header))
	return e
}

func (c *OldClient) events(ctx context.Context, op wire.Operation, req any, x exchange) (iter.Seq2[a2a.StreamEvent, error], error) {
	if x.method == http.MethodPost {
		body, err := c.dialect.AppendRequest(nil, op, req)
		if err != nil {
			return nil, fmt.Errorf("cannot encode the request of %v: %w", op, err)
		}
		x.raw = body
	}
	r, err := c.request(x, sse.ContentType)
	if err != nil {
		return nil, err
	}
	source, answer, err := c.caller.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, oldFailure(op, answer)
	}
	s := incoming.Stream{Source: source, Decoder: c.dialect.NewStreamDecoder(op, req), Unwrap: unwrapOld}
	if op == wire.OpSubscribe {
		s.Snapshot = func(task a2a.TaskID) (*a2a.Task, error) { return c.GetTask(ctx, &a2a.GetTaskRequest{ID: task}) }
	}
	return s.Events(), nil
}

// unwrapOld returns the data of an event, unless that is an error: by its type, or by what is in it. Most events are none,
// and are not read twice for it.
func unwrapOld(e sse.Event) ([]byte, error) {
	isError := e.Type == errorEvent
	if isError || bytes.Contains(e.Data, []byte(`"code"`)) || bytes.Contains(e.Data, []byte(`"error"`)) {
		if err := wire.DecodeStatusError03(wire.OpNone, 0, e.Data); err != nil {
			return nil, err
		}
	}
	if isError {
		return nil, unreadable(fmt.Errorf("it ended the stream with %q", httpcall.Excerpt(e.Data)))
	}
	return e.Data, nil
}
