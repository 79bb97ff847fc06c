// SPDX-License-Identifier: Apache-2.0

package cli

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
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/talk"
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

// An execAgent runs a command of the shell for each message: the text of the message is its standard input, and what it
// prints is the artifact. When it fails the task fails, with the end of what it wrote to its error stream. It is ended,
// with all that it started, when the task is cancelled.
type execAgent struct {
	command string
	chunk   string        // what ends a piece of output that is sent on at once; "" sends the output as a whole
	slots   chan struct{} // bounds how many run at once
	running *processes
}

func newExecAgent(command, chunk string, atOnce int) *execAgent {
	return &execAgent{command: command, chunk: chunk, slots: make(chan struct{}, atOnce), running: new(processes)}
}

// processes are those that must not outlive this one.
type processes struct {
	mu     sync.Mutex
	killed bool
	kills  map[*exec.Cmd]func()
}

// start starts a command; kill is how it is killed with all that it has started.
func (p *processes) start(cmd *exec.Cmd, kill func()) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return errors.New("the server ends")
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if p.kills == nil {
		p.kills = make(map[*exec.Cmd]func())
	}
	p.kills[cmd] = kill
	return nil
}

// ended notes that a command has ended.
func (p *processes) ended(cmd *exec.Cmd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.kills, cmd)
}

// kill kills all of them, and lets no other start.
func (p *processes) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	for _, kill := range p.kills {
		kill()
	}
}

// Run implements agent.Agent.
func (a *execAgent) Run(ctx context.Context, t *agent.Turn) error {
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
	cmd := exec.CommandContext(ctx, shell[0], shell[1], a.command)
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
	if err := a.running.start(cmd, kill); err != nil {
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
	a.running.ended(cmd)
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

// plainID is what an id may look like for a command to have it as it is: such a word is safe as a file's name and,
// between other words of a command line, in a shell.
var plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// safeID returns what a command gets for an id. Callers choose ids of contexts, and in 0.1 of tasks, which may be
// "../x" or that of another tenant.
func safeID(info *turn.Info, id string) string {
	if info.Shared() && plainID.MatchString(id) {
		return id
	}
	return info.Private(id)
}

// send makes an artifact of what the command prints.
func (a *execAgent) send(t *agent.Turn, out io.Reader) error {
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

// stream sends on what the command prints, piece by piece, with what ends each piece.
func (a *execAgent) stream(t *agent.Turn, out *io.LimitedReader) error {
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

// split implements bufio.SplitFunc.
func (a *execAgent) split(data []byte, atEnd bool) (advance int, token []byte, err error) {
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
	if len(t.end) > maxStderr {
		t.end = t.end[len(t.end)-maxStderr:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(t.end), "\uFFFD"))
}

// parrot is an agent that gives back what it is sent.
var parrot = agent.Func(func(_ context.Context, t *agent.Turn) error {
	return t.Artifact("echo", t.Message().Parts...)
})

// customCard describes an agent that is none of the samples.
func customCard(name, description string, modes ...string) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: name, Description: description, Version: "1.0.0", DefaultInputModes: modes, DefaultOutputModes: modes,
		Skills: []a2a.AgentSkill{{ID: "run", Name: name, Description: description, Tags: []string{"custom"}}},
	}
}

// decodeChunk reads the escapes that shells make awkward to type.
func decodeChunk(text string) (string, error) {
	text = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00", `\\`, `\`).Replace(text)
	if len(text) > 100 {
		return "", errors.New("it has more than 100 bytes")
	}
	return text, nil
}

// The names of the agents that are none of the samples.
const (
	agentExec = "exec"
	agentEcho = "echo"
)

// checkSource settles which agent is served: there must be one.
func (o *serveOptions) checkSource(c *command) error {
	if o.proxy != "" {
		gateway := []string{c.Program, "gateway", "-a", connect.WithoutUser(o.proxy), "--addr", o.Addr}
		return cmdline.Usagef("serve has no --proxy any more").WithHint("use " + terminal.CommandLine(gateway))
	}
	custom := o.exec != "" || o.echo
	if custom && !c.FromFlag("agent") {
		o.agent = "" // what a variable says is for when nothing else is said
	}
	var given []string
	for flag, set := range map[string]bool{"--agent": o.agent != "", "--exec": o.exec != "", "--echo": o.echo} {
		if set {
			given = append(given, flag)
		}
	}
	slices.Sort(given)
	if len(given) > 1 {
		return cmdline.Usagef("%s exclude each other", strings.Join(given, " and "))
	}
	switch {
	case !custom && o.name+o.description+o.card != "":
		return cmdline.Usagef("--name, --description and --card are for --exec and --echo")
	case o.card != "" && o.name+o.description != "":
		return cmdline.Usagef("--card says what --name and --description say")
	case o.exec == "" && o.chunk != "":
		return cmdline.Usagef("--chunk is for --exec")
	case o.atOnce < 1:
		return cmdline.Usagef("--at-once is %d; it must be above 0", o.atOnce)
	}
	var err error
	if o.chunk, err = decodeChunk(o.chunk); err != nil {
		return cmdline.Usagef("--chunk: %v", err)
	}
	switch {
	case o.exec != "":
		o.agent = agentExec
	case o.echo:
		o.agent = agentEcho
	case o.agent == agentExec || o.agent == agentEcho:
		return cmdline.Usagef("--agent is %q; give --%s itself", o.agent, o.agent)
	}
	if _, set := c.Origin[cmdline.FlagDataDir]; custom && !set {
		o.Data = cmdline.InMemory
	}
	return nil
}

// custom returns the agent of --exec or --echo.
func (o *serveOptions) custom() (agent.Agent, *a2a.AgentCard, error) {
	made, card := agent.Agent(parrot), customCard(cmp.Or(o.name, "Echo"),
		cmp.Or(o.description, "Gives back what it is sent"), "*/*")
	if o.exec != "" {
		command := newExecAgent(o.exec, o.chunk, o.atOnce)
		made, o.commands = command, command.running
		card = customCard(cmp.Or(o.name, "Command"), cmp.Or(o.description, "Runs a command"), "text/plain")
	}
	if o.card == "" {
		return made, card, nil
	}
	text, err := talk.ReadFile(o.card)
	if err != nil {
		return nil, nil, cmdline.Usagef("--card: %v", err)
	}
	card = new(a2a.AgentCard)
	if err := json.Unmarshal(text, card); err != nil {
		return nil, nil, cmdline.Usagef("--card: %s is no card: %v", o.card,
			err).WithHint("see what is wrong with " +
			terminal.CommandLine([]string{"dragoman", "card", "validate", "-a", o.card}))
	}
	return made, card, nil
}
