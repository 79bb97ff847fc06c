// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"context"
	"iter"
	"sync"
	"unsafe"
	"weak"
)

// Service is the protocol: one method for each of its operations (A2A 1.0 §3.1). Callers see to it that requests are
// valid, as servers do, see [SendMessageRequest.Validate]. Requests are read-only to the Service, results are read-only
// to the caller. Errors are [*Error] wherever the protocol has a kind for them. The context
// carries the caller, the tenant and the generation, see [CallFrom].
//
// A stream has two sorts of errors. The method's own error is everything that can be refused before the stream
// opens. When it is nil the stream is open, and the sequence yields events until it ends normally, or yields one
// error and ends. Leaving the loop closes the stream; it never harms the task. A sequence can be ranged over once.
type Service interface {
	SendMessage(context.Context, *SendMessageRequest) (SendResult, error)
	StreamMessage(context.Context, *SendMessageRequest) (iter.Seq2[StreamEvent, error], error)
	GetTask(context.Context, *GetTaskRequest) (*Task, error)
	ListTasks(context.Context, *ListTasksRequest) (*ListTasksResponse, error)
	CancelTask(context.Context, *CancelTaskRequest) (*Task, error)
	Subscribe(context.Context, *SubscribeRequest) (iter.Seq2[StreamEvent, error], error)
	CreatePushConfig(context.Context, *PushConfig) (*PushConfig, error)
	GetPushConfig(context.Context, *GetPushConfigRequest) (*PushConfig, error)
	ListPushConfigs(context.Context, *ListPushConfigsRequest) (*ListPushConfigsResponse, error)
	DeletePushConfig(context.Context, *DeletePushConfigRequest) error
	ExtendedCard(context.Context, *ExtendedCardRequest) (*AgentCard, error)
}

// A StreamEvent is an event on a stream with its place in the task's journal.
type StreamEvent struct {
	ID    string // resume token; "" means that the stream cannot be resumed here
	Event Event  // shared by all readers of the stream: read-only

	cache *encodings
	more  bool
}

// NewStreamEvent returns a StreamEvent whose encodings are kept and shared by all copies of it.
func NewStreamEvent(id string, event Event) StreamEvent {
	return StreamEvent{ID: id, Event: event, cache: new(encodings)}
}

// WithMore returns a copy of e that says whether another event follows without waiting.
func (e StreamEvent) WithMore(more bool) StreamEvent {
	e.more = more
	return e
}

// More reports whether another event of the stream is ready already, so that a writer may put off its flush.
func (e StreamEvent) More() bool { return e.more }

// Encoded returns the event's bytes in a dialect, which may have any name, made by encode at the first call and shared
// after that, large ones as long as somebody holds them. The bytes must not be changed. An event that no constructor
// made is encoded at each call. Errors are not kept.
func (e StreamEvent) Encoded(dialect string, encode func(Event) ([]byte, error)) ([]byte, error) {
	if e.cache == nil {
		return encode(e.Event)
	}
	return e.cache.get(dialect, func() ([]byte, error) { return encode(e.Event) })
}

// encodings keeps the bytes of one event, one entry a dialect. Most events are read in one dialect, so the first
// has a place of its own.
type encodings struct {
	mu    sync.Mutex
	first encoding
	rest  []encoding
}

// An encoding is the bytes of an event in a dialect. Large ones are there as long as somebody holds them: those who
// write them at the same time share them, and an event that is kept for long does not keep its bytes in each dialect as
// well.
type encoding struct {
	dialect string
	bytes   []byte // of a small one
	large   weak.Pointer[byte]
	length  int // of a large one
}

// largeEncoding is from how many bytes on an encoding is kept for those only who hold it already.
const largeEncoding = 64 << 10

func newEncoding(dialect string, b []byte) encoding {
	if len(b) < largeEncoding {
		return encoding{dialect: dialect, bytes: b}
	}
	return encoding{dialect: dialect, large: weak.Make(unsafe.SliceData(b)), length: len(b)}
}

// get returns the bytes, nil if nobody holds them any more.
func (e *encoding) get() []byte {
	if e.length == 0 {
		return e.bytes
	}
	if p := e.large.Value(); p != nil {
		return unsafe.Slice(p, e.length)
	}
	return nil
}

func (c *encodings) get(dialect string, encode func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place := &c.first
	for i := 0; place.dialect != dialect && place.dialect != ""; i++ {
		if i == len(c.rest) {
			c.rest = append(c.rest, encoding{})
		}
		place = &c.rest[i]
	}
	if b := place.get(); b != nil {
		return b, nil
	}
	b, err := encode()
	if err == nil {
		*place = newEncoding(dialect, b)
	}
	return b, err
}
