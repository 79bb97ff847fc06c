// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"slices"
	"strings"
)

// A pathSet finds those of its clean paths that meet another one, without comparing all of them.
type pathSet struct {
	paths    []string
	literal  bool
	settings *Settings
	plain    []plainPath // sorted
	patterns []int       // which of the paths have wildcards
}

// A plainPath is a path without wildcards. Its key ends in a slash, so that paths below a folder sort right after it.
type plainPath struct {
	key    string
	n      int // it is the nth of the paths
	within int // the nearest one before it that it is below or equal to; -1 for none
}

func newPathSet(s *Settings, paths []string, literal bool) *pathSet {
	x := &pathSet{paths: paths, literal: literal, settings: s}
	for n, p := range paths {
		if isPattern(p) {
			x.patterns = append(x.patterns, n)
		} else {
			x.plain = append(x.plain, plainPath{key: s.key(p), n: n})
		}
	}
	slices.SortFunc(x.plain, func(a, b plainPath) int { return strings.Compare(a.key, b.key) })
	for i := range x.plain {
		x.plain[i].within = x.above(i-1, x.plain[i].key)
	}
	return x
}

// key returns what a path without wildcards is found by.
func (s *Settings) key(p string) string { return s.fold(strings.TrimSuffix(p, "/")) + "/" }

// above returns the last of the first i+1 paths without wildcards that a key is below or equal to, -1 for none.
func (x *pathSet) above(i int, key string) int {
	for i >= 0 && !strings.HasPrefix(key, x.plain[i].key) {
		i = x.plain[i].within
	}
	return i
}

// meets reports whether there can be a file that one of the paths and another one are both about.
func (x *pathSet) meets(path string, literal bool, w *work) bool {
	met := false
	x.each(path, literal, w, func(int) bool {
		met = true
		return false
	})
	return met
}

// each calls found with the places of the paths that may share a file with another one, until found returns false.
func (x *pathSet) each(path string, literal bool, w *work, found func(n int) bool) {
	if isPattern(path) {
		for n, p := range x.paths {
			if w.overlap(x.settings, p, x.literal, path, literal) && !found(n) {
				return
			}
		}
		return
	}
	key := x.settings.key(path)
	at, _ := slices.BinarySearchFunc(x.plain, key,
		func(p plainPath, key string) int { return strings.Compare(p.key, key) })
	*w++
	for i := x.above(at-1, key); i >= 0; i = x.plain[i].within {
		*w++
		if !found(x.plain[i].n) {
			return
		}
	}
	for i := at; i < len(x.plain) && strings.HasPrefix(x.plain[i].key, key); i++ {
		*w++
		if !found(x.plain[i].n) {
			return
		}
	}
	for _, n := range x.patterns {
		if w.overlap(x.settings, x.paths[n], x.literal, path, literal) && !found(n) {
			return
		}
	}
}

// maxWork is how many pairs of states a command looks at to find out which paths meet: some 50 ms.
const maxWork = 10 << 20

// work counts the comparisons of paths and states in a command. It does not change what a comparison finds, as the
// queue must find the same each time.
type work int

func (w *work) overlap(s *Settings, a string, literalA bool, b string, literalB bool) bool {
	met, cost := s.look(a, literalA, b, literalB)
	*w += work(cost)
	return met
}

func (w *work) tooMuch() bool { return *w > maxWork }
