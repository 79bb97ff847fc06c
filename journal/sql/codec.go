// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// The database stores events, heads and inputs in binary frames. A length precedes the bytes, so that a reader can skip
// parts that it does not need. The frames contain the JSON of A2A 1.0, the same bytes that streams show.

// formatVersion begins every frame that may one day look different.
const formatVersion = 1

const (
	frameWire     = 1
	frameReceived = 2
	frameMetadata = 3
)

var errFrame = errors.New("the bytes are not what was written")

func appendBytes[T ~string | ~[]byte](b []byte, v T) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

func appendMetadata(b []byte, m a2a.Metadata) []byte {
	b = binary.AppendUvarint(b, uint64(len(m)))
	for k, v := range m {
		b = appendBytes(appendBytes(b, k), v)
	}
	return b
}

// frames reads what the append functions wrote. After the first mistake it returns zeros and keeps the mistake.
type frames struct {
	b   []byte
	err error
}

func (f *frames) fail() { f.b, f.err = nil, errFrame }

func (f *frames) uint() uint64 {
	v, n := binary.Uvarint(f.b)
	if n <= 0 {
		f.fail()
		return 0
	}
	f.b = f.b[n:]
	return v
}

func (f *frames) time() time.Time { return fromMillis(int64(f.uint())) }

func (f *frames) bytes() []byte {
	n := f.uint()
	if n > uint64(len(f.b)) {
		f.fail()
		return nil
	}
	v := f.b[:n:n]
	f.b = f.b[n:]
	return v
}

func (f *frames) metadata() a2a.Metadata {
	n := f.uint()
	if n == 0 || n > uint64(len(f.b)) {
		return nil
	}
	m := make(a2a.Metadata, n)
	for range n {
		k := string(f.bytes())
		m[k] = f.bytes()
	}
	return m
}

func (f *frames) version() {
	if f.uint() != formatVersion {
		f.fail()
	}
}

// done reports a mistake, and bytes that nobody asked for.
func (f *frames) done() error {
	if f.err == nil && len(f.b) > 0 {
		return errFrame
	}
	return f.err
}

// An eventRow is one row of a commit's events.
type eventRow struct {
	last uint64 // number of its last event
	body []byte
}

// largeEvent is from how many bytes on an event has a row of its own, so that no row is much larger than its largest
// event.
const largeEvent = 256 << 10

// encodeEvents returns the rows of a commit's events: one, unless some of them are large.
func encodeEvents(events []journal.Event) (rows []eventRow, err error) {
	first := 0
	for i := range events {
		if events[i].Size() < largeEvent {
			continue
		}
		if rows, err = appendRow(rows, events[first:i]); err != nil {
			return nil, err
		}
		large, err := encodeLarge(&events[i])
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", events[i].Seq, err)
		}
		rows, first = append(rows, large), i+1
	}
	return appendRow(rows, events[first:])
}

// appendRow adds the row of events that are not large, if there are any.
func appendRow(rows []eventRow, events []journal.Event) ([]eventRow, error) {
	if len(events) == 0 {
		return rows, nil
	}
	b := rowHead(make([]byte, 0, 512*min(len(events), 128)), events[0].Seq)
	var err error
	for i := range events {
		if b, err = appendEvent(b, &events[i]); err != nil {
			return nil, fmt.Errorf("event %d: %w", events[i].Seq, err)
		}
	}
	return append(rows, eventRow{events[len(events)-1].Seq, b}), nil
}

func rowHead(b []byte, first uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, formatVersion), first)
}

// encodeLarge returns the row of one event. The bytes are made in place, and not kept for streams as those of small
// events are: most large events have no reader.
func encodeLarge(e *journal.Event) (eventRow, error) {
	if e.Wire.Event == nil {
		b, err := appendEvent(rowHead(make([]byte, 0, e.Size()+room), e.Seq), e)
		return eventRow{e.Seq, b}, err
	}
	b, err := a2a.AppendStreamResponse(make([]byte, room), e.Wire.Event)
	if err != nil {
		return eventRow{}, err
	}
	// The frame goes into the room before the JSON: it contains the JSON's length, which is known only now.
	head := eventKind(rowHead(nil, e.Seq), frameWire, e)
	head = binary.AppendUvarint(head, uint64(len(b)-room))
	b = b[room-len(head):]
	copy(b, head)
	return eventRow{e.Seq, b}, nil
}

// room is more than what goes before the bytes of a row's first event.
const room = 64

func eventKind(b []byte, kind byte, e *journal.Event) []byte {
	return binary.AppendUvarint(append(b, kind), uint64(millis(e.Time)))
}

func appendEvent(b []byte, e *journal.Event) ([]byte, error) {
	switch {
	case e.Wire.Event != nil:
		body, err := e.Wire.Encoded(string(a2a.Generation10), encodeWire)
		if err != nil {
			return nil, err
		}
		return appendBytes(eventKind(b, frameWire, e), body), nil
	case e.Received != nil:
		body, err := e.Received.Message.AppendJSON(nil)
		if err != nil {
			return nil, err
		}
		b = binary.AppendUvarint(eventKind(b, frameReceived, e), e.Received.Input)
		return appendBytes(b, body), nil
	}
	return appendBytes(eventKind(b, frameMetadata, e), appendMetadata(nil, e.Metadata)), nil
}

func encodeWire(e a2a.Event) ([]byte, error) { return a2a.AppendStreamResponse(nil, e) }

// decodeEvents calls f for the events of a row with a number above after, and the bytes of each, until f returns false.
func decodeEvents(row []byte, after uint64, origin a2a.Generation, f func(e journal.Event, size int) bool) error {
	r := frames{b: row}
	r.version()
	for seq := r.uint(); len(r.b) > 0 && r.err == nil; seq++ {
		kind := r.b[0]
		r.b = r.b[1:]
		e := journal.Event{Seq: seq, Time: r.time()}
		var input uint64
		if kind == frameReceived {
			input = r.uint()
		}
		body := r.bytes()
		if r.err != nil || seq <= after {
			continue
		}
		if err := decodeEvent(&e, kind, input, body, origin); err != nil {
			return fmt.Errorf("event %d: %w", seq, err)
		}
		if !f(e, len(body)) {
			return nil
		}
	}
	return r.err
}

func decodeEvent(e *journal.Event, kind byte, input uint64, body []byte, origin a2a.Generation) error {
	switch kind {
	case frameWire:
		event, err := a2a.DecodeStreamResponse(body)
		if err != nil {
			return err
		}
		if t, ok := event.(*a2a.Task); ok {
			t.Origin = origin
		}
		e.Wire = a2a.NewStreamEvent(journal.EventID(e.Seq), event)
		// The bytes are there already: streams of this dialect need not make them again. They are copied, so that a
		// reader who holds one event does not hold its whole row; a large one has its row for itself.
		_, err = e.Wire.Encoded(string(a2a.Generation10), func(a2a.Event) ([]byte, error) {
			if len(body) >= largeEvent {
				return body, nil
			}
			return bytes.Clone(body), nil
		})
		return err
	case frameReceived:
		e.Received = &journal.Received{Input: input, Message: new(a2a.Message)}
		return a2a.Unmarshal(body, e.Received.Message)
	case frameMetadata:
		r := frames{b: body}
		e.Metadata = r.metadata()
		return r.done()
	}
	return errFrame
}

// encodeHead returns what of a head has no column of its own.
func encodeHead(h *journal.Head) ([]byte, error) {
	b := make([]byte, 0, 64)
	b = binary.AppendUvarint(b, formatVersion)
	b = binary.AppendUvarint(b, uint64(millis(h.Created)))
	b = binary.AppendUvarint(b, h.Taken)
	b = binary.AppendUvarint(b, uint64(h.Artifacts))
	b = binary.AppendUvarint(b, uint64(h.History))
	b = appendBytes(b, h.Origin)
	open := uint64(0)
	if h.Run.Open {
		open = 1
	}
	b = binary.AppendUvarint(b, open)
	b = binary.AppendUvarint(b, uint64(h.Run.Attempt))
	b = binary.AppendUvarint(b, uint64(millis(h.Run.WakeAt)))
	b = appendBytes(b, h.Run.Turn)
	return appendMessage(appendMetadata(b, h.Metadata), h.Status.Message)
}

func appendMessage(b []byte, m *a2a.Message) ([]byte, error) {
	if m == nil {
		return appendBytes(b, ""), nil
	}
	body, err := m.AppendJSON(nil)
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return appendBytes(b, body), nil
}

// message reads the last part of a frame, which is a message or nil.
func (f *frames) message() (*a2a.Message, error) {
	body := f.bytes()
	if err := f.done(); err != nil || len(body) == 0 {
		return nil, err
	}
	m := new(a2a.Message)
	return m, a2a.Unmarshal(body, m)
}

func decodeHead(b []byte, h *journal.Head) (err error) {
	r := frames{b: b}
	r.version()
	h.Created = r.time()
	h.Taken = r.uint()
	h.Artifacts, h.History = int(r.uint()), int(r.uint())
	h.Origin = a2a.Generation(r.bytes())
	h.Run.Open = r.uint() == 1
	h.Run.Attempt = int(r.uint())
	h.Run.WakeAt = r.time()
	if turn := r.bytes(); len(turn) > 0 {
		h.Run.Turn = turn
	}
	h.Metadata = r.metadata()
	h.Status.Message, err = r.message()
	return err
}

// encodeInput returns what of an input has no column of its own.
func encodeInput(in *journal.Input) ([]byte, error) {
	b := binary.AppendUvarint(nil, formatVersion)
	b = binary.AppendUvarint(b, uint64(millis(in.Time)))
	b = appendBytes(b, in.IdempotencyKey)
	call, err := json.Marshal(in.Call, jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, fmt.Errorf("journal: encode the call of an input: %w", err)
	}
	b = appendBytes(b, call)
	return appendMessage(b, in.Message)
}

func decodeInput(b []byte, in *journal.Input) (err error) {
	r := frames{b: b}
	r.version()
	in.Time = r.time()
	in.IdempotencyKey = string(r.bytes())
	call := r.bytes()
	if in.Message, err = r.message(); err != nil {
		return err
	}
	return json.Unmarshal(call, &in.Call)
}

// millis returns a time as the database stores it: Unix milliseconds, 0 for no time. It stores times before 1970 as
// 1970.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(t.UnixMilli(), 1)
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
