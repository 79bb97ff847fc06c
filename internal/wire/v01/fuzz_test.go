// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// seed adds the examples of the documents that a target reads, and odd spellings of them.
func seed(f *testing.F, fits func(example) bool) {
	for _, document := range documents {
		for _, e := range examplesOf(f, document) {
			if !fits(e) {
				continue
			}
			f.Add(uint8(e.op), []byte(e.text))
			f.Add(uint8(e.op), bytes.ReplaceAll(e.text, []byte(`"type": "text", `), nil))
			f.Add(uint8(e.op), []byte(e.text[:len(e.text)/2]))
		}
	}
	mark := `{"` + markerKey +
		`":{"state":"rejected","mediaType":"a/b","filename":"f","wrapped":true,"file":true,"extensions":["e"],` +
		`"referenceTaskIds":["r"]}}`
	for op := range uint8(wire.OpExtendedCard) {
		f.Add(op,
			[]byte(
				`{"id":"t","status":{"state":"failed","timestamp":"2025-04-02T16:59:25.331844"},"final":true,`+
					`"metadata":`+mark+`}`))
		f.Add(op, []byte(`{"id":1,"artifact":{"index":2,"append":true,"parts":[{"data":{"value":[1]},"metadata":`+mark+
			`},{"file":{"name":"n"}}]}}`))
		f.Add(op,
			[]byte(
				`{"id":"t","status":{"state":"input-required"},"artifacts":[{"parts":[]},`+
					`{"parts":[{"file":{"data":"-_8"}}]},{"append":true,"parts":[{"text":"x","metadata":`+mark+`}]}]}`))
		f.Add(op,
			[]byte(
				`{"id":"t","message":{"role":"user","parts":[{"text":"x"},{"file":{"bytes":"","uri":"u"}}],"metadata":`+
					mark+`},"historyLength":null,"acceptedOutputModes":["a"]}`))
	}
}

// checkError checks an error of a decoder: it is ours and can be shown.
func checkError(t *testing.T, err error) {
	t.Helper()
	switch e, ok := errors.AsType[*a2a.Error](err); {
	case !ok || len(e.PublicMessage()) > 20_000:
	case e.Kind == a2a.ErrParse, e.Kind == a2a.ErrInvalidParams, e.Kind == a2a.ErrUnsupportedOperation,
		e.Kind == a2a.ErrTaskNotFound:
		return
	}
	t.Fatalf("error %v", err)
}

// A request that decodes without an error is valid. After encoding and decoding it means the same again.
func FuzzRequest(f *testing.F) {
	seed(f, func(e example) bool { return !e.answers })
	f.Fuzz(func(t *testing.T, number uint8, data []byte) {
		op := wire.Operation(number % uint8(wire.OpExtendedCard+1))
		request, err := Dialect.DecodeRequest(op, data)
		if err == nil {
			err = Dialect.Validate(request)
		}
		if err != nil {
			checkError(t, err)
			return
		}
		text, err := Dialect.AppendRequest(nil, op, request)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, paramsOf[op], text)
		again, err := Dialect.DecodeRequest(op, text)
		if err != nil {
			t.Fatalf("wrote what it cannot read: %v\n%s", err, text)
		}
		if diff := cmp.Diff(forgotten(request), forgotten(again), canonical); diff != "" {
			t.Fatalf("-decoded +again\n%s", diff)
		}
	})
}

// A result that decodes without an error can be encoded, and then means the same again.
func FuzzResult(f *testing.F) {
	seed(f, func(e example) bool { return e.answers && !e.op.Streams() })
	f.Add(uint8(wire.OpSendMessage),
		[]byte(`{"status":{"state":"completed"},"artifacts":[{"parts":[{"metadata":{},"data":[]}]}]}`))
	f.Fuzz(func(t *testing.T, number uint8, data []byte) {
		op := wire.Operation(number % uint8(wire.OpExtendedCard+1))
		request := &a2a.GetTaskRequest{ID: "asked"}
		result, err := Dialect.DecodeResult(op, request, data)
		if err != nil {
			checkError(t, err)
			return
		}
		text, err := Dialect.AppendResult(nil, op, request, result)
		if err != nil {
			t.Fatal(err)
		}
		fits(t, resultOf[op], text)
		again, err := Dialect.DecodeResult(op, request, text)
		if err != nil {
			t.Fatalf("wrote what it cannot read: %v\n%s", err, text)
		}
		if diff := cmp.Diff(forgotten(result), forgotten(again), canonical, upToMilliseconds); diff != "" {
			t.Fatalf("-decoded +again\n%s", diff)
		}
	})
}

// Events of a stream, one a line, that decode without an error can be encoded on another stream.
func FuzzStream(f *testing.F) {
	for _, document := range documents {
		var events []string
		for _, e := range examplesOf(f, document) {
			if e.answers && e.op.Streams() {
				events = append(events, string(e.text))
			}
		}
		f.Add(true, []byte(strings.Join(events, "\n")))
		f.Add(false, []byte(strings.Join(events[1:], "\n")))
	}
	f.Add(true, []byte(shownHidden("failed", "rejected")+"\n"+shownArtifact("a", 0, appended)))
	f.Fuzz(func(t *testing.T, send bool, data []byte) {
		var request any = subscribing
		if send {
			request = sending
		}
		d, e := newDecoder(request), newEncoder(request)
		emit := func(_ string, payload []byte) { fits(t, eventName(payload), payload) }
		events := 0
		for line := range bytes.Lines(data) {
			_, err := d.Decode(line, func(ev a2a.Event, partial bool) {
				events++
				if _, isTask := ev.(*a2a.Task); isTask != (events == 1) || partial != isTask {
					t.Fatalf("event %d is a %T, partial %t", events, ev, partial)
				}
				if _, err := e.Encode(a2a.NewStreamEvent("1", ev), emit); err != nil {
					t.Fatalf("decoded but not encoded: %v", err)
				}
			})
			if err != nil {
				checkError(t, err)
				return
			}
		}
		if err := e.End(emit); err != nil {
			t.Fatal(err)
		}
	})
}

// upToMilliseconds compares times in whole milliseconds, because the wire format drops smaller fractions.
var upToMilliseconds = cmp.Comparer(func(a, b time.Time) bool {
	return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
})
