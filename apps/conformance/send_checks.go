// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strings"
)

// sendChecks are about messages and what comes of them.
var sendChecks = []check{
	{
		name: "send.answer", title: "a message is answered with a task or a message", v1: must("3.1.1", "V1-006"),
		v03:    must("7.1"),
		advice: "answer with exactly one of the two",
		run: func(s *session) {
			r := s.greeting()
			kind, _, problem := s.dialect.unwrap(r.result())
			if problem != "" || kind != kindTask && kind != kindMessage {
				r.failf("a task or a message", "%s %s", problem, kind)
			}
		},
	},
	{
		name: "send.shape", title: "what comes of a message has what it needs",
		v1: must("5.7", "V1-157", "V1-347", "V1-348", "V1-151"), v03: must("6.1"),
		advice: "fill in what the standard requires, in its spelling",
		run: func(s *session) {
			r := s.greeting()
			kind, payload, problem := s.dialect.unwrap(asObject(r.value))
			good := shape{r, s.dialect, "an object as the standard has it"}
			switch {
			case problem != "":
				skipf("there is neither task nor message; see send.answer")
			case kind == kindTask:
				good.task(payload)
			default:
				good.message(payload, "the message")
			}
		},
	},
	{
		name: "send.camel-case", title: "members are in camelCase", v1: must("5.5", "V1-150"),
		advice: "write the names of ProtoJSON, not those of the proto file",
		run: func(s *session) {
			r := s.greeting()
			if found := snakes(r.value); found != "" {
				r.failf("camelCase", "%q", found)
			}
		},
	},
	{
		name: "send.timestamp", title: "times are ISO 8601 in UTC", v1: must("5.6.1", "V1-152", "V1-156"),
		advice: "write times such as 2026-01-02T03:04:05.678Z",
		run: func(s *session) {
			r, task := s.task()
			said := text(task, "status", "timestamp")
			if said == "" {
				skipf("the status has no timestamp")
			}
			if why := timestampProblem(said); why != "" {
				r.failf("ISO 8601 in UTC with Z", "status.timestamp %q %s", said, why)
			}
		},
	},
	{
		name: "send.waits", title: "the answer waits until the task ends or asks",
		v1:     must("3.2.2", "V1-043", "V1-338"),
		advice: "answer early only to returnImmediately",
		run: func(s *session) {
			r, task := s.task()
			if state := s.dialect.state(task); state != "" && !isTerminal(state) && !isInterrupted(state) {
				r.failf("a state that is terminal or interrupted", "%s", state)
			}
		},
	},
	{
		name: "send.return-immediately", title: "returnImmediately gives the id of a task that goes on",
		v1: must("3.2.2", "V1-045"), v03: must("7.1.1"),
		advice: "answer with the task as soon as there is one", run: checkReturnImmediately,
	},
	{
		name: "send.context-made", title: "a conversation that begins gets a context",
		v1: must("3.4.1", "V1-082", "V1-340"), v03: must("6.1"),
		advice: "make a contextId and put it into the answer",
		run: func(s *session) {
			r := s.greeting()
			_, payload, problem := s.dialect.unwrap(asObject(r.value))
			if problem == "" && text(payload, "contextId") == "" {
				r.failf("a contextId", "none")
			}
		},
	},
	{
		name: "send.context", title: "a message in a context makes a new task there",
		v1: must("3.4.2", "V1-091", "V1-088"), v03: must("6.1"),
		advice: "keep the contextId, and make a new task id",
		run: func(s *session) {
			_, first := s.task()
			context := text(first, "contextId")
			r, second := s.newTask(message{text: s.options.Text, context: context}, nil)
			switch {
			case text(second, "id") == text(first, "id"):
				r.failf("a new task", "the task that was there")
			case text(second, "contextId") != context:
				r.failf("contextId "+context, "contextId %q", text(second, "contextId"))
			}
		},
	},
	{
		name: "send.own-context", title: "a context that the client names is kept or refused, never replaced",
		v1:     must("3.4.1", "V1-084", "V1-085"),
		advice: "keep the contextId, or answer with an error",
		run: func(s *session) {
			own := newID()
			r := s.say(message{text: s.options.Text, context: own}, nil)
			if _, payload, problem := s.dialect.unwrap(asObject(r.value)); problem == "" &&
				text(payload, "contextId") != own {
				r.failf("contextId "+own+", or an error", "contextId %q", text(payload, "contextId"))
			}
		},
	},
	{
		name: "send.unknown-task", title: "a message to a task that does not exist is refused",
		v1: must("3.4.2", "V1-094", "V1-008"), v03: must("8.2"),
		advice: "answer TaskNotFoundError, and make no task of that id",
		run:    func(s *session) { s.sayTo(object{"id": newID()}).wants(taskNotFound) },
	},
	{
		name: "send.ended-task", title: "a message to a task that has ended is refused", v1: must("3.1.1", "V1-008"),
		v03:    must("7.1"),
		advice: "answer UnsupportedOperationError; a task that has ended stays so", run: checkSendEnded,
	},
	{
		name: "send.context-mismatch", title: "a message whose context is not that of its task is refused",
		v1:     must("3.4.3", "V1-098"),
		advice: "compare the contextId of the message with that of the task",
		run: func(s *session) {
			_, task := s.open()
			s.say(message{text: s.options.Text, task: text(task, "id"), context: newID()}, nil).
				wantsAnyFault("an error")
		},
	},
	{
		name: "send.answer-question", title: "an answer goes to the task that asked",
		v1: must("3.4.3", "V1-097", "V1-341"), v03: must("7.1"),
		advice: "go on with the task, in its context, whether the message names that or not",
		run: func(s *session) {
			_, task := s.open()
			r := s.sayTo(task)
			r.result()
			if after := s.taskIn(r); after != nil &&
				(text(after, "id") != text(task, "id") || text(after, "contextId") != text(task, "contextId")) {
				r.failf("the task "+text(task, "id")+" in its context", "the task %s in context %s",
					text(after, "id"), text(after, "contextId"))
			}
		},
	},
	{
		name: "send.question", title: "who asks says what", v1: should("4.1.3", "V1-055"), v03: should("6.2"),
		advice: "put the question into status.message",
		run: func(s *session) {
			r, task := s.open()
			if at(task, "status", "message") == nil {
				r.failf("status.message", "none")
			}
		},
	},
	{
		name: "send.no-message", title: "a send without a message is invalid", v1: must("3.3.2", "V1-062", "V1-351"),
		v03:    must("8.1"),
		advice: "check parameters before anything else", run: sendWithout("message"),
	},
	{
		name: "send.no-parts", title: "a message without parts is invalid", v1: should("5.7", "V1-158", "V1-348"),
		v03:    should("6.4"),
		advice: "answer invalid params to a message without what it needs", run: sendWithout("parts"),
	},
	{
		name: "send.no-message-id", title: "a message without id is invalid", v1: should("5.7", "V1-158", "V1-348"),
		v03:    should("6.4"),
		advice: "answer invalid params to a message without what it needs", run: sendWithout("messageId"),
	},
	{
		name: "send.unknown-members", title: "members that nobody knows are ignored", v1: should("5.7", "V1-160"),
		v03:    should("6.4"),
		advice: "read over members that you do not know",
		run: func(s *session) {
			params := s.message()
			params["conformanceUnknown"] = object{"a": 1}
			asObject(params["message"])["conformanceUnknown"] = true
			r := s.call(opSend, params)
			s.leave(r)
			r.result()
		},
	},
	{
		name: "send.history-length", title: "historyLength 0 of a send leaves history out",
		v1:     must("3.2.4", "V1-337", "V1-048"),
		advice: "cut the history of answers to configuration.historyLength",
		run: func(s *session) {
			r, task := s.newTask(message{text: s.options.Text}, object{"historyLength": 0})
			if n := len(list(task, "history")); n > 0 {
				r.failf("no history", "%d messages", n)
			}
		},
	},
	{
		name: "send.media-type", title: "a part of a media type that the card does not name is refused",
		v1: should("3.1.1", "V1-008"), v03: should("8.2"),
		advice: "answer ContentTypeNotSupportedError to parts of other types than the card's input modes",
		run:    checkMediaType,
	},
}

// sendWithout sends a message in which something is missing.
func sendWithout(member string) func(*session) {
	return func(s *session) {
		params := s.message()
		if member == "message" {
			delete(params, member)
		} else {
			delete(asObject(params["message"]), member)
		}
		r := s.call(opSend, params)
		s.leave(r)
		r.wants(invalidParams)
	}
}

func checkReturnImmediately(s *session) {
	r, task := s.newTask(message{text: s.options.Text}, object{"returnImmediately": true})
	var got *reply
	var after object
	if f := try(func() { got, after = s.get(object{"id": text(task, "id")}) }); f != nil {
		r.failf("a task that can be got", "the task cannot be got: %s", f.got)
	}
	if text(after, "id") != text(task, "id") {
		got.failf("the task "+text(task, "id"), "the task %s", text(after, "id"))
	}
}

func checkSendEnded(s *session) {
	r := s.sayTo(s.ended())
	if s.dialect.profile == Profile03 { // which names no code
		r.wantsAnyFault("an error")
		return
	}
	r.wants(unsupported)
}

// strange is a media type that no agent takes.
const strange = "application/x-conformance-unknown"

func checkMediaType(s *session) {
	card := asObject(s.card.value)
	modes, _ := card["defaultInputModes"].([]any)
	for _, skill := range list(card, "skills") {
		more, _ := skill["inputModes"].([]any)
		modes = append(modes, more...)
	}
	if slices.ContainsFunc(modes, func(mode any) bool {
		m, _ := mode.(string)
		return strings.HasPrefix(m, "*") || m == "application/*" || m == strange
	}) {
		skipf("the card takes all media types")
	}
	params := s.message()
	part := object{"raw": "AAEC", "mediaType": strange, "filename": "conformance.bin"}
	if s.dialect.profile == Profile03 {
		part = object{"kind": "file", "file": object{"bytes": "AAEC", "mimeType": strange, "name": "conformance.bin"}}
	}
	asObject(params["message"])["parts"] = []any{part}
	r := s.call(opSend, params)
	s.leave(r)
	r.wants(contentType)
}
