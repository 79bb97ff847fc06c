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
)

// Limits of one path.
const (
	maxPath    = 1024 // bytes
	maxPattern = 256  // bytes of a path with wildcards
)

// clean returns the one spelling of a path within a project: relative to its root, with slashes, without what leads
// nowhere. A slash at the end stays: it is a folder, and all that is in it.
func (s *Settings) clean(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("file_path is missing")
	case len(name) > maxPath:
		return "", fmt.Errorf("file_path is longer than %d bytes", maxPath)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", errors.New("file_path has characters that no path may have")
	}
	p := strings.ReplaceAll(name, `\`, "/")
	folder := strings.HasSuffix(p, "/")
	p = path.Clean(p)
	if isAbsolute(p) {
		inside, ok := s.below(p)
		if !ok {
			return "", fmt.Errorf("file_path %q is outside of the project; give it relative to the project's root", name)
		}
		p = inside
	}
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", fmt.Errorf("file_path %q leads out of the project", name)
	}
	if p == "." {
		return "**", nil // the whole project
	}
	if isPattern(p) && len(p) > maxPattern {
		return "", fmt.Errorf("file_path with wildcards may have %d bytes", maxPattern)
	}
	if folder {
		p += "/"
	}
	return p, nil
}

// isAbsolute reports whether a clean path begins at a root, that of a Windows drive included.
func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':' && unicode.IsLetter(rune(p[0]))
}

// below returns an absolute path as relative to the root that it is below.
func (s *Settings) below(p string) (string, bool) {
	for _, root := range s.Roots {
		root = path.Clean(strings.ReplaceAll(root, `\`, "/"))
		if s.fold(p) == s.fold(root) {
			return ".", true
		}
		if prefix := strings.TrimSuffix(root, "/") + "/"; strings.HasPrefix(s.fold(p), s.fold(prefix)) {
			return p[len(prefix):], true
		}
	}
	return "", false
}

// fold returns what paths are compared by.
func (s *Settings) fold(p string) string {
	if s.IgnoreCase {
		return strings.ToLower(p)
	}
	return p
}

func isPattern(p string) bool {
	for i := range len(p) {
		if isWild(p[i]) {
			return true
		}
	}
	return false
}

func isWild(c byte) bool { return c == '*' || c == '?' || c == '[' || c == '{' }

// overlap reports whether there can be a file that both paths are about. One with a slash at the end is about a folder
// and all that is in it, and so is one below which the other is. Where wildcards are not simple, in brackets and braces,
// overlap may say so though there is no such file, and never the other way round.
func (s *Settings) overlap(a, b string) bool {
	a, b = s.fold(a), s.fold(b)
	if partPlainly(a, b) {
		return false
	}
	bareA, bareB := strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")
	if below(bareA, bareB) || below(bareB, bareA) {
		return true
	}
	if !isPattern(a) && !isPattern(b) {
		return bareA == bareB
	}
	return meet(compile(a), compile(b))
}

// partPlainly reports whether paths differ before the first wildcard of either. Nearly all do.
func partPlainly(a, b string) bool {
	for i := range min(len(a), len(b)) {
		switch {
		case isWild(a[i]) || isWild(b[i]):
			return false
		case a[i] != b[i]:
			return true
		}
	}
	return false
}

// below reports whether a path is below a folder, which is written without a slash at its end.
func below(p, folder string) bool {
	return len(p) > len(folder) && p[len(folder)] == '/' && p[:len(folder)] == folder
}

// covers reports whether each file that inner is about is one that outer is about, as far as that is plain.
func (s *Settings) covers(outer, inner string) bool {
	outer, inner = s.fold(strings.TrimSuffix(outer, "/")), s.fold(strings.TrimSuffix(inner, "/"))
	return outer == inner || !isPattern(outer) && strings.HasPrefix(inner, outer+"/")
}

// anyOverlap reports whether one of a overlaps one of b.
func (s *Settings) anyOverlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return s.overlap(x, y) })
	})
}

// An automaton takes the paths that a pattern is about. Its states are the indexes of steps, and the last one is where
// it accepts.
type automaton [][]step

// A step leads to a state by one character, or by none.
type step struct {
	by class
	c  byte // with literal
	to int
}

// A class is the set of characters that a step takes.
type class int

const (
	nothing class = iota // it takes no character
	literal              // one
	inName               // any but the slash
	anything
)

// compile makes the automaton of a path.
func compile(p string) automaton {
	p, folder := strings.CutSuffix(p, "/")
	a := automaton{nil}
	add := func(s ...step) { a[len(a)-1] = append(a[len(a)-1], s...) }
	next := func() int { a = append(a, nil); return len(a) - 1 }
	for i := 0; i < len(p); i++ {
		here := len(a) - 1
		switch {
		case strings.HasPrefix(p[i:], "**/"): // nothing, or whole names with the slash after them
			inside := len(a)
			add(step{by: nothing, to: inside + 1}, step{by: anything, to: inside})
			next()
			add(step{by: anything, to: inside}, step{by: literal, c: '/', to: inside + 1})
			next()
			i += 2
		case strings.HasPrefix(p[i:], "**"):
			add(step{by: anything, to: here}, step{by: nothing, to: here + 1})
			next()
			i++
		case p[i] == '*':
			add(step{by: inName, to: here}, step{by: nothing, to: here + 1})
			next()
		case p[i] == '?':
			add(step{by: inName, to: here + 1})
			next()
		case p[i] == '[' && strings.IndexByte(p[i:], ']') > 0:
			add(step{by: inName, to: here + 1})
			next()
			i += strings.IndexByte(p[i:], ']')
		case p[i] == '{' && strings.IndexByte(p[i:], '}') > 0:
			add(step{by: anything, to: here}, step{by: nothing, to: here + 1})
			next()
			i += strings.IndexByte(p[i:], '}')
		default:
			add(step{by: literal, c: p[i], to: here + 1})
			next()
		}
	}
	if !folder {
		return a
	}
	end := len(a) - 1 // what is below: a slash and anything
	add(step{by: literal, c: '/', to: end + 2}, step{by: nothing, to: end + 3})
	a = append(a, nil, []step{{by: anything, to: end + 2}, {by: nothing, to: end + 3}}, nil)
	return a
}

// meet reports whether there is a text that both automata take.
func meet(a, b automaton) bool {
	type pair struct{ i, j int }
	seen := map[pair]bool{}
	todo := []pair{{0, 0}}
	visit := func(p pair) {
		if !seen[p] {
			seen[p] = true
			todo = append(todo, p)
		}
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.i == len(a)-1 && p.j == len(b)-1 {
			return true
		}
		for _, s := range a[p.i] {
			if s.by == nothing {
				visit(pair{s.to, p.j})
				continue
			}
			for _, t := range b[p.j] {
				if t.by != nothing && common(s, t) {
					visit(pair{s.to, t.to})
				}
			}
		}
		for _, t := range b[p.j] {
			if t.by == nothing {
				visit(pair{p.i, t.to})
			}
		}
	}
	return false
}

// common reports whether there is a character that both steps take.
func common(s, t step) bool {
	if s.by > t.by {
		s, t = t, s
	}
	switch {
	case s.by == literal && t.by == literal:
		return s.c == t.c
	case s.by == literal && t.by == inName:
		return s.c != '/'
	}
	return true
}
