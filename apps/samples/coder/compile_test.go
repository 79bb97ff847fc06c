// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// odd has fields that are awkward in one language or another.
var odd = []Field{{"id", "int"}, {"class_", "string"}, {"created_at", "date"}, {"price", "float"}, {"is_active", "bool"}, {"tags", "strings"}, {"n2nd_line", "string"}, {"constructor_", "string"}, {"string_", "string"}, {"to_string", "string"}, {"hash_code", "int"}}

// everything writes all there are templates for, into a folder of its own each, and returns the folders by language.
func everything(t *testing.T) map[string][]string {
	t.Helper()
	root := t.TempDir()
	folders := map[string][]string{}
	save := func(name string, s Spec) {
		files, err := write(s)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, s.Language, name)
		put(t, dir, files)
		folders[s.Language] = append(folders[s.Language], dir)
	}
	for _, p := range purposes() {
		if len(written(p.id)) == 0 {
			t.Errorf("nothing is written for %s", p.id)
		}
		for _, lang := range written(p.id) {
			save(p.id, Spec{Purpose: p.id, Language: lang, Tests: true})
			if p.id == "class" || p.id == "enum" {
				save(p.id+"odd", Spec{Purpose: p.id, Language: lang, Name: "user " + p.id, Fields: odd})
			}
		}
	}
	return folders
}

func put(t *testing.T, dir string, files []File) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(f.Content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a program in a folder; its failure fails the test.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=error")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s in %s: %v\n%s", program, strings.Join(args, " "), filepath.Base(dir), err, out)
	}
	return string(out)
}

// need skips, and says so, when a compiler is not there.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("NOT CHECKED: there is no %s on this machine; install it to run this test", program)
	}
}

// serves are programs that run until they are stopped, or need an address.
var serves = map[string]bool{"httpserver": true, "crud": true, "httpclient": true}

func sources(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s has no %s: %v", dir, pattern, err)
	}
	return all
}

// strip is a script for node that takes the types off a file of TypeScript, which has to be right in its syntax for that.
const strip = `require("node:module").stripTypeScriptTypes(require("node:fs").readFileSync(process.argv[1], "utf8"))`

// stripped has node read TypeScript, without checking types, and run it unless it would serve.
func stripped(t *testing.T, name string) {
	t.Helper()
	dir := filepath.Dir(name)
	run(t, dir, "node", "--no-warnings", "--eval", strip, name)
	if !serves[filepath.Base(dir)] {
		run(t, dir, "node", "--experimental-strip-types", "--no-warnings", name)
	}
}

// Whatever the templates give compiles, passes its own tests, and runs.
func TestEverythingCompiles(t *testing.T) {
	t.Parallel()
	folders := everything(t)
	t.Run("go", func(t *testing.T) {
		need(t, "go")
		root := filepath.Dir(folders["go"][0])
		put(t, root, []File{{Name: "go.mod", Content: "module example.com/all\n\ngo 1.26\n"}})
		for _, dir := range folders["go"] {
			for _, name := range sources(t, dir, "*.go") {
				content, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if tidy, err := format.Source(content); err != nil || !bytes.Equal(tidy, content) {
					t.Errorf("%s is not as gofmt wants it: %v", name, err)
				}
			}
		}
		run(t, root, "go", "test", "./...") // vets as well
		if out := run(t, root, "go", "run", "./classodd"); !strings.Contains(out, `"tags":["one","two"]`) {
			t.Errorf("a class prints %s", out)
		}
	})
	t.Run("python", func(t *testing.T) {
		need(t, "python3")
		for _, dir := range folders["python"] {
			for _, name := range sources(t, dir, "*.py") {
				switch folder := filepath.Base(dir); {
				case isTest(name):
				case serves[folder]:
					run(t, dir, "python3", "-c", "import ast,sys; ast.parse(open(sys.argv[1]).read())", name)
				case folder == "csv" || folder == "cli":
					run(t, dir, "python3", name, name)
				default:
					run(t, dir, "python3", name)
				}
			}
			if tests, _ := filepath.Glob(filepath.Join(dir, "test_*.py")); len(tests) > 0 {
				run(t, dir, "python3", "-m", "unittest", "-q")
			}
		}
	})
	each := func(lang, program string, check func(t *testing.T, dir string)) {
		t.Run(lang, func(t *testing.T) {
			need(t, program)
			for _, dir := range folders[lang] {
				check(t, dir)
			}
		})
	}
	each("javascript", "node", func(t *testing.T, dir string) {
		for _, name := range sources(t, dir, "*.mjs") {
			if serves[filepath.Base(dir)] {
				run(t, dir, "node", "--check", name)
			} else {
				run(t, dir, "node", name)
			}
		}
	})
	t.Run("typescript", func(t *testing.T) {
		var all []string
		for _, dir := range folders["typescript"] {
			all = append(all, sources(t, dir, "*.ts")...)
		}
		if _, err := exec.LookPath("tsc"); err == nil { // all at once, as it takes its time to begin; each file is a module
			run(t, t.TempDir(), "tsc", append([]string{"--noEmit", "--strict", "--target", "es2022", "--moduleDetection", "force"}, all...)...)
			return
		}
		need(t, "node")
		if exec.CommandContext(t.Context(), "node", "--eval", `require("node:module").stripTypeScriptTypes("0")`).Run() != nil {
			t.Skip("NOT CHECKED: there is no tsc on this machine, and its node, which has to be 22.13 or later, does not read TypeScript; install one to run this test, for example: npm install -g typescript")
		}
		for _, name := range all {
			stripped(t, name)
		}
	})
	t.Run("java", func(t *testing.T) {
		need(t, "javac")
		var all []string
		for _, dir := range folders["java"] {
			all = append(all, sources(t, dir, "*.java")...)
		}
		run(t, t.TempDir(), "javac", append([]string{"-Xlint:all", "-d", t.TempDir()}, all...)...)
	})
	each("rust", "rustc", func(t *testing.T, dir string) {
		for _, name := range sources(t, dir, "*.rs") {
			run(t, dir, "rustc", "--edition", "2021", "--emit", "metadata", "-o", filepath.Join(t.TempDir(), "out"), name)
		}
	})
	each("c", "gcc", func(t *testing.T, dir string) {
		for _, name := range sources(t, dir, "*.c") {
			program := filepath.Join(t.TempDir(), "program")
			run(t, dir, "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", program, name)
			run(t, dir, program)
		}
	})
	each("bash", "bash", func(t *testing.T, dir string) {
		for _, name := range sources(t, dir, "*.sh") {
			run(t, dir, "bash", "-n", name)
			if filepath.Base(dir) != "cli" {
				run(t, dir, "bash", name)
			}
		}
	})
	each("sql", "sqlite3", func(t *testing.T, dir string) {
		for _, name := range sources(t, dir, "*.sql") {
			if out := run(t, dir, "sqlite3", "-bail", ":memory:", ".read "+name); !strings.Contains(out, "example") {
				t.Errorf("%s prints %q", name, out)
			}
		}
	})
	each("html", "node", func(t *testing.T, dir string) {
		if scripts, _ := filepath.Glob(filepath.Join(dir, "*.js")); len(scripts) > 0 {
			run(t, dir, "node", "--check", scripts[0])
		}
	})
	t.Run("makefile", func(t *testing.T) {
		need(t, "make")
		run(t, folders["makefile"][0], "make", "-n", "all")
	})
}

// Tests that are made for pasted code compile with it.
func TestSkeletonsCompile(t *testing.T) {
	t.Parallel()
	const source = `func Add(a, b int) int { return a + b }

func Split(s string, seps ...string) ([]string, error) { return strings.Split(s, ","), nil }

func (s *Stack) Push(x any) { s.items = append(s.items, x) }

type Stack struct{ items []any }

func Each[T any](list []T) {}

func Wait(d time.Duration, _ int, name string) (time.Time, bool) { return time.Time{}, false }

func unnamed(int, map[string]chan<- int) error { return nil }
`
	o, err := testsOf([]File{{"add.go", "go", source}})
	if err != nil || len(o.Files) != 2 || o.Files[1].Name != "add_test.go" {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, want := range []string{"a        int", "got := Add(tt.a, tt.b)", "tt.seps...", "wantErr bool", "tt.receiver.Push(tt.x)", "Each has type parameters"} {
		if !strings.Contains(strings.Join(strings.Fields(o.Files[1].Content), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q in\n%s", want, o.Files[1].Content)
		}
	}
	dir := t.TempDir()
	put(t, dir, append(o.Files, File{Name: "go.mod", Content: "module example.com/add\n\ngo 1.26\n"}, File{Name: "main.go", Content: "package main\n\nfunc main() {}\n"}))
	run(t, dir, "go", "vet", ".")
	run(t, dir, "go", "test", ".")
}

func TestPythonAndScriptSkeletonsRun(t *testing.T) {
	t.Parallel()
	o, err := testsOf([]File{
		{"my-code.py", "python", "def add(a: int, b=1, *rest) -> int:\n    return a + b\n\n\nasync def later(x):\n    return x\n\n\ndef _hidden():\n    pass\n"},
		{"sum.js", "javascript", "function sum(a, b = 2) {\n  return a + b;\n}\n"},
		{"x.rs", "rust", "fn main() {}"},
	})
	if err != nil || len(o.Files) != 4 || !strings.Contains(o.Text, "No tests for x.rs") {
		t.Fatalf("%+v, %v", o, err)
	}
	dir := t.TempDir()
	put(t, dir, o.Files)
	if !strings.Contains(o.Files[1].Content, "(a, b, rest, want)") {
		t.Errorf("%s", o.Files[1].Content)
	}
	t.Run("python", func(t *testing.T) {
		need(t, "python3")
		run(t, dir, "python3", "-m", "unittest", "-q", "test_my_code")
	})
	t.Run("node", func(t *testing.T) {
		need(t, "node")
		run(t, dir, "node", "--test", o.Files[3].Name)
	})
}

func TestRefactor(t *testing.T) {
	t.Parallel()
	o := refactor([]File{{"f.go", "go", `func f(list []interface{}, ok bool) int {
n := 0
for i, _ := range list { n = n + 1; n = n * i
if ok == true { n = n - 1 }
if ok == false {n = 0}
}
return n
}`}})
	const want = `package main

func f(list []any, ok bool) int {
	n := 0
	for i := range list {
		n++
		n *= i
		if ok {
			n--
		}
		if !ok {
			n = 0
		}
	}
	return n
}
`
	if o.Files[0].Content != want {
		t.Errorf("got\n%s", o.Files[0].Content)
	}
	for _, change := range []string{"package clause and imports added", "x = x + 1 became x++ (2×)", "x = x + y became x += y (1×)", "(2×)", "for i, _ := range became for i := range (1×)"} {
		if !strings.Contains(o.Text, change) {
			t.Errorf("no %q in %q", change, o.Text)
		}
	}
	broken := refactor([]File{{"f.go", "go", "func (  \n"}, {"a.py", "python", "def f():\r\n\treturn 1  \n\n\n\n\n\nx = 1"}, {"b.py", "python", "x = 1\n"}})
	if broken.Files[1].Content != "def f():\n    return 1\n\n\nx = 1\n" || broken.Files[2].Content != "x = 1\n" {
		t.Errorf("%q %q", broken.Files[1].Content, broken.Files[2].Content)
	}
	for _, note := range []string{"does not parse", "tabs became 4 blanks", "b.py: nothing to change."} {
		if !strings.Contains(broken.Text, note) {
			t.Errorf("no %q in %q", note, broken.Text)
		}
	}
}

func ExampleFences() {
	files, around := Fences("Two files:\n\n```go main.go\npackage main\n```\n\n**util.py**\n```python\nx = 1\n```\n")
	for _, f := range files {
		fmt.Printf("%s (%s): %q\n", f.Name, f.Language, f.Content)
	}
	fmt.Println(strings.Fields(around))
	// Output:
	// main.go (go): "package main\n"
	// util.py (python): "x = 1\n"
	// [Two files: **util.py**]
}
