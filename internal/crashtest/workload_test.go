// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// seedEnv repeats the workload of a seed; the interleaving of processes is not repeated.
const seedEnv = "DRAGOMAN_PROOF_SEED"

// TestWorkload lets clients work with tasks in many ways while the server is killed again and again. In the end, the
// journal must contain everything that the server acknowledged, and must agree with everything that the server showed.
func TestWorkload(t *testing.T) {
	t.Parallel()
	seed := seedOf(t)
	p := start(t, config{})
	ctx, cancel := context.WithTimeout(t.Context(), prove(8*time.Second, 2*time.Minute))
	defer cancel()
	clients := startWorkers(ctx, p, 8, seed)
	kills := killAgain(ctx, p, rand.New(rand.NewPCG(seed, 1000)))
	acks := clients.wait()
	settle(t, p)
	p.stop()
	acks.check(t, p.config.Folder)
	once(t, p.config.Folder)
	acks.show(t, kills)
}

// seedOf returns a new seed, or that of the environment.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("repeat with %s=%d", seedEnv, seed)
	return seed
}

// workers work until a context ends.
type workers struct {
	all []*worker
	end sync.WaitGroup
}

func startWorkers(ctx context.Context, p *process, n int, seed uint64) *workers {
	ws := new(workers)
	for i := range n {
		w := newWorker(p, rand.New(rand.NewPCG(seed, uint64(i))), i)
		ws.all = append(ws.all, w)
		ws.end.Go(func() {
			for ctx.Err() == nil {
				w.act(ctx)
			}
		})
	}
	return ws
}

// wait waits for the end of the context and returns all that was acknowledged.
func (ws *workers) wait() *acknowledged {
	ws.end.Wait()
	acks := newAcknowledged()
	for _, w := range ws.all {
		acks.add(w.acks)
	}
	return acks
}

// show fails if nothing was acknowledged.
func (a *acknowledged) show(t *testing.T, kills int) {
	t.Helper()
	t.Logf("%d kills; acknowledged: %d tasks, %d messages, %d events, %d ends", kills, len(a.tasks),
		count(a.messages), a.shown, count(a.ends))
	if kills == 0 || len(a.tasks) == 0 || len(a.messages) == 0 || a.shown == 0 || len(a.ends) == 0 {
		t.Error("the workload shows nothing")
	}
}

func count[T any](lists map[a2a.TaskID][]T) (n int) {
	for _, list := range lists {
		n += len(list)
	}
	return n
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

// acknowledged is what the server has told its clients, by task.
type acknowledged struct {
	tasks    map[a2a.TaskID]bool            // exist
	messages map[a2a.TaskID][]accepted      // were accepted
	streams  map[a2a.TaskID][][]uint64      // hashes of events that happened, from the beginning and without a gap
	ends     map[a2a.TaskID][]a2a.TaskState // will not change
	shown    int                            // number of events
}

type accepted struct {
	id    a2a.MessageID
	waits bool // the sender was told that it waits for its turn, not that it was taken
}

func newAcknowledged() *acknowledged {
	return &acknowledged{
		map[a2a.TaskID]bool{}, map[a2a.TaskID][]accepted{}, map[a2a.TaskID][][]uint64{},
		map[a2a.TaskID][]a2a.TaskState{}, 0,
	}
}

func (a *acknowledged) add(b *acknowledged) {
	for id := range b.tasks {
		a.tasks[id] = true
		a.messages[id] = append(a.messages[id], b.messages[id]...)
		a.streams[id] = append(a.streams[id], b.streams[id]...)
		a.ends[id] = append(a.ends[id], b.ends[id]...)
	}
	a.shown += b.shown
}

// note notes a task that the server returned.
func (a *acknowledged) note(task *a2a.Task) {
	a.tasks[task.ID] = true
	for _, m := range task.History {
		a.message(task.ID, accepted{m.ID, false})
	}
	if task.Status.State.Terminal() {
		a.ends[task.ID] = append(a.ends[task.ID], task.Status.State)
	}
}

func (a *acknowledged) message(task a2a.TaskID, m accepted) {
	if !slices.Contains(a.messages[task], m) {
		a.messages[task] = append(a.messages[task], m)
	}
}

// check compares what the server has told with what its journal has.
func (a *acknowledged) check(t *testing.T, place string) {
	t.Helper()
	lost := maps.Clone(a.tasks)
	examineEach(t, place, func(r *record) {
		id := r.task.ID
		delete(lost, id)
		for _, m := range a.messages[id] {
			if !r.has(m.id) && !(m.waits && r.cut()) {
				t.Errorf("message %s to task %s, which is %s, was acknowledged and is lost", m.id, id,
					r.task.Status.State)
			}
		}
		for _, state := range a.ends[id] {
			if r.task.Status.State != state {
				t.Errorf("task %s had ended %s and is %s", id, state, r.task.Status.State)
			}
		}
		for _, seen := range a.streams[id] {
			checkStream(t, id, seen, r.wire(t))
		}
	})
	for id := range lost {
		t.Errorf("task %s was acknowledged and is lost", id)
	}
}

func checkStream(t *testing.T, id a2a.TaskID, seen []uint64, stored []event) {
	t.Helper()
	for i, sum := range seen {
		if i >= len(stored) {
			t.Errorf("task %s: %d events were shown and %d are there", id, len(seen), len(stored))
			return
		}
		if stored[i].sum() != sum {
			t.Errorf("task %s: event %d was shown otherwise than as %s %s", id, i, stored[i].id, stored[i].data)
			return
		}
	}
}

var sumSeed = maphash.MakeSeed()

func (ev event) sum() uint64 { return maphash.String(sumSeed, ev.id+" "+ev.data) }

// cut reports whether the task was brought to an end that drops the messages which waited for their turns.
func (r *record) cut() bool {
	state := r.task.Status.State
	return state.Terminal() && state != a2a.TaskStateCompleted
}

// A worker is a client that does things at random with one agent and remembers what it was told.
type worker struct {
	p    *process
	r    *rand.Rand
	c    *client.Client
	addr string
	b    binding
	mine []a2a.TaskID // newest last
	acks *acknowledged
}

func newWorker(p *process, r *rand.Rand, i int) *worker {
	addr := p.config.Addrs.Plain
	if i%4 >= 2 {
		addr = p.config.Addrs.Resumable
	}
	c := p.dial(addr, []string{a2a.BindingHTTPJSON, a2a.BindingJSONRPC}[i%2])
	return &worker{p: p, r: r, c: c, addr: addr, b: bindings[i%2], acks: newAcknowledged()}
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
	w.acks.message(task.ID, accepted{req.Message.ID, waits})
	w.mine = append(w.mine, task.ID)
}

// A watched stream is what a worker has seen of a task.
type watched struct {
	task a2a.TaskID
	last string // id of the last event
	sums []uint64
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
		if s, err = w.p.subscribe(ctx, w.b, w.addr, seen.task, seen.last); err == nil {
			whole = w.follow(s, &seen)
		}
	}
	w.mine = append(w.mine, seen.task)
	w.acks.streams[seen.task] = append(w.acks.streams[seen.task], seen.sums)
	w.acks.shown += len(seen.sums)
}

// follow notes the events of a stream to its end, and reports whether that is as it should be.
func (w *worker) follow(s *stream, seen *watched) (whole bool) {
	events, _ := s.rest()
	for _, ev := range events {
		decoded, err := a2a.DecodeStreamResponse([]byte(ev.data))
		if err != nil {
			break // the word that the server shuts down
		}
		switch e := decoded.(type) {
		case *a2a.Task:
			seen.task = e.ID
			w.acks.note(e)
		case *a2a.StatusUpdate:
			whole = e.Status.State.Terminal() || e.Status.State == a2a.TaskStateInputRequired
			if e.Status.State.Terminal() {
				w.acks.ends[seen.task] = append(w.acks.ends[seen.task], e.Status.State)
			}
		}
		seen.last = ev.id
		seen.sums = append(seen.sums, ev.sum())
	}
	return whole
}
