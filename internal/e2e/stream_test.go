// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

const replayExtension = "https://dragoman-a2a.dev/extensions/replay/v1"

// A stream of a task begins with the task, shows each step while the next one has not been taken, and ends with it.
func TestStreamOfATask(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		s := c.open(t, "SendStreamingMessage", message("work g"))
		first := s.next()
		if first.kind != "task" {
			t.Fatalf("the first event is a %s", first.kind)
		}
		id, in := idOf(t, first.object), first.object["contextId"]
		one := first
		if stateOf(t, first.object) != "WORKING" {
			one = s.want("status WORKING one")
		}
		close(c.gate("g1"))
		two := s.want("artifact two")
		close(c.gate("g2"))
		three := s.want("status WORKING three")
		last := s.want("status COMPLETED")
		s.end()
		previous := 0
		for _, ev := range []event{one, two, three, last} {
			if ev.kind != "task" && (ev.object["taskId"] != id || ev.object["contextId"] != in) {
				t.Errorf("an event without its task and context: %v", ev.object)
			}
			if n, err := strconv.Atoi(ev.id); err != nil || n <= previous {
				t.Errorf("id %q after %d", ev.id, previous)
			} else {
				previous = n
			}
		}
	})
}

func TestStreamOfAMessage(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for _, more := range []string{`"metadata":{}`, immediately} { // returnImmediately means nothing to a stream
			s := c.open(t, "SendStreamingMessage", message("reply good day", more))
			m := s.want("message good day")
			if at[string](t, m.object, "contextId") == "" {
				t.Errorf("message %v", m.object)
			}
			s.end()
		}
	})
}

// Where a send's stream ends: with the task, or when the task waits for the caller's input.
func TestStreamEndsAt(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for text, last := range map[string]string{
			"echo hi": "status COMPLETED", "fail": "status FAILED", "reject": "status REJECTED not my trade",
			"ask": "status INPUT_REQUIRED which one?",
		} {
			events := c.open(t, "SendStreamingMessage", message(text)).rest()
			if events[0].kind != "task" {
				t.Errorf("%s: the first event is a %s", text, events[0].kind)
			}
			if len(events) == 1 { // all in the snapshot
				last = "task " + strings.Fields(last)[1]
			}
			if got := events[len(events)-1].words(t); !strings.HasPrefix(got, last) {
				t.Errorf("%s: the last event is %q, want %q", text, got, last)
			}
			for _, ev := range events[1:] {
				if ev.kind != "statusUpdate" && ev.kind != "artifactUpdate" {
					t.Errorf("%s: a %s after the task", text, ev.kind)
				}
			}
		}
	})
}

// A task that needs an authorization keeps its streams open, and they show how it goes on when it has come.
func TestStreamStaysAtAuthRequired(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		s := c.open(t, "SendStreamingMessage", message("await key"))
		ev := s.next()
		for stateOf(t, ev.object) != "AUTH_REQUIRED" {
			ev = s.next()
		}
		close(c.gate("key"))
		rest := s.rest()
		if len(rest) == 0 || rest[len(rest)-1].words(t) != "status COMPLETED" {
			t.Errorf("after it: %v", rest)
		}
	})
}

func TestSubscribe(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		s := c.open(t, "SubscribeToTask", byID(id))
		s.want("task INPUT_REQUIRED")
		c.send(t, "ask", taskID(id))
		// it stays through the pause
		for ev := s.next(); ev.words(t) != "status INPUT_REQUIRED which one?"; ev = s.next() {
		}
		c.send(t, "echo done", taskID(id))
		rest := s.rest()
		if last := rest[len(rest)-1].words(t); last != "status COMPLETED" {
			t.Errorf("the last event is %q", last)
		}
	})
}

// HTTP+JSON: the text of the standard says POST, its proto says GET.
func TestSubscribeByGet(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[1])
	id := idOf(t, c.send(t, "ask"))
	get := c.binding
	get.request = func(string, string) (string, string, string) { return "GET", "/tasks/" + id + ":subscribe", "" }
	get.result = restResult
	s := c.stack.caller(t, get).open(t, "SubscribeToTask", "")
	s.want("task INPUT_REQUIRED")
	c.ok(t, "CancelTask", byID(id))
	s.rest()
}

// All streams of a task show the same events in the same order; that one of them is closed changes nothing for others.
func TestManyStreamsOfOneTask(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		var streams []*stream
		for range 5 {
			s := c.open(t, "SubscribeToTask", byID(id))
			s.want("task INPUT_REQUIRED")
			streams = append(streams, s)
		}
		streams[4].close()
		c.send(t, "chunks 300", taskID(id))
		all := make([][]string, 4)
		for i, s := range streams[:4] {
			for _, ev := range s.rest() {
				all[i] = append(all[i], ev.id+" "+ev.words(t))
			}
		}
		for i := range all {
			if !slices.Equal(all[i], all[0]) {
				t.Errorf("stream %d shows other events than stream 0", i)
			}
		}
		var numbers strings.Builder
		for _, words := range all[0] {
			if _, chunk, ok := strings.Cut(words, " artifact "); ok {
				numbers.WriteString(chunk)
			}
		}
		var want strings.Builder
		for i := range 300 {
			fmt.Fprintf(&want, "%d ", i)
		}
		if numbers.String() != want.String() {
			t.Errorf("the chunks came as %.200s", numbers.String())
		}
	})
}

// Under the replay extension a reader gets exactly what it missed, also when the task has ended meanwhile.
func TestReplay(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		extension := "A2A-Extensions: " + replayExtension
		live := c.open(t, "SendStreamingMessage", message("chunks 20"), extension)
		if got := live.header.Get("A2A-Extensions"); got != replayExtension {
			t.Errorf("activated: %q", got)
		}
		all := live.rest()
		id := idOf(t, all[0].object)
		for i, seen := range all {
			s := c.open(t, "SubscribeToTask", byID(id), extension, "Last-Event-ID: "+seen.id)
			var got, want []string
			for _, ev := range s.rest() {
				got = append(got, ev.id+" "+ev.words(t))
			}
			for _, ev := range all[i+1:] {
				want = append(want, ev.id+" "+ev.words(t))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("after %s: %q, want %q", seen.id, got, want)
			}
		}
		for _, wrong := range []string{"made up", "-1", "99999"} {
			c.wantFails(t, "SubscribeToTask", byID(id), "INVALID_PARAMS", "Last-Event-ID", "", extension,
				"Last-Event-ID: "+wrong)
		}
		// Without the extension the header says nothing: the task comes first, or the error that it has ended.
		c.wantFails(t, "SubscribeToTask", byID(id), "UNSUPPORTED_OPERATION", "", "", "Last-Event-ID: 1")
		waiting := idOf(t, c.send(t, "ask"))
		s := c.open(t, "SubscribeToTask", byID(waiting), "Last-Event-ID: 1")
		s.want("task INPUT_REQUIRED")
		if s.header.Get("A2A-Extensions") != "" {
			t.Errorf("activated unasked: %q", s.header.Get("A2A-Extensions"))
		}
	})
}

// An error after the stream opened is its last event, in the form of the binding.
func TestErrorWithinAStream(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		s := c.open(t, "SubscribeToTask", byID(id))
		s.want("task INPUT_REQUIRED")
		if err := c.engine.Shutdown(context.Background()); err != nil {
			t.Fatal(err)
		}
		last := s.next()
		if last.kind != "error" {
			t.Fatalf("the last event is a %s", last.kind)
		}
		c.wantFailure(t, last.object, "UNAVAILABLE", "", "")
		s.end()
		c.wantFails(t, "SendMessage", message("echo"), "UNAVAILABLE", "", "")
		if a := c.call(t, "SendMessage", message("echo")); a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

// An agent whose card says that it does not stream does not, whatever it could.
func TestWithoutStreaming(t *testing.T) {
	no := false
	each(t, func(o *server.Options) { o.Card.Capabilities.Streaming = &no }, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		c.wantFails(t, "SendStreamingMessage", message("echo"), "UNSUPPORTED_OPERATION", "", "stream")
		c.wantFails(t, "SubscribeToTask", byID(id), "UNSUPPORTED_OPERATION", "", "stream")
		wantState(t, c.send(t, "echo", taskID(id)), "COMPLETED")
	})
}
