// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// TestWhatWasEnqueuedIsTaken kills the server right after it acknowledged messages: to tasks that wait, whose turns may
// or may not have begun, and to one whose turn runs.
func TestWhatWasEnqueuedIsTaken(t *testing.T) {
	t.Parallel()
	for range prove(2, 30) {
		enqueued(t)
	}
}

func enqueued(t *testing.T) {
	p := start(t, config{})
	plain, again := p.dial(p.config.Addrs.Plain), p.dial(p.config.Addrs.Resumable)
	tasks := make([]a2a.TaskID, 24)
	for i := range tasks {
		tasks[i] = send(t, plain, message("ask", "")).ID
	}
	running := send(t, again, immediately(message("stream 10 20 never", ""))).ID
	eventually(t, "the turn runs", func() bool { return mustCount(t, get(t, again, running)) == 10 })

	answers := make([]*a2a.SendMessageRequest, len(tasks))
	errs := make([]error, len(tasks))
	parallel(len(tasks), 8, func(i int) {
		answers[i] = immediately(message("echo answer", tasks[i]))
		_, errs[i] = plain.SendMessage(t.Context(), answers[i])
	})
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	var waiting []*a2a.SendMessageRequest
	for range 3 {
		req := immediately(message("echo later", running))
		send(t, again, req)
		waiting = append(waiting, req)
	}
	p.kill()
	p.run()

	for i, id := range tasks {
		task := wait(t, plain, id)
		if !hasArtifact(task, "echo", "answer") && !interrupted(task) {
			t.Errorf("task %d is %s", i, task.Status.State)
		}
	}
	task := wait(t, again, running)
	if n := mustCount(t, task); n != 10 || !hasArtifact(task, "attempt", "2") || !hasArtifact(task, "echo", "later") {
		t.Errorf("the running task is %s with %d chunks", task.Status.State, n)
	}
	p.stop()
	records := examine(t, p.config.Folder)
	for i, id := range tasks {
		if !records[id].has(answers[i].Message.ID) {
			t.Errorf("the answer to task %d is lost", i)
		}
	}
	order := 0
	for _, m := range records[running].task.History {
		if order < len(waiting) && m.ID == waiting[order].Message.ID {
			order++
		}
	}
	if order != len(waiting) {
		t.Errorf("%d of the %d messages that waited are in the history, in their order", order, len(waiting))
	}
	once(t, p.config.Folder)
	finished := map[string]int{}
	for _, r := range runs(t, p.config.Folder, "resumable") {
		finished[r.what]++
	}
	for _, req := range waiting {
		if n := finished[string(req.Message.ID)]; n != 1 {
			t.Errorf("a message that waited was run %d times", n)
		}
	}
}

// TestABlockingSenderSeesTheCut kills the server while callers wait for their answers: they get errors, on both
// bindings and from our client, which does not send the message again.
func TestABlockingSenderSeesTheCut(t *testing.T) {
	t.Parallel()
	p := start(t, config{})
	addr := p.config.Addrs.Plain
	type answer struct {
		who, text string
		err       error
	}
	answers := make(chan answer)
	senders := 0
	for _, b := range bindings {
		senders++
		go func() {
			text, err := p.sendRaw(t.Context(), b, addr, "hold never")
			answers <- answer{b.name, text, err}
		}()
	}
	for _, binding := range []string{a2a.BindingHTTPJSON, a2a.BindingJSONRPC} {
		senders++
		c := p.dial(addr, binding)
		go func() {
			res, err := c.SendMessage(t.Context(), message("hold never", ""))
			if err == nil {
				answers <- answer{who: "client over " + binding, text: text(t, res.(*a2a.Task))}
				return
			}
			answers <- answer{"client over " + binding, "", err}
		}()
	}
	c := p.dial(addr)
	eventually(t, "all turns run", func() bool {
		list, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{Status: a2a.TaskStateWorking})
		if err != nil {
			t.Fatal(err)
		}
		return list.TotalSize == senders
	})
	p.kill()
	for range senders {
		if a := <-answers; a.err == nil {
			t.Errorf("%s: the server was killed, and the answer is %s", a.who, a.text)
		}
	}
	p.run()
	settle(t, p)
	p.stop()
	for id, r := range examine(t, p.config.Folder) {
		if !interrupted(r.task) {
			t.Errorf("task %s is %s", id, r.task.Status.State)
		}
	}
	if n := len(runs(t, p.config.Folder, "plain")); n != senders {
		t.Errorf("%d messages were run %d times", senders, n)
	}
	once(t, p.config.Folder)
}

// sendRaw sends a message and returns the body of the answer, read to its end.
func (p *process) sendRaw(ctx context.Context, b binding, addr, text string) (string, error) {
	path, body := b.send("SendMessage", text, "")
	req, err := request(ctx, http.MethodPost, addr, path, body)
	if err != nil {
		return "", err
	}
	res, err := p.http.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	var answer strings.Builder
	if _, err := io.Copy(&answer, res.Body); err != nil {
		return "", err
	}
	return res.Status + " " + answer.String(), nil
}
