// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// An encoder passes on the bytes that an event has already, or gets here for all its readers: they depend on it alone.
type encoder struct{}

// Encode says that the stream is done with the update that says it itself, by final.
func (encoder) Encode(ev a2a.StreamEvent, emit func(id string, payload []byte)) (bool, error) {
	b, err := ev.Encoded(string(a2a.Generation03), encodeEvent)
	if err != nil {
		return false, err
	}
	emit(ev.ID, b)
	return wire.EndsStream03(ev.Event), nil
}

func encodeEvent(ev a2a.Event) ([]byte, error) { return wire.AppendJSON(nil, ev, writeEvent) }

// A decoder remembers whether its stream has begun with a task or a message.
type decoder struct{ begun bool }

func (s *decoder) Decode(payload []byte, emit func(ev a2a.Event, partial bool)) (bool, error) {
	var ev a2a.Event
	var final bool
	err := wire.DecodeJSON(payload, &ev, func(d *jsonio.Reader, e *a2a.Event) error {
		return readEvent(d, e, &final, kindTask, kindMessage, kindStatusUpdate, kindArtifactUpdate)
	})
	if err != nil {
		return false, err
	}
	wire.EmitFrom(ev, !s.begun, emit)
	s.begun = true
	return final, nil
}
