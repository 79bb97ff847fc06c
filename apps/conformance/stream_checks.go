// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// streamChecks are about streams of messages, and those of tasks that are there already.
var streamChecks = []check{
	{
		name: "stream.not-declared", title: "without the capability nothing streams", absent: streaming,
		v1: must("3.3.4", "V1-076", "V1-015"), v03: must("3.3"),
		advice: "answer UnsupportedOperationError, or declare streaming",
		run:    func(s *session) { s.follow(opStream, s.message(), nil).wants(unsupported, methodNotFound) },
	},
	{
		name: "stream.opens", title: "a message opens a stream", capability: streaming, v1: must("3.1.2", "V1-009"),
		v03:    must("7.2"),
		advice: "serve streams, or do not declare streaming",
		run:    func(s *session) { s.told().streamed("events") },
	},
	{
		name: "stream.content-type", title: "streams are server-sent events", capability: streaming,
		v1: must("9.1", "V1-216"), v03: must("3.3.1"),
		advice: "answer with Content-Type: text/event-stream",
		run: func(s *session) {
			st := s.toldEvents()
			if t := st.mediaType(); t != "text/event-stream" {
				st.failf("text/event-stream", "%q", t)
			}
		},
	},
	{
		name: "stream.events", title: "each event is one object of the protocol", capability: streaming,
		v1: must("9.4.2", "V1-010"), v03: must("7.2.1"),
		advice: "put one whole answer into the data of each event",
		run: func(s *session) {
			st := s.toldEvents()
			for i, e := range st.events {
				if e.problem != "" {
					st.failf("one of task, message and updates", "event %d: %s", i+1, e.problem)
				}
			}
		},
	},
	{
		name: "stream.first-event", title: "a stream begins with the task, or is one message", capability: streaming,
		v1:     must("3.1.2", "V1-011", "V1-012"),
		advice: "send the task before any update", run: checkFirstEvent,
	},
	{
		name: "stream.one-task", title: "all events are about one task and context", capability: streaming,
		v1: must("4.2.1", "V1-348"), v03: must("7.2.2"),
		advice: "name the task and its context in each event", run: checkOneTask,
	},
	{
		name: "stream.ends", title: "a stream ends with the task, not before and not later", capability: streaming,
		v1: must("3.1.2", "V1-013"), v03: must("7.2"),
		advice: "send the last status, then close the stream", run: checkStreamEnds,
	},
	{
		name: "stream.final", title: "the last event is final, and no other", capability: streaming, v03: must("7.2.2"),
		advice: "set final with the status that ends the stream", run: checkFinal,
	},
	{
		name: "stream.adds-up", title: "the events of a stream make up the task", capability: streaming,
		v1: must("3.5.2", "V1-103", "V1-104"), v03: must("7.2.3"),
		advice: "send events in the order in which they came about, and all of them", run: checkAddsUp,
	},
	{
		name: "stream.unknown-task", title: "a message to a task that does not exist opens no stream",
		capability: streaming, v1: must("3.1.2", "V1-015"), v03: must("8.2"),
		advice: "answer TaskNotFoundError",
		run: func(s *session) {
			params := s.dialect.send(message{id: newID(), text: s.options.Text, task: newID()}, nil)
			s.followFirst(opStream, params).wants(taskNotFound)
		},
	},
	{
		name: "stream.ended-task", title: "a message to a task that has ended opens no stream", capability: streaming,
		v1:     must("3.1.2", "V1-015"),
		advice: "answer UnsupportedOperationError",
		run: func(s *session) {
			ended := text(s.ended(), "id")
			params := s.dialect.send(message{id: newID(), text: s.options.Text, task: ended}, nil)
			s.followFirst(opStream, params).wants(unsupported)
		},
	},
	{
		name: "subscribe.not-declared", title: "without the capability no task can be subscribed to", absent: streaming,
		v1:     must("3.3.4", "V1-076", "V1-030"),
		advice: "answer UnsupportedOperationError, or declare streaming",
		run: func(s *session) {
			s.followFirst(opSubscribe, object{"id": newID()}).wants(unsupported, methodNotFound)
		},
	},
	{
		name: "subscribe.unknown-task", title: "a task that does not exist cannot be subscribed to",
		capability: streaming, v1: must("3.1.6", "V1-030"), v03: must("8.2"),
		advice: "answer TaskNotFoundError",
		run:    func(s *session) { s.followFirst(opSubscribe, object{"id": newID()}).wants(taskNotFound) },
	},
	{
		name: "subscribe.ended-task", title: "a task that has ended cannot be subscribed to", capability: streaming,
		v1:     must("3.1.6", "V1-030", "V1-221"),
		advice: "answer UnsupportedOperationError, not a stream that is over",
		run: func(s *session) {
			s.followFirst(opSubscribe, object{"id": text(s.ended(), "id")}).wants(unsupported)
		},
	},
	{
		name: "subscribe.first-event", title: "a subscription begins with the task as it is", capability: streaming,
		v1:     must("3.1.6", "V1-029"),
		advice: "send the task before any update", run: checkSubscribeFirst,
	},
	{
		name: "subscribe.ends", title: "all subscriptions see the end of the task, and end then", capability: streaming,
		v1:     must("3.1.6", "V1-028", "V1-106", "V1-107"),
		advice: "send the last status to each subscriber, then close", run: checkSubscribeEnds,
	},
}

func checkFirstEvent(s *session) {
	st := s.toldEvents()
	switch first := st.events[0].kind; {
	case first == kindMessage && len(st.events) > 1:
		st.failf("nothing after the message", "%d more events", len(st.events)-1)
	case first == kindStatus || first == kindArtifact: // one that cannot be read is for stream.events
		st.failf("the task, or one message", "%s", first)
	}
}

func checkOneTask(s *session) {
	st := s.toldEvents()
	task, context := st.events[0].taskID(), text(st.events[0].payload, "contextId")
	for i, e := range st.events {
		if e.kind == "" || e.kind == kindMessage {
			continue
		}
		if e.taskID() == "" || e.taskID() != task {
			st.failf("task "+task, "event %d is about task %q", i+1, e.taskID())
		}
		if text(e.payload, "contextId") != context {
			st.failf("context "+context, "event %d is about context %q", i+1, text(e.payload, "contextId"))
		}
	}
}

func checkStreamEnds(s *session) {
	st := s.toldEvents()
	if slices.ContainsFunc(st.events, func(e event) bool { return e.kind == "" }) {
		skipf("not all events can be read; see stream.events")
	}
	last := st.lastState(s.dialect)
	switch {
	case last == "" || isInterrupted(last): // a message, or the agent asks: then a stream may stay open
		return
	case !isTerminal(last):
		st.failf("a last status that is terminal", "the last state is %s", last)
	case !st.closed:
		st.failf("the stream closed after "+last, "it stays open")
	}
	ended := false
	for i, e := range st.events {
		if ended && e.kind != kindTask { // a snapshot may come again
			st.failf("nothing after the end of the task", "event %d is %s", i+1, e.kind)
		}
		ended = ended || e.kind == kindStatus && isTerminal(s.dialect.state(e.payload))
	}
}

func checkFinal(s *session) {
	st := s.toldEvents()
	if st.events[0].kind == kindMessage {
		return
	}
	for i, e := range st.events {
		last := i == len(st.events)-1
		if e.kind == kindStatus && (e.payload["final"] == true) != last {
			st.failf(fmt.Sprintf("final: %t", last), "event %d of %d has final: %v", i+1, len(st.events),
				e.payload["final"])
		}
	}
}

// artifactTexts adds up the text of each artifact.
func artifactTexts(d *dialect, st *stream) map[string]string {
	texts := map[string]string{}
	for _, e := range st.events {
		switch e.kind {
		case kindTask:
			clear(texts)
			for _, a := range list(e.payload, "artifacts") {
				texts[text(a, "artifactId")] = partsText(a)
			}
		case kindArtifact:
			a := asObject(e.payload["artifact"])
			id := text(a, "artifactId")
			if e.payload["append"] != true {
				texts[id] = ""
			}
			texts[id] += partsText(a)
		}
	}
	return texts
}

func partsText(o object) string {
	var b strings.Builder
	for _, p := range list(o, "parts") {
		b.WriteString(text(p, "text"))
	}
	return b.String()
}

func checkAddsUp(s *session) {
	st := s.toldEvents()
	id := st.events[0].taskID()
	if id == "" || st.events[0].kind == kindMessage {
		skipf("the answer is a message")
	}
	var task object
	if try(func() { _, task = s.get(object{"id": id}) }) != nil {
		skipf("the task cannot be got; see get.task")
	}
	texts := artifactTexts(s.dialect, st)
	for _, a := range list(task, "artifacts") {
		if got, want := texts[text(a, "artifactId")], partsText(a); got != want {
			st.failf(fmt.Sprintf("artifact %s to be %q, as in the task", text(a, "artifactId"),
				shorten([]byte(want), 120)), "%q", shorten([]byte(got), 120))
		}
	}
}

func checkSubscribeFirst(s *session) {
	_, task := s.open()
	st := s.followFirst(opSubscribe, object{"id": text(task, "id")})
	st.streamed("the task")
	if e := st.events[0]; e.kind != kindTask || e.taskID() != text(task, "id") {
		st.failf("the task "+text(task, "id"), "%s of task %q", e.kind, e.taskID())
	}
}

func checkSubscribeEnds(s *session) {
	_, task := s.open()
	id := object{"id": text(task, "id")}
	var seen [2]*stream
	var failed [2]*finding
	opened, done := make(chan struct{}, len(seen)), make(chan struct{}, len(seen))
	for i := range seen {
		sub := *s // each counts its requests
		go func() {
			opens := sync.OnceFunc(func() { opened <- struct{}{} })
			failed[i] = try(func() {
				seen[i] = sub.follow(opSubscribe, id, func(event) bool {
					opens()
					return false
				})
			})
			done <- struct{}{}
		}()
	}
	over := 0
	for range seen {
		select {
		case <-opened:
		case <-done: // without an event
			over++
		}
	}
	var r *reply
	noAnswer := try(func() { r = s.call(opCancel, id) })
	for ; over < len(seen); over++ {
		<-done
	}
	if f := cmp.Or(noAnswer, failed[0], failed[1]); f != nil {
		panic(f)
	}
	if r.fault != nil {
		skipf("the task cannot be cancelled")
	}
	checkSubscriptions(s, seen)
}

// checkSubscriptions compares two subscriptions to a task that has ended.
func checkSubscriptions(s *session, seen [2]*stream) {
	var kinds [2][]string
	for i, st := range seen {
		if len(st.events) == 0 {
			skipf("there is no stream; see subscribe.first-event")
		}
		if last := st.lastState(s.dialect); !isTerminal(last) {
			st.failf("a last status that is terminal", "the last state is %s", last)
		}
		if !st.closed {
			st.failf("the stream closed after the end of the task", "it stays open")
		}
		for _, e := range st.events[1:] { // the first one may have come later for one of them
			kinds[i] = append(kinds[i], e.kind+" "+text(e.payload, "status", "state"))
		}
	}
	if !slices.Equal(kinds[0], kinds[1]) {
		seen[1].failf("the same events as the other subscription: "+strings.Join(kinds[0], ", "), "%s",
			strings.Join(kinds[1], ", "))
	}
}
