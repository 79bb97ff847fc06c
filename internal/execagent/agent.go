// SPDX-License-Identifier: Apache-2.0

// Package execagent is an agent that runs a command of the shell for each message.
package execagent

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/internal/turn"
)

const (
	maxOutput = 16 << 20 // bytes of what a command prints
	maxStderr = 4 << 10  // bytes of the end of what it says about a failure

	// killAfter is how long a command that is asked to end may take before it is killed. It is less than the grace
	// that the engine gives a cancelled turn.
	killAfter = 3 * time.Second
)

// An Agent runs a command of the shell for each message. The text of the message is the standard input of the command,
// and its output is the artifact. If the command fails, the task fails with the end of its error stream. If the task is
// cancelled, the agent ends the command with all processes that it started.
type Agent struct {
	command string
	chunk   string        // ends a piece of output that is sent at once; "" sends the output as a whole
	slots   chan struct{} // bounds how many commands run at once

	mu     sync.Mutex
	killed bool
	kills  map[*exec.Cmd]func() // of the commands that run
}

// New returns an agent that runs so many commands at once. With a chunk, it sends the output in pieces that end with
// that text.
func New(command, chunk string, atOnce int) *Agent {
	return &Agent{command: command, chunk: chunk, slots: make(chan struct{}, atOnce),
		kills: make(map[*exec.Cmd]func())}
}

// start starts a command, which kill kills with all that it has started.
func (a *Agent) start(cmd *exec.Cmd, kill func()) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.killed {
		return errors.New("the server ends")
	}
	err := cmd.Start()
	if err == nil {
		a.kills[cmd] = kill
	}
	return err
}

func (a *Agent) ended(cmd *exec.Cmd) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.kills, cmd)
}

// Kill kills all commands, and lets no other start.
func (a *Agent) Kill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.killed = true
	for _, kill := range a.kills {
		kill()
	}
}

// Run implements agent.Agent.
func (a *Agent) Run(ctx context.Context, t *agent.Turn) error {
	// before the command has said anything: from here on it can be seen, and cancelled
	if err := t.Working(); err != nil {
		return err
	}
	select {
	case a.slots <- struct{}{}:
		defer func() { <-a.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	shell := Shell(a.command)
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	kill, done := ownGroup(cmd)
	info, _ := turn.Parts(t)
	cmd.Env = append(os.Environ(), "A2A_TASK_ID="+safeID(&info, string(info.TaskID)),
		"A2A_CONTEXT_ID="+safeID(&info, string(info.ContextID)))
	cmd.Stdin = strings.NewReader(t.Text())
	var said tail
	cmd.Stderr = &said
	cmd.WaitDelay = killAfter
	out, in := io.Pipe() // and not that of cmd, which ends only with all that the command leaves in the background
	cmd.Stdout = in
	if err := a.start(cmd, kill); err != nil {
		return agent.Public("the command cannot be started", err)
	}
	sending := make(chan error, 1)
	go func() {
		err := a.send(t, out)
		if err != nil {
			cmd.Cancel() // nobody reads the rest
		}
		out.Close()
		sending <- err
	}()
	err := cmd.Wait()
	a.ended(cmd)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it has ended well, and what it left behind is not waited for
	}
	done()
	in.Close()
	sent := <-sending
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case sent != nil:
		return sent
	case err != nil:
		return agent.Public(cmp.Or(said.String(), "the command failed: "+err.Error()), err)
	}
	return nil
}

// plainID is the form of an id that a command gets as it is: such a word is safe as a file's name and, between other
// words of a command line, in a shell.
var plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// safeID returns an id as the command gets it. Callers choose ids of contexts, and in 0.1 of tasks, which may be
// "../x" or that of another tenant.
func safeID(info *turn.Info, id string) string {
	if info.Shared() && plainID.MatchString(id) {
		return id
	}
	return info.Private(id)
}

// send makes an artifact of the command's output.
func (a *Agent) send(t *agent.Turn, out io.Reader) error {
	limited := &io.LimitedReader{R: out, N: maxOutput + 1}
	if a.chunk != "" {
		return a.stream(t, limited)
	}
	content, err := io.ReadAll(limited)
	switch {
	case err != nil:
		return err
	case limited.N == 0:
		return errTooMuch
	case len(content) == 0:
		return nil
	case !utf8.Valid(content):
		return t.Artifact("output", a2a.RawPart(content, "application/octet-stream", "output"))
	}
	return t.Artifact("output", a2a.TextPart(string(content)))
}

var errTooMuch = agent.Public(fmt.Sprintf("the command printed more than %s", terminal.FormatBytes(maxOutput)), nil)

// stream sends the command's output, piece by piece.
func (a *Agent) stream(t *agent.Turn, out *io.LimitedReader) error {
	pieces := bufio.NewScanner(out)
	pieces.Buffer(nil, maxOutput)
	pieces.Split(a.split)
	var w *agent.ArtifactWriter
	for pieces.Scan() {
		if w == nil {
			w = t.NewArtifact("output")
		}
		if _, err := w.WriteString(strings.ToValidUTF8(pieces.Text(), "\uFFFD")); err != nil {
			return err
		}
	}
	err := pieces.Err()
	if err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	if err != nil || out.N == 0 {
		return errTooMuch
	}
	if w == nil {
		return nil
	}
	return w.Close()
}

// split implements bufio.SplitFunc. A piece includes the text that ends it.
func (a *Agent) split(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.Index(data, []byte(a.chunk)); i >= 0 {
		end := i + len(a.chunk)
		return end, data[:end], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// tail keeps the end of what is written to it.
type tail struct{ end []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-maxStderr):]
	return len(p), nil
}

func (t *tail) String() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(t.end), "\uFFFD"))
}
