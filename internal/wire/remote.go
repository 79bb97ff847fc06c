// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Transport makes calls in one written form of the protocol. Requests and results are those of [Operation.Call].
type Transport interface {
	// Call makes a call that is answered once.
	Call(ctx context.Context, op Operation, request any) (any, error)
	// Open makes a call that is answered with a stream.
	Open(ctx context.Context, op Operation, request any) (Events, error)
}

// Remote is the [a2a.Service] at the other end of a Transport.
type Remote struct{ Transport }

var _ a2a.Service = Remote{}

// SendMessage sends a message.
func (s Remote) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return result[a2a.SendResult](s.Call(ctx, OpSendMessage, r))
}

// StreamMessage sends a message and streams what comes of it.
func (s Remote) StreamMessage(ctx context.Context, r *a2a.SendMessageRequest) (Events, error) {
	return s.Open(ctx, OpStreamMessage, r)
}

// GetTask gets a task.
func (s Remote) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	return result[*a2a.Task](s.Call(ctx, OpGetTask, r))
}

// ListTasks lists tasks.
func (s Remote) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return result[*a2a.ListTasksResponse](s.Call(ctx, OpListTasks, r))
}

// CancelTask cancels a task.
func (s Remote) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return result[*a2a.Task](s.Call(ctx, OpCancelTask, r))
}

// Subscribe subscribes to a task.
func (s Remote) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (Events, error) {
	return s.Open(ctx, OpSubscribe, r)
}

// CreatePushConfig makes a push config.
func (s Remote) CreatePushConfig(ctx context.Context, r *a2a.PushConfig) (*a2a.PushConfig, error) {
	return result[*a2a.PushConfig](s.Call(ctx, OpCreatePushConfig, r))
}

// GetPushConfig gets a push config.
func (s Remote) GetPushConfig(ctx context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return result[*a2a.PushConfig](s.Call(ctx, OpGetPushConfig, r))
}

// ListPushConfigs lists push configs.
func (s Remote) ListPushConfigs(
	ctx context.Context, r *a2a.ListPushConfigsRequest,
) (*a2a.ListPushConfigsResponse, error) {
	return result[*a2a.ListPushConfigsResponse](s.Call(ctx, OpListPushConfigs, r))
}

// DeletePushConfig deletes a push config.
func (s Remote) DeletePushConfig(ctx context.Context, r *a2a.DeletePushConfigRequest) error {
	_, err := s.Call(ctx, OpDeletePushConfig, r)
	return err
}

// ExtendedCard gets the extended card.
func (s Remote) ExtendedCard(ctx context.Context, r *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return result[*a2a.AgentCard](s.Call(ctx, OpExtendedCard, r))
}

// result makes of a decoded result what the operation's method returns.
func result[T any](value any, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	res, ok := value.(T)
	if !ok {
		return none, Unreadable(fmt.Errorf("it is a %T", value))
	}
	return res, nil
}

type paramsKey struct{}

// WithParams returns a context for one call with these service parameters (A2A 1.0 §3.2.6), which the binding sends as
// HTTP headers or as gRPC metadata, and with those of a query that is put into URLs over HTTP. Names are spelled as
// http.Header spells them. Neither must be changed until the call has returned.
func WithParams(ctx context.Context, params http.Header, query url.Values) context.Context {
	if len(query) > 0 {
		ctx = context.WithValue(ctx, queryKey{}, query)
	}
	return context.WithValue(ctx, paramsKey{}, params)
}

type queryKey struct{}

// QueryFrom returns what the URLs of ctx get, or nil. It is read-only.
func QueryFrom(ctx context.Context) url.Values {
	query, _ := ctx.Value(queryKey{}).(url.Values)
	return query
}

// ParamsFrom returns the service parameters of ctx, or nil. They are read-only.
func ParamsFrom(ctx context.Context) http.Header {
	params, _ := ctx.Value(paramsKey{}).(http.Header)
	return params
}

// ConnError says that a call failed below the protocol: no connection, or one that broke.
type ConnError struct {
	Sent bool // the peer may have got the request; false means that surely no byte of it was sent
	Err  error
}

// Error returns the failure's text and, where it matters, that the request may have arrived.
func (e *ConnError) Error() string {
	if e.Sent {
		return "connection lost: " + e.Err.Error()
	}
	return e.Err.Error()
}

// Unwrap returns the failure itself.
func (e *ConnError) Unwrap() error { return e.Err }
