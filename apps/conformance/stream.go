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
func (s *session) follow(ctx context.Context, op operation, params object, enough func(event) bool) (*stream, error) {
	if s.late >= patience {
		return nil, errLate
	}
	ctx, cancel := context.WithTimeout(ctx, s.wire.timeout)
	defer cancel()
	id := s.nextID()
	method, url, body := s.dialect.request(op, params, id)
	header := s.dialect.header()
	header.Set("Accept", "text/event-stream, application/json")
	header.Set("Content-Type", "application/json")
	ex, answer, err := s.wire.open(ctx, method, url, header, body)
	s.note(err)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	in := bufio.NewReader(io.LimitReader(answer, maxAnswer))
	st := &stream{reply: &reply{exchange: ex, binding: s.dialect.transport}}
	if start, _ := in.Peek(1); string(start) == "{" || ex.status/100 != 2 {
		if ex.answer, err = io.ReadAll(in); err != nil {
			return nil, fmt.Errorf("read the answer: %w", err)
		}
		st.reply = s.dialect.read(ex)
		return st, nil
	}
	st.isSSE = true
	for {
		data, err := nextData(in, &ex.answer)
		if err != nil {
			st.closed = errors.Is(err, io.EOF)
			return st, ctxOnly(ctx, err)
		}
		e, fault := s.dialect.event(data, id)
		if fault != nil {
			st.fault = fault
			continue
		}
		st.events = append(st.events, e)
		if enough != nil && enough(e) {
			return st, nil
		}
	}
}

// ctxOnly returns the error of a run that is over; a stream that lasts too long is for checks to judge.
func ctxOnly(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return nil
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
func (st *stream) wants(kinds ...faultKind) error {
	if st.isSSE && (st.fault == nil || len(st.events) > 0) {
		return st.failf(kinds[0].name+" ("+kinds[0].as(st.binding)+") before any event", "%s", st.what())
	}
	return st.reply.wants(kinds...)
}

// streamed fails unless there is a stream.
func (st *stream) streamed() error {
	if st.isSSE && st.fault == nil {
		return nil
	}
	if _, err := st.result(); err != nil {
		return err
	}
	return st.failf("a stream of server-sent events", "one answer")
}

// told returns the stream that answers a message of its own, the same each time: to its end, or until the agent waits.
func (s *session) told(ctx context.Context) (*stream, error) {
	if s.heard == nil {
		st, err := s.follow(ctx, opStream, s.dialect.send(message{id: newID(), text: s.options.Text}, nil),
			func(e event) bool {
				return (e.kind == kindTask || e.kind == kindStatus) && isInterrupted(s.dialect.state(e.payload))
			})
		if err != nil {
			return nil, err
		}
		s.heard = st
		if len(st.events) > 0 && !isTerminal(st.lastState(s.dialect)) && st.events[0].taskID() != "" {
			s.left = append(s.left, st.events[0].taskID())
		}
	}
	return s.heard, nil
}

// toldEvents is told, for checks of what is in the stream: there has to be something.
func (s *session) toldEvents(ctx context.Context) (*stream, error) {
	st, err := s.told(ctx)
	if err != nil {
		return nil, err
	}
	if !st.isSSE || st.fault != nil || len(st.events) == 0 {
		return nil, skipf("there is no stream; see stream.opens")
	}
	return st, nil
}
