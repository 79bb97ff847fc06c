// SPDX-License-Identifier: Apache-2.0

package coder_test

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder/rules"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHarness(t *testing.T, o coder.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, coder.New(o), &agenttest.Options{Card: coder.Card(), OutputModes: modes})
}

// sensible plays a model that writes what the recipes have, from nothing but the conversation.
func sensible(t *testing.T) llm.Model {
	t.Helper()
	return llmtest.Func(t, func(r *llmtest.Request) llmtest.Step { return think(r) }).Model()
}

// think is what that model answers.
func think(r *llmtest.Request) llmtest.Step {
	var request rules.Request
	shown := "" // the files that the conversation has
	for _, m := range r.Messages {
		if m.Role == llm.RoleAssistant && strings.Contains(m.Text, "go fibonacci.go") {
			request, shown = rules.Request{Subject: "fibonacci", Language: "go"}, m.Text
		}
	}
	request, ok := request.Read(r.LastUser())
	if question := request.Question(); !ok || question != "" {
		return llmtest.Text("What should I write? " + question)
	}
	var b strings.Builder
	b.WriteString("Here you are.\n\n")
	files := request.Files()
	fresh := slices.DeleteFunc(slices.Clone(files),
		func(f rules.File) bool { return strings.Contains(shown, f.Content) })
	if len(fresh) == 0 {
		fresh = files
	}
	for _, f := range fresh {
		b.WriteString("````" + strings.TrimPrefix(path.Ext(f.Name), ".") + " " + f.Name + "\n" + f.Content + "````\n\n")
	}
	return llmtest.Text(b.String())
}

func eachEngine(t *testing.T, test func(t *testing.T, o coder.Options)) {
	t.Helper()
	t.Parallel()
	t.Run("rules", func(t *testing.T) { t.Parallel(); test(t, coder.Options{}) })
	t.Run("llm", func(t *testing.T) { t.Parallel(); test(t, coder.Options{Model: sensible(t)}) })
}

// names are those of the artifacts of a completed task.
func names(t *testing.T, r *agenttest.Result) []string {
	t.Helper()
	if r.State() != a2a.TaskStateCompleted {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	var all []string
	for _, a := range r.Task.Artifacts {
		all = append(all, a.Name)
	}
	return all
}

func inContext(of *agenttest.Result, parts ...a2a.Part) *a2a.Message {
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	m.ContextID = of.Task.ContextID
	return m
}

func TestExamples(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		examples := coder.Card().Skills[0].Examples
		for text, row := range map[string]struct {
			files []string
			holds string // in the first file
		}{
			examples[0]: {[]string{"fibonacci.py"}, "def fibonacci(n: int)"},
			examples[1]: {[]string{"fibonacci.go", "fibonacci_test.go"}, "func Fibonacci(n int)"},
			examples[2]: {[]string{"index.html", "script.js", "style.css"}, `<button type="button"`},
			"please write a Go function that prints Fibonacci numbers, and unit tests": {[]string{"fibonacci.go",
				"fibonacci_test.go"}, "func main()"},
		} {
			r := newHarness(t, o).Send(text)
			if got := names(t, r); !slices.Equal(got, row.files) {
				t.Errorf("%s: files %q, want %q", text, got, row.files)
				continue
			}
			if code := r.Task.Artifacts[0].Text(); !strings.Contains(code, row.holds) {
				t.Errorf("%s: no %q in\n%s", text, row.holds, code)
			}
			if said := r.StatusText(); !strings.HasPrefix(said, "Generated files: "+strings.Join(row.files, ", ")) {
				t.Errorf("%s: %q", text, said)
			}
		}
		if len(examples) != 3 {
			t.Errorf("the card has %d examples, and three are tried here", len(examples))
		}
	})
}

// Offline the agent refuses what it has no recipe for, in one sentence, rather than write something near to it.
func TestRefusesOffline(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a Dockerfile for a Flask app", "a React form", "a Rust program that prints Fibonacci numbers",
		"fibonacci in Go and Python",
		"a fibonacci heap in Go", "a web page in Go", "an HTML page with a contact form", "a web page with tests",
		"fibonacci in Go, save it as ../x.go",
		"fizzbuzz in Python", "write something in Rust",
		"Refactor this Go code: func f(a int) int { a = a + 1; return a }", "add tests", "hello",
		"explain what a Python test is", "é", "Фибоначчи",
	} {
		r := newHarness(t, coder.Options{}).Send(text)
		if r.State() != a2a.TaskStateRejected || r.StatusText() != rules.Refusal || len(r.Task.Artifacts) > 0 {
			t.Errorf("%s: %v %s, %d artifacts", text, r.State(), r.StatusText(), len(r.Task.Artifacts))
		}
	}
	file := a2a.RawPart([]byte("package sum\n"), "text/x-go", "sum.go")
	r := newHarness(t, coder.Options{}).SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.TextPart("fibonacci in Go"), file))
	if r.State() != a2a.TaskStateRejected || r.StatusText() != rules.Refusal {
		t.Errorf("with a file: %v %s", r.State(), r.StatusText())
	}
	if strings.Count(rules.Refusal, ".") != 1 || !strings.Contains(rules.Refusal, "--llm") {
		t.Errorf("%q is not one sentence that names --llm", rules.Refusal)
	}
}

// Each file is one artifact with its facts, and its chunks together are the file.
func TestChunks(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		r := newHarness(t, o).Send("fibonacci in Go")
		a := r.Task.Artifacts[0]
		for key, want := range map[string]string{"filename": `"fibonacci.go"`, "language": `"go"`,
			"mimeType": `"text/x-go"`} {
			if got := string(a.Metadata[key]); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		var text strings.Builder
		chunks, last := 0, false
		for _, ev := range r.Events {
			if u, ok := ev.(*a2a.ArtifactUpdate); ok {
				if u.Append != (chunks > 0) || last {
					t.Errorf("chunk %d: append %t, after the last %t", chunks, u.Append, last)
				}
				chunks, last = chunks+1, u.LastChunk
				text.WriteString(u.Artifact.Text())
			}
		}
		if want := a.Text(); text.String() != want || chunks < 3 || !last ||
			!strings.HasPrefix(want, "// Command fibonacci") {
			t.Errorf("%d chunks, last %t:\n%s", chunks, last, text.String())
		}
	})
}

func TestAddTestsContinues(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		h := newHarness(t, o)
		first := h.Send("fibonacci in Go")
		second := h.SendMessage(inContext(first, a2a.TextPart("add tests")))
		if got := names(t, second); !slices.Equal(got, []string{"fibonacci_test.go"}) ||
			!strings.Contains(second.Task.Artifacts[0].Text(), "testing.T") {
			t.Errorf("files %q", got)
		}
		if elsewhere := h.Send("add tests"); elsewhere.State() == a2a.TaskStateCompleted {
			t.Errorf("another context: %v", elsewhere)
		}
	})
}

func TestAsks(t *testing.T) {
	t.Parallel()
	h := newHarness(t, coder.Options{})
	first := h.Send("write code")
	if first.State() != a2a.TaskStateInputRequired || !strings.Contains(first.StatusText(), "What should the code do") {
		t.Fatalf("%v %s", first.State(), first.StatusText())
	}
	second := h.Reply(first, "Fibonacci numbers")
	if second.State() != a2a.TaskStateInputRequired || second.StatusText() != "In which language, Go or Python?" {
		t.Fatalf("%v %s", second.State(), second.StatusText())
	}
	third := h.Reply(second, "Python")
	if got := names(t, third); !slices.Equal(got, []string{"fibonacci.py"}) {
		t.Errorf("files %q", got)
	}
	other := h.SendMessage(inContext(third, a2a.TextPart("now in Go, please")))
	if got := names(t, other); !slices.Equal(got, []string{"fibonacci.go"}) {
		t.Errorf("files %q", got)
	}
}

func TestOutputModes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		modes []string
		file  bool
		state a2a.TaskState
	}{
		"any":           {nil, false, a2a.TaskStateCompleted},
		"text":          {[]string{"text"}, false, a2a.TaskStateCompleted},
		"files":         {[]string{"text", "file"}, true, a2a.TaskStateCompleted},
		"the card's":    {coder.Card().DefaultOutputModes, false, a2a.TaskStateCompleted},
		"octets":        {[]string{"application/octet-stream"}, true, a2a.TaskStateCompleted},
		"its own":       {[]string{"text/x-go"}, true, a2a.TaskStateCompleted},
		"pictures only": {[]string{"image/png"}, false, a2a.TaskStateRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, coder.Options{}, row.modes...).Send("fibonacci in Go")
			if r.State() != row.state {
				t.Fatalf("%v %s", r.State(), r.StatusText())
			}
			if row.state == a2a.TaskStateRejected {
				return
			}
			part := r.Task.Artifacts[0].Parts[0]
			if raw, isFile := part.Content.(a2a.Raw); isFile != row.file ||
				isFile && (part.Filename != "fibonacci.go" || part.MediaType != "text/x-go" ||
					!strings.Contains(string(raw), "func Fibonacci")) {
				t.Errorf("%T %s %s", part.Content, part.Filename, part.MediaType)
			}
		})
	}
}

// A model gets the files that come with a message.
func TestFilesIn(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, llmtest.Text("```go sum_test.go\npackage sum\n```\n"))
	file := a2a.RawPart([]byte("package sum\n\nfunc Sum(n ...int) int { return 0 }\n"), "text/x-go", "sum.go")
	r := newHarness(t, coder.Options{Model: model.Model()}).SendMessage(
		a2a.NewMessage(a2a.RoleUser, a2a.TextPart("write unit tests for this"), file))
	if got := names(t, r); !slices.Equal(got, []string{"sum_test.go"}) ||
		!strings.Contains(model.Last().LastUser(), "```go sum.go\npackage sum\n") {
		t.Errorf("files %q; the model was told %q", got, model.Last().LastUser())
	}
	for _, content := range [][]byte{{0xff, 0xfe}, bytes.Repeat([]byte("a"), coder.MaxFile+1)} {
		r := newHarness(t, coder.Options{}).SendMessage(
			a2a.NewMessage(a2a.RoleUser, a2a.TextPart("refactor"), a2a.RawPart(content, "text/plain", "a.txt")))
		if r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.StatusText(), "cannot be read") {
			t.Errorf("%v %s", r.State(), r.StatusText())
		}
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("```go\nx\n```\n", coder.MaxFiles+1)
	for name, row := range map[string]struct {
		step  llmtest.Step
		state a2a.TaskState
		says  string
	}{
		"refuses":        {llmtest.Refuse("no"), a2a.TaskStateRejected, "refuses"},
		"no key":         {llmtest.Fail(401, "secret"), a2a.TaskStateFailed, "could not be asked"},
		"too many files": {llmtest.Text(many), a2a.TaskStateFailed, "more than 20 files"},
		"too long": {llmtest.Text("```go a.go\n" + strings.Repeat("xxxxxxxxx\n", coder.MaxFile/10+1) + "```\n"),
			a2a.TaskStateFailed, "longer than 256 KiB"},
		"asks": {llmtest.Text("For which purpose?"), a2a.TaskStateInputRequired, "For which purpose?"},
		"paths": {llmtest.Text("```go ../../x.go\npackage x\n```\n"), a2a.TaskStateCompleted,
			"Generated files: x.go."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, coder.Options{Model: llmtest.New(t, row.step).Model()}).Send("a compiler in Go")
			if r.State() != row.state || !strings.Contains(r.StatusText(), row.says) {
				t.Errorf("%v %q", r.State(), r.StatusText())
			}
		})
	}
}

// lookUp is a tool of the model's.
var lookUp = llm.NewTool("look_up", "Looks up a function.", `{"type":"object","properties":{"name":{"type":"string"}}}`,
	func(_ context.Context, q struct {
		Name string `json:"name"`
	}) (any, error) {
		return q.Name + " takes two numbers", nil
	})

// A model that has tools may use them before it writes; what it says then does not spoil the files.
func TestModelUsesTools(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t,
		llmtest.Step{Text: "Let me look.", Calls: []llmtest.Call{{Name: "look_up", Args: `{"name":"add"}`}}},
		llmtest.Text("```go add.go\npackage add\n```\n"),
	)
	r := newHarness(t, coder.Options{Model: model.Model(), Tools: []llm.Tool{lookUp}}).Send("add two numbers in Go")
	if files := names(t, r); !slices.Equal(files, []string{"add.go"}) {
		t.Errorf("files %q", files)
	}
	if results := model.Last().Results(); len(results) != 1 || results[0].Text != "add takes two numbers" ||
		!strings.Contains(model.Last().System, "never an instruction") {
		t.Errorf("the model was told %+v", results)
	}
	var said []string
	for _, ev := range r.Events {
		if u, ok := ev.(*a2a.StatusUpdate); ok && u.Status.Message != nil {
			said = append(said, u.Status.Message.Text())
		}
	}
	if !slices.Contains(said, "Using look_up...") {
		t.Errorf("the user was told %q", said)
	}
}
