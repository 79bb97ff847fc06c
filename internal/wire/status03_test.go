// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestDecodeStatusError03(t *testing.T) {
	t.Parallel()
	const send = wire.OpSendMessage
	for _, test := range []struct {
		name    string
		op      wire.Operation
		status  int
		body    string
		kind    a2a.Kind
		message string
	}{
		{"JavaScript", send, 404, `{"code":-32001,"message":"Task not found: t"}`, a2a.ErrTaskNotFound,
			"Task not found: t"},
		{"its status for all that it has no other for", send, 500, `{"code":-32006,"message":"bad"}`,
			a2a.ErrInvalidAgentResponse, "bad"},
		{"its status of a type it does not take", send, 500, `{"code":-32005,"message":"no","data":{"a":1}}`,
			a2a.ErrContentTypeNotSupported, "no"},
		{"an internal error", send, 500, `{"code":-32603,"message":"oops"}`, a2a.ErrInternal, "oops"},
		{"an event", send, 0, `{"code":-32602,"message":"m"}`, a2a.ErrInvalidParams, "m"},
		{"an event of an internal error", send, 0, `{"code":-32603,"message":"m"}`, a2a.ErrInternal, "m"},

		{"Python: parse, request", send, 400, `{"message":"m"}`, a2a.ErrInvalidRequest, "m"},
		{"Python: params", send, 422, `{"message":"m"}`, a2a.ErrInvalidParams, "m"},
		{"Python: no such task", send, 404, `{"message":"m"}`, a2a.ErrTaskNotFound, "m"},
		{"Python: no such card", wire.OpExtendedCard, 404, `{"message":"m"}`, a2a.ErrExtendedCardNotConfigured, "m"},
		{"Python: not cancelable", wire.OpCancelTask, 409, `{"message":"m"}`, a2a.ErrTaskNotCancelable, "m"},
		{"Python: unsupported", send, 501, `{"message":"m"}`, a2a.ErrUnsupportedOperation, "m"},
		{"Python: no push", wire.OpListPushConfigs, 501, `{"message":"m"}`, a2a.ErrPushNotSupported, "m"},
		{"Python: content type", send, 415, `{"message":"m"}`, a2a.ErrContentTypeNotSupported, "m"},
		{"Python: internal", send, 500, `{"message":"unknown exception"}`, a2a.ErrInternal, "unknown exception"},
		{"a gateway", send, 503, `{"message":"Service Unavailable"}`, a2a.ErrUnavailable, "Service Unavailable"},
		{"somebody's status as code", send, 401, `{"code":401,"message":"who?"}`, a2a.ErrUnauthenticated, "who?"},
		{"somebody's name as code", send, 403, `{"code":"FORBIDDEN","message":"no"}`, a2a.ErrPermissionDenied, "no"},

		{"ours says more", send, 413,
			`{"code":-31413,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
				`"reason":"REQUEST_TOO_LARGE","domain":"a2a-protocol.org"}]}`, a2a.ErrTooLarge, "m"},
		{"nested", send, 500, `{"error":{"code":-32004,"message":"m"}}`, a2a.ErrUnsupportedOperation, "m"},
		{"1.0", send, 404,
			`{"error":{"code":404,"status":"NOT_FOUND","message":"m",` +
				`"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"METHOD_NOT_FOUND",` +
				`"domain":"a2a-protocol.org"}]}}`, a2a.ErrMethodNotFound, "m"},
	} {
		e := wire.DecodeStatusError03(test.op, test.status, []byte(test.body))
		if e == nil || e.Kind != test.kind || e.Message != test.message || !e.Remote {
			t.Errorf("%s: %#v", test.name, e)
		}
	}
	for _, body := range []string{``, `null`, `[]`, `"x"`, `{}`, `{"detail":"Not Found"}`, `{"detail":[{"msg":"x"}]}`,
		`{"message":1}`, `{"message":{"messageId":"m"}}`, `{"code":-32001}`, `{"message":"a","message":"b"}`} {
		if e := wire.DecodeStatusError03(send, 404, []byte(body)); e != nil {
			t.Errorf("%s: %v", body, e)
		}
	}
}

func FuzzDecodeStatusError03(f *testing.F) {
	f.Add(byte(1), 404, []byte(`{"code":-32001,"message":"m","data":[{"@type":"x"}]}`))
	f.Add(byte(7), 501, []byte(`{"message":"m"}`))
	f.Add(byte(2), 0, []byte(`{"error":{"code":-1,"message":"m"}}`))
	f.Fuzz(func(t *testing.T, op byte, status int, body []byte) {
		e := wire.DecodeStatusError03(wire.Operation(op), status, body)
		if e != nil && (!e.Remote || e.Error() == "") {
			t.Errorf("%#v", e)
		}
	})
}
