// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"
	"testing"
)

// The shell picks those that begin with what is typed.
func TestCompletionOfValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		want []string
	}{
		{"serve --agent ", namesOfSamples()},
		{"send --output ", []string{"text", "json"}},
		{"send -o ", []string{"text", "json"}},
		{"task list --transport ", []string{"JSONRPC", "HTTP+JSON", "GRPC"}},
		{"chat --transport ", []string{"JSONRPC", "HTTP+JSON", "GRPC"}},
		{"samples up --llm ", []string{"off", "auto", "gemini", "openai", "anthropic"}},
		{"host ask --llm ", []string{"off", "auto", "gemini", "openai", "anthropic"}},
		{"task list --status ", stateWords()},
		{"send --fail-on ", stateWords()},
		{"task wait --fail-on failed,re", []string{"failed,submitted", "failed,working", "failed,completed", "failed,canceled", "failed,input-required", "failed,rejected", "failed,auth-required"}},
	} {
		args := strings.Split(test.line, " ")
		got := run(t.Context(), append([]string{"__complete"}, args...)...)
		words, _, _ := strings.Cut(got.stdout, ":") // then comes what the shell is to do
		if values := strings.Fields(words); got.code != exitOK || !slices.Equal(values, test.want) {
			t.Errorf("%s: %q, want %q", test.line, values, test.want)
		}
	}
}

func TestEveryShellHasAHowTo(t *testing.T) {
	t.Parallel()
	for _, cmd := range descendants(newCommand(nil).root()) {
		if isFromCobra(cmd) && !cmd.HasSubCommands() && shells[cmd.Name()].long == "" {
			t.Errorf("nothing says how %s gets its script", cmd.Name())
		}
	}
}
