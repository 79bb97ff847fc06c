// SPDX-License-Identifier: Apache-2.0

// Package v03pb is the JSON of HTTP+JSON in the generations 0.2.2 to 0.3.0. There are two forms of it. [Proto], which
// all SDKs speak, is that of the protobuf package a2a.v1: enum names as in the proto, parts told apart by their
// members, the parts of a message under content, and everything optional. [Text] is what the specification describes:
// the objects of JSON-RPC, see package v03, each under a name that says what it is.
//
// The package also reads names in snake case, numbers for enums, and numbers as strings. It reads the names that the
// proto had before 0.3.0 or in drafts after it: update for the message of a status, msg for a message, request for the
// message of a send, parts for content, pushNotifications in the names of push configs. One member under two names is
// refused.
//
// # What a missing member means
//
// In Proto a send does not wait unless blocking is true, and historyLength 0, as without one, is all of the history.
// Text has the rules of package v03.
//
// # What the form has no place for
//
// Parts have the marker of package v03 in their metadata. Messages have one for references to other tasks, which the
// proto of 0.3.0 lacks and whose strict parsers refuse: they are in the message's metadata, under the same key, as
// "referenceTaskIds". That key is ours: what else stands there is lost. Lost is also what package v03 loses, and the
// page size of a list; an unspecified state is TASK_STATE_UNSPECIFIED. A history cannot be left out, so a client that
// wants none drops it. A card has its security schemes in the form of 0.3 and in that of Protobuf JSON, see
// [cards.AppendREST03].
package v03pb

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

// Proto is the form that SDKs speak. The requests that it reads and writes are the bodies of POST; what the path of a
// request says, and its query, are the binding's business.
var Proto wire.Dialect = proto{}

// ProtoRaw is Proto with the bytes of files as bytes; Proto reads them too, but writes base64 text, see
// [wire.FilesAsText].
var ProtoRaw wire.Dialect = proto{raw: true}

type proto struct{ raw bool }

// written returns a value as it is to be written.
func (p proto) written(v any) any {
	if p.raw {
		return v
	}
	return wire.FilesAsText(v)
}

func (proto) Generation() a2a.Generation { return a2a.Generation03 }

// DecodeRequest reads the body of a request: a message to send, a push config, or the name of a task that the path
// names too. Other operations have no body.
func (p proto) DecodeRequest(op wire.Operation, params []byte) (any, error) {
	request, err := p.decodeRequest(op, params)
	if err == nil && !p.raw {
		wire.ReadFiles(request)
	}
	return request, err
}

// Validate implements [wire.Dialect].
func (proto) Validate(request any) error { return wire.Validate(a2a.Generation03, request) }

func (proto) decodeRequest(op wire.Operation, params []byte) (any, error) {
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return decode(params, new(send), sendObject.Read, (*send).model)
	case wire.OpCreatePushConfig:
		return decode(params, new(createPush), createPushObject.Read, (*createPush).model)
	case wire.OpCancelTask:
		return decode(params, new(taskName), taskNameObject.Read, (*taskName).cancel)
	case wire.OpSubscribe:
		return decode(params, new(taskName), taskNameObject.Read, (*taskName).subscribe)
	}
	return nil, mismatch(op, nil)
}

// decode reads a body into an F and makes a request of it. An empty body is an empty object.
func decode[F any, R any](body []byte, form *F, read func(*jsonio.Reader, *F) error, model func(*F) R) (any, error) {
	if len(body) == 0 {
		body = []byte("{}")
	}
	if err := wire.DecodeJSON(body, form, read); err != nil {
		return nil, err
	}
	return model(form), nil
}

func (p proto) AppendResult(dst []byte, op wire.Operation, _, result any) ([]byte, error) {
	switch res := p.written(result).(type) {
	case nil:
		return append(dst, '{', '}'), nil
	case *a2a.Task:
		if op == wire.OpSendMessage {
			return wire.AppendJSON(dst, a2a.Event(res), writeResponse)
		}
		return wire.AppendJSON(dst, res, writeTask)
	case *a2a.Message:
		return wire.AppendJSON(dst, a2a.Event(res), writeResponse)
	case *a2a.ListTasksResponse:
		return wire.AppendJSON(dst, res, tasksObject.Write)
	case *a2a.PushConfig:
		return wire.AppendJSON(dst, res, writeNamedPush)
	case *a2a.ListPushConfigsResponse:
		return wire.AppendJSON(dst, res, pushConfigsObject.Write)
	case *a2a.AgentCard:
		return cards.AppendREST03(dst, res)
	}
	return dst, mismatch(op, result)
}

func (p proto) AppendRequest(dst []byte, op wire.Operation, request any) ([]byte, error) {
	switch req := p.written(request).(type) {
	case *a2a.SendMessageRequest:
		return wire.AppendJSON(dst, sendOf(req), sendObject.Write)
	case *a2a.PushConfig:
		return wire.AppendJSON(dst, &createPush{
			parent: "tasks/" + string(req.TaskID), configID: req.ID, config: named(req),
		}, createPushObject.Write)
	case *a2a.CancelTaskRequest:
		return wire.AppendJSON(dst, &taskName{req.ID}, taskNameObject.Write)
	case *a2a.SubscribeRequest:
		return wire.AppendJSON(dst, &taskName{req.ID}, taskNameObject.Write)
	}
	return dst, mismatch(op, request)
}

func (p proto) DecodeResult(op wire.Operation, request any, result []byte) (any, error) {
	res, err := p.decodeResult(op, request, result)
	if err == nil && !p.raw {
		wire.ReadFiles(res)
	}
	return res, err
}

func (proto) decodeResult(op wire.Operation, request any, result []byte) (any, error) {
	switch op {
	case wire.OpSendMessage:
		res, err := decodeResult(result, readResponse)
		wire.TrimHistory(request, res)
		return res, err
	case wire.OpGetTask, wire.OpCancelTask:
		res, err := decodeResult(result, taskObject.ReadNew)
		wire.TrimHistory(request, res)
		return res, err
	case wire.OpListTasks:
		return decodeResult(result, readTasks)
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return decodeResult(result, readNamedPush)
	case wire.OpListPushConfigs:
		return decodeResult(result, readPushConfigs)
	case wire.OpDeletePushConfig:
		return nil, nil // peers answer with several things, or nothing
	case wire.OpExtendedCard:
		card, err := cards.Decode(result)
		if err != nil {
			return nil, err
		}
		return card, nil
	}
	return nil, mismatch(op, nil)
}

func decodeResult[T any](result []byte, read func(*jsonio.Reader, *T) error) (any, error) {
	var v T
	if err := wire.DecodeJSON(result, &v, read); err != nil {
		return nil, err
	}
	return v, nil
}

// mismatch is the error for a value that does not go with an operation.
func mismatch(op wire.Operation, value any) error {
	return fmt.Errorf("HTTP+JSON of 0.3: %v does not go with a %T", op, value)
}

func (p proto) NewStreamEncoder(wire.Operation, any) wire.StreamEncoder {
	form := "0.3/proto"
	if p.raw {
		form = "0.3/proto/raw"
	}
	return encoder{form: form, encode: func(ev a2a.Event) ([]byte, error) {
		return wire.AppendJSON(nil, p.written(ev).(a2a.Event), writeResponse)
	}}
}

func (p proto) NewStreamDecoder(wire.Operation, any) wire.StreamDecoder { return &decoder{raw: p.raw} }

// Text is the form of the specification. Servers read it and answer it, see [IsText]; no peer is known that wants it of
// a client, so that its results are not read.
var Text wire.Dialect = text{v03.Dialect}

type text struct{ wire.Dialect }

// AppendResult appends what answers a request: that of a send under the name of what it is.
func (t text) AppendResult(dst []byte, op wire.Operation, request, result any) ([]byte, error) {
	if op != wire.OpSendMessage {
		return t.Dialect.AppendResult(dst, op, request, result)
	}
	ev, ok := result.(a2a.Event)
	if !ok {
		return dst, mismatch(op, result)
	}
	b, err := t.Dialect.AppendResult(append(dst, prefix(ev)...), op, request, result)
	if err != nil {
		return dst, err
	}
	return append(b, '}'), nil
}

func (t text) NewStreamEncoder(wire.Operation, any) wire.StreamEncoder {
	return encoder{form: "0.3/text", encode: func(ev a2a.Event) ([]byte, error) {
		var b []byte
		_, err := t.Dialect.NewStreamEncoder(wire.OpSubscribe, nil).Encode(a2a.StreamEvent{Event: ev},
			func(_ string, payload []byte) {
				b = append(append(append(b, prefix(ev)...), payload...), '}')
			})
		return b, err
	}}
}

// prefix returns the beginning of an object with an event in it.
func prefix(ev a2a.Event) string {
	switch ev.(type) {
	case *a2a.Task:
		return `{"task":`
	case *a2a.Message:
		return `{"message":`
	case *a2a.StatusUpdate:
		return `{"statusUpdate":`
	}
	return `{"artifactUpdate":`
}

// An encoder passes on the bytes that an event has already, or gets here for all its readers.
type encoder struct {
	form   string
	encode func(a2a.Event) ([]byte, error)
}

func (e encoder) Encode(ev a2a.StreamEvent, emit func(id string, payload []byte)) (bool, error) {
	b, err := ev.Encoded(e.form, e.encode)
	if err != nil {
		return false, err
	}
	emit(ev.ID, b)
	return wire.EndsStream03(ev.Event), nil
}

// A decoder remembers whether its stream has begun with a task or a message.
type decoder struct{ begun, raw bool }

func (s *decoder) Decode(payload []byte, emit func(ev a2a.Event, partial bool)) (bool, error) {
	var r response
	if err := wire.DecodeJSON(payload, &r, readEvent); err != nil {
		return false, err
	}
	event := r.event()
	if !s.raw {
		wire.ReadFiles(event)
	}
	wire.EmitFrom(event, !s.begun, emit)
	s.begun = true
	return r.statusUpdate != nil && r.statusUpdate.final, nil
}
