// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// An Escaper writes text to a terminal, a pipe or a file with everything in it harmless: what could move the cursor,
// change colours or the title, or turn the order of the letters around appears as \u and four hexadecimal digits. All
// that a command writes passes through one, so that no field of an agent's answer can be forgotten. JSON stays what it
// is: such characters can only stand in its strings, where the escape means the same.
//
// Each Write must end with a whole character. The first error of the writer below is kept, for commands to fail with.
type Escaper struct {
	mu  sync.Mutex // servers log from many goroutines
	W   io.Writer
	Err error

	inLine bool   // what was written last ends in the middle of a line
	before func() // called before each Write; nil for nothing
}

// set lets each Write call f first.
func (e *Escaper) set(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.before = f
}

// MidLine reports whether what was written last ends in the middle of a line.
func (e *Escaper) MidLine() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.inLine
}

// Write writes p escaped. It returns len(p), or 0 and the error.
func (e *Escaper) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Err != nil {
		return 0, e.Err
	}
	if e.before != nil {
		e.before()
	}
	if _, e.Err = io.WriteString(e.W, Escape(string(p))); e.Err != nil {
		return 0, e.Err
	}
	if len(p) > 0 {
		e.inLine = p[len(p)-1] != '\n'
	}
	return len(p), nil
}

// Escape replaces what is unsafe, and bytes that are no UTF-8. Line feeds and tabs stay.
func Escape(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, IsUnsafe) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !IsUnsafe(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// IsUnsafe reports whether a rune does something instead of showing something. The joiners, which Indian and Persian
// scripts and emojis need, and the marks that only tell the direction of their neighbours stay.
func IsUnsafe(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d', '\u200e', '\u200f', '\u061c':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// Inline makes one line of a text, so that nothing in it can pass for the next line.
func Inline(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }), " ")
}
