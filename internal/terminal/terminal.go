// SPDX-License-Identifier: Apache-2.0

package terminal

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
	Out, Err *Escaper
	stand    Prompter // stands for a person at a terminal, in tests; nil: see the streams

	AsJSON   bool   // results are shown as JSON
	All      bool   // text has all that there is: --verbose
	Shortens string // what shows data whole that is shortened beside a text
	Quiet    bool   // no progress is shown
	Wraps    bool   // warnings are broken between words, as in conversations
	width    int    // columns of the terminal, in tests; 0: see the streams
	Said     string // the last command that was named to type next

	Progress *Progress // of what the command waits for; nil for none
}

// New returns the terminal over three streams.
func New(in io.Reader, out, err io.Writer) *Terminal {
	return &Terminal{in: in, Out: &Escaper{W: out}, Err: &Escaper{W: err}, Shortens: "--verbose"}
}

// ForChat returns the terminal for a conversation: without progress, and with long warnings broken between words.
// shortens is what shows data whole there.
func (t *Terminal) ForChat(shortens string) *Terminal {
	chat := *t
	chat.Quiet, chat.Wraps, chat.Shortens = true, true, shortens
	return &chat
}

// Stands replaces the person and the width of the terminal, in tests; nil and 0 see the streams.
func (t *Terminal) Stands(person Prompter, columns int) {
	t.stand, t.width = person, columns
}

// IsTerminal reports whether a stream of this process is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// AtTerminal reports whether somebody types and reads here.
func (t *Terminal) AtTerminal() bool {
	return t.stand != nil || IsTerminal(t.in) && IsTerminal(t.Out.W)
}

// Prompter returns what asks the user: close it. kept is what was typed before, and may be nil.
func (t *Terminal) Prompter(completions func(line string) []string, kept *History) Prompter {
	switch {
	case t.stand != nil:
		return t.stand
	case t.AtTerminal():
		return newEditor(completions, kept)
	}
	return NewPipe(t.in)
}

// Warn tells the user something that is not the result.
func (t *Terminal) Warn(format string, args ...any) {
	line := "Warning: " + Inline(fmt.Sprintf(format, args...))
	if t.Wraps {
		line = WrapLine(line, t.Columns(), len(Indent))
	}
	fmt.Fprintln(t.Err, line)
}

// Say names a command to type next: a line of its own on the error stream, to be copied as it is. It does not repeat
// itself.
func (t *Terminal) Say(label string, words ...string) {
	line := CommandLine(words)
	if line != t.Said {
		fmt.Fprintf(t.Err, "%s: %s\n", label, line)
	}
	t.Said = line
}

// Tell prints a line that is no result and no warning. Callers indent what an agent says, so that it cannot pass for
// what this program says.
func (t *Terminal) Tell(format string, args ...any) {
	t.TellHanging(0, fmt.Sprintf(format, args...))
}

// TellHanging prints such text in lines that fit the terminal. All but the first one are indented by so much more.
func (t *Terminal) TellHanging(hang int, text string) {
	fmt.Fprintln(t.Err, WrapLine(Inline(text), t.Columns(), hang))
}

// ShowValue prints a value of this program as JSON.
func (t *Terminal) ShowValue(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return t.ShowJSON(b)
}

// ShowJSON prints one document, indented.
func (t *Terminal) ShowJSON(b []byte) error {
	text := jsontext.Value(b)
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("indent the result: %w", err)
	}
	_, err := t.Out.Write(append(text, '\n'))
	return err
}

// ShowText prints a block at once, so that readers of a pipe get it whole.
func (t *Terminal) ShowText(text func(*Printer)) error {
	p := Printer{All: t.All, Shortens: t.Shortens}
	text(&p)
	if p.Buf.Len() == 0 {
		return nil
	}
	_, err := t.Out.Write(p.Buf.Bytes())
	return err
}

// StartProgress begins to show progress on what one waits for, if somebody can see it. End it.
func (t *Terminal) StartProgress(who string) {
	if t.Quiet || !IsTerminal(t.Err.W) {
		return
	}
	t.Progress = newProgress(t.Err.W, who)
	t.Out.set(t.Progress.End)
	t.Err.set(t.Progress.clear)
}
