// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

const chunks = 10_000

// TestKillInMidStream kills the server at a random point of a stream, while other tasks wait.
func TestKillInMidStream(t *testing.T) {
	t.Parallel()
	for round := range prove(5, 50) {
		b := bindings[round%len(bindings)]
		resumes := round/2%2 == 1
		after := 1 + rand.IntN(chunks*9/10)
		t.Run(fmt.Sprintf("%s, resumable %v, after %d events", b.name, resumes, after), func(t *testing.T) {
			killInMidStream(t, b, resumes, after)
		})
	}
}

func killInMidStream(t *testing.T, b binding, resumes bool, after int) {
	p := start(t, config{})
	addr := p.config.Addrs.Plain
	if resumes {
		addr = p.config.Addrs.Resumable
	}
	c := p.dial(addr)
	asking := send(t, c, message("ask", ""))
	due := time.Now().Add(time.Second)
	sleeping := send(t, c, immediately(message("suspend 1000", "")))
	suspended(t, p, c, sleeping.ID)

	s, err := p.sendStream(t.Context(), b, addr, fmt.Sprintf("stream %d 20 never", chunks))
	if err != nil {
		t.Fatal(err)
	}
	var seen []event
	for len(seen) < after {
		ev, err := s.next()
		if err != nil {
			t.Fatalf("after %d events: %v", len(seen), err)
		}
		seen = append(seen, ev)
	}
	p.kill()
	more, _ := s.rest() // what was on its way
	seen = append(seen, more...)
	id := taskOf(t, seen[0]).ID
	mustRise(t, seen)
	p.run()

	// Every event that was seen is there, and each one that was missed comes once, in order, through to the end.
	missed := p.replay(b, addr, id, seen[len(seen)-1].id)
	all := p.replay(b, addr, id, "0")
	mustRise(t, all)
	mustEqual(t, "what was seen", seen, all[:min(len(seen), len(all))])
	mustEqual(t, "what was missed", missed, all[len(seen):])

	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	n := mustCount(t, task)
	t.Logf("%d events seen, %d missed, %d chunks in the journal", len(seen), len(missed), n)
	if resumes {
		if task.Status.State != a2a.TaskStateCompleted || n != chunks || !hasArtifact(task, "attempt", "2") {
			t.Errorf("the resumed task is %s with %d chunks", task.Status.State, n)
		}
	} else if !interrupted(task) {
		t.Errorf("the interrupted task is %s: %v", task.Status.State, task.Status.Message)
	}

	// Tasks that waited go on.
	if task := get(t, c, asking.ID); task.Status.State != a2a.TaskStateInputRequired {
		t.Errorf("the waiting task is %s", task.Status.State)
	}
	if task := send(t, c, message("echo this", asking.ID)); !hasArtifact(task, "echo", "this") {
		t.Errorf("the waiting task went on to %s", task.Status.State)
	}
	woken := wait(t, c, sleeping.ID)
	if !hasArtifact(woken, "woken", "on time") || woken.Status.Timestamp.Before(due.Truncate(time.Millisecond)) {
		t.Errorf("the suspended task is %s since %s, and was due at %s", woken.Status.State, woken.Status.Timestamp,
			due)
	}

	p.stop()
	records := examine(t, p.config.Folder)
	mustEqual(t, "the journal's own", all, records[id].wire(t))
	once(t, p.config.Folder)
}

// TestTheClientComesBackByItself kills the server under streams of our own client.
func TestTheClientComesBackByItself(t *testing.T) {
	t.Parallel()
	for _, binding := range []string{a2a.BindingHTTPJSON, a2a.BindingJSONRPC} {
		for _, resumes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, resumable %v", binding, resumes),
				func(t *testing.T) { comeBack(t, binding, resumes) })
		}
	}
}

func comeBack(t *testing.T, binding string, resumes bool) {
	p := start(t, config{})
	addr, want := p.config.Addrs.Plain, a2a.TaskStateFailed
	if resumes {
		addr, want = p.config.Addrs.Resumable, a2a.TaskStateCompleted
	}
	after := 1 + rand.IntN(chunks/2)
	c := p.dial(addr, binding)
	var texts strings.Builder
	var last string
	var state a2a.TaskState
	events := 0
	for u, err := range c.Stream(t.Context(), message(fmt.Sprintf("stream %d 20 never", chunks), "")) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Resync || u.Polled {
			t.Error("the stream went on by a snapshot instead of a replay")
		}
		if !newer(u.ID, last) {
			t.Fatalf("event %q comes after event %q", u.ID, last)
		}
		last = u.ID
		switch e := u.Event.(type) {
		case *a2a.ArtifactUpdate:
			if e.Artifact.Name != "attempt" {
				texts.WriteString(e.Artifact.Text())
			}
		case *a2a.StatusUpdate:
			state = e.Status.State
		}
		if events++; events == after {
			p.kill()
			p.run()
		}
	}
	if state != want {
		t.Errorf("the task ended %s, want %s", state, want)
	}
	words := strings.Fields(texts.String())
	for i, word := range words {
		if word != strconv.Itoa(i) {
			t.Fatalf("chunk %d is %q: one was lost or came twice", i, word)
		}
	}
	if resumes && len(words) != chunks {
		t.Errorf("%d chunks came, want %d", len(words), chunks)
	}
}

func newer(id, than string) bool {
	n, err := strconv.Atoi(id)
	m, _ := strconv.Atoi(than)
	return err == nil && n > m
}

func message(text string, task a2a.TaskID) *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
	m.TaskID = task
	return &a2a.SendMessageRequest{Message: m}
}

func immediately(req *a2a.SendMessageRequest) *a2a.SendMessageRequest {
	req.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
	return req
}

func send(t testing.TB, c *client.Client, req *a2a.SendMessageRequest) *a2a.Task {
	t.Helper()
	res, err := c.SendMessage(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res.(*a2a.Task)
}

func get(t testing.TB, c *client.Client, id a2a.TaskID) *a2a.Task {
	t.Helper()
	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

func wait(t testing.TB, c *client.Client, id a2a.TaskID) *a2a.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	task, err := c.Wait(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// suspended waits until the turn that suspends a task has ended: its status is that of the suspension.
func suspended(t testing.TB, p *process, c *client.Client, id a2a.TaskID) {
	t.Helper()
	eventually(t, "the task is suspended", func() bool { return get(t, c, id).Status.State == a2a.TaskStateWorking })
}

func hasArtifact(task *a2a.Task, name, text string) bool {
	for _, a := range task.Artifacts {
		if a.Name == name && a.Text() == text {
			return true
		}
	}
	return false
}
