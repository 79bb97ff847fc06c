// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A fenceReader finds files in Markdown that comes in pieces: blocks between fences, such as models write. It works
// line by line, so that what it has told never changes.
//
// A block's name is in its first line ("go main.go", "go:cmd/main.go", "go title=main.go"), in a comment that is its
// first line, or in the line before it ("**main.go**"); otherwise it becomes snippet-1.go. Longer fences hold shorter
// ones, and a block in Markdown may hold others. Names that leave their folder are shortened to their last part.
type fenceReader struct {
	Open  func(f File)      // a file begins; its content is empty still
	Write func(text string) // more of it, in whole lines
	Close func()            // it is complete

	line    strings.Builder // the line that has not ended
	fence   string          // of the open block; "" outside
	depth   int             // of blocks within a block in Markdown
	pending *File           // an open block whose name its first line may tell
	around  strings.Builder // text outside of blocks
	before  string          // the last line of it that was not empty
	names   []string
}

var (
	fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$")
	nameInfo  = regexp.MustCompile(`(?i)(?:title|file|filename|path|name)\s*=\s*["']?([^"'\s}]+)`)
	nameLine  = regexp.MustCompile(
		"^\\s*(?:#+\\s*|[-*]\\s+|\\d+\\.\\s+)?(?:(?i:file(?:name)?)\\s*:?\\s*)?[*_`\"']*([\\w./\\\\-]+\\.\\w{1," +
			"10}|Dockerfile|Makefile)[*_`\"']*\\s*:?\\s*$")
	nameNote = regexp.MustCompile(
		`^\s*(?://|#|--|/\*|<!--)\s*(?:(?i:file(?:name)?)\s*:\s*)?([\w./\\-]+\.\w{1,10})\s*(?:\*/|-->)?\s*$`)
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
		r.content(line)
	}
}

// ends reports whether a fence within a block ends it.
func (r *fenceReader) ends(fence, info string) bool {
	if fence[0] != r.fence[0] || len(fence) < len(r.fence) {
		return false
	}
	markdown := r.pending != nil && r.pending.Language == "markdown" || r.depth >= 0
	if info != "" {
		if markdown {
			r.depth = max(r.depth, 0) + 1
		}
		return false
	}
	if r.depth > 0 {
		r.depth--
		return false
	}
	return true
}

func (r *fenceReader) open(fence, info string) {
	name, lang := blockName(info)
	if name == "" {
		if m := nameLine.FindStringSubmatch(r.before); m != nil {
			name = m[1]
		}
	}
	if lang == "" {
		lang = languageOfFile(name).id
	}
	r.fence, r.depth, r.before = fence, -1, ""
	if lang == "markdown" {
		r.depth = 0
	}
	r.pending = &File{Name: name, Language: lang}
}

// blockName reads what stands behind a fence.
func blockName(info string) (name, lang string) {
	if m := nameInfo.FindStringSubmatch(info); m != nil {
		name = m[1]
		info = strings.TrimSpace(nameInfo.ReplaceAllString(info, ""))
	}
	first, rest, _ := strings.Cut(info, " ")
	if l, file, found := strings.Cut(first, ":"); found {
		first, rest = l, file+" "+rest
	}
	first = strings.Trim(first, "{}.")
	if strings.ContainsAny(first, "./") || first == "Dockerfile" || first == "Makefile" { // a name alone
		first, rest = "", first
	}
	if name == "" {
		for word := range strings.FieldsSeq(rest) {
			if strings.ContainsAny(word, "./") || word == "Dockerfile" || word == "Makefile" {
				name = word
				break
			}
		}
	}
	if first != "" {
		lang = languageOf(first).id
	}
	return name, lang
}

func (r *fenceReader) content(line string) {
	if r.pending != nil && r.pending.Name == "" {
		if m := nameNote.FindStringSubmatch(line); m != nil {
			r.pending.Name = m[1]
		}
	}
	r.begin()
	r.Write(line + "\n")
}

// begin tells of a block, once.
func (r *fenceReader) begin() {
	if r.pending == nil {
		return
	}
	f := *r.pending
	r.pending = nil
	f.Name = r.unique(f)
	if f.Language == "" || f.Language == "text" {
		f.Language = languageOfFile(f.Name).id
	}
	r.names = append(r.names, f.Name)
	r.Open(f)
}

func (r *fenceReader) close() {
	r.begin()
	r.fence, r.depth = "", -1
	r.Close()
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
