// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// A scripted agent does what the text of a message says, see [scripted.do]. Each run is noted in a file before anything
// else happens, so that a run is known even when the process dies at once.
type scripted struct {
	name  string
	runs  *os.File
	gates *gates
}

// resumable is scripted, and run again after a crash.
type resumable struct{ scripted }

func (resumable) Resumable() bool { return true }

func newScripted(name, folder string, g *gates) (scripted, error) {
	f, err := os.OpenFile(runsFile(folder, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return scripted{name, f, g}, err
}

func runsFile(folder, agent string) string { return filepath.Join(folder, agent+".runs") }

// Run implements agent.Agent.
func (s scripted) Run(ctx context.Context, t *agent.Turn) error {
	what := "woken"
	if t.Message() != nil {
		what = string(t.Message().ID)
	}
	if _, err := fmt.Fprintf(s.runs, "%s %s %d\n", t.TaskID(), what, t.Attempt()); err != nil {
		return err
	}
	if t.Message() == nil {
		return t.Artifact("woken", a2a.TextPart("on time"))
	}
	word := strings.Fields(t.Text())
	return s.do(ctx, t, word[0], word[1:])
}

func (s scripted) do(ctx context.Context, t *agent.Turn, verb string, args []string) error {
	switch verb {
	case "echo":
		return t.Artifact("echo", a2a.TextPart(strings.Join(args, " ")))
	case "ask":
		return t.Ask(a2a.TextPart("what?"))
	case "fail":
		return agent.Public("as told", nil)
	case "reject":
		return agent.Reject(a2a.TextPart("as told"))
	case "suspend": // suspend MILLISECONDS
		ms, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return t.Suspend(time.Now().Add(time.Duration(ms) * time.Millisecond))
	case "hold": // hold GATE
		if err := t.Working(a2a.TextPart("holding")); err != nil {
			return err
		}
		return s.gates.wait(ctx, args[0])
	case "stream": // stream CHUNKS BYTES [GATE]: the chunks, then the gate, if this is the first attempt
		return s.stream(ctx, t, args)
	case "after": // after GATE CHUNKS BYTES: the gate, then the chunks
		if err := t.Working(a2a.TextPart("holding")); err != nil {
			return err
		}
		if err := s.gates.wait(ctx, args[0]); err != nil {
			return err
		}
		return s.stream(ctx, t, args[1:])
	}
	return errors.New("no such verb: " + verb)
}

func (s scripted) stream(ctx context.Context, t *agent.Turn, args []string) error {
	chunks, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	w := t.NewArtifact("numbers")
	for i := written(t.Task()); i < chunks; i++ {
		if _, err := w.WriteString(chunk(i, size)); err != nil {
			return err
		}
	}
	if len(args) > 2 && t.Attempt() == 1 {
		if err := s.gates.wait(ctx, args[2]); err != nil {
			return err
		}
	}
	if t.Attempt() > 1 {
		if err := t.Artifact("attempt", a2a.TextPart(strconv.Itoa(t.Attempt()))); err != nil {
			return err
		}
	}
	return w.Close()
}

// chunk is the i-th chunk of a stream: its number, filled up with spaces.
func chunk(i, size int) string { return fmt.Sprintf("%-*d ", size-1, i) }

// written returns how many chunks earlier attempts have committed.
func written(task *a2a.Task) int {
	n := 0
	for _, a := range task.Artifacts {
		if a.Name == "numbers" {
			n += len(a.Parts)
		}
	}
	return n
}

// gates hold agents until somebody opens them through the control address.
type gates struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

func (g *gates) gate(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]chan struct{}{}
	}
	if g.open[name] == nil {
		g.open[name] = make(chan struct{})
	}
	return g.open[name]
}

func (g *gates) wait(ctx context.Context, name string) error {
	select {
	case <-g.gate(name):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
