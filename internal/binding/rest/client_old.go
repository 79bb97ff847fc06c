// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

// OldClient is the client side of the binding in 0.2 and 0.3: an [a2a.Service] like [Client], below the /v1 of an
// address. Those generations have no tenants.
type OldClient struct {
	Client
	dialect wire.Dialect
}

var _ a2a.Service = (*OldClient)(nil)

// NewOldClient returns an OldClient for the agent at url, which is what stands before the /v1 of its paths. The dialect
// is [v03pb.Proto] or [v03pb.ProtoRaw].
func NewOldClient(url string, dialect wire.Dialect, caller *httpcall.Caller, sendTimeout time.Duration) *OldClient {
	c := &OldClient{*NewClient(url, caller, sendTimeout), dialect}
	c.Transport = c
	c.base += "/v1"
	return c
}

// oldExchange returns a call in terms of HTTP, but for its body.
func (c *OldClient) oldExchange(op wire.Operation, request any) exchange {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		if op == wire.OpStreamMessage {
			return exchange{method: http.MethodPost, path: "/message:stream"}
		}
		return exchange{method: http.MethodPost, path: "/message:send", timeout: c.send}
	case *a2a.GetTaskRequest:
		var q query
		if r.HistoryLength != nil {
			q.text("historyLength", strconv.Itoa(max(1, *r.HistoryLength))) // 0 would be all of it
		}
		return get(path("", "tasks", string(r.ID)) + q.String())
	case *a2a.ListTasksRequest:
		return get("/tasks" + oldListQuery(r))
	case *a2a.CancelTaskRequest:
		return exchange{method: http.MethodPost, path: path("", "tasks", string(r.ID)) + ":cancel"}
	case *a2a.SubscribeRequest: // the proto says GET and the text POST, and SDKs follow the proto
		return exchange{method: http.MethodGet, path: path("", "tasks", string(r.ID)) + ":subscribe", after: r.After}
	case *a2a.PushConfig:
		return exchange{method: http.MethodPost, path: pushPath("", r.TaskID)}
	case *a2a.GetPushConfigRequest:
		return get(pushPath("", r.TaskID, r.ID))
	case *a2a.ListPushConfigsRequest:
		return get(pushPath("", r.TaskID))
	case *a2a.DeletePushConfigRequest:
		return exchange{method: http.MethodDelete, path: pushPath("", r.TaskID, r.ID), noResult: true}
	}
	return get("/card")
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

// prepare returns the HTTP request of a call.
func (c *OldClient) prepare(op wire.Operation, request any, accept string) (*httpcall.Request, exchange, error) {
	x := c.oldExchange(op, request)
	if x.method == http.MethodPost {
		body, err := c.dialect.AppendRequest(nil, op, request)
		if err != nil {
			return nil, x, fmt.Errorf("cannot encode the request of %v: %w", op, err)
		}
		x.raw = body
	}
	r, err := c.request(x, accept)
	return r, x, err
}

// Call makes a call that is answered once.
func (c *OldClient) Call(ctx context.Context, op wire.Operation, req any) (any, error) {
	r, x, err := c.prepare(op, req, wire.MediaTypeJSON)
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

// Open makes a call that is answered with a stream.
func (c *OldClient) Open(ctx context.Context, op wire.Operation, req any) (wire.Events, error) {
	r, _, err := c.prepare(op, req, sse.ContentType)
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
	s := httpcall.Events{Source: source, Decoder: c.dialect.NewStreamDecoder(op, req), Unwrap: unwrapOld}
	if op == wire.OpSubscribe {
		s.Snapshot = func(task a2a.TaskID) (*a2a.Task, error) { return c.GetTask(ctx, &a2a.GetTaskRequest{ID: task}) }
	}
	return s.All(), nil
}

// unwrapOld returns the data of an event, unless that is an error: by its type, or by what is in it. Most events are
// none, and are not read twice for it.
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
