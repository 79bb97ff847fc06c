// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"slices"

	"github.com/go-json-experiment/json"
)

// StreamResponse is the message of the protocol that carries one [Event] on a stream or to a webhook (A2A 1.0 §3.2.3).
// It is there for decoding as part of something larger; [DecodeStreamResponse] and [AppendStreamResponse] are shorter.
type StreamResponse struct{ Event Event }

// SendResponse is the message of the protocol that carries one [SendResult] (A2A 1.0 §3.2.1, SendMessageResponse).
// It is there for decoding as part of something larger; [DecodeSendResponse] and [AppendSendResponse] are shorter.
type SendResponse struct{ Result SendResult }

var (
	eventObject = oneofObject(
		alternative[Event]("task", &taskObject),
		alternative[Event]("message", &messageObject),
		alternative[Event]("statusUpdate", &statusUpdateObject),
		alternative[Event]("artifactUpdate", &artifactUpdateObject),
	)
	sendResultObject = oneofObject(
		alternative[SendResult]("task", &taskObject),
		alternative[SendResult]("message", &messageObject),
	)
)

// DecodeStreamResponse returns the event that a StreamResponse carries. An event without that wrapper counts, too, if
// its kind says what it is, as in 0.3: langgraph-api streams 1.0 like that. Errors are those of [Unmarshal].
func DecodeStreamResponse(data []byte) (Event, error) {
	var r StreamResponse
	err := unmarshalWrapped(data, &r)
	return r.Event, err
}

// DecodeSendResponse returns the task or message that a SendMessageResponse carries, with or without a wrapper as in
// [DecodeStreamResponse]. Errors are those of [Unmarshal].
func DecodeSendResponse(data []byte) (SendResult, error) {
	var r SendResponse
	err := unmarshalWrapped(data, &r)
	return r.Result, err
}

// unmarshalWrapped decodes an object of one member, or what that member holds, if it has a kind. Only what cannot be
// decoded is looked at twice.
func unmarshalWrapped(data []byte, v json.UnmarshalerFrom) error {
	err := Unmarshal(data, v)
	if err == nil {
		return nil
	}
	var bare struct {
		Kind string `json:"kind"`
	}
	if json.Unmarshal(data, &bare) != nil {
		return err
	}
	member, ok := memberOfKind[bare.Kind]
	if !ok {
		return err
	}
	return Unmarshal(slices.Concat([]byte(`{"`+member+`":`), data, []byte("}")), v)
}

// memberOfKind has the member of the wrapper for each kind of 0.3.
var memberOfKind = map[string]string{
	"task": "task", "message": "message", "status-update": "statusUpdate", "artifact-update": "artifactUpdate",
}

func readStreamResponse(d *reader, v *StreamResponse) error {
	return readOneof(d, &v.Event, &eventObject)
}

func readSendResponse(d *reader, v *SendResponse) error {
	return readOneof(d, &v.Result, &sendResultObject)
}

func writeStreamResponse(w *writer, v *StreamResponse) { writeEvent(w, v.Event) }
func writeSendResponse(w *writer, v *SendResponse)     { writeEvent(w, v.Result) }
