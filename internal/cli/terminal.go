// SPDX-License-Identifier: Apache-2.0

package cli

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

// errCtrlC says that the person pressed Ctrl-C instead of answering.
var errCtrlC = errors.New("interrupted")

// A prompter asks for lines: of a person at a terminal, or of a pipe.
type prompter interface {
	// ask returns the next line, without its end. The prompt is shown where somebody sees it; what is typed begins
	// empty, always. It fails with io.EOF at the end, with errCtrlC, and with the error of ctx when that ends.
	ask(ctx context.Context, prompt string) (string, error)
	// remember lets the person have a line again, now and in the next conversation.
	remember(line string)
	// person reports whether somebody sees the prompts.
	person() bool
	close()
}

// editor asks at the terminal of the process.
type editor struct {
	state *liner.State
	end   func()
	kept  *history
}

func newEditor(completions func(line string) []string, kept *history) *editor {
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

func (e *editor) person() bool { return true }

func (e *editor) close() {
	e.end()
	e.end = func() {}
	e.state.Close()
}

func (e *editor) remember(line string) {
	e.state.AppendHistory(marked.Replace(line))
	e.kept.add(line)
}

func (e *editor) ask(ctx context.Context, prompt string) (string, error) {
	line, err := unlessDone(ctx, func() (string, error) { return e.state.Prompt(promptable(prompt)) })
	switch {
	case errors.Is(err, liner.ErrPromptAborted):
		return "", errCtrlC
	case errors.Is(err, io.EOF) || ctx.Err() != nil:
		fmt.Println() // the cursor stands behind the prompt
	}
	return unmarked.Replace(line), err
}

// promptable returns a prompt without what the editor refuses to show: it counts the columns of what it shows.
func promptable(prompt string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, escape(inline(prompt)))
}

// pipe takes lines from a stream that nobody types.
type pipe struct{ lines *bufio.Scanner }

func newPipe(r io.Reader) *pipe {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &pipe{lines}
}

func (p *pipe) person() bool    { return false }
func (p *pipe) close()          {}
func (p *pipe) remember(string) {}

func (p *pipe) ask(ctx context.Context, _ string) (string, error) {
	return unlessDone(ctx, func() (string, error) {
		if p.lines.Scan() {
			return p.lines.Text(), nil
		}
		if errors.Is(p.lines.Err(), bufio.ErrTooLong) {
			return "", errors.New("a line of standard input is longer than " + bytesOf(maxLine) + "; send it as a file, with /file")
		}
		if err := p.lines.Err(); err != nil {
			return "", err
		}
		return "", io.EOF
	})
}

// unlessDone returns what read returns, or the error of ctx if that ends before. Reading cannot be broken off: it may go on
// until the process ends, which is soon.
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
