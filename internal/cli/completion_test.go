// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/show"
)

// The shell picks those that begin with what is typed.
func TestCompletionOfValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		want []string
	}{
		{"serve --agent ", []string{"currency", "images", "expenses", "movies", "coder", "files", "hello", "slow",
			"flaky", "repairshop", "mechanic", "supplier"}},
		{"send --output ", []string{"text", "json"}},
		{"send -o ", []string{"text", "json"}},
		{"task list --transport ", []string{"JSONRPC", "HTTP+JSON", "GRPC"}},
		{"chat --transport ", []string{"JSONRPC", "HTTP+JSON", "GRPC"}},
		{"samples up --llm ", []string{"off", "auto", "gemini", "openai", "anthropic"}},
		{"host ask --llm ", []string{"off", "auto", "gemini", "openai", "anthropic"}},
		{"task list --status ", show.StateNames()},
		{"send --fail-on ", show.StateNames()},
		{"task wait --fail-on failed,re", []string{"failed,submitted", "failed,working", "failed,completed",
			"failed,canceled", "failed,input-required", "failed,rejected", "failed,auth-required"}},
	} {
		args := strings.Split(test.line, " ")
		got := run(t.Context(), append([]string{"__complete"}, args...)...)
		words, _, _ := strings.Cut(got.stdout, ":") // then comes what the shell is to do
		if values := strings.Fields(words); got.code != cmdline.ExitOK || !slices.Equal(values, test.want) {
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

// Names of the registry and ids of tasks come from where the command line, or a variable, says.
func TestCompletionOfNamesAndTasks(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, asker, nil)
	task := taskOf(t, url)
	_, catalogue := clitest.Serve(t, "registry", "serve", "--addr", "127.0.0.1:0", "--data-dir", cmdline.InMemory)
	for _, args := range [][]string{{url, "--alias", "rates"}, {serveAgent(t, asker, nil), "--alias", "two words"}} {
		if got := run(t.Context(), append([]string{"registry", "add", "--registry", catalogue},
			args...)...); got.code != cmdline.ExitOK {
			t.Fatalf("%+v", got)
		}
	}
	env := map[string]string{"DRAGOMAN_REGISTRY": catalogue}
	for _, test := range []struct {
		env  map[string]string
		args []string
		want string // "" for nothing
	}{
		{env, []string{"send", "-a", ""}, "registry:rates\trates: "},
		{env, []string{"send", "-a", "registry:r"}, "registry:rates\t"},
		{nil, []string{"chat", "--registry", catalogue, "regis"}, "registry:rates\t"},
		{env, []string{"registry", "show", ""}, "rates\t"},
		{env, []string{"registry", "remove", ""}, "two words\t"},
		{env, []string{"registry", "remove", "rates", ""}, ""},
		{nil, []string{"task", "get", "-a", url, ""}, task + "\tinput-required\n"},
		{nil, []string{"task", "cancel", url, ""}, task + "\tinput-required\n"},
		{map[string]string{"DRAGOMAN_AGENT_CARD": url}, []string{"task", "wait", ""}, task + "\tinput-required\n"},
		{nil, []string{"send", url, "--task-id", ""}, task + "\tinput-required\n"},
		{nil, []string{"task", "get", "-a", url, "zzz"}, ""},
		{nil, []string{"task", "get", "-a", "http://127.0.0.1:1", ""}, ""},
		{map[string]string{"DRAGOMAN_REGISTRY": "http://127.0.0.1:1"}, []string{"send", "-a", ""}, ""},
	} {
		got := runWith(t.Context(), test.env, "", append([]string{"__complete"}, test.args...)...)
		candidates, _, _ := strings.Cut(got.stdout, "\n:")
		none := strings.HasPrefix(got.stdout, ":")
		if got.code != cmdline.ExitOK || none != (test.want == "") ||
			!none && !strings.Contains("\n"+candidates+"\n", "\n"+test.want) {
			t.Errorf("%v: %+v, want %q", test.args, got, test.want)
		}
	}
}
