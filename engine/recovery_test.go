// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

type resumable struct{ agent.Func }

func (resumable) Resumable() bool { return true }

// kept is a journal that outlives the engines of a test.
func kept(t *testing.T) journal.Journal {
	j := memory.New(nil)
	t.Cleanup(func() { j.Close() })
	return j
}

// crash makes a journal refuse everything from one engine on, as if its process were gone.
type crash struct {
	failing
}

func newCrash(j journal.Journal) *crash { return &crash{failing{Journal: j}} }

var errGone = errors.New("the process is gone")

func (c *crash) Renew(ctx context.Context, l []journal.Lease, ttl time.Duration) ([]bool, error) {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return c.Journal.Renew(ctx, l, ttl)
}

func (c *crash) Claim(ctx context.Context, holder string, agents []string, ttl time.Duration,
	limit int) ([]journal.Claimed, error) {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return c.Journal.Claim(ctx, holder, agents, ttl, limit)
}

func (c *crash) Release(context.Context, journal.Lease) error { return errGone }

func TestRecovery(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		wrap  func(agent.Func) agent.Agent
		state a2a.TaskState
		tries int
	}{
		{"an interrupted turn ends failed", func(f agent.Func) agent.Agent { return f }, a2a.TaskStateFailed, 1},
		{"a resumable agent gets it again", func(f agent.Func) agent.Agent { return resumable{f} },
			a2a.TaskStateCompleted, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				j := kept(t)
				dying := newCrash(j)
				first := start(t, tt.wrap(func(ctx context.Context, t *agent.Turn) error {
					t.Artifact("before", part("kept"))
					<-ctx.Done()
					return ctx.Err()
				}), &engine.Options{Journal: dying})
				task := first.send(immediately(text("work")))
				fo := first.subscribe(&a2a.SubscribeRequest{ID: task.ID, After: "1"})
				fo.event() // the artifact is committed
				dying.fail(errGone)

				attempts := 0
				second := start(t, tt.wrap(func(ctx context.Context, t *agent.Turn) error {
					attempts = t.Attempt()
					if t.Text() != "work" {
						return errors.New("not the same message: " + t.Text())
					}
					return t.Artifact("after", part("done"))
				}), &engine.Options{Journal: j})
				time.Sleep(15 * time.Second) // the lease expires after 10 s
				got := second.get(task.ID)
				wantState(t, got, tt.state)
				if partsText(got.Artifacts[0].Parts) != "kept" {
					t.Errorf("artifacts = %+v", got.Artifacts)
				}
				if tt.tries > 1 && attempts != tt.tries {
					t.Errorf("attempt %d, want %d", attempts, tt.tries)
				}
			})
		})
	}
}

func TestWaitingTasksGoOnAfterRestart(t *testing.T) {
	t.Parallel()
	j := kept(t)
	ask := fn(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "end" {
			return nil
		}
		return t.Ask(part("?"))
	})
	first := start(t, ask, &engine.Options{Journal: j})
	task := first.send(text("hi"))
	if err := first.e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := start(t, ask, &engine.Options{Journal: j})
	wantState(t, second.get(task.ID), a2a.TaskStateInputRequired)
	wantState(t, second.send(to(task, "end")), a2a.TaskStateCompleted)
}

func TestSuspendedTasksGoOnAfterRestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := kept(t)
		sleepy := fn(func(ctx context.Context, t *agent.Turn) error {
			if t.Message() == nil {
				return nil
			}
			if err := t.Working(); err != nil {
				return err
			}
			return t.Suspend(time.Now().Add(time.Minute))
		})
		first := start(t, sleepy, &engine.Options{Journal: j})
		task := first.send(immediately(text("hi")))
		synctest.Wait()
		first.e.Shutdown(t.Context())
		second := start(t, sleepy, &engine.Options{Journal: j})
		time.Sleep(30 * time.Second)
		wantState(t, second.get(task.ID), a2a.TaskStateWorking)
		time.Sleep(31 * time.Second)
		wantState(t, second.get(task.ID), a2a.TaskStateCompleted)
	})
}

// TestMessagesOfACrashedNodeAreTaken shows that a message whose sender's process died is not lost.
func TestMessagesOfACrashedNodeAreTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := kept(t)
		ask := fn(func(ctx context.Context, t *agent.Turn) error {
			if t.Text() == "end" {
				return nil
			}
			return t.Ask(part("?"))
		})
		first := start(t, ask, &engine.Options{Journal: j})
		task := first.send(text("hi"))
		first.e.Shutdown(t.Context())
		key := journal.Key{Scope: journal.Scope{Agent: "test"}, ID: task.ID}
		if _, err := j.Enqueue(t.Context(), key, journal.Input{
			Kind: journal.InputMessage, Message: a2a.NewMessage(a2a.RoleUser, part("end")), Time: time.Now(),
		}, 16); err != nil {
			t.Fatal(err)
		}
		second := start(t, ask, &engine.Options{Journal: j})
		time.Sleep(2 * time.Second)
		wantState(t, second.get(task.ID), a2a.TaskStateCompleted)
	})
}

func TestDrain(t *testing.T) {
	t.Parallel()
	t.Run("waits for open turns and refuses new ones", func(t *testing.T) {
		t.Parallel()
		begun, release := make(chan struct{}), make(chan struct{})
		j := kept(t)
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			t.Working()
			close(begun)
			<-release
			return nil
		}), &engine.Options{Journal: j})
		task := f.send(immediately(text("hi")))
		<-begun
		done := make(chan error, 1)
		go func() { done <- f.e.Shutdown(t.Context()) }()
		waitFor(t, func() bool {
			_, err := f.svc.SendMessage(f.ctx, text("more"))
			return errors.Is(err, a2a.ErrUnavailable)
		})
		close(release)
		if err := <-done; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		wantState(t, f.get(task.ID), a2a.TaskStateCompleted)
	})
	for _, tt := range []struct {
		name  string
		wrap  func(agent.Func) agent.Agent
		after a2a.TaskState
	}{
		{"releases the turn of an agent that is not resumable", func(f agent.Func) agent.Agent { return f },
			a2a.TaskStateFailed},
		{"releases the turn of a resumable agent", func(f agent.Func) agent.Agent { return resumable{f} },
			a2a.TaskStateWorking},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				j := kept(t)
				causes := make(chan error, 2)
				a := tt.wrap(func(ctx context.Context, t *agent.Turn) error {
					if t.Attempt() > 1 {
						return nil
					}
					t.Working()
					<-ctx.Done()
					causes <- context.Cause(ctx)
					return ctx.Err()
				})
				f := start(t, a, &engine.Options{Journal: j})
				task := f.send(immediately(text("hi")))
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				began := time.Now()
				if err := f.e.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Shutdown: %v, want that the time was up", err)
				}
				if took := time.Since(began); took != 30*time.Second {
					t.Errorf("Shutdown took %v, want 30s", took)
				}
				if cause := <-causes; cause != agent.ErrShutdown {
					t.Errorf("the turn's context ended with %v", cause)
				}
				wantState(t, f.get(task.ID), tt.after)
				if tt.after == a2a.TaskStateWorking {
					second := start(t, a, &engine.Options{Journal: j})
					time.Sleep(2 * time.Second)
					wantState(t, second.get(task.ID), a2a.TaskStateCompleted)
				}
			})
		})
	}
	t.Run("readers see all that was committed", func(t *testing.T) {
		t.Parallel()
		const chunks = 5000
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			w := t.NewArtifact("a")
			for range chunks {
				w.WriteString("x")
			}
			return nil
		}), &engine.Options{Journal: kept(t)})
		waiting := start(t, fn(asker), nil)
		idle := waiting.subscribe(&a2a.SubscribeRequest{ID: waiting.send(text("hi")).ID})
		idle.event()

		fo := f.stream(text("hi"))
		fo.event() // and then reads on only when the server shuts down
		done := make(chan error, 2)
		go func() { done <- f.e.Shutdown(t.Context()) }()
		go func() { done <- waiting.e.Shutdown(t.Context()) }()
		if n := len(fo.rest()); n != chunks+1 {
			t.Errorf("%d events came, want %d", n, chunks+1)
		}
		if _, err, ok := idle.next(); !ok || !errors.Is(err, a2a.ErrUnavailable) {
			t.Errorf("a stream that waits ended with %v, %v", err, ok)
		}
		idle.stop()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a sender whose task does not exist yet is told", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { <-ctx.Done(); return ctx.Err() }), nil)
			errs := make(chan error, 1)
			go func() {
				_, err := f.svc.SendMessage(f.ctx, text("hi"))
				errs <- err
			}()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			f.e.Shutdown(ctx)
			wantKind(t, <-errs, a2a.ErrUnavailable)
		})
	})
}

func TestLostLeaseFencesOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := kept(t)
		causes := make(chan error, 1)
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error {
			t.Working()
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return t.Artifact("late", part("x"))
		}), &engine.Options{Journal: j})
		task := f.send(immediately(text("hi")))
		synctest.Wait()
		// Another node takes over, as after a long pause of this one.
		key := journal.Key{Scope: journal.Scope{Agent: "test"}, ID: task.ID}
		snap, err := j.Load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		stolen := steal(t, j, key)
		if cause := <-causes; !errors.Is(cause, journal.ErrLeaseLost) {
			t.Errorf("the turn's context ended with %v", cause)
		}
		synctest.Wait()
		head, err := j.Head(t.Context(), key)
		if err != nil || head.Seq != snap.Head.Seq {
			t.Errorf("the fenced node went on writing: %+v, %v", head, err)
		}
		j.Release(t.Context(), stolen)
	})
}

// steal takes a lease by waiting until its holder is late: renewals are every 3.3 s, so it claims as that holder and
// keeps the new token to itself.
func steal(t *testing.T, j journal.Journal, key journal.Key) journal.Lease {
	t.Helper()
	err := j.Release(t.Context(), journal.Lease{Key: key, Token: 1, Holder: holderOf(t, j, key)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := j.ClaimTask(t.Context(), key, "thief", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return c.Lease
}

func holderOf(t *testing.T, j journal.Journal, key journal.Key) string {
	t.Helper()
	_, err := j.ClaimTask(t.Context(), key, "probe", time.Second)
	var held *journal.HeldError
	if !errors.As(err, &held) {
		t.Fatalf("ClaimTask: %v, want that it is held", err)
	}
	return held.Holder
}

func TestRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := start(t, fn(func(ctx context.Context, t *agent.Turn) error { return t.Ask(part("?")) }), nil)
		task := f.send(text("hi"))
		time.Sleep(30*24*time.Hour - time.Minute)
		wantState(t, f.get(task.ID), a2a.TaskStateInputRequired)
		time.Sleep(2 * time.Hour)
		_, err := f.svc.GetTask(f.ctx, &a2a.GetTaskRequest{ID: task.ID})
		wantKind(t, err, a2a.ErrTaskNotFound)
	})
}
