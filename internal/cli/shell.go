// SPDX-License-Identifier: Apache-2.0

package cli

import "strings"

// commandLine quotes words for a shell.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellQuote(word)
	}
	return inline(strings.Join(quoted, " "))
}

// placeholder stands in a command for what the user has to fill in.
const placeholder = "..."

// shellQuote makes s one word of a POSIX shell.
func shellQuote(s string) string {
	if s == placeholder {
		return `"` + placeholder + `"`
	}
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("-_.:/@%+,=", r)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
