// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// A Printer makes blocks of text: lines of "Label: value", those of what belongs to something else
// indented below it, and an empty line after each block. The lines of a value that has several stand below its label,
// indented deeper than any label, so that no text of an agent can pass for a label.
type Printer struct {
	buf   bytes.Buffer
	brief bool // without what only programs and later commands need: ids and times
	all   bool // with what else there is: --verbose

	shortens string // what shows data whole that is shortened beside a text; "" shortens nothing
}

const indent = "  "

// forPrograms are the labels that a brief printer leaves out.
var forPrograms = []string{"Task", "Context", "Time", "ID"}

// field prints a value on one line, unless it is empty.
func (p *Printer) field(depth int, label, value string) {
	if value != "" && !(p.brief && slices.Contains(forPrograms, label)) {
		fmt.Fprintf(&p.buf, "%s%s: %s\n", strings.Repeat(indent, depth), label, inline(value))
	}
}

// text prints a value that may have several lines: then they stand below the label, with an empty line after them.
func (p *Printer) text(depth int, label, value string) {
	value = strings.Trim(strings.ReplaceAll(value, "\r\n", "\n"), "\n")
	if !strings.Contains(value, "\n") {
		fmt.Fprintf(&p.buf, "%s%s: %s\n", strings.Repeat(indent, depth), label, value)
		return
	}
	deeper := "\n" + strings.Repeat(indent, depth+2)
	fmt.Fprintf(&p.buf, "%s%s:%s\n\n", strings.Repeat(indent, depth), label, deeper+strings.ReplaceAll(value, "\n", deeper))
}

// end ends a block, unless a value of several lines has just done so.
func (p *Printer) end() {
	if !bytes.HasSuffix(p.buf.Bytes(), []byte("\n\n")) {
		p.buf.WriteByte('\n')
	}
}
