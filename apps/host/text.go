// SPDX-License-Identifier: Apache-2.0

package host

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

// clean makes text from outside fit to stand in the host's own words: on one line, without control characters, and not
// longer than limit runes.
func clean(s string, limit int) string {
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

// cleanLines is clean for text of several lines, which keep their ends.
func cleanLines(s string, limit int) string {
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
