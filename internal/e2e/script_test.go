// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// A script is an agent that does what the first word of a message says.
type script struct {
	mu    sync.Mutex
	gates map[string]chan struct{}
}

// gate returns the channel that is closed when a test opens the gate of that name.
func (s *script) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates == nil {
		s.gates = map[string]chan struct{}{}
	}
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

func (s *script) Run(ctx context.Context, t *agent.Turn) error {
	verb, rest, _ := strings.Cut(t.Text(), " ")
	switch verb {
	case "reply":
		return t.Reply(a2a.TextPart(rest))
	case "ask":
		return t.Ask(a2a.TextPart("which one?"))
	case "auth":
		return t.NeedAuth(a2a.TextPart("grant access to the calendar"))
	case "await":
		return s.await(ctx, t, rest)
	case "hold":
		if err := t.Working(a2a.TextPart("holding")); err != nil {
			return err
		}
		return s.wait(ctx, rest)
	case "chunks":
		return chunks(t, rest)
	case "work":
		return s.work(ctx, t, rest)
	case "fail":
		return errors.New("a secret of the agent")
	case "public":
		return agent.Public("the mill is closed", errors.New("a secret of the agent"))
	case "reject":
		return agent.Reject(a2a.TextPart("not my trade"))
	case "panic":
		panic("a secret of the agent")
	case "modes":
		return t.Artifact("modes", a2a.TextPart(strings.Join(t.OutputModes(), " ")))
	case "related":
		return related(ctx, t)
	case "count":
		return count(ctx, t)
	case "nap": // the next turn, which has no message, says the trace
		return t.Suspend(time.Now())
	case "trace", "":
		call := a2a.CallFrom(ctx)
		return t.Artifact("trace", a2a.TextPart(call.TraceParent+" "+call.TraceState))
	}
	return t.Artifact("echo", a2a.TextPart(t.Text()))
}

func (s *script) wait(ctx context.Context, gate string) error {
	select {
	case <-s.gate(gate):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await needs an authorization that comes some other way than by a message: through a gate.
func (s *script) await(ctx context.Context, t *agent.Turn, gate string) error {
	granted, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.gate(gate):
			cancel()
		case <-granted.Done():
		}
	}()
	t.AwaitAuth(granted, a2a.TextPart("grant access to the calendar"))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.Artifact("calendar", a2a.TextPart("nothing today"))
}

// chunks writes an artifact in so many chunks.
func chunks(t *agent.Turn, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	w := t.NewArtifact("numbers")
	for i := range n {
		if _, err := fmt.Fprintf(w, "%d ", i); err != nil {
			return err
		}
	}
	return w.Close()
}

// work waits at a gate between each of three steps: the tests see each step before the next one is taken.
func (s *script) work(ctx context.Context, t *agent.Turn, gate string) error {
	if err := t.Working(a2a.TextPart("one")); err != nil {
		return err
	}
	if err := s.wait(ctx, gate+"1"); err != nil {
		return err
	}
	if err := t.Artifact("result", a2a.TextPart("two")); err != nil {
		return err
	}
	if err := s.wait(ctx, gate+"2"); err != nil {
		return err
	}
	return t.Working(a2a.TextPart("three"))
}

// related tells the ids of the tasks that it can see from here.
func related(ctx context.Context, t *agent.Turn) error {
	tasks, err := t.Related(ctx)
	if err != nil {
		return err
	}
	var ids []string
	for _, task := range tasks {
		ids = append(ids, string(task.ID))
	}
	return t.Artifact("related", a2a.TextPart(strings.Join(ids, " ")))
}

// count counts the tasks of its context.
func count(ctx context.Context, t *agent.Turn) error {
	var n int
	if _, err := t.LoadContext(ctx, &n); err != nil {
		return err
	}
	if err := t.SaveContext(ctx, n+1); err != nil {
		return err
	}
	return t.Artifact("count", a2a.TextPart(strconv.Itoa(n+1)))
}
