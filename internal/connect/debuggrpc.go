// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// ShowGRPC shows calls over gRPC, which do not pass through RoundTrip: each message as JSON, as what is sent is not for
// people to read.
func (t *Tap) ShowGRPC(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
	if call.Interface.Binding != a2a.BindingGRPC {
		return next(ctx, call)
	}
	number := t.count.Add(1)
	sent, got := fmt.Sprintf("[%d] > ", number), fmt.Sprintf("[%d] < ", number)
	t.line(sent, "gRPC "+call.Operation+" "+call.Interface.URL)
	t.header(sent, call.Params)
	if request, ok := call.Request.(message); ok {
		t.message(sent, request)
	}
	start := time.Now()
	result, err := next(ctx, call)
	took := time.Since(start).Round(time.Microsecond)
	if err != nil {
		t.line(got, fmt.Sprintf("no result after %v: %v", took, err))
		return result, err
	}
	t.line(got, fmt.Sprintf("gRPC OK after %v", took))
	switch r := result.(type) {
	case iter.Seq2[a2a.StreamEvent, error]:
		return t.events(got, r), nil
	case a2a.SendResult:
		t.message(got, &a2a.SendResponse{Result: r})
	case message:
		t.message(got, r)
	}
	return result, nil
}

// events shows the events of a stream as they come.
func (t *Tap) events(prefix string, events iter.Seq2[a2a.StreamEvent, error]) iter.Seq2[a2a.StreamEvent, error] {
	return func(yield func(a2a.StreamEvent, error) bool) {
		for e, err := range events {
			if err != nil {
				t.line(prefix, fmt.Sprintf("the stream ended: %v", err))
			} else {
				t.message(prefix, &a2a.StreamResponse{Event: e.Event})
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// message shows a message of the protocol.
func (t *Tap) message(prefix string, m message) {
	text, err := m.AppendJSON(nil)
	if err != nil {
		t.line(prefix, fmt.Sprintf("(a message that cannot be shown: %v)", err))
		return
	}
	shown := &transcript{tap: t, prefix: prefix, left: MaxDebugBody}
	shown.Write(text)
	shown.end(true)
}

// message is a request or an answer that can be shown as JSON.
type message interface{ AppendJSON([]byte) ([]byte, error) }
