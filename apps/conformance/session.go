// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
)

// A session is what the checks of one interface share. It is for one goroutine.
type session struct {
	ctx     context.Context // of the run
	options *Options
	wire    *wire
	card    *reply
	dialect *dialect

	calls    int
	late     int      // answers that did not come in time
	greeted  *reply   // the answer to the first message
	heard    *stream  // and the stream of another one
	finished object   // a task that has ended
	siblings []string // tasks of one context
	context  string   // which is this one
	noOpen   bool     // the agent never asks back
	left     []string // tasks that may be open still
}

// can reports whether the card declares a capability.
func (s *session) can(capability string) bool {
	card := asObject(s.card.value)
	if capability == extendedCard && s.dialect.profile == Profile03 {
		return at(card, "supportsAuthenticatedExtendedCard") == true
	}
	return at(card, "capabilities", capability) == true
}

// The capabilities of cards.
const (
	streaming    = "streaming"
	pushConfigs  = "pushNotifications"
	extendedCard = "extendedAgentCard"
)

// newID returns an id that nobody has.
func newID() string { return "conformance-" + rand.Text() }

// call makes a call, and fails if there is no answer.
func (s *session) call(op operation, params object) *reply {
	return s.callWith(op, params, s.dialect.header())
}

func (s *session) callWith(op operation, params object, header http.Header) *reply {
	s.stopIfLate()
	method, url, body := s.dialect.request(op, params, s.nextID())
	return s.post(method, url, header, body)
}

// patience is how many answers may be late before nothing more is asked: an agent that does not answer these does not
// answer the other checks either, and a run has to end.
const patience = 3

func (s *session) stopIfLate() {
	if s.late >= patience {
		skipf("too many answers before did not come in time")
	}
}

// answered fails if there is no answer, and counts those that did not come in time.
func (s *session) answered(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		s.late++
	}
	if err != nil {
		panic(&finding{outcome: Fail, expected: "an answer", got: err.Error()})
	}
}

// post makes a request that need not be right.
func (s *session) post(method, url string, header http.Header, body []byte) *reply {
	if len(body) > 0 {
		header.Set("Content-Type", "application/json")
	}
	ex, err := s.wire.do(s.ctx, method, url, header, body)
	s.answered(err)
	return s.dialect.read(ex)
}

func (s *session) nextID() string {
	s.calls++
	return fmt.Sprintf("check-%d", s.calls)
}

// message returns the parameters of a message with the usual text.
func (s *session) message() object {
	return s.dialect.send(message{id: newID(), text: s.options.Text}, nil)
}

func (s *session) say(m message, configuration object) *reply {
	m.id = newID()
	r := s.call(opSend, s.dialect.send(m, configuration))
	s.leave(r)
	return r
}

// sayTo sends a message with the usual text to a task.
func (s *session) sayTo(task object) *reply {
	return s.say(message{text: s.options.Text, task: text(task, "id")}, nil)
}

func (s *session) get(params object) (*reply, object) {
	r := s.call(opGet, params)
	return r, r.result()
}

// getUnknown asks for a task that does not exist.
func (s *session) getUnknown() *reply { return s.call(opGet, object{"id": newID()}) }

// greeting returns the answer to a message of its own, the same each time.
func (s *session) greeting() *reply {
	if s.greeted == nil {
		s.greeted = s.say(message{text: s.options.Text}, nil)
	}
	return s.greeted
}

// leave notes the task of an answer, if it is open.
func (s *session) leave(r *reply) {
	if task := s.taskIn(r); task != nil && !isTerminal(s.dialect.state(task)) {
		s.left = append(s.left, text(task, "id"))
	}
}

// taskIn returns the task that answers a message, or nil.
func (s *session) taskIn(r *reply) object {
	kind, payload, _ := s.dialect.unwrap(asObject(r.value))
	if kind != kindTask || text(payload, "id") == "" {
		return nil
	}
	return payload
}

// task returns the task of the greeting.
func (s *session) task() (*reply, object) { return s.needTask(s.greeting()) }

// newTask sends a message and returns the task that comes of it.
func (s *session) newTask(m message, configuration object) (*reply, object) {
	return s.needTask(s.say(m, configuration))
}

// needTask skips the check if an answer has no task.
func (s *session) needTask(r *reply) (*reply, object) {
	task := s.taskIn(r)
	if task == nil {
		skipf("no task comes of a message; see send.answer, or choose another text (--text)")
	}
	return r, task
}

func (s *session) ended() object {
	if s.finished != nil {
		return s.finished
	}
	_, task := s.newTask(message{text: s.options.Text}, nil)
	if !isTerminal(s.dialect.state(task)) {
		try(func() {
			id := object{"id": text(task, "id")}
			s.call(opCancel, id)
			_, task = s.get(id)
		})
	}
	if !isTerminal(s.dialect.state(task)) {
		skipf("no task ends, neither by itself nor by a cancel; choose another text (--text)")
	}
	s.finished = task
	return task
}

// open returns a new task that waits for an answer.
func (s *session) open() (*reply, object) {
	if !s.noOpen {
		r, task := s.newTask(message{text: s.options.Ask}, nil)
		if s.dialect.state(task) == stateInputRequired {
			return r, task
		}
		s.noOpen = true
	}
	skipf("the agent asks nothing back; name a text after which it does (--ask)")
	return nil, nil
}

// family returns a context with at least two tasks, and their ids.
func (s *session) family() (string, []string) {
	if len(s.siblings) > 0 {
		return s.context, s.siblings
	}
	_, first := s.task()
	context := text(first, "contextId")
	_, second := s.newTask(message{text: s.options.Text, context: context}, nil)
	if context == "" || text(second, "contextId") != context || text(second, "id") == text(first, "id") {
		skipf("no two tasks of one context; see send.context")
	}
	s.context, s.siblings = context, []string{text(first, "id"), text(second, "id")}
	return s.context, s.siblings
}

// tidy cancels the tasks that checks left open, until the agent does not answer.
func (s *session) tidy() {
	s.ctx = context.WithoutCancel(s.ctx)
	try(func() {
		for _, id := range s.left {
			s.call(opCancel, object{"id": id})
		}
	})
}
