// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxID bounds a request's id, in bytes: each event of a stream repeats it.
const maxID = 1024

// An envelope is a JSON-RPC request.
type envelope struct {
	id     []byte // as it came; nil when there was none
	method string

	// Of params one of the two is set, or none when there were none. While the envelope is read they are decoded in
	// place as soon as the method is known, which is a fifth faster than reading them twice.
	request any
	params  jsontext.Value // in the body

	version jsontext.Value // the member jsonrpc
	badID   error
	badCall error
	inPlace bool // whether to decode params in place
	body    []byte
}

// decode reads one request. An error is ErrParse, which leaves the id unknown, or ErrInvalidRequest; params are judged
// later, by decodeParams. The envelope is never nil.
func decode(body []byte) (*envelope, *a2a.Error) {
	env := &envelope{inPlace: true, body: body}
	err := json.Unmarshal(body, env)
	if err != nil && binding.DecodeError(err).Kind != a2a.ErrParse {
		// Params are at fault. The id may stand behind them, so read all but them.
		env = &envelope{body: body}
		err = json.Unmarshal(body, env)
	}
	if err != nil {
		return &envelope{}, binding.DecodeError(err)
	}
	return env, env.check()
}

// check returns what is wrong with the envelope itself.
func (env *envelope) check() *a2a.Error {
	switch {
	case env.badID != nil:
		env.id = nil
		return invalidRequest(env.badID.Error())
	case env.version != nil && string(env.version) != `"2.0"`:
		return badVersion()
	case env.badCall != nil:
		return invalidRequest(env.badCall.Error())
	case env.method == "":
		return invalidRequest("the member method is required")
	}
	return nil
}

// checkVersion refuses a request without the member jsonrpc, which examples of the generations before 1.0 lack.
func (env *envelope) checkVersion(gen a2a.Generation) *a2a.Error {
	if env.version == nil && gen == a2a.Generation10 {
		return badVersion()
	}
	return nil
}

func badVersion() *a2a.Error { return invalidRequest(`the member jsonrpc must be "2.0"`) }

func invalidRequest(message string) *a2a.Error { return a2a.NewError(a2a.ErrInvalidRequest, message) }

var (
	errBatch     = a2a.NewError(a2a.ErrInvalidRequest, "batches are not supported; send one request at a time")
	errNotObject = a2a.NewError(a2a.ErrInvalidRequest, "a request must be a JSON object")
)

// UnmarshalJSONFrom reads the envelope in one pass.
func (env *envelope) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' {
		if err := dec.SkipValue(); err != nil {
			return err
		}
		env.badCall = errNotObject
		if kind == '[' {
			env.badCall = errBatch
		}
		env.version = jsontext.Value(`"2.0"`) // the more telling error shall win
		return nil
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := env.member(name.String(), dec); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (env *envelope) member(name string, dec *jsontext.Decoder) error {
	if name == "params" && env.inPlace && dec.PeekKind() == '{' {
		if env.request = wire.OperationOf(env.method).NewRequest(); env.request != nil {
			return json.UnmarshalDecode(dec, env.request)
		}
	}
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch name {
	case "jsonrpc":
		env.version = value.Clone()
	case "id":
		env.setID(value)
	case "method":
		if value.Kind() != '"' {
			env.badCall = errors.New("the member method must be a string")
			break
		}
		method, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return err
		}
		env.method = string(method)
	case "params":
		end := dec.InputOffset() // a value lasts until the next one is read, the body as long as the envelope
		env.params = env.body[end-int64(len(value)) : end]
	}
	return nil
}

func (env *envelope) setID(value jsontext.Value) {
	switch kind := value.Kind(); {
	case kind != '"' && kind != '0' && kind != 'n':
		env.badID = errors.New("the member id must be a string, a number or null")
	case len(value) > maxID:
		env.badID = fmt.Errorf("the member id must not be longer than %d bytes", maxID)
	default:
		env.id = bytes.Clone(value)
	}
}

// decodeParams returns the request of an operation. Absent params are empty ones: what is required is found missing.
func (env *envelope) decodeParams(route binding.Route) (any, *a2a.Error) {
	if env.request != nil && route.Generation == a2a.Generation10 {
		return env.request, nil
	}
	switch env.params.Kind() {
	case '{':
	case 'n', 0:
		env.params = nil
	case '[':
		return nil, a2a.InvalidParams("params", "must be an object: positional parameters are not supported")
	default:
		return nil, a2a.InvalidParams("params", "must be an object")
	}
	request, err := route.Dialect.DecodeRequest(route.Operation, env.params)
	if err != nil {
		return nil, binding.DecodeError(err)
	}
	return request, nil
}
