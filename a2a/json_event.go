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
	streamResponseObject = exactlyOne(func(v *StreamResponse) *Event { return &v.Event }, "holds no event",
		pointerTo[Event]("task", &taskObject),
		pointerTo[Event]("message", &messageObject),
		pointerTo[Event]("statusUpdate", &statusUpdateObject),
		pointerTo[Event]("artifactUpdate", &artifactUpdateObject),
	)
	sendResponseObject = exactlyOne(func(v *SendResponse) *SendResult { return &v.Result }, "holds no event",
		pointerTo[SendResult]("task", &taskObject),
		pointerTo[SendResult]("message", &messageObject),
	)
)

// AppendStreamResponse appends the StreamResponse that carries event to dst: {"task":...}, {"message":...},
// {"statusUpdate":...} or {"artifactUpdate":...} (A2A 1.0 §3.2.3). It is one line. After an error dst is as it was.
func AppendStreamResponse(dst []byte, event Event) ([]byte, error) {
	return appendWith(Grow(dst, event), event, writeEvent)
}

// AppendSendResponse appends the SendMessageResponse that carries result to dst: {"task":...} or {"message":...}
// (A2A 1.0 §3.2.1). It is one line. After an error dst is as it was.
func AppendSendResponse(dst []byte, result SendResult) ([]byte, error) {
	return AppendStreamResponse(dst, result)
}

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
