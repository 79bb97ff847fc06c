// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/server"
)

// asker asks back and holds on to its tasks.
var asker = agent.Func(func(_ context.Context, t *agent.Turn) error {
	return t.Ask(a2a.TextPart("Which one?"))
})

// holdsOn is a service whose tasks cannot be canceled.
type holdsOn struct{ a2a.Service }

func (holdsOn) CancelTask(context.Context, *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return nil, a2a.NewError(a2a.ErrTaskNotCancelable, "no")
}

func cardOf(name string) *server.Options {
	return &server.Options{Card: &a2a.AgentCard{Name: name, Description: "For tests", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}}}
}

func TestChatSaysHowATaskEndedThatIsNotCanceled(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echoAgent, nil)
	got, _ := converse(t, []string{"Ada", "/cancel"}, "-a", url)
	has(t, "the error stream", got.stderr, "Hint: see how it ended with /task\n")
}

func TestARefusedCancelSaysThatTheTaskGoesOn(t *testing.T) {
	t.Parallel()
	eng := newEngine(t)
	url := serveService(t, holdsOn{eng.Agent("agent", asker, nil)}, nil, func() {})
	got, _ := converse(t, []string{"Ada", "/cancel"}, "-a", url)
	has(t, "the error stream", got.stderr, "Hint: the task goes on; /resume follows it\n")
	id := printedID(t, got.stderr)
	got = run(t.Context(), "task", "cancel", "-a", url, id)
	has(t, "the error stream", got.stderr, "Hint: the task goes on; see more of it with dragoman send -a "+url+
		" --task-id "+id+" --text \"...\"\n")
}

func printedID(t *testing.T, text string) string {
	t.Helper()
	_, rest, _ := strings.Cut(text, "Task: ")
	id, _, found := strings.Cut(rest, "\n")
	if !found {
		t.Fatalf("no task in\n%s", text)
	}
	return id
}

func TestChatAddressesAgentsByName(t *testing.T) {
	t.Parallel()
	first := serveAgent(t, echoAgent, cardOf("Currency Agent"))
	second := serveAgent(t, echoAgent, cardOf("Reimbursement Agent"))
	got, somebody := converse(t, []string{"@reimbursement lunch", "@Currency Agent: 1 USD", "@2", "@@x", "@nobody y",
		"/agents currency"}, "-a", first, "-a", second)
	has(t, "the output", got.stdout, "Text: message 1: lunch\n", "Text: message 1: 1 USD\n", "Text: message 2: @x\n")
	has(t, "the error stream", got.stderr, "Talking to Reimbursement Agent.\n", `Error: no agent is called "nobody"`,
		"Talking to Currency Agent.\n")
	if last := somebody.prompts[len(somebody.prompts)-1]; last != "Currency Agent> " {
		t.Errorf("the last prompt is %q", last)
	}
	// To the one agent that there is, a line is a text, whatever it begins with.
	got, _ = converse(t, []string{"@reimbursement lunch"}, "-a", first)
	has(t, "the output", got.stdout, "Text: message 1: @reimbursement lunch\n")
}

func TestChatHistoryIsInTheOrderOfTime(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echoAgent, nil)
	got, _ := converse(t, []string{"first", "/history"}, "-a", url)
	_, story, found := strings.Cut(got.stdout, "History: user\n  Text: first\n")
	if !found || !strings.Contains(story, "Artifact: echo") || strings.Contains(got.stdout, "  ID: ") {
		t.Errorf("%s", got.stdout)
	}
}

func TestChatNamesNoFlags(t *testing.T) {
	t.Parallel()
	url, dir := serveAgent(t, echoAgent, nil), t.TempDir()
	got, _ := converse(t, []string{"hi", "/save " + dir, "/save " + dir, "/save -f " + dir, "/file /no/such.png"}, "-a",
		url)
	has(t, "the error stream", got.stderr, "is there already; /save -f writes over it",
		"Error: /file: open /no/such.png")
	if strings.Contains(got.stderr, "--") && strings.Contains(got.stderr, "--f") ||
		strings.Count(got.stderr, "Saved: ") != 2 {
		t.Errorf("%s", got.stderr)
	}
}

// listForm has a field of each kind that people have to be told how to write.
const listForm = `{"type":"form","form":{"type":"object","properties":{
	"colours":{"type":"array","items":{"type":"string"}},"path":{"type":"string"},"size":{"type":"object"}},
	"required":["colours","path","size"]}}`

func TestFormsSayHowToWriteListsAndObjects(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		if data, ok := t.Message().Parts[0].Content.(a2a.Data); ok {
			return t.Artifact("filled", talk.JSONPart(jsontext.Value(data)))
		}
		return t.Ask(a2a.TextPart("Please"), talk.JSONPart(jsontext.Value(listForm)))
	}), nil)
	got, _ := converse(t, []string{"hi", `["x"`, "/save x", "/nonsense y", "red, blue", "//tmp", "big", `{"w":1}`, ""},
		"-a", url)
	has(t, "the error stream", got.stderr, `such as x, y, or in JSON ["x", "y"]`, `such as {"name": "value"}`,
		"/save is not for forms; leave this one first, with /later.",
		"There is no command /nonsense here", "{...} in JSON answers all of them",
		"To say something else than what the form asks for, leave it with /later.")
	has(t, "the output", got.stdout, `"colours":["red","blue"],"path":"/tmp","size":{"w":1}`)
}

func TestEmptyTextHasItsOwnHint(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"send", ""}, {"send", "--text", ""},
		{"host", "ask", "-a", "http://127.0.0.1:1", "--data-dir", cmdline.InMemory, ""}} {
		got := run(t.Context(), args...)
		if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "is empty\nHint: put the answer, or "+
			"whatever there is to say, in its place\n") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestHostAskWithoutAMessageOpensNothing(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "tasks")
	got := run(t.Context(), "host", "ask", "-a", "http://127.0.0.1:1", "--data-dir", folder)
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "the message is empty") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
}

func TestDataFolderOfAHost(t *testing.T) {
	t.Parallel()
	url, dir := serveAgent(t, asker, nil), t.TempDir()
	got := runWith(t.Context(), nil, "@test hi\n", "host", "-a", url, "--data-dir", dir)
	if got.code != cmdline.ExitOK || !strings.Contains(got.stderr, " --data-dir "+dir+" --task-id ") {
		t.Errorf("%+v", got)
	}
	env := map[string]string{"DRAGOMAN_DATA_DIR": filepath.Join(dir, "of-variable")}
	runWith(t.Context(), env, "hi\n", "host", "-a", url)
	if _, err := os.Stat(filepath.Join(dir, "of-variable", "host-2", "dragoman.db")); err != nil {
		t.Error(err)
	}
	got = run(t.Context(), "host", "ask", "-a", url, "--data-dir", "/proc/none/such", "hi")
	has(t, "the error stream", got.stderr, "Hint: name another data folder with --data-dir, or keep nothing with "+
		"--data-dir :memory:\n")
}

func TestHostThatKeepsNothingPromisesNothing(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, asker, nil)
	slow := serveAgent(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		t.Working(a2a.TextPart("thinking"))
		select {
		case <-ctx.Done():
		case <-time.After(1500 * time.Millisecond): // the host waits for it when it ends
		}
		return t.Artifact("done", a2a.TextPart("done"))
	}), nil)
	for _, got := range []result{
		run(t.Context(), "host", "ask", "-a", url, "--data-dir", cmdline.InMemory, "@test hi"),
		run(t.Context(), "host", "ask", "-a", url, "--data-dir", cmdline.InMemory, "--async", "@test hi"),
		run(t.Context(), "host", "ask", "-a", slow, "--data-dir", cmdline.InMemory, "--timeout", "700ms", "@test hi"),
		runWith(t.Context(), nil, "@test hi\n", "host", "-a", url, "--data-dir", cmdline.InMemory),
	} {
		has(t, "the error stream", got.stderr,
			"This host keeps nothing, and what it worked on ended with it; keep tasks with --data-dir FOLDER.\n")
		if strings.Contains(got.stderr, "Resume: ") || strings.Contains(got.stderr, "Follow: ") ||
			strings.Contains(got.stderr, "goes on") {
			t.Errorf("%s", got.stderr)
		}
	}
}

// newEngine returns an engine that ends with the test.
func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // turns of these tests need not end well
		eng.Shutdown(ctx)
	})
	return eng
}

func TestConfigShowMarksWhatIsWrong(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file,
		[]byte(
			"DRAGOMAN_TIMEOUT=abc\nDRAGOMAN_POLL_INTERVAL=-1s\n"+
				"DRAGOMAN_PORRIDGE=1\nDRAGOMAN_AGENT_CARD=http://127.0.0.1:9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runWith(t.Context(), map[string]string{"DRAGOMAN_OUTPUT": "yaml"}, "", "config", "show", "--config", file)
	if got.code != cmdline.ExitFailure {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, "\ntimeout: abc (DRAGOMAN_TIMEOUT in "+file+") - WRONG: DRAGOMAN_TIMEOUT in "+file+
		` is "abc", which is no duration`,
		"output: yaml (DRAGOMAN_OUTPUT) - WRONG: DRAGOMAN_OUTPUT is",
		"poll-interval: -1s (DRAGOMAN_POLL_INTERVAL in "+file+") - WRONG: ",
		"agent-card: http://127.0.0.1:9 (DRAGOMAN_AGENT_CARD in "+file+")\n", "DRAGOMAN_PORRIDGE",
		"server request body")
	has(t, "the error stream", got.stderr, "Error: ", `is "abc", which is no duration`)
	got = runWith(t.Context(), map[string]string{"DRAGOMAN_TIMEOUT": "abc"}, "", "config", "show", "-o", "json")
	if got.code != cmdline.ExitFailure || !strings.Contains(got.stdout, `"wrong": "DRAGOMAN_TIMEOUT is \"abc\"`) {
		t.Errorf("%+v", got)
	}
	// The others go on failing.
	got = runWith(t.Context(), map[string]string{"DRAGOMAN_TIMEOUT": "abc"}, "", "card", "get", "-a",
		"http://127.0.0.1:1")
	if got.code != cmdline.ExitUsage {
		t.Errorf("%+v", got)
	}
}

func TestErrorsNameTheVariableThatAValueIsFrom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variable, value string
		args            []string
		want            string
	}{
		{"DRAGOMAN_AGENT", "http://127.0.0.1:1", []string{"serve"},
			`Error: DRAGOMAN_AGENT is "http://127.0.0.1:1"; use `},
		{"DRAGOMAN_OUTPUT", "yaml", []string{"version"}, `Error: DRAGOMAN_OUTPUT is "yaml"; use text or json`},
		{"DRAGOMAN_LOG_LEVEL", "loud", []string{"serve", "--echo"}, `Error: DRAGOMAN_LOG_LEVEL is "loud"; use`},
		{"DRAGOMAN_REGISTRY", "nowhere?x=1", []string{"registry", "list"},
			`Error: DRAGOMAN_REGISTRY is "nowhere?x=1"; it must be`},
		{"DRAGOMAN_REGISTRY", "http://127.0.0.1:1", []string{"registry", "list"},
			"; the address is from DRAGOMAN_REGISTRY\n"},
		{"DRAGOMAN_AGENT_CARD", "http://127.0.0.1:1", []string{"send", "hi"},
			"; the address is from DRAGOMAN_AGENT_CARD\n"},
		{"A2ACLI_NETWORKS", "moon", []string{"send", "hi", "-a", "http://127.0.0.1:1"},
			`Error: A2ACLI_NETWORKS is "moon"; use public`},
	} {
		got := runWith(t.Context(), map[string]string{test.variable: test.value}, "", test.args...)
		if got.code == cmdline.ExitOK || !strings.Contains(got.stderr, test.want) {
			t.Errorf("%s: %+v; want %q", test.variable, got, test.want)
		}
	}
	got := run(t.Context(), "serve", "--agent", "nobody")
	has(t, "the error stream", got.stderr, `Error: --agent is "nobody"`)
}

func TestAnAddressOfSeveralAgentsListsThem(t *testing.T) {
	t.Parallel()
	_, url := clitest.Serve(t, "samples", "up", "--addr", "127.0.0.1:0", "--data-dir", cmdline.InMemory)
	got := run(t.Context(), "send", "-a", url, "hi")
	want := fmt.Sprintf("Error: %s is no agent; it has 12 of them: currency, ", url)
	if got.code != cmdline.ExitUnreachable || !strings.Contains(got.stderr, want) ||
		!strings.Contains(got.stderr, "Hint: name one of them, such as "+url+"/agents/currency/\n") {
		t.Errorf("%+v; want %s", got, want)
	}
	// A page that lists nothing says nothing.
	url = serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(`{"agents":"many"}`))
	})
	got = run(t.Context(), "send", "-a", url, "hi")
	has(t, "the error stream", got.stderr, "Hint: give -a the agent's base URL")
}

func TestAHostWarnsOfAgentsThatWantCredentials(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error { return nil }),
		&server.Options{Authenticator: auth.Token("secret", a2a.Identity{Subject: "ann"})})
	got := run(t.Context(), "host", "ask", "--data-dir", cmdline.InMemory, url, "hi")
	has(t, "the error stream", got.stderr, `Warning: agent "Test" requires credentials, and the host has no login`)
}

func TestAnAnswerIsFollowedByWhatIsNew(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		switch t.Text() {
		case "blue":
			t.Working(a2a.TextPart("painting"))
			return t.Artifact("picture", a2a.RawPart([]byte("GIF"), "image/gif", "p.gif"))
		case "again":
			return t.Ask(a2a.TextPart("Which colour?"))
		}
		return t.Ask(a2a.TextPart("Which colour?"))
	}), nil)
	got := run(t.Context(), "send", "-a", url, "hi")
	id := printedID(t, got.stdout)
	got = run(t.Context(), "send", "-a", url, "--task-id", id, "--stream", "again")
	if strings.Count(got.stdout, "Which colour?") < 1 {
		t.Errorf("the question is not shown:\n%s", got.stdout)
	}
	got = run(t.Context(), "send", "-a", url, "--task-id", id, "--stream", "blue")
	if strings.Contains(got.stdout, "Which colour?") || !strings.HasPrefix(got.stdout, "Task: "+id) ||
		!strings.Contains(got.stdout, "Status: completed") {
		t.Errorf("%s", got.stdout)
	}
	// There is a file now, and how to get it is said.
	has(t, "the error stream", got.stderr, "Save: dragoman task download -a "+url+" "+id+"\n")
	got = run(t.Context(), "send", "-a", url, "--save", t.TempDir(), "blue")
	if strings.Contains(got.stderr, "Save: ") {
		t.Errorf("%s", got.stderr)
	}
	got, _ = converse(t, []string{"blue"}, "-a", url)
	has(t, "the error stream", got.stderr, "/save keeps the files.\n")
}

func TestLongDataBesideATextIsNamed(t *testing.T) {
	t.Parallel()
	long := jsontext.Value(`{"films":["` + strings.Repeat("x", 300) + `"],"page":1}`)
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		if err := t.Artifact("alone", talk.JSONPart(long)); err != nil {
			return err
		}
		return t.Artifact("films", a2a.TextPart("One film"), talk.JSONPart(long))
	}), nil)
	const short = "  Data: 323 bytes of JSON (films, page); "
	for _, args := range [][]string{{"send", "-a", url, "hi"}, {"send", "-a", url, "--stream", "hi"}} {
		got := run(t.Context(), args...)
		has(t, "the output", got.stdout, short+"--verbose shows all of it\n")
		if strings.Count(got.stdout, "xxxx") < 1 || strings.Count(got.stdout, `{"films"`) != 1 {
			t.Errorf("what stands alone is not whole:\n%s", got.stdout)
		}
		if got = run(t.Context(), append(args, "--verbose")...); strings.Count(got.stdout, `{"films"`) != 2 {
			t.Errorf("--verbose does not show all:\n%s", got.stdout)
		}
	}
	got, _ := converse(t, []string{"hi", "/task"}, "-a", url)
	has(t, "the output", got.stdout, short+"/task shows all of it\n")
	if strings.Count(got.stdout, `{"films"`) != 3 {
		t.Errorf("/task does not show all:\n%s", got.stdout)
	}
}

// A script that lost an id must not begin a new task in its place.
func TestEmptyIDsAreRefused(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"send", "chat", "host", "host ask", "task list"} {
		for _, flag := range []string{"--task-id", "--context-id"} {
			if command == "task list" && flag == "--task-id" {
				continue // which it has not
			}
			for _, value := range []string{"", " \t"} {
				got := run(t.Context(), append(strings.Fields(command), "-a", "http://127.0.0.1:1", flag, value)...)
				if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "Error: "+flag+" is empty\n") {
					t.Errorf("%s %s %q: %+v", command, flag, value, got)
				}
			}
		}
	}
}

func TestAutoSaysThatThereIsNoModel(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, asker, nil)
	for _, env := range []map[string]string{nil, {"OPENAI_API_KEY": "none"}} {
		got := runWith(t.Context(), env, "", "host", "ask", "-a", url, "--data-dir", cmdline.InMemory, "--llm", "auto",
			"--timeout", "3s", "What agents do you have?")
		if said := strings.Contains(got.stderr,
			"Warning: --llm auto found no language model and uses rules; set GEMINI_API_KEY"); said != (env == nil) {
			t.Errorf("%v: %+v", env, got)
		}
	}
}
