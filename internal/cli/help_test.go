// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// Help fits a terminal of 80 columns, whatever its sources look like.
func TestHelpFitsEightyColumns(t *testing.T) {
	t.Parallel()
	root := newCommand(nil).root()
	for _, cmd := range append(descendants(root), root) {
		path := strings.Fields(afterFirst(cmd.CommandPath()))
		got := run(t.Context(), append([]string{"help"}, path...)...)
		if cmd.Hidden || cmd.HasParent() && cmd.Parent().Hidden {
			continue
		}
		if got.code != cmdline.ExitOK || got.stdout == "" {
			t.Errorf("%s: %+v", cmd.CommandPath(), got)
		}
		for line := range strings.Lines(got.stdout) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
	}
}

// The commands of every day come first, and no command is forgotten.
func TestHelpGroupsAllCommands(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "help")
	at := func(text string) int { return strings.Index(got.stdout, text) }
	if !(0 < at("\nTalk to agents:\n  send ") && at("\n  send ") < at("\nRun agents:\n") &&
		at("\nThis program:\n") < at("\nOptions of every command:\n")) {
		t.Errorf("the order is wrong:\n%s", got.stdout)
	}
	var grouped, all []string
	for _, group := range commandGroups {
		grouped = append(grouped, group.names...)
	}
	for _, cmd := range newCommand(nil).root().Commands() {
		if cmd.IsAvailableCommand() || cmd.Name() == "help" {
			all = append(all, cmd.Name())
		}
	}
	slices.Sort(grouped)
	slices.Sort(all)
	if !slices.Equal(grouped, all) {
		t.Errorf("the groups have %v, the program %v", grouped, all)
	}
	got = run(t.Context(), "help", "task", "get")
	for _, title := range []string{"\nUsage:\n  dragoman task get ID [options]\n", "\nOptions:\n  -a, --agent-card ",
		"\nOptions for calling agents:\n", "\nOptions of every command:\n"} {
		if !strings.Contains(got.stdout, title) {
			t.Errorf("no %q in\n%s", title, got.stdout)
		}
	}
}

func TestExamplesAreBrokenAsShellsTakeIt(t *testing.T) {
	t.Parallel()
	long := `  dragoman send -a x --text "a text that has spaces in it and so on" --file one --file two --stream`
	got := wrapExamples(long, 60)
	want := "  dragoman send -a x \\\n      --text \"a text that has spaces in it and so on\" \\\n      --file one " +
		"--file two --stream"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := wrapExamples("  dragoman "+strings.Repeat("x", 90), 60); strings.Count(got, "\n") > 1 {
		t.Errorf("got\n%s", got)
	}
}

// The manual has every command, and nothing in it that a formatter takes for a command of its own.
func TestManual(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "man")
	if got.code != cmdline.ExitOK || !strings.HasPrefix(got.stdout, ".TH DRAGOMAN 1 ") {
		t.Fatalf("%+v", got)
	}
	for _, cmd := range descendants(newCommand(nil).root()) {
		hidden := cmd.Hidden || cmd.Parent().Hidden
		if has := strings.Contains(got.stdout, "\n.SS "+roff(useLine(cmd))+"\n"); has == hidden {
			t.Errorf("%s: in the manual: %t", cmd.CommandPath(), has)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff to format it; enable this test with: apt-get install groff")
	}
	format := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-z")
	format.Stdin = strings.NewReader(got.stdout)
	if out, err := format.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}

func TestConfigShowsWhatIsChanged(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "config", "show", "--changed")
	if got.code != cmdline.ExitOK || got.stdout != "" || got.stderr != "Nothing is changed.\n" {
		t.Errorf("nothing: %+v", got)
	}
	env := map[string]string{"DRAGOMAN_TENANT": "acme", "DRAGOMAN_BEARER": "secret", "DRAGOMAN_AGENT": "hello"}
	got = runWith(t.Context(), env, "", "config", "show", "--changed", "-a", "http://a:1")
	for _, want := range []string{"agent-card: http://a:1 (flag)\n", "tenant: acme (DRAGOMAN_TENANT)\n",
		"bearer: set, not shown (DRAGOMAN_BEARER)\n", "serve agent: hello (DRAGOMAN_AGENT)\n"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
	if strings.Contains(got.stdout, "(default)") || strings.Contains(got.stdout, "server request body") {
		t.Errorf("more than that: %s", got.stdout)
	}
}
