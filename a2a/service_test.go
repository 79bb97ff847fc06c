// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// An event is encoded once for each dialect, however many readers and copies of it there are.
func TestStreamEventIsEncodedOnce(t *testing.T) {
	t.Parallel()
	event := NewStreamEvent("7", exampleTask())
	var calls atomic.Int32
	encode := func(e Event) ([]byte, error) {
		calls.Add(1)
		return AppendStreamResponse(nil, e)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			reader := event.WithMore(true)
			for _, dialect := range []string{"1.0", "0.3", "1.0", "0.1"} {
				if b, err := reader.Encoded(dialect, encode); err != nil || len(b) == 0 {
					t.Errorf("got %q, %v", b, err)
				}
			}
		})
	}
	wg.Wait()
	if n := calls.Load(); n != 3 {
		t.Errorf("encoded %d times for 3 dialects", n)
	}
	if event.More() || !event.WithMore(true).More() {
		t.Error("WithMore changed the original, or not the copy")
	}
}

func TestStreamEventWithoutConstructor(t *testing.T) {
	t.Parallel()
	calls := 0
	encode := func(Event) ([]byte, error) { calls++; return []byte("x"), nil }
	event := StreamEvent{Event: exampleTask()}
	for range 2 {
		if b, err := event.Encoded("1.0", encode); string(b) != "x" || err != nil {
			t.Errorf("got %q, %v", b, err)
		}
	}
	if calls != 2 {
		t.Errorf("encoded %d times", calls)
	}
}

func TestStreamEventForgetsErrors(t *testing.T) {
	t.Parallel()
	event := NewStreamEvent("", exampleTask())
	broken := errors.New("broken")
	if _, err := event.Encoded("1.0", func(Event) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if b, err := event.Encoded("1.0", func(Event) ([]byte, error) { return []byte("x"), nil }); string(b) != "x" ||
		err != nil {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestCallTravelsInTheContext(t *testing.T) {
	t.Parallel()
	if call := CallFrom(context.Background()); call == nil || call.Identity.Subject != "" {
		t.Errorf("got %+v", call)
	}
	want := &Call{Tenant: "acme", Identity: Identity{Subject: "ann"}}
	if got := CallFrom(WithCall(context.Background(), want)); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestTaskStates(t *testing.T) {
	t.Parallel()
	for state, want := range map[TaskState]string{
		TaskStateUnspecified: "", TaskStateSubmitted: "", TaskStateWorking: "", TaskStateInputRequired: "interrupted",
		TaskStateAuthRequired: "interrupted",
		TaskStateCompleted:    "terminal", TaskStateFailed: "terminal", TaskStateCanceled: "terminal",
		TaskStateRejected: "terminal",
	} {
		got := ""
		if state.Terminal() {
			got += "terminal"
		}
		if state.Interrupted() {
			got += "interrupted"
		}
		if got != want {
			t.Errorf("%v is %q, want %q", state, got, want)
		}
	}
}

// Large bytes are made once for all who hold them at the same time, and are gone when nobody does.
func TestLargeEncodingsAreNotKept(t *testing.T) {
	t.Parallel()
	event := NewStreamEvent("1", &Message{ID: "m"})
	made := 0
	encode := func(Event) ([]byte, error) {
		made++
		return bytes.Repeat([]byte("x"), largeEncoding), nil
	}
	get := func(dialect string) []byte {
		b, err := event.Encoded(dialect, encode)
		if err != nil || len(b) != largeEncoding || b[len(b)-1] != 'x' {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		return b
	}
	first, second, other := get("1.0"), get("1.0"), get("0.3")
	runtime.GC()
	third := get("1.0")
	if made != 2 || &first[0] != &second[0] || &first[0] != &third[0] || &first[0] == &other[0] {
		t.Errorf("they were made %d times for two dialects", made)
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(other)
	first, second, third, other = nil, nil, nil, nil
	runtime.GC()
	if get("1.0"); made != 3 {
		t.Errorf("they were made %d times; the first are held by nobody", made)
	}
}
