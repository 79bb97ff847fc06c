// SPDX-License-Identifier: Apache-2.0

package a2a

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

// DecodeStreamResponse returns the event that a StreamResponse carries. Errors are those of [Unmarshal].
func DecodeStreamResponse(data []byte) (Event, error) {
	var r StreamResponse
	if err := Unmarshal(data, &r); err != nil {
		return nil, err
	}
	return r.Event, nil
}

// DecodeSendResponse returns the task or message that a SendMessageResponse carries. Errors are those of [Unmarshal].
func DecodeSendResponse(data []byte) (SendResult, error) {
	var r SendResponse
	if err := Unmarshal(data, &r); err != nil {
		return nil, err
	}
	return r.Result, nil
}

func readStreamResponse(d *reader, v *StreamResponse) error {
	return readOneof(d, &v.Event, &eventObject)
}

func readSendResponse(d *reader, v *SendResponse) error {
	return readOneof(d, &v.Result, &sendResultObject)
}

func (w *writer) streamResponse(v *StreamResponse) { w.event(v.Event) }
func (w *writer) sendResponse(v *SendResponse)     { w.event(v.Result) }
