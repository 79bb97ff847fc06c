// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
)

// taskChecks are about getting and cancelling tasks.
var taskChecks = []check{
	{
		name: "get.task", title: "a task can be got, and is the one that was asked for",
		v1: must("3.1.3", "V1-016", "V1-092"), v03: must("7.3"),
		advice: "keep tasks, under the id that the client was given",
		run: func(ctx context.Context, s *session) error {
			_, task, err := s.task(ctx)
			if err != nil {
				return err
			}
			r, got, err := s.get(ctx, object{"id": text(task, "id")})
			if err != nil {
				return err
			}
			if text(got, "id") != text(task, "id") {
				return r.failf("the task "+text(task, "id"), "the task %s", text(got, "id"))
			}
			if text(got, "contextId") != text(task, "contextId") {
				return r.failf("the context "+text(task, "contextId"), "the context %s", text(got, "contextId"))
			}
			return nil
		},
	},
	{
		name: "get.shape", title: "a task has what it needs", v1: must("5.7", "V1-157", "V1-347", "V1-348"),
		v03:    must("6.1"),
		advice: "fill in what the standard requires, in its spelling",
		run: func(ctx context.Context, s *session) error {
			task, err := s.ended(ctx)
			if err != nil {
				return err
			}
			r, got, err := s.get(ctx, object{"id": text(task, "id")})
			if err != nil {
				return err
			}
			if why := (shape{s.dialect}).task(got); why != "" {
				return r.failf("a task as the standard has it", "%s", why)
			}
			return nil
		},
	},
	{
		name: "get.unknown-task", title: "a task that does not exist is not found",
		v1: must("3.1.3", "V1-016", "V1-065"), v03: must("8.2"),
		advice: "answer TaskNotFoundError, for tasks of others too",
		run: func(ctx context.Context, s *session) error {
			r, err := s.call(ctx, opGet, object{"id": newID()})
			if err != nil {
				return err
			}
			return r.wants(taskNotFound)
		},
	},
	{
		name: "get.no-id", title: "a get without id is invalid", over: JSONRPC, v1: must("3.3.2", "V1-062", "V1-351"),
		v03:    must("8.1"),
		advice: "check parameters before anything else",
		run: func(ctx context.Context, s *session) error {
			r, err := s.call(ctx, opGet, object{"historyLength": 1})
			if err != nil {
				return err
			}
			return r.wants(invalidParams)
		},
	},
	{
		name: "get.history-length", title: "a task shows no more messages than it is asked for, and the last ones",
		v1: must("3.2.4", "V1-339", "V1-049"), v03: must("7.3"),
		advice: "cut the history to historyLength, from the front", run: checkHistoryLength,
	},
	{
		name: "get.history-length-0", title: "historyLength 0 shows no history", v1: must("3.2.4", "V1-339", "V1-048"),
		advice: "leave history out, as for a list",
		run: func(ctx context.Context, s *session) error {
			_, task, err := s.task(ctx)
			if err != nil {
				return err
			}
			r, got, err := s.get(ctx, object{"id": text(task, "id"), "historyLength": 0})
			if err != nil {
				return err
			}
			if n := len(list(got, "history")); n > 0 {
				return r.failf("no history", "%d messages", n)
			}
			return nil
		},
	},
	{
		name: "get.bad-history-length", title: "a negative historyLength is invalid", v1: must("3.3.2", "V1-062"),
		advice: "check parameters before anything else",
		run: func(ctx context.Context, s *session) error {
			_, task, err := s.task(ctx)
			if err != nil {
				return err
			}
			r, err := s.call(ctx, opGet, object{"id": text(task, "id"), "historyLength": -1})
			if err != nil {
				return err
			}
			return r.wants(invalidParams)
		},
	},
	{
		name: "cancel.unknown-task", title: "a task that does not exist cannot be cancelled",
		v1: must("3.1.5", "V1-027"), v03: must("8.2"),
		advice: "answer TaskNotFoundError",
		run: func(ctx context.Context, s *session) error {
			r, err := s.call(ctx, opCancel, object{"id": newID()})
			if err != nil {
				return err
			}
			return r.wants(taskNotFound)
		},
	},
	{
		name: "cancel.ended-task", title: "a task that has ended cannot be cancelled", v1: must("3.1.5", "V1-027"),
		v03:    must("8.2"),
		advice: "answer TaskNotCancelableError",
		run: func(ctx context.Context, s *session) error {
			task, err := s.ended(ctx)
			if err != nil {
				return err
			}
			if s.dialect.state(task) == stateCanceled { // to cancel twice may do what it did before
				return skipf("no task ends but by a cancel; choose another text (--text)")
			}
			r, err := s.call(ctx, opCancel, object{"id": text(task, "id")})
			if err != nil {
				return err
			}
			return r.wants(notCancelable)
		},
	},
	{
		name: "cancel.open-task", title: "a task that waits can be cancelled, or the agent says that it cannot",
		v1: must("3.1.5", "V1-027"), v03: must("7.4"),
		advice: "answer with the task as it is after the cancel",
		run: func(ctx context.Context, s *session) error {
			_, task, err := s.open(ctx)
			if err != nil {
				return err
			}
			r, err := s.call(ctx, opCancel, object{"id": text(task, "id")})
			if err != nil || r.is(notCancelable) {
				return err
			}
			after, err := r.result()
			if err != nil {
				return err
			}
			if text(after, "id") != text(task, "id") || s.dialect.state(after) == "" {
				return r.failf("the task "+text(task, "id"), "the task %q in state %q", text(after, "id"),
					text(after, "status", "state"))
			}
			return nil
		},
	},
}

func checkHistoryLength(ctx context.Context, s *session) error {
	_, task, err := s.open(ctx)
	if err != nil {
		return err
	}
	id := text(task, "id")
	if _, err := s.say(ctx, message{text: s.options.Text, task: id}, nil); err != nil {
		return err
	}
	_, whole, err := s.get(ctx, object{"id": id, "historyLength": 100})
	if err != nil {
		return err
	}
	all := list(whole, "history")
	if len(all) < 2 {
		return skipf("the agent keeps no history")
	}
	r, cut, err := s.get(ctx, object{"id": id, "historyLength": 1})
	if err != nil {
		return err
	}
	some := list(cut, "history")
	if len(some) > 1 {
		return r.failf("at most 1 message", "%d", len(some))
	}
	if len(some) == 1 && text(some[0], "messageId") != text(all[len(all)-1], "messageId") {
		return r.failf("the last message", "the message %s", text(some[0], "messageId"))
	}
	return nil
}
