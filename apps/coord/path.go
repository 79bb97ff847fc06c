// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of one path.
const (
	maxPath    = 1024 // bytes
	maxPattern = 256  // bytes of a path with wildcards

	maxComposed = 3 // bytes of NFD that are one of NFC, at most
)

// clean returns the one spelling of a path in a project: relative to its root, with slashes, and in NFC, since macOS
// spells names in NFD. A slash at the end stays: it means a folder with all below it. With literal, a backslash escapes
// characters that look like wildcards; clean paths have no other ones.
func (s *Settings) clean(name string, literal bool) (string, error) {
	switch {
	case name == "":
		return "", errors.New("file_path is missing")
	case len(name) > maxPath*maxComposed:
		return "", fmt.Errorf("file_path is longer than %d bytes", maxPath)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, misleads):
		return "", errors.New("file_path may have any characters but those that do not show, such as line ends")
	}
	if name = norm.NFC.String(name); len(name) > maxPath { // of either spelling the same is too long
		return "", fmt.Errorf("file_path is longer than %d bytes", maxPath)
	}
	p := strings.ReplaceAll(name, `\`, "/")
	folder := strings.HasSuffix(p, "/")
	p = path.Clean(p)
	if isAbsolute(p) {
		inside, ok := s.below(p)
		if !ok {
			return "", fmt.Errorf("file_path %q is outside of the project; give it relative to the project's root",
				name)
		}
		p = inside
	} else {
		p = s.innermost(p)
	}
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", fmt.Errorf("file_path %q leads out of the project", name)
	}
	if p == "." {
		return "**", nil // the whole project
	}
	if literal {
		p = escape.Replace(p)
	} else if isPattern(p) && len(p) > maxPattern {
		return "", fmt.Errorf("file_path with wildcards may have %d bytes", maxPattern)
	}
	if folder {
		p += "/"
	}
	return p, nil
}

// named returns the clean path of a file that git or another program names, or the nearest if it has none: its folder
// may be leased, or a pattern that matches it. It is empty without a name.
func (s *Settings) named(file string) string {
	if p, err := s.clean(file, true); err == nil {
		return p
	}
	p := strings.ReplaceAll(strings.ToValidUTF8(file, "\uFFFD"), `\`, "/")
	p = strings.TrimPrefix(path.Clean("/"+p), "/") // what seems to lead out does not, nor is it a drive
	return escape.Replace(norm.NFC.String(p))
}

// misleads reports whether a character is invisible, or changes how the rest of a line looks. Joiners are allowed: some
// scripts need them in names.
func misleads(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.In(r, unicode.Zl, unicode.Zp)
}

var escape = strings.NewReplacer("*", `\*`, "?", `\?`)

// isAbsolute reports whether a clean path begins at a root, that of a Windows drive included.
func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':' && unicode.IsLetter(rune(p[0]))
}

// below returns an absolute path as relative to the innermost root that it is below.
func (s *Settings) below(p string) (string, bool) {
	names, inner := strings.Split(p, "/"), 0
	for _, root := range s.Roots {
		if of := namesOf(root); s.begins(names, of) {
			inner = max(inner, len(of))
		}
	}
	return rest(names, inner), inner > 0
}

// innermost returns a relative path from the innermost root that it leads into, as a work tree can lie in another one.
func (s *Settings) innermost(p string) string {
	if len(s.Roots) < 2 {
		return p
	}
	names, longest := strings.Split(p, "/"), 0
	for _, way := range s.ways() {
		if s.begins(names, way) {
			longest = max(longest, len(way))
		}
	}
	return rest(names, longest)
}

// ways returns the names that lead from a root into another one that is below it.
func (s *Settings) ways() [][]string {
	if s.between != nil {
		return s.between
	}
	roots := make([][]string, len(s.Roots))
	for i, root := range s.Roots {
		roots[i] = namesOf(root)
	}
	s.between = [][]string{}
	for _, from := range roots {
		for _, to := range roots {
			if len(to) > len(from) && s.begins(to, from) {
				s.between = append(s.between, to[len(from):])
			}
		}
	}
	return s.between
}

func namesOf(root string) []string {
	return strings.Split(strings.TrimSuffix(path.Clean(strings.ReplaceAll(root, `\`, "/")), "/"), "/")
}

func (s *Settings) begins(names, with []string) bool {
	return len(names) >= len(with) && slices.EqualFunc(with, names[:len(with)],
		func(a, b string) bool { return s.fold(a) == s.fold(b) })
}

// rest returns the path that the names after the first n are.
func rest(names []string, n int) string {
	if n == len(names) {
		return "."
	}
	return strings.Join(names[n:], "/")
}

// fold returns the text by which paths are compared. It is in NFC, as earlier versions stored other spellings.
func (s *Settings) fold(p string) string {
	if s.IgnoreCase {
		p = strings.Map(foldRune, p)
	}
	return norm.NFC.String(p)
}

// foldRune returns the one character that stands for all that differ in case only.
func foldRune(r rune) rune {
	if r >= utf8.RuneSelf {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		r = least
	}
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

func isPattern(p string) bool {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '*', '?':
			return true
		case '\\':
			i++
		}
	}
	return false
}

// isFolder reports whether a clean path includes all below it: it ends in a slash, or its name has no dot and it is not
// literal.
func isFolder(p string, literal bool) bool {
	if strings.HasSuffix(p, "/") {
		return true
	}
	name := strings.TrimLeft(p[strings.LastIndexByte(p, '/')+1:], ".")
	return !literal && !isPattern(p) && !strings.Contains(name, ".")
}

// mayBeFolder reports whether a clean path can name a folder: any without wildcards, unless it is literal.
func mayBeFolder(p string, literal bool) bool {
	return strings.HasSuffix(p, "/") || !literal && !isPattern(p)
}

// overlap reports whether there can be a file that both paths are about. Two without wildcards are so if one is below
// the other, whatever that is. Of patterns that are too long for a look at all they have in common it says so.
func (s *Settings) overlap(a string, literalA bool, b string, literalB bool) bool {
	met, _ := s.look(a, literalA, b, literalB)
	return met
}

// look is overlap, and tells what it has cost, in pairs of states.
func (s *Settings) look(a string, literalA bool, b string, literalB bool) (met bool, cost int) {
	a, b = s.fold(a), s.fold(b)
	same := commonPlain(a, b)
	if same < 0 {
		return false, 1
	}
	if !isPattern(a) && !isPattern(b) {
		a, b = strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
		return a == b || below(a, b) || below(b, a), 1
	}
	x, y := compile(a[same:], mayBeFolder(a, literalA)), compile(b[same:], mayBeFolder(b, literalB))
	cost = len(x) * len(y)
	if cost > maxMeet {
		return true, len(x) + len(y)
	}
	return meet(x, y), cost
}

// maxMeet is the largest product of the lengths of two patterns that are compared in full.
const maxMeet = 8 << 10

// commonPlain returns how many bytes of whole names two paths share before a wildcard or an end, and -1 if they differ
// there.
func commonPlain(a, b string) int {
	same := 0
	n := min(len(a), len(b))
	for i := range n {
		switch {
		case isSpecial(a[i]) || isSpecial(b[i]):
			return same
		case a[i] != b[i]:
			return -1
		case a[i] == '/' && i < n-1:
			same = i + 1
		}
	}
	return same
}

func isSpecial(c byte) bool { return c == '*' || c == '?' || c == '\\' }

// below reports whether a path is below a folder, which is written without a slash at its end.
func below(p, folder string) bool {
	return len(p) > len(folder) && p[len(folder)] == '/' && p[:len(folder)] == folder
}

// covers reports whether outer includes all of inner. Of patterns it knows only the plain cases.
func (s *Settings) covers(outer string, folder bool, inner string, innerFolder bool) bool {
	outer, inner = s.fold(outer), s.fold(inner)
	bare, bareInner := strings.TrimSuffix(outer, "/"), strings.TrimSuffix(inner, "/")
	switch dir, all := strings.CutSuffix(outer, "/**"); {
	case outer == "**":
		return true
	case bare == bareInner:
		return folder || !innerFolder
	case !isPattern(outer):
		return folder && below(bareInner, bare)
	case all && !isPattern(dir):
		return below(inner, dir)
	}
	return false
}

func (s *Settings) takes(pattern, file string) bool {
	return isPattern(pattern) && meet(compile(s.fold(pattern), isFolder(pattern, false)), compile(s.fold(file), false))
}

// same reports whether two paths are one, whether or not they say that it is a folder.
func (s *Settings) same(a, b string) bool {
	return s.fold(strings.TrimSuffix(a, "/")) == s.fold(strings.TrimSuffix(b, "/"))
}

// overlap reports whether there can be a file that both claims are about.
func (c *Claim) overlap(s *Settings, other *Claim, w *work) bool {
	if len(c.Paths) < len(other.Paths) {
		c, other = other, c
	}
	x := c.pathSet(s)
	return slices.ContainsFunc(other.Paths, func(p string) bool { return x.meets(p, other.Literal, w) })
}

// pathSet returns the paths as a set, which is made once.
func (c *Claim) pathSet(s *Settings) *pathSet {
	if x := c.set; x != nil && x.settings.IgnoreCase == s.IgnoreCase && len(x.paths) == len(c.Paths) &&
		&x.paths[0] == &c.Paths[0] {
		return x
	}
	folds := &Settings{IgnoreCase: s.IgnoreCase} // those of a project change
	c.set = newPathSet(folds, c.Paths, c.Literal)
	return c.set
}

// covers reports whether one of the paths covers one of another claim.
func (c *Claim) covers(s *Settings, path string, literal bool) bool {
	return slices.ContainsFunc(c.Paths, func(p string) bool {
		return s.covers(p, isFolder(p, c.Literal), path, isFolder(path, literal))
	})
}

// An automaton takes the paths that a path is about. It begins in its first state, and goes only forward.
type automaton []step

// compile makes the automaton of a path, and of what is below it if that is a folder.
func compile(p string, folder bool) automaton {
	p = strings.TrimSuffix(p, "/")
	a := make(automaton, 0, len(p)+2)
	runes := []rune(p)
	for i := 0; i < len(runes); i++ {
		named := i == 0 || runes[i-1] == '/' // here a name begins
		rest := runes[i:]
		switch c := runes[i]; {
		case c == '*' && named && len(rest) > 2 && rest[1] == '*' && rest[2] == '/':
			// nothing, or whole names with the slash after them
			a = append(a, step{by: anything, skip: 2}, step{loop: anything, by: literal, c: '/'})
			i += 2
		case c == '*' && len(rest) > 1 && rest[1] == '*':
			a = append(a, step{loop: anything, skip: 1})
			i++
		case c == '*':
			a = append(a, step{loop: inName, skip: 1})
		case c == '?':
			a = append(a, step{by: inName})
		case c == '\\' && len(rest) > 1:
			i++
			a = append(a, step{by: literal, c: runes[i]})
		default:
			a = append(a, step{by: literal, c: c})
		}
	}
	if !folder {
		return append(a, step{accepts: true})
	}
	return append(a, step{by: literal, c: '/', accepts: true}, step{loop: anything, accepts: true})
}

// meet reports whether there is a text that both automata take. It goes through the pairs of states that one text leads
// to, and needs the rows of three states of a at a time.
func meet(a, b automaton) bool {
	n := len(b)
	pairs := make([]bool, 3*n)
	row := func(i int) []bool { return pairs[i%3*n:][:n] }
	row(0)[0] = true
	for i := range a {
		here, next := row(i), row(i+1)
		for j := range here {
			if !here[j] {
				continue
			}
			here[j] = false // the row is used again
			s, t := &a[i], &b[j]
			if s.accepts && t.accepts {
				return true
			}
			if s.skip > 0 {
				row(i + s.skip)[j] = true
			}
			if t.skip > 0 {
				here[j+t.skip] = true
			}
			if common(s.loop, 0, t.by, t.c) {
				here[j+1] = true
			}
			if common(s.by, s.c, t.loop, 0) {
				next[j] = true
			}
			if common(s.by, s.c, t.by, t.c) {
				next[j+1] = true
			}
		}
	}
	return false
}

// A step is a state of an automaton and the ways out of it: characters that stay, characters that lead on, and a skip.
type step struct {
	loop, by class
	c        rune // with a literal by
	skip     int  // how many states further one may go by no character; 0 for no such way, 2 at most
	accepts  bool
}

type class int

const (
	nothing class = iota
	literal       // one
	inName        // all but the slash
	anything
)

// common reports whether two sets have a character in common. A set of one is that of its c.
func common(x class, c rune, y class, d rune) bool {
	if x > y {
		x, c, y, d = y, d, x, c
	}
	switch {
	case x == nothing:
		return false
	case x == literal && y == literal:
		return c == d
	case x == literal && y == inName:
		return c != '/'
	}
	return true
}
