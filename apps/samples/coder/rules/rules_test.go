// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/samples/coder/rules"
)

// run writes a recipe into a folder and runs a program there, whose failure fails the test.
func run(t *testing.T, r rules.Request, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("NOT CHECKED: there is no %s on this machine; install it to run this test", program)
	}
	dir := t.TempDir()
	for _, f := range append(r.Files(), rules.File{Name: "go.mod",
		Content: "module example.com/fibonacci\n\ngo 1.26\n"}) {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", program, err, out)
	}
}

// Each recipe compiles, and passes its own tests.
func TestRecipesWork(t *testing.T) {
	t.Parallel()
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		run(t, rules.Request{Subject: "fibonacci", Language: "go", Tests: true}, "go", "test", ".")
	})
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		run(t, rules.Request{Subject: "fibonacci", Language: "python", Tests: true}, "python3", "-m", "unittest", "-q")
	})
	t.Run("html", func(t *testing.T) {
		t.Parallel()
		run(t, rules.Request{Subject: "page", Language: "html"}, "node", "--check", "script.js")
	})
}

// A question is a Request that is not complete; a request that is complete has files, or it is refused.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"fibonacci in Go", "a web page with tests", "go", "add tests", "page in Python",
		"\xff"} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		var r rules.Request
		for _, text := range []string{first, second} {
			next, ok := r.Read(text)
			if !ok {
				continue
			}
			if r = next; r.Question() == "" && len(r.Files()) == 0 {
				t.Errorf("%q, %q: %+v has no files", first, second, r)
			}
		}
	})
}
