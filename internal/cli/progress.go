// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const (
	progressAfter = 700 * time.Millisecond // how long a command is silent before it shows progress
	progressEvery = time.Second
	progressWidth = 77 // columns, so that the line never wraps at 80, nor with echoed behind it
	echoed        = 2  // columns of the ^C that a terminal shows
)

// A progress shows a person at a terminal what a command waits for: one line on the error stream, which each second
// replaces and any other output removes. It ends for good when the result begins on standard output. The nil progress
// shows nothing.
type progress struct {
	w     io.Writer
	begun time.Time
	stop  chan struct{}
	ended chan struct{}
	once  sync.Once

	mu    sync.Mutex
	who   string
	state a2a.TaskState
	text  string
	drawn int // columns of the line that is shown; 0 for none
}

// startProgress begins to show progress, if somebody can see it. End it.
func (c *command) startProgress() *progress {
	if !isTerminal(c.Stderr) || c.options.debug || c.inChat {
		return nil
	}
	who := withoutUser(c.options.agentCard)
	if c.ownAgent() {
		who = "" // its address means nothing to anybody
	}
	p := newProgress(c.Stderr, who)
	c.out.set(p.end)
	c.err.set(p.clear)
	return p
}

func newProgress(w io.Writer, who string) *progress {
	p := &progress{w: w, who: who, begun: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	go p.run()
	return p
}

func (p *progress) run() {
	defer close(p.ended)
	wait := time.NewTimer(progressAfter)
	defer wait.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-wait.C:
			p.draw()
			wait.Reset(progressEvery)
		}
	}
}

// calls says which agent is waited for.
func (p *progress) calls(card *a2a.AgentCard) {
	if p == nil || card.Name == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who = card.Name
}

// note learns from an event.
func (p *progress) note(event a2a.Event) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *a2a.Task:
		p.state, p.text = e.Status.State, wordsOf(&e.Status)
	case *a2a.StatusUpdate:
		p.state, p.text = e.Status.State, wordsOf(&e.Status)
	case *a2a.ArtifactUpdate:
		if e.Artifact != nil && e.Artifact.Name != "" {
			p.text = e.Artifact.Name
		}
	}
}

// wordsOf returns the text that an agent says with a status.
func wordsOf(status *a2a.TaskStatus) string {
	var texts []string
	for _, part := range words(status) {
		if text, ok := part.Content.(a2a.Text); ok {
			texts = append(texts, string(text))
		}
	}
	return strings.Join(texts, " ")
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := "Waiting"
	if p.who != "" {
		line += " for " + p.who
	}
	line += fmt.Sprintf(" (%d s", int(time.Since(p.begun).Round(time.Second)/time.Second))
	if p.state != a2a.TaskStateUnspecified {
		line += ", " + stateName(p.state)
	}
	line += ")"
	if p.text != "" {
		line += ": " + p.text
	}
	line, columns := fit(escape(inline(line)), progressWidth)
	p.erase()
	io.WriteString(p.w, line)
	p.drawn = columns
}

// fit cuts a text that takes more columns of a terminal, and returns how many it takes. Other characters than ASCII may take two.
func fit(text string, width int) (string, int) {
	columns := 0
	for i, r := range text {
		wide := 1
		if r > 0x7f {
			wide = 2
		}
		if columns+wide > width {
			return text[:i], columns
		}
		columns += wide
	}
	return text, columns
}

// erase removes the line, without control sequences, which not all terminals have.
func (p *progress) erase() {
	if p.drawn > 0 {
		io.WriteString(p.w, "\r"+strings.Repeat(" ", p.drawn+echoed)+"\r")
	}
	p.drawn = 0
}

// clear removes the line until it is drawn again.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// end removes the line for good.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		close(p.stop)
		<-p.ended
		p.clear()
	})
}
