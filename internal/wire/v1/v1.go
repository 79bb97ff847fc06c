// SPDX-License-Identifier: Apache-2.0

// Package v1 is the JSON of A2A 1.0, which is that of package a2a itself. It says which type goes with which operation.
package v1

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Dialect is the one [wire.Dialect] of this package. Its streams and results need nothing of the request, which may be
// nil there.
var Dialect wire.Dialect = dialect{}

type dialect struct{}

func (dialect) Generation() a2a.Generation { return a2a.Generation10 }

func (dialect) DecodeRequest(op wire.Operation, params []byte) (any, error) {
	request := op.NewRequest()
	if len(params) == 0 {
		return request, nil // what is required is found missing
	}
	if err := json.Unmarshal(params, request); err != nil {
		return nil, err
	}
	return request, nil
}

func (dialect) Validate(request any) error { return wire.Validate(a2a.Generation10, request) }

// encodable is a value of the model.
type encodable interface {
	AppendJSON(dst []byte) ([]byte, error)
}

func (dialect) AppendRequest(dst []byte, op wire.Operation, request any) ([]byte, error) {
	value, ok := request.(encodable)
	if !ok {
		return dst, fmt.Errorf("%v does not take a %T", op, request)
	}
	return value.AppendJSON(dst)
}

// AppendResult appends the result of an operation. DeletePushConfig has none, which is an empty object.
func (dialect) AppendResult(dst []byte, op wire.Operation, _, result any) ([]byte, error) {
	if result == nil {
		return append(dst, '{', '}'), nil
	}
	if op == wire.OpSendMessage {
		sent, ok := result.(a2a.SendResult)
		if !ok {
			return dst, fmt.Errorf("%v cannot answer with a %T", op, result)
		}
		return a2a.AppendSendResponse(dst, sent)
	}
	value, ok := result.(encodable)
	if !ok {
		return dst, fmt.Errorf("%v cannot answer with a %T", op, result)
	}
	return value.AppendJSON(dst)
}

func (dialect) DecodeResult(op wire.Operation, _ any, result []byte) (any, error) {
	switch op {
	case wire.OpSendMessage:
		return a2a.DecodeSendResponse(result)
	case wire.OpDeletePushConfig:
		return nil, nil // the standard leaves open what it looks like
	}
	value := op.NewResult()
	if value == nil {
		return nil, fmt.Errorf("%v has no result", op)
	}
	if err := a2a.Unmarshal(result, value); err != nil {
		return nil, err
	}
	return value, nil
}

func (dialect) NewStreamEncoder(wire.Operation, any) wire.StreamEncoder { return encoder{} }

// An encoder passes on the bytes that an event has already, or gets here for all its readers.
type encoder struct{}

func (encoder) Encode(ev a2a.StreamEvent, emit func(id string, payload []byte)) (bool, error) {
	if u, ok := ev.Event.(*a2a.ArtifactUpdate); ok && u.OnlyEnds() {
		return false, nil
	}
	b, err := ev.Encoded(string(a2a.Generation10), encodeEvent)
	if err != nil {
		return false, err
	}
	emit(ev.ID, b)
	return false, nil // the service ends the stream
}

func encodeEvent(ev a2a.Event) ([]byte, error) { return a2a.AppendStreamResponse(nil, ev) }

func (dialect) NewStreamDecoder(wire.Operation, any) wire.StreamDecoder { return decoder{} }

type decoder struct{}

func (decoder) Decode(payload []byte, emit func(ev a2a.Event, partial bool)) (bool, error) {
	ev, err := a2a.DecodeStreamResponse(payload)
	if err != nil {
		return false, err
	}
	emit(ev, false)
	return false, nil // the peer ends the stream
}
