// SPDX-License-Identifier: Apache-2.0

package terminal

import "strings"

// CommandLine quotes words for a shell.
func CommandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellQuote(word)
	}
	return Inline(strings.Join(quoted, " "))
}

// Placeholder stands in a command for what the user has to fill in.
const Placeholder = "..."

// ShellQuote makes s one word of a POSIX shell.
func ShellQuote(s string) string {
	if s == Placeholder {
		return `"` + Placeholder + `"`
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
