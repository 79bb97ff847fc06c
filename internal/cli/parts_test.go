// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// Standard input is the message where the command line has none, and a file by --file -.
func TestMessageFromStandardInput(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		var said []string
		for _, part := range t.Message().Parts {
			said = append(said, fmt.Sprintf("%T %q %s", part.Content, part.Content, part.MediaType))
		}
		return t.Reply(a2a.TextPart(strings.Join(said, "; ")))
	}), nil)
	png := "\x89PNG\r\n\x1a\n"
	for _, test := range []struct {
		input string
		args  []string
		want  string // of the answer; "" for a usage error
	}{
		{"100 USD in GBP\n", nil, `a2a.Text "100 USD in GBP" `},
		{"two\nlines\r\n\n", nil, `a2a.Text "two\nlines" `},
		{"ignored", []string{"words"}, `a2a.Text "words" `},
		{png, []string{"what", "is", "it", "--file", "-"},
			fmt.Sprintf("a2a.Text \"what is it\" ; a2a.Raw %q image/png", png)},
		{"a,b", []string{"--file", "-", "--media-type", "text/csv"}, `a2a.Raw "a,b" text/csv`},
		{" \n", nil, ""},
		{"", nil, ""},
		{"\xff", nil, ""},
	} {
		for _, command := range [][]string{{"send", "-a", url},
			{"host", "ask", "-a", url, "--data-dir", cmdline.InMemory}} {
			if command[0] == "host" && test.want != "" {
				continue // which makes a message of its own
			}
			got := runWith(t.Context(), nil, test.input, append(command, test.args...)...)
			switch {
			case test.want == "":
				if got.code != cmdline.ExitUsage {
					t.Errorf("%v < %q: %+v", command, test.input, got)
				}
			case got.code != cmdline.ExitOK || !strings.Contains(got.stdout, test.want):
				t.Errorf("%q: %+v, want %q", test.input, got, test.want)
			}
		}
	}
	got := runWith(t.Context(), nil, "@test hi\n", "host", "ask", "-a", serveAgent(t, asker, nil), "--data-dir",
		cmdline.InMemory)
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "input-required") {
		t.Errorf("%+v", got)
	}
}
