// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// lazy compiles a regular expression when it is first needed: most runs of a program that has a host in it never do.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Clean makes text from outside fit to stand in the host's own words: on one line, without control characters, and not
// longer than limit runes.
func Clean(s string, limit int) string {
	if len(s) > 8*limit {
		s = s[:8*limit] // before the rest is looked at, for texts of megabytes
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r) && !unicode.IsSpace(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit]) + "..."
	}
	return s
}

// CleanLines is Clean for text of several lines, which keep their ends.
func CleanLines(s string, limit int) string {
	if len(s) > 8*limit {
		s = s[:8*limit]
	}
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r == utf8.RuneError || !unicode.IsPrint(r)) {
			return -1
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit]) + "..."
	}
	return strings.TrimSpace(s)
}

// Limits of texts from outside, in runes.
const (
	MaxName   = 80     // of the name of an agent, an artifact or a file
	MaxShown  = 300    // of a text that is quoted in a line
	MaxDigest = 4000   // of an answer that planners and later steps read
	MaxAnswer = 20_000 // of a text of a planner
)

// MaxListed is how many agents a list for users names.
const MaxListed = 20
