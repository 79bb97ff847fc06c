// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A send waits for the end of the task, and then shows all of it.
func TestBlockingSend(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		answered := make(chan answer, 1)
		running := c.open(t, "SendStreamingMessage", message("work g"))
		id := idOf(t, running.next().object)
		wantState(t, c.ok(t, "GetTask", byID(id)), "WORKING")
		go func() {
			// A second message to the running task; its send ends when the turn that takes it does.
			method, path, body := c.request("SendMessage", message("echo more", taskID(id)))
			answered <- c.raw(t, method, path, body)
		}()
		select {
		case a := <-answered:
			t.Fatalf("answered while the task works: %s", a.body)
		case <-time.After(50 * time.Millisecond):
		}
		close(c.gate("g1"))
		close(c.gate("g2"))
		a := <-answered
		a.result, _ = c.result(t, a.body)
		task := at[map[string]any](t, a.result, "task")
		wantState(t, task, "COMPLETED")
		if n := len(at[[]any](t, task, "artifacts")); n != 2 {
			t.Errorf("%d artifacts, want those of both turns: %v", n, task)
		}
	})
}

// The states at which a blocking send answers, and what the task then holds.
func TestBlockingSendAnswersAt(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for text, want := range map[string]struct{ state, says string }{
			"echo hello": {"COMPLETED", ""}, "fail": {"FAILED", "internal error"},
			"reject": {"REJECTED", "not my trade"},
			"ask":    {"INPUT_REQUIRED", "which one?"}, "auth": {"AUTH_REQUIRED", "grant access to the calendar"},
			"await a": {"AUTH_REQUIRED", "grant access to the calendar"},
		} {
			task := c.send(t, text)
			wantState(t, task, want.state)
			if want.says != "" {
				if said := textOf(at[map[string]any](t, task, "status", "message")); !strings.Contains(said,
					want.says) {
					t.Errorf("%s: status message %q", text, said)
				}
			}
		}
		task := c.send(t, "echo hello")
		if got := textOf(at[map[string]any](t, task, "artifacts", 0)); got != "echo hello" ||
			len(at[[]any](t, task, "artifacts")) != 1 {
			t.Errorf("artifacts %v", task["artifacts"])
		}
	})
}

func TestReturnImmediately(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		task := c.send(t, "hold a", immediately)
		if state := stateOf(t, task); state != "SUBMITTED" && state != "WORKING" {
			t.Fatalf("state %s", state)
		}
		id := idOf(t, task)
		watch := c.open(t, "SubscribeToTask", byID(id))
		if ev := watch.next(); ev.kind != "task" || idOf(t, ev.object) != id {
			t.Fatalf("first event %+v", ev)
		}
		close(c.gate("a"))
		watch.rest()
		wantState(t, c.ok(t, "GetTask", byID(id)), "COMPLETED")
	})
}

// A direct answer is a Message without a task. The caller who wants an answer at once gets the task that will have it.
func TestMessageAnswer(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		result := c.ok(t, "SendMessage", message("reply good day", contextID("c-1")))
		m := at[map[string]any](t, result, "message")
		if textOf(m) != "good day" || m["role"] != "ROLE_AGENT" || m["contextId"] != "c-1" || m["messageId"] == "" ||
			has(m, "taskId") || len(result) != 1 {
			t.Errorf("answer %v", result)
		}
		if c.ok(t, "ListTasks", `{}`)["totalSize"] != 0.0 {
			t.Error("there is a task")
		}
		id := idOf(t, c.send(t, "reply good day", immediately))
		task := c.untilState(t, id, "COMPLETED")
		if got := textOf(at[map[string]any](t, task, "status", "message")); got != "good day" {
			t.Errorf("the task says %q", got)
		}
	})
}

// untilState asks for a task until it is in a state.
func (c *caller) untilState(t *testing.T, id, state string) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		task := c.ok(t, "GetTask", byID(id))
		if stateOf(t, task) == state {
			return task
		}
		if time.Now().After(deadline) {
			t.Fatalf("the task is still %s", stateOf(t, task))
		}
	}
}

// historyLength means the same for each operation that shows tasks.
func TestHistoryLength(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		for range 3 {
			c.send(t, "ask", taskID(id))
		}
		full := at[[]any](t, c.ok(t, "GetTask", byID(id)), "history")
		if len(full) < 4 {
			t.Fatalf("history of %d messages, want the four of the caller at least", len(full))
		}
		for n := 0; n <= len(full)+1; n++ {
			sent := c.send(t, "ask", taskID(id), fmt.Sprintf(`!"configuration":{"historyLength":%d}`, n))
			list := c.ok(t, "ListTasks", fmt.Sprintf(`{"historyLength":%d}`, n))
			for op, task := range map[string]map[string]any{
				"SendMessage": sent, "GetTask": c.ok(t, "GetTask", fmt.Sprintf(`{"id":%q,"historyLength":%d}`, id, n)),
				"ListTasks": at[map[string]any](t, list, "tasks", 0),
			} {
				if n == 0 {
					if has(task, "history") {
						t.Errorf("%s with 0: history %v", op, task["history"])
					}
					continue
				}
				all := at[[]any](t, c.ok(t, "GetTask", byID(id)), "history")
				want := all[len(all)-min(n, len(all)):]
				if got := at[[]any](t, task, "history"); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s with %d: %d messages, not the newest %d", op, n, len(got), len(want))
				}
			}
		}
	})
}

// The task with which a stream begins keeps to historyLength as well.
func TestHistoryLengthOfAStream(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		c.send(t, "ask", taskID(id))
		for n := range 3 {
			s := c.open(t, "SendStreamingMessage",
				message("ask", taskID(id), fmt.Sprintf(`!"configuration":{"historyLength":%d}`, n)))
			first := s.next()
			if got, _ := first.object["history"].([]any); first.kind != "task" || len(got) > n ||
				has(first.object, "history") != (n > 0) {
				t.Errorf("with %d: a %s with %d messages", n, first.kind, len(got))
			}
			s.rest()
		}
	})
}

func TestContexts(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		made := c.send(t, "ask")
		if at[string](t, made, "contextId") == "" ||
			at[string](t, made, "status", "message", "contextId") != made["contextId"] {
			t.Errorf("no context was made: %v", made)
		}
		given := c.send(t, "ask", contextID("my own"))
		if given["contextId"] != "my own" {
			t.Errorf("context %v", given["contextId"])
		}
		m := at[map[string]any](t, c.ok(t, "SendMessage", message("reply hi")), "message")
		if at[string](t, m, "contextId") == "" {
			t.Errorf("a message without a context: %v", m)
		}

		id := idOf(t, given)
		inferred := c.send(t, "ask", taskID(id))
		if inferred["contextId"] != "my own" || idOf(t, inferred) != id {
			t.Errorf("with the task alone: %v", inferred)
		}
		if both := c.send(t, "ask", taskID(id), contextID("my own")); both["contextId"] != "my own" {
			t.Errorf("with both: %v", both)
		}
		for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
			for _, wrong := range []string{"another", at[string](t, made, "contextId")} {
				c.wantFails(t, op, message("ask", taskID(id), contextID(wrong)), "INVALID_PARAMS", "message.contextId",
					"")
			}
		}
		if task := c.ok(t, "GetTask", byID(id)); len(at[[]any](t, task, "history")) != 5 {
			t.Errorf("what was refused is in the history: %v", task["history"])
		}
	})
}

// A context is one conversation: what an agent keeps for it and its tasks are there for the next task of it alone.
func TestConversation(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		for i, in := range []string{"a", "a", "b", "a"} {
			want := []string{"1", "2", "1", "3"}[i]
			if got := textOf(at[map[string]any](t, c.send(t, "count", contextID(in)), "artifacts", 0)); got != want {
				t.Errorf("task %d, in %s, counts %s, want %s", i, in, got, want)
			}
		}
		first, elsewhere := idOf(t, c.send(t, "echo", contextID("d"))), idOf(t, c.send(t, "echo", contextID("e")))
		seen := func(more ...string) []string {
			return strings.Fields(textOf(at[map[string]any](t, c.send(t, "related", more...), "artifacts", 0)))
		}
		if got := seen(contextID("d")); !slices.Equal(got, []string{first}) {
			t.Errorf("the tasks of the context are %v, want %s", got, first)
		}
		if got := seen(contextID("f"), `"referenceTaskIds":["`+elsewhere+`"]`); !slices.Equal(got,
			[]string{elsewhere}) {
			t.Errorf("the referenced tasks are %v, want %s", got, elsewhere)
		}
	})
}

// Ids are the server's: fresh for each task, also when the same message comes again.
func TestTaskIDs(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		seen := map[string]bool{}
		for range 20 {
			task := c.send(t, "echo")
			if seen[idOf(t, task)] || len(idOf(t, task)) < 16 {
				t.Fatalf("id %s", idOf(t, task))
			}
			seen[idOf(t, task)] = true
			if got := c.ok(t, "GetTask", byID(idOf(t, task))); fmt.Sprint(got) != fmt.Sprint(task) {
				t.Errorf("GetTask shows %v, SendMessage showed %v", got, task)
			}
		}
	})
}

func TestMultiTurn(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		task := c.send(t, "ask")
		wantState(t, task, "INPUT_REQUIRED")
		id := idOf(t, task)
		task = c.send(t, "echo this one", taskID(id))
		wantState(t, task, "COMPLETED")
		var said []string
		for i := range at[[]any](t, task, "history") {
			m := at[map[string]any](t, task, "history", i)
			if m["taskId"] != id || m["contextId"] != task["contextId"] {
				t.Errorf("a message without its task and context: %v", m)
			}
			said = append(said, at[string](t, m, "role")+" "+textOf(m))
		}
		want := []string{"ROLE_USER ask", "ROLE_AGENT which one?", "ROLE_USER echo this one"}
		if !slices.Equal(said, want) {
			t.Errorf("history %q, want %q", said, want)
		}
		if got := textOf(at[map[string]any](t, task, "artifacts", 0)); got != "echo this one" {
			t.Errorf("artifact %q", got)
		}
	})
}

// A task that waits for an authorization takes messages, and goes on by itself when the authorization comes.
func TestAuthRequired(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		task := c.send(t, "auth")
		wantState(t, task, "AUTH_REQUIRED")
		if said := textOf(at[map[string]any](t, task, "status", "message")); said != "grant access to the calendar" {
			t.Errorf("the caller reads %q", said)
		}
		wantState(t, c.send(t, "echo granted", taskID(idOf(t, task))), "COMPLETED")

		id := idOf(t, c.send(t, "await key"))
		close(c.gate("key"))
		task = c.untilState(t, id, "COMPLETED")
		if got := textOf(at[map[string]any](t, task, "artifacts", 0)); got != "nothing today" {
			t.Errorf("artifact %q", got)
		}
	})
}

func TestCancel(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		waiting, running := idOf(t, c.send(t, "ask")), idOf(t, c.send(t, "hold a", immediately))
		watch := c.open(t, "SubscribeToTask", byID(running))
		for _, id := range []string{waiting, running} {
			wantState(t, c.ok(t, "CancelTask", byID(id)), "CANCELED")
			wantState(t, c.ok(t, "GetTask", byID(id)), "CANCELED")
			c.wantFails(t, "CancelTask", byID(id), "TASK_NOT_CANCELABLE", "", "canceled")
		}
		events := watch.rest()
		if last := events[len(events)-1].words(t); !strings.HasPrefix(last, "status CANCELED") {
			t.Errorf("the stream ends with %q", last)
		}
	})
}

func TestAcceptedOutputModes(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		task := c.send(t, "modes", `!"configuration":{"acceptedOutputModes":["text/plain","image/*"]}`)
		if got := textOf(at[map[string]any](t, task, "artifacts", 0)); got != "text/plain image/*" {
			t.Errorf("the agent was told %q", got)
		}
	})
}

// A caller that closes its connection ends only its own request.
func TestCallerLeaves(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		s := c.open(t, "SendStreamingMessage", message("work g"))
		id := idOf(t, s.next().object)
		s.close()
		close(c.gate("g1"))
		close(c.gate("g2"))
		task := c.untilState(t, id, "COMPLETED")
		if got := textOf(at[map[string]any](t, task, "artifacts", 0)); got != "two" {
			t.Errorf("artifact %q", got)
		}
	})
}
