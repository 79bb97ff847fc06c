// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/peterh/liner"
)

// maxLine is how long a line of a pipe may be.
const maxLine = 4 << 20

// ErrInterrupted says that the person pressed Ctrl-C instead of answering.
var ErrInterrupted = errors.New("interrupted")

// A Prompter asks for lines: of a person at a terminal, or of a pipe.
type Prompter interface {
	// Ask returns the next line, without its end. The prompt is shown where somebody sees it; what is typed begins
	// empty, always. It fails with io.EOF at the end, with errCtrlC, and with the error of ctx when that ends.
	Ask(ctx context.Context, prompt string) (string, error)
	// Remember lets the person have a line again, now and in the next conversation.
	Remember(line string)
	// Person reports whether somebody sees the prompts.
	Person() bool
	Close()
}

// editor asks at the terminal of the process.
type editor struct {
	state *liner.State
	end   func()
	kept  *History
}

func newEditor(completions func(line string) []string, kept *History) *editor {
	lines := kept.lines() // which may warn, and so comes before the terminal is the editor's
	state, end := newLiner()
	state.SetCtrlCAborts(true)
	for _, line := range lines {
		state.AppendHistory(line)
	}
	if completions != nil {
		state.SetCompleter(completions)
	}
	return &editor{state: state, end: end, kept: kept}
}

func (e *editor) Person() bool { return true }

func (e *editor) Close() {
	e.end()
	e.end = func() {}
	e.state.Close()
}

func (e *editor) Remember(line string) {
	e.state.AppendHistory(marked.Replace(line))
	e.kept.add(line)
}

func (e *editor) Ask(ctx context.Context, prompt string) (string, error) {
	line, err := unlessDone(ctx, func() (string, error) { return e.state.Prompt(Promptable(prompt)) })
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", ErrInterrupted
	case errors.Is(err, io.EOF) || ctx.Err() != nil:
		fmt.Println() // the cursor stands behind the prompt
	}
	return unmarked.Replace(line), err
}

// AskSecret asks for a line that the terminal does not show.
func (t *Terminal) AskSecret(ctx context.Context, prompt string) (string, error) {
	switch {
	case t.stand != nil:
		return t.stand.Ask(ctx, prompt)
	case !IsTerminal(t.in):
		return NewPipe(t.in).Ask(ctx, prompt)
	case !IsTerminal(t.Out.W):
		return "", errors.New("a secret cannot be typed here, as the output is no terminal")
	}
	state := liner.NewLiner()
	defer state.Close()
	state.SetCtrlCAborts(true)
	line, err := unlessDone(ctx, func() (string, error) { return state.PasswordPrompt(Promptable(prompt)) })
	if errors.Is(err, liner.ErrPromptAborted) {
		err = ErrInterrupted
	}
	return line, err
}

// Promptable returns a prompt without what the editor refuses to show: it counts the columns of what it shows.
func Promptable(prompt string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, Escape(Inline(prompt)))
}

// pipe takes lines from a stream that nobody types.
type pipe struct{ lines *bufio.Scanner }

func NewPipe(r io.Reader) *pipe {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &pipe{lines}
}

func (p *pipe) Person() bool    { return false }
func (p *pipe) Close()          {}
func (p *pipe) Remember(string) {}

func (p *pipe) Ask(ctx context.Context, _ string) (string, error) {
	return unlessDone(ctx, func() (string, error) {
		if p.lines.Scan() {
			return p.lines.Text(), nil
		}
		if errors.Is(p.lines.Err(), bufio.ErrTooLong) {
			return "", errors.New("a line of standard input is longer than " + FormatBytes(maxLine) +
				"; send it as a file, with /file")
		}
		if err := p.lines.Err(); err != nil {
			return "", err
		}
		return "", io.EOF
	})
}

// unlessDone returns what read returns, or the error of ctx if that ends before. Reading cannot be broken off: it may
// go on until the process ends, which is soon.
func unlessDone(ctx context.Context, read func() (string, error)) (string, error) {
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := read()
		got <- line{text, err}
	}()
	select {
	case l := <-got:
		return l.text, l.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
