// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"errors"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	v1 "github.com/dragoman-a2a/dragoman/internal/wire/v1"
)

var v10 = &Client{gen: a2a.Generation10, dialect: v1.Dialect}

func TestDecodeResponse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct {
		result string
		kind   a2a.Kind
		remote bool
	}{
		`{"jsonrpc":"2.0","id":7,"result":{"a":1.0}}`:                       {result: `{"a":1.0}`},
		`{"jsonrpc":"2.0","id":"7","result":null}`:                          {result: `null`},
		`{"jsonrpc":"2.0","id":7,"result":{},"error":null}`:                 {result: `{}`},
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"gone"}}`: {kind: a2a.ErrTaskNotFound, remote: true},
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`: {kind: a2a.ErrParse,
			remote: true},
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32001,` +
			`"message":"gone","data":{"any":"form"}}}`: {kind: a2a.ErrTaskNotFound, remote: true},
		`{"jsonrpc":"2.0","id":` +
			`8,"result":{}}`: {kind: a2a.ErrInvalidAgentResponse},
		`{"jsonrpc":"2.0","id":7}`: {
			kind: a2a.ErrInvalidAgentResponse},
		`{"id":7,"result":{}}`: {
			kind: a2a.ErrInvalidAgentResponse},
		`{"jsonrpc":"2.0","id":7,"result":{},"result":{}}`: {kind: a2a.ErrInvalidAgentResponse},
		`[{"jsonrpc":"2.0","id":7,"result":{}}]`:           {kind: a2a.ErrInvalidAgentResponse},
		`{"jsonrpc":"2.0","id":7,"result":{}} {}`:          {kind: a2a.ErrInvalidAgentResponse},
		``: {kind: a2a.ErrInvalidAgentResponse},
	} {
		got, err := v10.decodeResponse([]byte(in), "7")
		if want.result != "" {
			if string(got) != want.result || err != nil {
				t.Errorf("%s: %s, %v", in, got, err)
			}
			continue
		}
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || e.Kind != want.kind || e.Remote != want.remote {
			t.Errorf("%s: %#v", in, err)
		}
	}
}

func FuzzDecodeResponse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}`))
	f.Add(
		[]byte(
			`{"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t","contextId":"c",` +
				`"artifact":{"artifactId":"a","parts":[{"data":{}}]}}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"m","data":[{"@type":"x"}]}}`))
	f.Add([]byte("\xff{"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		result, err := v10.decodeResponse(raw, "1")
		if _, ok := errors.AsType[*a2a.Error](err); err != nil && !ok {
			t.Errorf("error %v is not one of the model", err)
		}
		if err == nil && !result.IsValid() {
			t.Errorf("result %q", result)
		}
	})
}
