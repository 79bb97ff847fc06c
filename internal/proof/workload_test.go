// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// seedEnv repeats the workload of a seed; the interleaving of processes is not repeated.
const seedEnv = "DRAGOMAN_PROOF_SEED"

// TestWorkload has clients do all kinds of things with tasks while the server is killed again and again. Whatever it
// acknowledged must be in the journal in the end, and whatever it showed must be what happened.
func TestWorkload(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("repeat with %s=%d", seedEnv, seed)
	p := start(t, config{})
	ctx, cancel := context.WithTimeout(t.Context(), prove(8*time.Second, 5*time.Minute))
	defer cancel()
	var clients []*worker
	var wg sync.WaitGroup
	for i := range 8 {
		w := newWorker(p, rand.New(rand.NewPCG(seed, uint64(i))), i)
		clients = append(clients, w)
		wg.Go(func() {
			for ctx.Err() == nil {
				w.act(ctx)
			}
		})
	}
	kills := killAgain(ctx, p, rand.New(rand.NewPCG(seed, 1000)))
	wg.Wait()

	settle(t, p)
	p.stop()
	records := examine(t, p.config.Folder)
	once(t, p.config.Folder)
	var acks acknowledged
	for _, w := range clients {
		w.check(t, records)
		acks.add(&w.acks)
	}
	events := 0
	for _, s := range acks.streams {
		events += len(s.events)
	}
	t.Logf("%d kills, %d tasks; acknowledged: %d tasks, %d messages, %d events, %d ends", kills, len(records),
		len(acks.tasks), len(acks.messages), events, len(acks.ends))
	if kills == 0 || len(acks.tasks) == 0 || len(acks.messages) == 0 || events == 0 || len(acks.ends) == 0 {
		t.Error("the workload shows nothing")
	}
}

// killAgain kills the server and starts it again until ctx ends, and returns how often.
func killAgain(ctx context.Context, p *process, r *rand.Rand) (kills int) {
	for {
		timer := time.NewTimer(time.Duration(50+r.IntN(1200)) * time.Millisecond)
		select {
		case <-timer.C:
			p.kill()
			p.run()
			kills++
		case <-ctx.Done():
			timer.Stop()
			return kills
		}
	}
}

// settle waits until nothing is going on any more but what waits for its caller.
func settle(t *testing.T, p *process) {
	t.Helper()
	for _, addr := range []string{p.config.Addrs.Plain, p.config.Addrs.Resumable} {
		c := p.dial(addr)
		for _, state := range []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking} {
			eventually(t, "no task is "+state.String(), func() bool {
				list, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{Status: state})
				if err != nil {
					t.Fatal(err)
				}
				return list.TotalSize == 0
			})
		}
	}
}

// acknowledged is what the server has told its clients.
type acknowledged struct {
	tasks    []a2a.TaskID // exist
	messages []inTask     // were accepted
	streams  []watched    // happened, from the beginning and without a gap
	ends     []end        // will not change
}

type inTask struct {
	task  a2a.TaskID
	id    a2a.MessageID
	waits bool // the sender was told that it waits for its turn, not that it was taken
}

type watched struct {
	task   a2a.TaskID
	events []event
}

type end struct {
	task  a2a.TaskID
	state a2a.TaskState
}

func (a *acknowledged) add(b *acknowledged) {
	a.tasks = append(a.tasks, b.tasks...)
	a.messages = append(a.messages, b.messages...)
	a.streams = append(a.streams, b.streams...)
	a.ends = append(a.ends, b.ends...)
}

// note notes a task that the server returned.
func (a *acknowledged) note(task *a2a.Task) {
	a.tasks = append(a.tasks, task.ID)
	for _, m := range task.History {
		a.messages = append(a.messages, inTask{task.ID, m.ID, false})
	}
	if task.Status.State.Terminal() {
		a.ends = append(a.ends, end{task.ID, task.Status.State})
	}
}

// A worker is a client that does things at random with one agent and remembers what it was told.
type worker struct {
	p    *process
	r    *rand.Rand
	c    *client.Client
	addr string
	b    binding
	mine []a2a.TaskID // newest last
	acks acknowledged
}

func newWorker(p *process, r *rand.Rand, i int) *worker {
	addr := p.config.Addrs.Plain
	if i%4 >= 2 {
		addr = p.config.Addrs.Resumable
	}
	return &worker{p: p, r: r, c: p.dial(addr, []string{a2a.BindingHTTPJSON, a2a.BindingJSONRPC}[i%2]), addr: addr, b: bindings[i%2]}
}

// act does one thing. Errors are part of the game: only what succeeded counts.
func (w *worker) act(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	switch n := w.r.IntN(100); {
	case n < 30:
		w.send(ctx, message(w.verb(), ""))
	case n < 45:
		w.send(ctx, immediately(message(w.verb(), "")))
	case n < 60:
		w.send(ctx, immediately(message(w.verb(), w.any())))
	case n < 85:
		w.watch(ctx)
	case n < 92:
		if task, err := w.c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: w.any()}); err == nil {
			w.acks.note(task)
		}
	default:
		if task, err := w.c.GetTask(ctx, &a2a.GetTaskRequest{ID: w.any()}); err == nil {
			w.acks.note(task)
		}
	}
}

func (w *worker) verb() string {
	return []string{
		"echo hello", "ask", "fail", "reject", fmt.Sprint("suspend ", w.r.IntN(500)),
		fmt.Sprintf("stream %d 50", 1+w.r.IntN(3000)),
	}[w.r.IntN(6)]
}

// any returns one of the newest tasks of this worker, or one that does not exist.
func (w *worker) any() a2a.TaskID {
	if len(w.mine) == 0 {
		return "none"
	}
	return w.mine[len(w.mine)-1-w.r.IntN(min(len(w.mine), 20))]
}

func (w *worker) send(ctx context.Context, req *a2a.SendMessageRequest) {
	res, err := w.c.SendMessage(ctx, req)
	if err != nil {
		return
	}
	task := res.(*a2a.Task)
	w.acks.note(task)
	waits := req.Message.TaskID != "" && req.Configuration != nil && req.Configuration.ReturnImmediately
	w.acks.messages = append(w.acks.messages, inTask{task.ID, req.Message.ID, waits})
	w.mine = append(w.mine, task.ID)
}

// watch streams a new task, and each time the stream breaks reads what it missed.
func (w *worker) watch(ctx context.Context) {
	s, err := w.p.sendStream(ctx, w.b, w.addr, w.verb())
	if err != nil {
		return
	}
	var seen watched
	whole := w.follow(s, &seen)
	if seen.task == "" {
		return
	}
	for range 20 {
		if whole || ctx.Err() != nil {
			break
		}
		if s, err = w.p.subscribe(ctx, w.b, w.addr, seen.task, seen.events[len(seen.events)-1].id); err == nil {
			whole = w.follow(s, &seen)
		}
	}
	w.mine = append(w.mine, seen.task)
	w.acks.streams = append(w.acks.streams, seen)
}

// follow notes the events of a stream to its end, and reports whether that is as it should be.
func (w *worker) follow(s *stream, seen *watched) (whole bool) {
	events, _ := s.rest()
	for _, ev := range events {
		decoded, err := a2a.DecodeStreamResponse([]byte(ev.data))
		if err != nil {
			break // the word that the server shuts down
		}
		if task, ok := decoded.(*a2a.Task); ok {
			seen.task = task.ID
			w.acks.tasks = append(w.acks.tasks, task.ID)
		}
		if u, ok := decoded.(*a2a.StatusUpdate); ok {
			whole = u.Status.State.Terminal() || u.Status.State == a2a.TaskStateInputRequired
			if u.Status.State.Terminal() {
				w.acks.ends = append(w.acks.ends, end{seen.task, u.Status.State})
			}
		}
		seen.events = append(seen.events, ev)
	}
	return whole
}

// cut reports whether the task was brought to an end that drops the messages which waited for their turns.
func (r *record) cut() bool {
	state := r.task.Status.State
	return state.Terminal() && state != a2a.TaskStateCompleted
}

// check compares what the worker was told with what the journal has.
func (w *worker) check(t *testing.T, records map[a2a.TaskID]*record) {
	t.Helper()
	for _, id := range w.acks.tasks {
		if records[id] == nil {
			t.Errorf("task %s was acknowledged and is lost", id)
		}
	}
	for _, m := range w.acks.messages {
		r := records[m.task]
		if r != nil && !r.has(m.id) && !(m.waits && r.cut()) {
			t.Errorf("message %s to task %s, which is %s, was acknowledged and is lost", m.id, m.task, r.task.Status.State)
		}
	}
	for _, e := range w.acks.ends {
		if r := records[e.task]; r != nil && r.task.Status.State != e.state {
			t.Errorf("task %s had ended %s and is %s", e.task, e.state, r.task.Status.State)
		}
	}
	for _, seen := range w.acks.streams {
		if r := records[seen.task]; r != nil {
			seen.check(t, r.wire(t))
		}
	}
}

func (w *watched) check(t *testing.T, stored []event) {
	t.Helper()
	for i, ev := range w.events {
		if i >= len(stored) || stored[i] != ev {
			t.Errorf("task %s: event %d of %d was shown as %+v and is %+v", w.task, i, len(stored), ev, stored[i:min(i+1, len(stored))])
			return
		}
	}
}
