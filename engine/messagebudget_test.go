// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// Turns hold so many bytes of large messages and no more; one owner gets three quarters. A turn that ends makes room.
func TestLargeMessagesAreBounded(t *testing.T) {
	t.Parallel()
	e, err := engine.New(&engine.Options{Logger: quiet, MaxHeld: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Shutdown(context.Background())
	leave := make(chan struct{})
	svc := e.Agent("slow", fn(func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(); err != nil {
			return err
		}
		<-leave
		return nil
	}), nil)
	send := func(owner string, size int, task a2a.TaskID) (*a2a.Task, error) {
		ctx := a2a.WithCall(t.Context(), &a2a.Call{Identity: a2a.Identity{Subject: owner}})
		req := text(strings.Repeat("x", size))
		req.Message.TaskID = task
		req.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
		res, err := svc.SendMessage(ctx, req)
		if err != nil {
			return nil, err
		}
		return res.(*a2a.Task), nil
	}
	must := func(owner string, size int, task a2a.TaskID) *a2a.Task {
		t.Helper()
		made, err := send(owner, size, task)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	refused := func(owner string, size int, task a2a.TaskID) {
		t.Helper()
		var e *a2a.Error
		if _, err := send(owner, size, task); !errors.As(err, &e) || e.Kind != a2a.ErrUnavailable || e.RetryAfter == 0 {
			t.Errorf("%d bytes for %s: %v", size, owner, err)
		}
	}
	mine := must("alice", 400<<10, "")
	must("alice", 350<<10, mine.ID) // waits for the turn
	refused("alice", 70<<10, "")
	refused("alice", 70<<10, mine.ID)
	must("alice", 60<<10, "") // is not large
	must("bob", 200<<10, "")
	refused("bob", 200<<10, "")
	close(leave)
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := send("alice", 700<<10, ""); err == nil {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("the turns have ended, and there is no room: %v", err)
		}
	}
	for what, opts := range map[string]*engine.Options{"MaxHeld": {MaxHeld: -1}, "MaxPage": {MaxPage: -1}} {
		if _, err := engine.New(opts); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
