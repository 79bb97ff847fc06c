// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"encoding/json"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	v1 "github.com/dragoman-a2a/dragoman/internal/wire/v1"
	"github.com/google/go-cmp/cmp"
)

// Params are the same whether they come before the method, and are read a second time, or after it.
func TestOrderOfMembersIsFree(t *testing.T) {
	t.Parallel()
	const params = `"params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`
	var requests []any
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage",` + params + `}`,
		`{` + params + `,"method":"SendMessage","id":1,"jsonrpc":"2.0"}`,
		`{"meth\u006fd":"Send\u004dessage",` + params + `,"id":1,"jsonrpc":"2.0"}`,
	} {
		env, e := decode([]byte(body))
		if e != nil {
			t.Fatal(e)
		}
		request, e := env.decodeParams(binding.Route{Operation: wire.OperationOf(env.method),
			Generation: a2a.Generation10, Dialect: v1.Dialect})
		if e != nil {
			t.Fatal(e)
		}
		requests = append(requests, request)
	}
	for _, other := range requests[1:] {
		if diff := cmp.Diff(requests[0], other); diff != "" {
			t.Errorf("(-first +other):\n%s", diff)
		}
	}
}

// The request must not hold on to the body: its buffer is used again.
func TestRequestOwnsItsBytes(t *testing.T) {
	t.Parallel()
	body := []byte(
		`{"jsonrpc":"2.0","id":"one","method":"SendMessage","params":{"metadata":{"k":{"a":1.50}},` +
			`"message":{"messageId":"mid","role":"ROLE_USER","parts":[{"data":[1,2]},{"raw":"AAEC"}],` +
			`"metadata":{"x":"y"}}}}`)
	env, e := decode(body)
	if e != nil {
		t.Fatal(e)
	}
	request := env.request.(*a2a.SendMessageRequest)
	before, err := request.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range body {
		body[i] = '#'
	}
	after, err := request.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) || string(env.id) != `"one"` {
		t.Errorf("changed with the body:\n%s\n%s\nid %s", before, after, env.id)
	}
}

// FuzzEnvelope checks that whatever comes in, what goes out is one JSON-RPC response, with the id that came in.
func FuzzEnvelope(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`,
		`{"params":{"id":{}},"id":"x","method":"GetTask","jsonrpc":"2.0"}`,
		`[{"jsonrpc":"2.0"}]`, `{"jsonrpc":"2.0","id":1e5,"method":"SendMessage","params":[1]}`, `{"id":null}`,
		`{"id":1,"id":2}`, `nul`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		env, e := decode(body)
		if e == nil {
			if wire.OperationOf(env.method) == wire.OpNone {
				return // an unknown method, which the server finds out
			}
			_, e = env.decodeParams(binding.Route{Operation: wire.OperationOf(env.method), Generation: a2a.Generation10,
				Dialect: v1.Dialect})
		}
		out := appendPrefix(nil, env.id)
		if e != nil {
			out = appendError(nil, &binding.Exchange{}, env.id, e)
		} else {
			out = append(out, `,"result":{}}`...)
		}
		var response struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(out, &response); err != nil {
			t.Fatalf("%q is answered with %q: %v", body, out, err)
		}
		if env.id != nil && string(response.ID) != string(env.id) {
			t.Fatalf("id %q came back as %q", env.id, response.ID)
		}
	})
}
