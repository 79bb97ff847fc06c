// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// An event is one of a stream.
type event struct {
	kind    string // "" for one that cannot be read
	payload object
	problem string // why it cannot be read
}

// A stream is what a streaming operation answered.
type stream struct {
	*reply // with the error instead of a stream, or as its first event
	events []event
	closed bool // by the agent
	isSSE  bool
}

// follow calls a streaming operation and reads until the agent closes the stream, or until enough returns true after an
// event; nil reads to the end. It gives up after the timeout, and then the stream is not closed.
func (s *session) follow(op operation, params object, enough func(event) bool) *stream {
	s.stopIfLate()
	ctx, cancel := context.WithTimeout(s.ctx, s.wire.timeout)
	defer cancel()
	id := s.nextID()
	method, url, body := s.dialect.request(op, params, id)
	header := s.dialect.header()
	header.Set("Accept", "text/event-stream, application/json")
	header.Set("Content-Type", "application/json")
	ex, answer, err := s.wire.open(ctx, method, url, header, body)
	s.answered(err)
	defer answer.Close()
	in := bufio.NewReader(io.LimitReader(answer, maxAnswer))
	st := &stream{reply: &reply{exchange: ex, binding: s.dialect.transport}}
	if start, _ := in.Peek(1); string(start) == "{" || ex.status/100 != 2 {
		ex.answer, err = io.ReadAll(in)
		s.answered(err)
		st.reply = s.dialect.read(ex)
		return st
	}
	st.isSSE = true
	for {
		data, err := nextData(in, &ex.answer)
		if err != nil { // a stream that lasts too long is for checks to judge
			st.closed = errors.Is(err, io.EOF)
			return st
		}
		e, fault := s.dialect.event(data, id)
		if fault != nil {
			st.fault = fault
			continue
		}
		st.events = append(st.events, e)
		if enough != nil && enough(e) {
			return st
		}
	}
}

// followFirst is follow up to the first event.
func (s *session) followFirst(op operation, params object) *stream {
	return s.follow(op, params, func(event) bool { return true })
}

// nextData reads the data of the next event of server-sent events, and keeps what it read.
func nextData(in *bufio.Reader, kept *[]byte) ([]byte, error) {
	var data []byte
	has := false
	for {
		line, err := in.ReadBytes('\n')
		if len(*kept) < 64<<10 {
			*kept = append(*kept, line...)
		}
		if err != nil {
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if has {
				return data, nil
			}
			continue
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if has {
				data = append(data, '\n')
			}
			data, has = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
	}
}

// event reads an event. An error that stands in its place is returned as such.
func (d *dialect) event(data []byte, id string) (event, *fault) {
	value, problem := decode(data)
	o := asObject(value)
	if problem != "" || o == nil {
		return event{problem: "an event is " + shorten(append([]byte(problem+": "), data...), 200)}, nil
	}
	details := "details"
	if d.transport == JSONRPC {
		details = "data"
	}
	if f := faultOf(o["error"], details); f != nil {
		f.body = o
		return event{}, f
	}
	var e event
	if d.transport == JSONRPC {
		if o["jsonrpc"] != "2.0" || o["id"] != id {
			e.problem = "an event has not the jsonrpc and id of the request"
		}
		o = asObject(o["result"])
	}
	kind, payload, why := d.unwrap(o)
	if why != "" {
		e.problem = "of an event: " + why
	}
	e.kind, e.payload = kind, payload
	return e, nil
}

// taskID is the task that an event is about.
func (e *event) taskID() string {
	if e.kind == kindTask {
		return text(e.payload, "id")
	}
	return text(e.payload, "taskId")
}

// lastState is the state in the last event that has one.
func (st *stream) lastState(d *dialect) string {
	state := ""
	for i := range st.events {
		if k := st.events[i].kind; k == kindTask || k == kindStatus {
			state = d.state(st.events[i].payload)
		}
	}
	return state
}

// what says in short what the stream is.
func (st *stream) what() string {
	if !st.isSSE || st.fault != nil {
		return st.reply.what()
	}
	end := "which the agent closed"
	if !st.closed {
		end = "which stays open"
	}
	return fmt.Sprintf("a stream of %d events, %s", len(st.events), end)
}

// wants fails unless there is an error of a kind instead of the stream.
func (st *stream) wants(kinds ...faultKind) {
	if st.isSSE && (st.fault == nil || len(st.events) > 0) {
		st.failf(kinds[0].name+" ("+kinds[0].as(st.binding)+") before any event", "%s", st.what())
	}
	st.reply.wants(kinds...)
}

// streamed fails unless there is a stream with events.
func (st *stream) streamed(events string) {
	if !st.isSSE || st.fault != nil {
		st.result()
		st.failf("a stream of server-sent events", "one answer")
	}
	if len(st.events) == 0 {
		st.failf(events, "no event")
	}
}

// told returns the stream that answers a message of its own, the same each time: to its end, or until the agent waits.
func (s *session) told() *stream {
	if s.heard != nil {
		return s.heard
	}
	st := s.follow(opStream, s.message(), func(e event) bool {
		return (e.kind == kindTask || e.kind == kindStatus) && isInterrupted(s.dialect.state(e.payload))
	})
	s.heard = st
	if len(st.events) > 0 && !isTerminal(st.lastState(s.dialect)) && st.events[0].taskID() != "" {
		s.left = append(s.left, st.events[0].taskID())
	}
	return st
}

// toldEvents is told, for checks of what is in the stream: there has to be something.
func (s *session) toldEvents() *stream {
	st := s.told()
	if !st.isSSE || st.fault != nil || len(st.events) == 0 {
		skipf("there is no stream; see stream.opens")
	}
	return st
}
