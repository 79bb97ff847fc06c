// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/dragoman-a2a/dragoman/a2a"

// A Dialect is one written form of the protocol: it turns bytes into the model of package a2a and back, for servers and
// for clients. The envelopes around the bytes, and the paths and methods beside them, belong to the bindings. A Dialect
// keeps nothing between calls; what a stream needs to remember is in its coders.
//
// Requests and results are those of [a2a.Service]: a pointer to the request of the operation, and what the method
// returns. DeletePushConfig has the result nil.
type Dialect interface {
	// Generation is the one whose rules and error codes go with the form.
	Generation() a2a.Generation

	// DecodeRequest reads the parameters of an operation; nil parameters are absent ones. Its errors are [*a2a.Error]
	// of kind ErrInvalidParams that name the fields, or errors of syntax of the JSON library.
	DecodeRequest(op Operation, params []byte) (any, error)
	// Validate checks a request that was decoded and names the fields as the form does, see [Validate].
	Validate(request any) error
	// AppendResult appends what answers a request.
	AppendResult(dst []byte, op Operation, request, result any) ([]byte, error)
	// NewStreamEncoder returns the encoder of a stream that answers a request.
	NewStreamEncoder(op Operation, request any) StreamEncoder

	// AppendRequest appends the parameters of an operation.
	AppendRequest(dst []byte, op Operation, request any) ([]byte, error)
	// DecodeResult reads what answered a request.
	DecodeResult(op Operation, request any, result []byte) (any, error)
	// NewStreamDecoder returns the decoder of a stream that answers a request.
	NewStreamDecoder(op Operation, request any) StreamDecoder
}

// A StreamEncoder puts the events of one stream into a dialect. It is not safe for concurrent use.
type StreamEncoder interface {
	// Encode calls emit with each payload that stands for ev: one, or where the dialect has no such event none or
	// several. A payload may be shared with other streams, so it must not be changed. done says that by the rules of
	// the generation the stream is over with it.
	Encode(ev a2a.StreamEvent, emit func(id string, payload []byte)) (done bool, err error)
}

// A StreamEnder is a StreamEncoder that may have something left to say when the service has ended its stream, because
// only then it knows that nothing follows.
type StreamEnder interface {
	// End calls emit with what is left. It is called once, after an end without an error that Encode did not make.
	End(emit func(id string, payload []byte)) error
}

// A StreamDecoder reads the payloads of one stream. It is not safe for concurrent use.
type StreamDecoder interface {
	// Decode calls emit with each event of the model that the payload stands for. The first event of a stream is a
	// Task or a Message, as A2A 1.0 §3.1.2 wants: where the peer's generation does not send one the decoder makes it of
	// what the payload says, and calls it partial. done says that by the rules of the generation the stream is over.
	Decode(payload []byte, emit func(ev a2a.Event, partial bool)) (done bool, err error)
}
