// SPDX-License-Identifier: Apache-2.0

package terminal

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
	Buf   bytes.Buffer
	Brief bool // without what only programs and later commands need: ids and times
	All   bool // with what else there is: --verbose

	Shortens string // what shows data whole that is shortened beside a text; "" shortens nothing
}

const Indent = "  "

// forPrograms are the labels that a brief printer leaves out.
var forPrograms = []string{"Task", "Context", "Time", "ID"}

// Field prints a value on one line, unless it is empty.
func (p *Printer) Field(depth int, label, value string) {
	if value != "" && !(p.Brief && slices.Contains(forPrograms, label)) {
		fmt.Fprintf(&p.Buf, "%s%s: %s\n", strings.Repeat(Indent, depth), label, Inline(value))
	}
}

// Text prints a value that may have several lines: then they stand below the label, with an empty line after them.
func (p *Printer) Text(depth int, label, value string) {
	value = strings.Trim(strings.ReplaceAll(value, "\r\n", "\n"), "\n")
	if !strings.Contains(value, "\n") {
		fmt.Fprintf(&p.Buf, "%s%s: %s\n", strings.Repeat(Indent, depth), label, value)
		return
	}
	deeper := "\n" + strings.Repeat(Indent, depth+2)
	value = strings.ReplaceAll(value, "\n", deeper)
	fmt.Fprintf(&p.Buf, "%s%s:%s\n\n", strings.Repeat(Indent, depth), label, deeper+value)
}

// End ends a block, unless a value of several lines has just done so.
func (p *Printer) End() {
	if !bytes.HasSuffix(p.Buf.Bytes(), []byte("\n\n")) {
		p.Buf.WriteByte('\n')
	}
}
