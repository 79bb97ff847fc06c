// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	progressAfter = 700 * time.Millisecond // how long a command is silent before it shows progress
	progressEvery = time.Second
	progressWidth = 77 // columns, so that the line never wraps at 80, nor with echoed behind it
	echoed        = 2  // columns of the ^C that a terminal shows
)

// A Progress shows a person at a terminal what a command waits for: one line on the error stream, which each second
// replaces and any other output removes. It ends for good when the result begins on standard output. The nil progress
// shows nothing.
type Progress struct {
	w     io.Writer
	begun time.Time
	stop  chan struct{}
	ended chan struct{}
	once  sync.Once

	mu    sync.Mutex
	who   string
	state string
	text  string
	drawn int // columns of the line that is shown; 0 for none
}

func newProgress(w io.Writer, who string) *Progress {
	p := &Progress{w: w, who: who, begun: time.Now(), stop: make(chan struct{}), ended: make(chan struct{})}
	go p.run()
	return p
}

func (p *Progress) run() {
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

// Calls says what is waited for, unless that has no name.
func (p *Progress) Calls(who string) {
	if p == nil || who == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who = who
}

// Note says how what is waited for stands, and what it says of that.
func (p *Progress) Note(state, text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state, p.text = state, text
}

// Detail says what is done at the moment.
func (p *Progress) Detail(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := "Waiting"
	if p.who != "" {
		line += " for " + p.who
	}
	line += fmt.Sprintf(" (%d s", int(time.Since(p.begun).Round(time.Second)/time.Second))
	if p.state != "" {
		line += ", " + p.state
	}
	line += ")"
	if p.text != "" {
		line += ": " + p.text
	}
	line, columns := fit(Escape(Inline(line)), progressWidth)
	p.erase()
	io.WriteString(p.w, line)
	p.drawn = columns
}

// fit cuts a text that takes more columns of a terminal, and returns how many it takes. Characters beyond ASCII may
// take two.
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
func (p *Progress) erase() {
	if p.drawn > 0 {
		io.WriteString(p.w, "\r"+strings.Repeat(" ", p.drawn+echoed)+"\r")
	}
	p.drawn = 0
}

// clear removes the line until it is drawn again.
func (p *Progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// End removes the line for good.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.once.Do(func() {
		close(p.stop)
		<-p.ended
		p.clear()
	})
}
