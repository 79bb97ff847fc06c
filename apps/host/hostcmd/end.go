// SPDX-License-Identifier: Apache-2.0

package hostcmd

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/engine"
)

const (
	hurried   = 500 * time.Millisecond // what turns get to come to their end when somebody wants to leave
	tellAfter = time.Second            // how long the end may take without a word
)

// A hostEnd is how a host comes to its end. One that is there for this run only ends soon once its user has left, by
// Ctrl-C, by /quit or because the time was up: nobody waits for what its agents do then.
type hostEnd struct {
	tell     func(format string, args ...any) // people
	engine   *engine.Engine
	service  a2a.Service
	run      context.Context // ends with Ctrl-C
	patience time.Duration   // that turns get when nobody is in a hurry
	patient  bool            // they always get it
	alone    bool            // the host is there for this run only
	keeps    bool            // tasks go on with the next host
	left     atomic.Bool     // the user has left
	once     sync.Once
}

// drain brings the turns to their end: it is what the server's Options.OnDrain is.
func (e *hostEnd) drain(ctx context.Context) (err error) {
	e.once.Do(func() { err = e.end(ctx) })
	return err
}

func (e *hostEnd) end(ctx context.Context) error {
	hurry := !e.patient && (e.left.Load() || e.run.Err() != nil)
	patience := e.patience
	if hurry {
		patience = min(patience, hurried)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	defer e.mind(cancel)()
	if hurry && !e.keeps {
		e.cancelAll(ctx)
	}
	err := e.engine.Shutdown(ctx)
	if hurry && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return nil // the user has left, and knows
	}
	return err
}

// mind tells a user whom the end keeps waiting, and lets Ctrl-C end the wait, until the function that it returns is
// called.
func (e *hostEnd) mind(leave func()) (over func()) {
	if !e.alone { // whoever stops it asked for the drain
		return func() {}
	}
	words, unlink := "Waiting for agents; Ctrl-C again leaves.", func() bool { return true }
	if e.run.Err() == nil {
		words, unlink = "Waiting for agents; Ctrl-C leaves.", context.AfterFunc(e.run, leave)
	}
	notice := time.AfterFunc(tellAfter, func() { e.tell("%s", words) })
	return func() {
		notice.Stop()
		unlink()
	}
}

// cancelAll cancels the tasks that are being worked on, and with them those of the agents: nobody could come back to
// them.
func (e *hostEnd) cancelAll(ctx context.Context) {
	var calls sync.WaitGroup
	for _, state := range []a2a.TaskState{a2a.TaskStateSubmitted, a2a.TaskStateWorking} {
		page, err := e.service.ListTasks(ctx, &a2a.ListTasksRequest{Status: state})
		if err != nil {
			continue // they end as interrupted, then
		}
		for _, task := range page.Tasks {
			// one that cannot be is given up
			calls.Go(func() { e.service.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID}) })
		}
	}
	calls.Wait()
}
