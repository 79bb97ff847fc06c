// SPDX-License-Identifier: Apache-2.0

package coder_test

import (
	"archive/zip"
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHarness(t *testing.T, o coder.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, coder.New(o), &agenttest.Options{Card: coder.Card(), OutputModes: modes})
}

// sensible plays a model that writes what the templates would, from nothing but the conversation.
func sensible(t *testing.T) llm.Model {
	t.Helper()
	return llmtest.Func(t, func(r *llmtest.Request) llmtest.Step { return think(t, r) }).Model()
}

// think is what that model answers.
func think(t *testing.T, r *llmtest.Request) llmtest.Step {
	var state coder.State
	for _, m := range r.Messages {
		if files, _ := coder.Fences(m.Text); m.Role == llm.RoleAssistant && len(files) > 0 {
			state.Files = files
		}
	}
	pasted, text := coder.Fences(r.LastUser())
	if pasted == nil {
		text = r.LastUser()
	}
	o, _, err := coder.Answer(state, text, pasted)
	if err != nil {
		t.Error(err)
	}
	if o.Kind != coder.Deliver {
		return llmtest.Text(o.Text)
	}
	var b strings.Builder
	b.WriteString("Here you are.\n\n")
	for _, f := range o.Files {
		b.WriteString("````" + f.Language + " " + f.Name + "\n" + f.Content + "````\n\n")
	}
	return llmtest.Text(b.String() + o.Text)
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
		for text, row := range map[string]struct {
			files []string
			holds string // in the first file
		}{
			coder.Card().Skills[0].Examples[0]:                        {[]string{"fibonacci.py"}, "def fibonacci(n: int)"},
			coder.Card().Skills[0].Examples[1]:                        {[]string{"index.html"}, `data-says="Hello!"`},
			coder.Card().Skills[0].Examples[2]:                        {[]string{"user_profile.ts"}, "  age: number;"},
			coder.Card().Skills[0].Examples[3]:                        {[]string{"snippet.go"}, "a++"},
			coder.Card().Skills[0].Examples[4]:                        {[]string{"snippet.go", "snippet_test.go"}, "package main"},
			"a web page with style":                                   {[]string{"index.html", "script.js", "style.css"}, "<!doctype html>"},
			"a contact form with name, email and age":                 {[]string{"index.html", "script.js", "style.css"}, `type="email"`},
			"a worker pool in Go with tests":                          {[]string{"workerpool.go", "workerpool_test.go"}, "func Run["},
			"fibonacci in Go, save it as cmd/fib.go":                  {[]string{"cmd/fib.go"}, "func Fibonacci"},
			"a user class with name and email in SQL":                 {[]string{"user.sql"}, "email TEXT NOT NULL"},
			"a page with a button saying \"<script>\" when clicked":   {[]string{"index.html"}, "&lt;script&gt;"},
			"a GitHub workflow":                                       {[]string{".github/workflows/ci.yml"}, "go test -race"},
			"refactor this:\n```python\ndef f():\n\treturn 1   \n```": {[]string{"snippet-1.py"}, "    return 1\n"},
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
	})
}

// Each file is one artifact with its facts, and its chunks together are the file.
func TestChunks(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		r := newHarness(t, o).Send("an LRU cache in Go")
		a := r.Task.Artifacts[0]
		for key, want := range map[string]string{"filename": `"lru.go"`, "language": `"go"`, "mimeType": `"text/x-go"`} {
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
		if want := a.Text(); text.String() != want || chunks < 4 || !last || !strings.HasPrefix(want, "// Command lru") {
			t.Errorf("%d chunks, last %t:\n%s", chunks, last, text.String())
		}
	})
}

func TestAddTestsContinues(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		h := newHarness(t, o)
		first := h.Send("factorial in Go")
		second := h.SendMessage(inContext(first, a2a.TextPart("add tests")))
		if got := names(t, second); !slices.Equal(got, []string{"factorial_test.go"}) || !strings.Contains(second.Task.Artifacts[0].Text(), "testing.T") {
			t.Errorf("files %q", got)
		}
		zipped := h.SendMessage(inContext(first, a2a.TextPart("give me all of it as a zip, with tests")))
		archive := zipped.Task.Artifacts[len(zipped.Task.Artifacts)-1]
		z, err := zip.NewReader(bytes.NewReader(archive.Parts[0].Content.(a2a.Raw)), int64(len(archive.Parts[0].Content.(a2a.Raw))))
		if err != nil || len(z.File) != 2 || archive.Parts[0].MediaType != "application/zip" {
			t.Errorf("%v, %v", z, err)
		}
		if elsewhere := h.Send("add tests"); elsewhere.State() != a2a.TaskStateInputRequired {
			t.Errorf("another context: %v", elsewhere.State())
		}
	})
}

func TestAsks(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		for text, want := range map[string]string{
			"write code":                 "In which language, and what should the code do?",
			"write something in Rust":    "What should the Rust code do?",
			"fizzbuzz":                   "In which language should I write FizzBuzz?",
			"write tests for it":         "In which language",
			"here is code:\nfunc f() {}": "What should be done with this code?",
			"Write tests for this Java code: public class A {}": "I found no function to test",
		} {
			if r := newHarness(t, o).Send(text); r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.StatusText(), want) {
				t.Errorf("%s: %v %q, want %q", text, r.State(), r.StatusText(), want)
			}
		}
	})
}

func TestAnswersToQuestions(t *testing.T) {
	t.Parallel()
	h := newHarness(t, coder.Options{})
	first := h.Send("write code")
	second := h.Reply(first, "a stack")
	if second.State() != a2a.TaskStateInputRequired || !strings.Contains(second.StatusText(), "a stack? I can in Go, Python") {
		t.Fatalf("%v %s", second.State(), second.StatusText())
	}
	third := h.Reply(second, "Python")
	if got := names(t, third); !slices.Equal(got, []string{"stack.py"}) {
		t.Errorf("files %q", got)
	}
	other := h.SendMessage(inContext(third, a2a.TextPart("now in Go, please")))
	if got := names(t, other); !slices.Equal(got, []string{"stack.go"}) {
		t.Errorf("files %q", got)
	}
	near := h.Send("a worker pool in Rust")
	if got := names(t, near); !slices.Equal(got, []string{"worker_pool.py"}) || !strings.Contains(near.StatusText(), "no template for a worker pool in Rust: this is Python") {
		t.Errorf("files %q: %s", got, near.StatusText())
	}
}

func TestPathsStayWithin(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		for _, text := range []string{"fibonacci in Go, save it as ../x.go", "write fibonacci in Go to /etc/x.go", `fibonacci in python, file named ..\x.py`, "fibonacci in Go into src/../../x.go"} {
			if r := newHarness(t, o).Send(text); r.State() != a2a.TaskStateRejected || !strings.Contains(r.StatusText(), "leaves it") || len(r.Task.Artifacts) > 0 {
				t.Errorf("%s: %v %s", text, r.State(), r.StatusText())
			}
		}
	})
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
			r := newHarness(t, coder.Options{}, row.modes...).Send("fizzbuzz in Go")
			if r.State() != row.state {
				t.Fatalf("%v %s", r.State(), r.StatusText())
			}
			if row.state == a2a.TaskStateRejected {
				return
			}
			part := r.Task.Artifacts[0].Parts[0]
			if raw, isFile := part.Content.(a2a.Raw); isFile != row.file || isFile && (part.Filename != "fizzbuzz.go" || part.MediaType != "text/x-go" || !strings.Contains(string(raw), "func FizzBuzz")) {
				t.Errorf("%T %s %s", part.Content, part.Filename, part.MediaType)
			}
		})
	}
}

func TestFilesIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		h := newHarness(t, o)
		file := a2a.RawPart([]byte("package sum\n\nfunc Sum(n ...int) int { return 0 }\n"), "text/x-go", "sum.go")
		r := h.SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.TextPart("write unit tests for this"), file))
		if got := names(t, r); !slices.Equal(got, []string{"sum.go", "sum_test.go"}) || !strings.Contains(r.Task.Artifacts[1].Text(), "package sum") {
			t.Errorf("files %q", got)
		}
	})
	t.Run("bad", func(t *testing.T) {
		t.Parallel()
		for _, content := range [][]byte{{0xff, 0xfe}, bytes.Repeat([]byte("a"), coder.MaxFile+1)} {
			r := newHarness(t, coder.Options{}).SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.TextPart("refactor"), a2a.RawPart(content, "text/plain", "a.txt")))
			if r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.StatusText(), "cannot be read") {
				t.Errorf("%v %s", r.State(), r.StatusText())
			}
		}
	})
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
		"too long":       {llmtest.Text("```go a.go\n" + strings.Repeat("xxxxxxxxx\n", coder.MaxFile/10+1) + "```\n"), a2a.TaskStateFailed, "longer than 256 KiB"},
		"asks":           {llmtest.Text("For which purpose?"), a2a.TaskStateInputRequired, "For which purpose?"},
		"paths":          {llmtest.Text("```go ../../x.go\npackage x\n```\n"), a2a.TaskStateCompleted, "Generated files: x.go."},
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
	if results := model.Last().Results(); len(results) != 1 || results[0].Text != "add takes two numbers" || !strings.Contains(model.Last().System, "never an instruction") {
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

// A cancelled task stops in the middle of a file.
func TestCancelMidway(t *testing.T) {
	t.Parallel()
	h := newHarness(t, coder.Options{Pace: time.Hour})
	stream, err := h.Service.StreamMessage(h.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("an LRU cache in Go"))})
	if err != nil {
		t.Fatal(err)
	}
	var last a2a.TaskState
	for ev, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		switch e := ev.Event.(type) {
		case *a2a.ArtifactUpdate:
			if _, err := h.Service.CancelTask(h.Context(), &a2a.CancelTaskRequest{ID: e.TaskID}); err != nil {
				t.Fatal(err)
			}
		case *a2a.StatusUpdate:
			last = e.Status.State
		}
	}
	if last != a2a.TaskStateCanceled {
		t.Errorf("it ends %v", last)
	}
}

// Names have plain letters in every language, and it is said when that is not how they were spelt.
func TestNamesInOtherLetters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{ // the file, what it holds, what is said
		"a Python class Élan with field été":               {"elan.py", "class Elan:", "ete:", "In names I spell Élan as Elan, été as ete."},
		"a Go struct Größe with länge int and Preis":       {"groesse.go", "type Groesse struct", "Laenge int", "In names I spell Größe as Groesse, länge as laenge."},
		"a Python class Elan with field n\u0303andu\u0301": {"elan.py", "class Elan:", "nandu:", "as nandu."},
		"a Python class Łódź with żółw, naïve and name":    {"lodz.py", "class Lodz:", "zolw:", "naïve as naive"},
	} {
		r := newHarness(t, coder.Options{}).Send(text)
		if files := names(t, r); files[0] != want[0] {
			t.Errorf("%s: %q, want %s", text, files, want[0])
		}
		code := r.Task.Artifacts[0].Parts
		var b strings.Builder
		for _, part := range code {
			b.WriteString(string(part.Content.(a2a.Text)))
		}
		for _, holds := range want[1:3] {
			if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), holds) {
				t.Errorf("%s: no %q in\n%s", text, holds, b.String())
			}
		}
		if !strings.Contains(r.StatusText(), want[3]) || want[3] == "" && strings.Contains(r.StatusText(), "spell") {
			t.Errorf("%s: it says %q", text, r.StatusText())
		}
	}
	h := newHarness(t, coder.Options{})
	asked := h.Send("a Python class Пользователь with имя and email")
	if asked.State() != a2a.TaskStateInputRequired || !strings.Contains(asked.StatusText(), "How should I spell Пользователь, имя?") {
		t.Fatalf("%v %s", asked.State(), asked.StatusText())
	}
	done := h.Reply(asked, "a class Customer with first name and email")
	if files := names(t, done); files[0] != "customer.py" {
		t.Errorf("%q", files)
	}
}
