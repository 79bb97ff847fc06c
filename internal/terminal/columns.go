// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"os"
	"strings"
	"unicode/utf8"
)

const (
	standardColumns = 80 // of a terminal that does not tell
	leastColumns    = 20 // below which lines are not wrapped any shorter
)

// Columns returns how wide the terminal is that the error stream goes to; 0 if it goes elsewhere, so that programs read
// each line as a whole.
func (t *Terminal) Columns() int {
	if t.width > 0 {
		return t.width
	}
	if f, ok := t.Err.W.(*os.File); ok && IsTerminal(f) {
		return max(terminalColumns(f), leastColumns)
	}
	return 0
}

// WrapLine breaks a line between words, so that it fits into so many columns; 0 for any. Further lines are indented
// by hang beside what the first one is indented by. A word that is too long by itself stays whole.
func WrapLine(line string, columns, hang int) string {
	if columns <= 0 || utf8.RuneCountInString(line) <= columns {
		return line
	}
	text := strings.TrimLeft(line, " ")
	margin := line[:len(line)-len(text)]
	width := columns - len(margin) - hang
	first := columns - len(margin)
	var b strings.Builder
	b.WriteString(margin)
	used, room := 0, first
	// The first line may have columns of its own, so its spaces stay as they are.
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > room && word != "":
			b.WriteString("\n" + margin + strings.Repeat(" ", hang))
			used, room = 0, width
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}
