// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mattn/go-isatty"
)

// A Terminal is the streams of a run of the program, and how results are shown on them.
type Terminal struct {
	in       io.Reader
	out, err *escaper
	stand    prompter // stands for a person at a terminal, in tests; nil: see the streams

	asJSON   bool   // results are shown as JSON
	all      bool   // text has all that there is: --verbose
	shortens string // what shows data whole that is shortened beside a text
	quiet    bool   // no progress is shown
	wraps    bool   // warnings are broken between words, as in conversations
	width    int    // columns of the terminal, in tests; 0: see the streams
	said     string // the last command that was named to type next
}

// newTerminal returns the terminal over three streams.
func newTerminal(in io.Reader, out, err io.Writer) *Terminal {
	return &Terminal{in: in, out: &escaper{w: out}, err: &escaper{w: err}, shortens: "--verbose"}
}

// stands lets somebody stand for a person at a terminal that is so many columns wide, in tests; nil and 0 see the streams.
func (t *Terminal) stands(person prompter, columns int) {
	t.stand, t.width = person, columns
}

// isTerminal reports whether a stream of this process is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// atTerminal reports whether somebody types and reads here.
func (t *Terminal) atTerminal() bool {
	return t.stand != nil || isTerminal(t.in) && isTerminal(t.out.w)
}

// prompter returns what asks the user: close it. kept is what was typed before, and may be nil.
func (t *Terminal) prompter(completions func(line string) []string, kept *history) prompter {
	switch {
	case t.stand != nil:
		return t.stand
	case t.atTerminal():
		return newEditor(completions, kept)
	}
	return newPipe(t.in)
}

// warn tells the user something that is not the result.
func (t *Terminal) warn(format string, args ...any) {
	line := "Warning: " + inline(fmt.Sprintf(format, args...))
	if t.wraps {
		line = wrapLine(line, t.columns(), len(indent))
	}
	fmt.Fprintln(t.err, line)
}

// say names a command to type next: a line of its own on the error stream, to be copied as it is. It says nothing twice.
func (t *Terminal) say(label string, words ...string) {
	line := commandLine(words)
	if line != t.said {
		fmt.Fprintf(t.err, "%s: %s\n", label, line)
	}
	t.said = line
}

// tell prints a line that is no result and no warning. Callers indent what an agent says, so that it cannot pass for what
// this program says.
func (t *Terminal) tell(format string, args ...any) {
	t.tellHanging(0, fmt.Sprintf(format, args...))
}

// tellHanging prints such text in lines that fit the terminal. All but the first one are indented by so much more.
func (t *Terminal) tellHanging(hang int, text string) {
	fmt.Fprintln(t.err, wrapLine(inline(text), t.columns(), hang))
}

// showValue prints a value of this program as JSON.
func (t *Terminal) showValue(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return t.showJSON(b)
}

// showJSON prints one document, indented.
func (t *Terminal) showJSON(b []byte) error {
	text := jsontext.Value(b)
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("indent the result: %w", err)
	}
	_, err := t.out.Write(append(text, '\n'))
	return err
}

// showText prints a block at once, so that readers of a pipe get it whole.
func (t *Terminal) showText(text func(*Printer)) error {
	p := Printer{all: t.all, shortens: t.shortens}
	text(&p)
	if p.buf.Len() == 0 {
		return nil
	}
	_, err := t.out.Write(p.buf.Bytes())
	return err
}

// startProgress begins to show progress on what one waits for, if somebody can see it. End it.
func (t *Terminal) startProgress(who string) *progress {
	if t.quiet || !isTerminal(t.err.w) {
		return nil
	}
	p := newProgress(t.err.w, who)
	t.out.set(p.end)
	t.err.set(p.clear)
	return p
}
