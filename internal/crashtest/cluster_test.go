// SPDX-License-Identifier: Apache-2.0

//go:build unix

package crashtest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/pgtest"
)

// lease is how long a node of a cluster keeps a task without renewing it.
const lease = 2 * time.Second

// A cluster is some processes on one database, behind a proxy that goes round them.
type cluster struct {
	nodes    []*process
	front    *process // the proxy's addresses; it is no process
	database string
}

func startCluster(t *testing.T, database string, n int) *cluster {
	t.Helper()
	c := &cluster{database: database}
	folder := t.TempDir() // for the notes of agents
	for range n {
		c.nodes = append(c.nodes, start(t, config{Folder: folder, Database: database, LeaseTTL: lease}))
	}
	c.front = &process{t: t, http: &http.Client{Transport: &http.Transport{
		ResponseHeaderTimeout: time.Second, MaxIdleConnsPerHost: 100}}}
	t.Cleanup(c.front.http.CloseIdleConnections)
	address := func(of func(*addrs) string) string {
		var all []string
		for _, p := range c.nodes {
			all = append(all, of(&p.config.Addrs))
		}
		return roundRobin(t, all)
	}
	c.front.config = config{Folder: folder, Addrs: addrs{Plain: address(func(a *addrs) string { return a.Plain }),
		Resumable: address(func(a *addrs) string { return a.Resumable })}}
	return c
}

// roundRobin passes each connection on to the next address that takes it, and knows nothing of HTTP.
func roundRobin(t *testing.T, addresses []string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		ln.Close()
		open.Wait()
	})
	var next atomic.Int64
	pass := func(from net.Conn) {
		defer from.Close()
		defer context.AfterFunc(ctx, func() { from.Close() })()
		for range addresses {
			to, err := net.DialTimeout("tcp", addresses[int(next.Add(1))%len(addresses)], time.Second)
			if err != nil {
				continue
			}
			defer to.Close()
			open.Go(func() {
				io.Copy(to, from)
				to.Close()
			})
			io.Copy(from, to)
			return
		}
	}
	open.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			open.Go(func() { pass(conn) })
		}
	})
	return ln.Addr().String()
}

// TestCluster lets clients work with three nodes on one PostgreSQL while nodes are killed, stopped for longer than
// their leases, and started again, and the database crashes once. As in TestWorkload, the journal must in the end
// contain all that was acknowledged and agree with all that was shown, whichever node said so.
func TestCluster(t *testing.T) {
	t.Parallel()
	seed := seedOf(t)
	server := pgtest.Start(t)
	c := startCluster(t, server.Database(t), 3)
	length := prove(15*time.Second, 2*time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	clients := startWorkers(ctx, c.front, prove(16, 200), seed)
	crash := time.NewTimer(length / 2)
	defer crash.Stop()
	kills, stops := c.disturb(ctx, rand.New(rand.NewPCG(seed, 1000)), crash.C, func() {
		server.Down(syscall.SIGQUIT)
		if err := server.Up(); err != nil {
			t.Error(err)
		}
	})
	acks := clients.wait()
	settle(t, c.front)
	for _, p := range c.nodes {
		p.stop()
	}
	acks.check(t, c.database)
	once(t, c.front.config.Folder)
	t.Logf("%d stops", stops)
	if stops == 0 {
		t.Error("no node was stopped")
	}
	acks.show(t, kills)
}

// disturb kills or stops one node after the other until ctx ends, when all run. crash is called once, when its time has
// come.
func (c *cluster) disturb(ctx context.Context, r *rand.Rand, due <-chan time.Time, crash func()) (kills, stops int) {
	pause := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		pause(time.Duration(50+r.IntN(1000)) * time.Millisecond)
		select {
		case <-due:
			crash()
		default:
		}
		node := c.nodes[r.IntN(len(c.nodes))]
		if (kills+stops)%3 != 1 {
			node.kill()
			pause(time.Duration(r.IntN(1500)) * time.Millisecond)
			node.run()
			kills++
			continue
		}
		node.signal(syscall.SIGSTOP)
		pause(lease + time.Duration(500+r.IntN(1000))*time.Millisecond)
		node.signal(syscall.SIGCONT)
		stops++
	}
	return kills, stops
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// hold starts a turn at a node that waits for a gate, and returns its stream and its task once it waits.
func hold(t *testing.T, node *process, addr, gate string) (*stream, a2a.TaskID) {
	t.Helper()
	s, err := node.sendStream(t.Context(), rest, addr, "hold "+gate)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.next()
	if err == nil {
		_, err = s.next()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, taskOf(t, first).ID
}

// TestTakeOver measures how long the followers of tasks wait when the node with their turns is killed: at most the
// lease and a second.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	c := startCluster(t, pgtest.New(t), 2)
	holder, other := c.nodes[0], c.nodes[1]
	const tasks = 20
	var ids []a2a.TaskID
	for i := range tasks {
		_, id := hold(t, holder, holder.config.Addrs.Resumable, fmt.Sprint("gate", i))
		ids = append(ids, id)
	}
	for i := range tasks {
		other.open(fmt.Sprint("gate", i)) // so that a turn ends as soon as it runs there
	}
	killed := time.Now()
	holder.kill()
	var slowest time.Duration
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, id := range ids {
		all.Go(func() {
			s, err := other.subscribe(t.Context(), rest, other.config.Addrs.Resumable, id, "0")
			if err != nil {
				t.Error(err)
				return
			}
			events, err := s.rest()
			if err != nil || !strings.Contains(events[len(events)-1].data, "TASK_STATE_COMPLETED") {
				t.Errorf("task %s ends with %v, error %v", id, events, err)
			}
			mu.Lock()
			slowest = max(slowest, time.Since(killed))
			mu.Unlock()
		})
	}
	all.Wait()
	t.Logf("all %d turns were taken over and ended within %v of the kill; the lease is %v", tasks, slowest, lease)
	if slowest > lease+time.Second+500*time.Millisecond { // half a second for a busy machine
		t.Errorf("that is more than the lease and a second")
	}
}

// The turns of a node that drains move at once when its patience is over.
func TestDrainedTurnsMove(t *testing.T) {
	t.Parallel()
	c := startCluster(t, pgtest.New(t), 1)
	drained := start(t, config{Folder: c.front.config.Folder, Database: c.database, LeaseTTL: lease,
		DrainTimeout: 200 * time.Millisecond})
	other := c.nodes[0]
	s, id := hold(t, drained, drained.config.Addrs.Resumable, "gate")
	other.open("gate")
	follow, err := other.subscribe(t.Context(), rest, other.config.Addrs.Resumable, id, "0")
	if err != nil {
		t.Fatal(err)
	}
	drained.terminate()
	s.rest() // ends when the node has let go of the task
	began := time.Now()
	events, err := follow.rest()
	took := time.Since(began)
	if err != nil || !strings.Contains(events[len(events)-1].data, "TASK_STATE_COMPLETED") {
		t.Errorf("the task ends with %v, error %v", events, err)
	}
	t.Logf("the turn ended at the other node %v later", took)
	if took > 100*time.Millisecond+200*time.Millisecond { // for a busy machine; a poll takes up to a second
		t.Error("that is too long")
	}
	<-drained.exited // with an error, as its patience was over
	drained.gone()
}

// A cancel reaches the turn on another node at once, also while its agent says nothing.
func TestCancelOnAnotherNode(t *testing.T) {
	t.Parallel()
	c := startCluster(t, pgtest.New(t), 2)
	one, other := c.nodes[0], c.nodes[1]
	client := other.dial(other.config.Addrs.Plain)
	for range 5 {
		s, id := hold(t, one, one.config.Addrs.Plain, "never")
		began := time.Now()
		task, err := client.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: id})
		if err != nil || task.Status.State != a2a.TaskStateCanceled {
			t.Fatalf("%+v, %v", task, err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the cancel took %v", took)
		}
		if _, err := s.rest(); err != nil {
			t.Error(err)
		}
	}
}
