// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A fenceReader finds files in Markdown that comes in pieces: blocks between fences, such as models write. It works
// line by line, so that what it has told never changes.
//
// A block's name is behind its fence ("go main.go", "go:cmd/main.go", "go title=main.go") or in the line before it
// ("**main.go**"); otherwise it becomes snippet-1.go. Longer fences hold shorter ones, and a block in Markdown may hold
// others. Names that leave their folder are shortened to their last part.
type fenceReader struct {
	Open  func(f File)      // a file begins; its content is empty still
	Write func(text string) // more of it, in whole lines
	Close func()            // it is complete

	line     strings.Builder // the line that has not ended
	fence    string          // of the open block; "" outside
	markdown bool            // the open block is in Markdown
	depth    int             // of blocks within it
	around   strings.Builder // text outside of blocks
	before   string          // the last line of it that was not empty
	names    []string
}

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$")
	nameLine  = regexp.MustCompile(
		"^\\s*(?:#+\\s*|[-*]\\s+|\\d+\\.\\s+)?(?:(?i:file(?:name)?)\\s*:?\\s*)?[*_`\"']*([\\w./\\\\-]+\\.\\w{1," +
			"10}|Dockerfile|Makefile)[*_`\"']*\\s*:?\\s*$")
)

// Feed takes the next piece.
func (r *fenceReader) Feed(piece string) {
	for {
		head, tail, found := strings.Cut(piece, "\n")
		r.line.WriteString(head)
		if !found {
			return
		}
		line := r.line.String()
		r.line.Reset()
		r.read(line)
		piece = tail
	}
}

// End tells that no more comes. A block that is still open ends too.
func (r *fenceReader) End() {
	if r.line.Len() > 0 {
		line := r.line.String()
		r.line.Reset()
		r.read(line)
	}
	if r.fence != "" {
		r.close()
	}
}

// Around returns the text outside of the blocks.
func (r *fenceReader) Around() string { return strings.TrimSpace(r.around.String()) }

func (r *fenceReader) read(line string) {
	line = strings.TrimSuffix(line, "\r")
	m := fenceLine.FindStringSubmatch(line)
	switch {
	case r.fence == "" && m != nil:
		r.open(m[1], m[2])
	case r.fence == "":
		r.around.WriteString(line + "\n")
		if strings.TrimSpace(line) != "" {
			r.before = line
		}
	case m != nil && r.ends(m[1], m[2]):
		r.close()
	default:
		r.Write(line + "\n")
	}
}

// ends reports whether a fence within a block ends it.
func (r *fenceReader) ends(fence, info string) bool {
	switch {
	case fence[0] != r.fence[0] || len(fence) < len(r.fence):
		return false
	case info != "" && r.markdown:
		r.depth++
		return false
	case r.depth > 0:
		r.depth--
		return false
	}
	return info == ""
}

func (r *fenceReader) open(fence, info string) {
	name, lang := blockName(info)
	if m := nameLine.FindStringSubmatch(r.before); name == "" && m != nil {
		name = m[1]
	}
	f := File{Name: name, Language: cmp.Or(lang, languageOfFile(name).id)}
	f.Name = r.unique(f)
	if f.Language == "text" {
		f.Language = languageOfFile(f.Name).id
	}
	r.fence, r.depth, r.before, r.markdown = fence, 0, "", f.Language == "markdown"
	r.names = append(r.names, f.Name)
	r.Open(f)
}

func (r *fenceReader) close() {
	r.fence = ""
	r.Close()
}

// blockName reads the words behind a fence: a language, a name, or both.
func blockName(info string) (name, lang string) {
	words := strings.FieldsFunc(info, func(c rune) bool { return strings.ContainsRune(` :={}"'`, c) })
	for i, word := range words {
		if i == 0 {
			word = strings.TrimPrefix(word, ".")
		}
		switch {
		case strings.ContainsAny(word, `./\`) || word == "Dockerfile" || word == "Makefile":
			name = cmp.Or(name, word)
		case i == 0:
			lang = languageOf(word).id
		}
	}
	return name, lang
}

// unique returns a name that stays within its folder and that no other file has.
func (r *fenceReader) unique(f File) string {
	name, ok := localPath(f.Name)
	if !ok {
		name, ok = localPath(path.Base(strings.ReplaceAll(f.Name, `\`, "/")))
	}
	if !ok || name == ".." {
		name = fmt.Sprintf("snippet-%d%s", len(r.names)+1, languageOf(f.Language).extension())
	}
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)
	for n := 2; slices.Contains(r.names, name); n++ {
		name = fmt.Sprintf("%s-%d%s", stem, n, extension)
	}
	return name
}
