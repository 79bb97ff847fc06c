// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"context"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// recorder answers each call with an empty result of its operation.
type recorder struct {
	op      wire.Operation
	request any
}

func (r *recorder) Call(_ context.Context, op wire.Operation, request any) (any, error) {
	r.op, r.request = op, request
	switch op {
	case wire.OpSendMessage:
		return &a2a.Message{}, nil
	case wire.OpDeletePushConfig:
		return nil, nil
	}
	return op.NewResult(), nil
}

func (r *recorder) Open(_ context.Context, op wire.Operation, request any) (wire.Events, error) {
	r.op, r.request = op, request
	return func(func(a2a.StreamEvent, error) bool) {}, nil
}

// An operation calls its own method of a service, and a remote service makes the same operation of that method.
func TestOperationsCallTheirMethods(t *testing.T) {
	t.Parallel()
	for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
		var r recorder
		request := op.NewRequest()
		*op.Subject(request).Tenant = "acme"
		result, err := op.Call(t.Context(), wire.Remote{Transport: &r}, request)
		if err != nil || r.op != op || r.request != request || *op.Subject(r.request).Tenant != "acme" {
			t.Errorf("%v: %v(%v), %v", op, r.op, r.request, err)
		}
		if (result == nil) != (op == wire.OpDeletePushConfig) {
			t.Errorf("%v: the result is %v", op, result)
		}
		if _, err := op.Call(t.Context(), wire.Remote{Transport: &r}, op); err == nil {
			t.Errorf("%v takes an Operation as its request", op)
		}
	}
}

// silent is a broken service that returns neither a result nor an error.
type silent struct{ a2a.Service }

func (silent) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error)       { return nil, nil }
func (silent) Subscribe(context.Context, *a2a.SubscribeRequest) (wire.Events, error) { return nil, nil }
func (silent) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return nil, nil
}

func TestOperationsRefuseNoResult(t *testing.T) {
	t.Parallel()
	for _, op := range []wire.Operation{wire.OpGetTask, wire.OpSubscribe, wire.OpSendMessage} {
		if result, err := op.Call(t.Context(), silent{}, op.NewRequest()); err == nil || result != nil {
			t.Errorf("%v: %v, %v", op, result, err)
		}
	}
}
