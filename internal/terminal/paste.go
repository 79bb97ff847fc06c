// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/peterh/liner"
)

// Terminals put these around what is pasted, once they are asked to (xterm's mode 2004, "bracketed paste").
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// The line editor knows one line, which Enter ends, and takes a tab for the wish to complete a word. Until the line is
// ready these two stand for the ends of lines and the tabs of what was pasted; a person sees and edits them. They are
// Unicode's symbols for just that, so that what else has them means the same.
const (
	lineMark = "␊"
	tabMark  = "␉"
)

var (
	marked   = strings.NewReplacer("\r\n", lineMark, "\r", lineMark, "\n", lineMark, "\t", tabMark)
	unmarked = strings.NewReplacer(lineMark, "\n", tabMark, "\t")
)

// A pasteFilter stands between a terminal and the line editor. Keys pass at once. A paste becomes one line,
// without line ends at its end and without control characters. A paste of more than maxLine bytes is discarded to its
// end: what follows in it must not act as keys, which would send it or press Ctrl-C.
type pasteFilter struct {
	inPaste   bool
	discards  bool   // the paste is too long
	held      []byte // the beginning of something whose end is still to come
	discarded func() // is called at the end of a paste that was too long; may be nil
}

// pass returns what the editor gets for the next bytes of the terminal. more says that further ones are there already.
func (f *pasteFilter) pass(in []byte, more bool) []byte {
	in = append(f.held, in...)
	f.held = nil
	var out []byte
	for len(in) > 0 {
		if f.inPaste {
			content, rest, ended := bytes.Cut(in, []byte(pasteEnd))
			f.discards = f.discards || len(content) > maxLine
			switch {
			case !ended && f.discards:
				f.held = bytes.Clone(in[len(in)-beginOf(pasteEnd, in):])
				return out
			case !ended: // the last line end is known at the end only
				f.held = in
				return out
			case f.discards && f.discarded != nil:
				f.discarded()
			case !f.discards:
				out = append(out, oneLine(content)...)
			}
			f.inPaste, f.discards, in = false, false, rest
			continue
		}
		keys, rest, begun := bytes.Cut(in, []byte(pasteBegin))
		if !begun {
			n := len(keys) - beginOf(pasteBegin, keys)
			if n == len(keys)-1 && !more { // the key Esc
				n = len(keys)
			}
			f.held = bytes.Clone(keys[n:])
			return append(out, keys[:n]...)
		}
		out = append(out, keys...)
		f.inPaste, in = true, rest
	}
	return out
}

// beginOf returns how many bytes at the end of b are the beginning of a word.
func beginOf(word string, b []byte) int {
	for n := min(len(word)-1, len(b)); n > 0; n-- {
		if strings.HasPrefix(word, string(b[len(b)-n:])) {
			return n
		}
	}
	return 0
}

// oneLine makes one line of what was pasted.
func oneLine(content []byte) string {
	text := strings.ToValidUTF8(string(content), string(utf8.RuneError))
	text = marked.Replace(strings.TrimRight(text, "\r\n"))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// filteredKeys returns the keys of the terminal of this process behind a pasteFilter; nil where there can be none.
// There is one for the whole process, as reading cannot be broken off.
var filteredKeys = sync.OnceValue(func() *os.File {
	if runtime.GOOS == "windows" || !liner.TerminalSupported() { // the editor reads the console itself, or has no keys
		return nil
	}
	keys, filtered, err := os.Pipe()
	if err != nil {
		return nil
	}
	terminal := os.Stdin
	go func() {
		defer filtered.Close()
		f := pasteFilter{discarded: func() {
			const text = "\r\nThe paste is longer than %s and was discarded; send it as a file.\r\n"
			fmt.Fprintf(os.Stderr, text, FormatBytes(maxLine))
		}}
		buf := make([]byte, 64<<10)
		for {
			n, err := terminal.Read(buf)
			if _, failed := filtered.Write(f.pass(buf[:n], n == len(buf))); err != nil || failed != nil {
				return
			}
		}
	}()
	return keys
})

// newLiner returns the line editor, behind a pasteFilter where there is one, and what to call before it is closed.
func newLiner() (state *liner.State, end func()) {
	keys := filteredKeys()
	if keys == nil {
		return liner.NewLiner(), func() {}
	}
	terminal := os.Stdin
	os.Stdin = keys // which is how the editor finds them
	state = liner.NewLiner()
	os.Stdin = terminal
	io.WriteString(os.Stdout, pasteOn)
	return state, func() { io.WriteString(os.Stdout, pasteOff) }
}
