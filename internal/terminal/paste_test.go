// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// However the bytes of a terminal arrive, keys pass and what is pasted is one line.
func TestPasteIsOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"abc\r":                          "abc\r",
		"a" + paste("b\rc") + "d\r":      "ab␊cd\r",
		paste("one\r\ntwo\nthree\r\n"):   "one␊two␊three",
		paste("\tif x {\r\t}\r\r") + "!": "␉if x {␊␉}!",
		paste("a\x1b[31mb\x07c\u0085d"):  "a[31mbcd",
		paste("größe 日本\xff"):            "größe 日本\uFFFD",
		paste("") + paste("x\r") + "\r":  "x\r",
		"\x1b[A\x1b[2~\x1b":              "\x1b[A\x1b[2~\x1b",
	} {
		for size := 1; size <= len(in); size++ {
			var f pasteFilter
			var got []byte
			for chunk := range slices.Chunk([]byte(in), size) {
				got = append(got, f.pass(chunk, true)...)
			}
			got = append(got, f.pass(nil, false)...)
			if string(got) != want {
				t.Errorf("%q in pieces of %d: %q, want %q", in, size, got, want)
			}
		}
	}
}

func paste(text string) string { return pasteBegin + text + pasteEnd }

// The key Esc does not wait for what might follow.
func TestPasteFilterPassesEsc(t *testing.T) {
	t.Parallel()
	var f pasteFilter
	if got := string(f.pass([]byte("\x1b"), false)); got != "\x1b" {
		t.Errorf("Esc: %q", got)
	}
}

// A paste that is too long is discarded to its end, so that none of it acts as keys, and little of it is held.
func TestPasteThatIsTooLong(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"at once": 8 << 20, "in pieces": 64 << 10, "in odd pieces": 99_991} {
		told := 0
		f := pasteFilter{discarded: func() { told++ }}
		var got []byte
		in := "a" + paste(strings.Repeat("x", maxLine)+"y\rsend\r\x03") + "b" + paste("c\rd\r") + "\r"
		for chunk := range slices.Chunk([]byte(in), size) {
			got = append(got, f.pass(chunk, false)...)
			if len(f.held) > maxLine {
				t.Fatalf("%s: %d bytes are held", name, len(f.held))
			}
		}
		if string(got) != "abc␊d\r" || told != 1 || len(f.held) != 0 {
			t.Errorf("%s: %.50q passes, told %d times, %d bytes are held", name, got, told, len(f.held))
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "chat", "history")
	warned := 0
	open := func() *History { return &History{File: file, Warn: func(error) { warned++ }} }
	one, two := open(), open() // in two processes
	if got := one.lines(); len(got) != 0 {
		t.Errorf("before anything: %q", got)
	}
	for _, line := range []string{"first", " secret", "two\nlines\twith a tab", strings.Repeat("x", maxHistoryLine+1)} {
		one.add(line)
	}
	two.add("last")
	if got, want := open().lines(), []string{"first", "two␊lines␉with a tab", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	long := strings.Repeat("y", maxHistoryLine-1)
	for range 40 { // 2.5 MiB
		one.add(long)
	}
	one.add("newest")
	lines := open().lines()
	info, err := os.Stat(file)
	if err != nil || info.Size() > maxHistory ||
		len(lines) == 0 || lines[len(lines)-1] != "newest" || lines[0] != long {
		t.Errorf("%d lines in a file of %d bytes, %v", len(lines), info.Size(), err)
	}
	var none *History
	if none.add("x"); none.lines() != nil || warned != 0 {
		t.Errorf("%d warnings", warned)
	}
	blocked := open()
	blocked.File = filepath.Join(file, "below a file")
	blocked.add("x")
	blocked.add("y")
	if warned != 1 {
		t.Errorf("%d warnings of a history that cannot be kept", warned)
	}
}
