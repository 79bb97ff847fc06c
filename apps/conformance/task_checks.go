// SPDX-License-Identifier: Apache-2.0

package conformance

import ()

var taskChecks = []check{
	{
		name: "get.task", title: "a task can be got, and is the one that was asked for",
		v1: must("3.1.3", "V1-016", "V1-092"), v03: must("7.3"),
		advice: "keep tasks, under the id that the client was given",
		run: func(s *session) {
			_, task := s.task()
			r, got := s.get(object{"id": text(task, "id")})
			if text(got, "id") != text(task, "id") {
				r.failf("the task "+text(task, "id"), "the task %s", text(got, "id"))
			}
			if text(got, "contextId") != text(task, "contextId") {
				r.failf("the context "+text(task, "contextId"), "the context %s", text(got, "contextId"))
			}
		},
	},
	{
		name: "get.shape", title: "a task has what it needs", v1: must("5.7", "V1-157", "V1-347", "V1-348"),
		v03:    must("6.1"),
		advice: "fill in what the standard requires, in its spelling",
		run: func(s *session) {
			r, got := s.get(object{"id": text(s.ended(), "id")})
			shape{r, s.dialect, "a task as the standard has it"}.task(got)
		},
	},
	{
		name: "get.unknown-task", title: "a task that does not exist is not found",
		v1: must("3.1.3", "V1-016", "V1-065"), v03: must("8.2"),
		advice: "answer TaskNotFoundError, for tasks of others too",
		run:    func(s *session) { s.getUnknown().wants(taskNotFound) },
	},
	{
		name: "get.no-id", title: "a get without id is invalid", over: JSONRPC, v1: must("3.3.2", "V1-062", "V1-351"),
		v03:    must("8.1"),
		advice: "check parameters before anything else",
		run:    func(s *session) { s.call(opGet, object{"historyLength": 1}).wants(invalidParams) },
	},
	{
		name: "get.history-length", title: "a task shows no more messages than it is asked for, and the last ones",
		v1: must("3.2.4", "V1-339", "V1-049"), v03: must("7.3"),
		advice: "cut the history to historyLength, from the front", run: checkHistoryLength,
	},
	{
		name: "get.history-length-0", title: "historyLength 0 shows no history", v1: must("3.2.4", "V1-339", "V1-048"),
		advice: "leave history out, as for a list",
		run: func(s *session) {
			_, task := s.task()
			r, got := s.get(object{"id": text(task, "id"), "historyLength": 0})
			if n := len(list(got, "history")); n > 0 {
				r.failf("no history", "%d messages", n)
			}
		},
	},
	{
		name: "get.bad-history-length", title: "a negative historyLength is invalid", v1: must("3.3.2", "V1-062"),
		advice: "check parameters before anything else",
		run: func(s *session) {
			_, task := s.task()
			s.call(opGet, object{"id": text(task, "id"), "historyLength": -1}).wants(invalidParams)
		},
	},
	{
		name: "cancel.unknown-task", title: "a task that does not exist cannot be cancelled",
		v1: must("3.1.5", "V1-027"), v03: must("8.2"),
		advice: "answer TaskNotFoundError",
		run:    func(s *session) { s.call(opCancel, object{"id": newID()}).wants(taskNotFound) },
	},
	{
		name: "cancel.ended-task", title: "a task that has ended cannot be cancelled", v1: must("3.1.5", "V1-027"),
		v03:    must("8.2"),
		advice: "answer TaskNotCancelableError",
		run: func(s *session) {
			task := s.ended()
			if s.dialect.state(task) == stateCanceled { // to cancel twice may do what it did before
				skipf("no task ends but by a cancel; choose another text (--text)")
			}
			s.call(opCancel, object{"id": text(task, "id")}).wants(notCancelable)
		},
	},
	{
		name: "cancel.open-task", title: "a task that waits can be cancelled, or the agent says that it cannot",
		v1: must("3.1.5", "V1-027"), v03: must("7.4"),
		advice: "answer with the task as it is after the cancel",
		run: func(s *session) {
			_, task := s.open()
			r := s.call(opCancel, object{"id": text(task, "id")})
			if r.is(notCancelable) {
				return
			}
			after := r.result()
			if text(after, "id") != text(task, "id") || s.dialect.state(after) == "" {
				r.failf("the task "+text(task, "id"), "the task %q in state %q", text(after, "id"),
					text(after, "status", "state"))
			}
		},
	},
}

func checkHistoryLength(s *session) {
	_, task := s.open()
	id := text(task, "id")
	s.sayTo(task)
	_, whole := s.get(object{"id": id, "historyLength": 100})
	all := list(whole, "history")
	if len(all) < 2 {
		skipf("the agent keeps no history")
	}
	r, cut := s.get(object{"id": id, "historyLength": 1})
	some := list(cut, "history")
	if len(some) > 1 {
		r.failf("at most 1 message", "%d", len(some))
	}
	if len(some) == 1 && text(some[0], "messageId") != text(all[len(all)-1], "messageId") {
		r.failf("the last message", "the message %s", text(some[0], "messageId"))
	}
}
