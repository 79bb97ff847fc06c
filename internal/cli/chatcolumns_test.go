// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// The lines of chat and host are broken between words, whatever the terminal's width is: it says the same on
// each.
func TestChatBreaksLinesBetweenWords(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	lines := []string{
		"/help", "/nonsense", "20 dollars for lunch", "yesterday", "/help", "/nonsense", "/file", "2026-11-20", "", "x",
		"perhaps",
		"/later", "/quit",
	}
	commands := map[string][]string{
		"chat": {"chat", "-a", url}, "host": {"host", "-a", "forms=" + url, "--data-dir", ":memory:"},
	}
	for command, args := range commands {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			wide, _ := sayAt(t, 1000, lines, args)
			for _, columns := range []int{80, 40} {
				said, prompts := sayAt(t, columns, lines, args)
				if got, want := saidWords(said), saidWords(wide); got != want {
					t.Errorf("at %d columns it says something else:\n%s\nwant\n%s", columns, got, want)
				}
				for line := range strings.Lines(said) {
					line = strings.TrimSuffix(line, "\n")
					if utf8.RuneCountInString(line) > columns && strings.Contains(strings.TrimSpace(line), " ") &&
						!copied.MatchString(line) {
						t.Errorf("more than %d columns: %q", columns, line)
					}
				}
				for _, prompt := range prompts {
					if strings.HasPrefix(prompt, terminal.Indent) && utf8.RuneCountInString(prompt) > columns*7/10 {
						t.Errorf("at %d columns no room for the answer: %q", columns, prompt)
					}
				}
			}
		})
	}
}

// copied matches lines to copy from, which stay whole.
var copied = regexp.MustCompile(`^(Resume|Answer|Follow|Save|Task|Context): `)

func sayAt(t *testing.T, columns int, lines, args []string) (said string, prompts []string) {
	t.Helper()
	somebody := &person{lines: lines}
	var out, err bytes.Buffer
	r := Run{
		Program: "dragoman", Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
		LookupEnv: func(string) (string, bool) { return "", false }, person: somebody, width: columns,
	}
	r.Do(t.Context())
	return err.String(), somebody.prompts
}

// differing matches what differs from run to run, and a value, which is part of the prompt where there is room.
var differing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}| \[request_id_\d+\]`)

func saidWords(text string) string {
	return strings.Join(strings.Fields(differing.ReplaceAllString(text, "")), " ")
}
