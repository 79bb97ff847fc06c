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
	noOpen   error    // why there are no tasks that stay open
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

// call makes a call. The error says why there is no answer.
func (s *session) call(ctx context.Context, op operation, params object) (*reply, error) {
	return s.callWith(ctx, op, params, s.dialect.header())
}

func (s *session) callWith(ctx context.Context, op operation, params object, header http.Header) (*reply, error) {
	if s.late >= patience {
		return nil, errLate
	}
	method, url, body := s.dialect.request(op, params, s.nextID())
	r, err := s.post(ctx, method, url, header, body)
	s.note(err)
	return r, err
}

// patience is how many answers may be late before nothing more is asked: who does not answer does not answer each of
// the other checks either, and a run has to end.
const patience = 3

var errLate = skipf("too many answers before did not come in time")

// note counts answers that did not come in time.
func (s *session) note(err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		s.late++
	}
}

// post makes a request that need not be right.
func (s *session) post(ctx context.Context, method, url string, header http.Header, body []byte) (*reply, error) {
	if len(body) > 0 {
		header.Set("Content-Type", "application/json")
	}
	ex, err := s.wire.do(ctx, method, url, header, body)
	if err != nil {
		return nil, err
	}
	return s.dialect.read(ex), nil
}

// nextID is the id of the next request of JSON-RPC.
func (s *session) nextID() string {
	s.calls++
	return fmt.Sprintf("check-%d", s.calls)
}

// say sends a message.
func (s *session) say(ctx context.Context, m message, configuration object) (*reply, error) {
	m.id = newID()
	return s.call(ctx, opSend, s.dialect.send(m, configuration))
}

// get gets a task.
func (s *session) get(ctx context.Context, params object) (*reply, object, error) {
	r, err := s.call(ctx, opGet, params)
	if err != nil {
		return nil, nil, err
	}
	task, err := r.result()
	return r, task, err
}

// greeting returns the answer to a message of its own, the same each time.
func (s *session) greeting(ctx context.Context) (*reply, error) {
	if s.greeted == nil {
		r, err := s.say(ctx, message{text: s.options.Text}, nil)
		if err != nil {
			return nil, err
		}
		s.greeted = r
		s.leave(r)
	}
	return s.greeted, nil
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
func (s *session) task(ctx context.Context) (*reply, object, error) {
	r, err := s.greeting(ctx)
	if err != nil {
		return nil, nil, err
	}
	task := s.taskIn(r)
	if task == nil {
		return nil, nil, skipf("no task comes of a message; see send.answer, or choose another text (--text)")
	}
	return r, task, nil
}

// newTask sends a message and returns the task that comes of it.
func (s *session) newTask(ctx context.Context, m message, configuration object) (*reply, object, error) {
	r, err := s.say(ctx, m, configuration)
	if err != nil {
		return nil, nil, err
	}
	s.leave(r)
	if task := s.taskIn(r); task != nil {
		return r, task, nil
	}
	return nil, nil, skipf("no task comes of a message; see send.answer, or choose another text (--text)")
}

// ended returns a task that has ended.
func (s *session) ended(ctx context.Context) (object, error) {
	if s.finished != nil {
		return s.finished, nil
	}
	_, task, err := s.newTask(ctx, message{text: s.options.Text}, nil)
	if err != nil {
		return nil, err
	}
	if !isTerminal(s.dialect.state(task)) {
		if _, err = s.call(ctx, opCancel, object{"id": text(task, "id")}); err == nil {
			_, task, err = s.get(ctx, object{"id": text(task, "id")})
		}
		if err != nil || !isTerminal(s.dialect.state(task)) {
			return nil, skipf("no task ends, neither by itself nor by a cancel; choose another text (--text)")
		}
	}
	s.finished = task
	return task, nil
}

// open returns a new task that waits for an answer.
func (s *session) open(ctx context.Context) (*reply, object, error) {
	if s.noOpen != nil {
		return nil, nil, s.noOpen
	}
	r, task, err := s.newTask(ctx, message{text: s.options.Ask}, nil)
	if err != nil {
		return nil, nil, err
	}
	if s.dialect.state(task) != stateInputRequired {
		s.noOpen = skipf("the agent asks nothing back; name a text after which it does (--ask)")
		return nil, nil, s.noOpen
	}
	return r, task, nil
}

// family returns a context with at least two tasks, and their ids.
func (s *session) family(ctx context.Context) (string, []string, error) {
	if len(s.siblings) > 0 {
		return s.context, s.siblings, nil
	}
	_, first, err := s.task(ctx)
	if err != nil {
		return "", nil, err
	}
	context := text(first, "contextId")
	_, second, err := s.newTask(ctx, message{text: s.options.Text, context: context}, nil)
	if err != nil {
		return "", nil, err
	}
	if context == "" || text(second, "contextId") != context || text(second, "id") == text(first, "id") {
		return "", nil, skipf("no two tasks of one context; see send.context")
	}
	s.context, s.siblings = context, []string{text(first, "id"), text(second, "id")}
	return s.context, s.siblings, nil
}

// tidy cancels what checks left open.
func (s *session) tidy(ctx context.Context) {
	for _, id := range s.left {
		if _, err := s.call(ctx, opCancel, object{"id": id}); err != nil {
			return // who does not answer will not answer the next either
		}
	}
}
