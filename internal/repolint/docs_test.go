// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]*`")
	link      = regexp.MustCompile(`\]\(([^)\s]+)(?:\s+"[^"]*")?\)|\b(?:src|srcset|href)="([^"]+)"`)
	scheme    = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:|^//`)
)

func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, name := range files(t) {
		if path.Ext(name) != ".md" || inTestdata(name) {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(read(t, name)), ""), -1) {
			target, _, _ := strings.Cut(found[1]+found[2], "#")
			if target == "" || scheme.MatchString(target) {
				continue
			}
			file := path.Join(path.Dir(name), target)
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, file)
			}
		}
	}
}

// goMod is what the rules need of "go mod edit -json".
type goMod struct {
	Require []struct {
		Path     string
		Indirect bool
	}
	Replace []struct{ Old struct{ Path string } }
	Tool    []struct{ Path string }
}

func readGoMod(t *testing.T) goMod {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit -json: %v", err)
	}
	var mod goMod
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatalf("read the answer of go mod edit -json: %v", err)
	}
	read(t, "go.mod") // tells go test that the result depends on this file
	return mod
}

// Replacements hold only in the main module: users who go install the binary would get another one than we tested.
func TestNoReplaceDirective(t *testing.T) {
	t.Parallel()
	for _, r := range readGoMod(t).Replace {
		t.Errorf("go.mod replaces %s; require the version that is meant", r.Old.Path)
	}
}

var dependencyRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

func TestEveryDependencyIsExplained(t *testing.T) {
	t.Parallel()
	mod := readGoMod(t)
	direct := make(map[string]bool)
	for _, r := range mod.Require {
		if !r.Indirect {
			direct[r.Path] = true
		}
	}
	if len(direct) == 0 {
		t.Fatal("go.mod names no direct requirement: run go mod tidy")
	}
	for _, tool := range mod.Tool { // go.mod marks the modules of tools as indirect
		for _, r := range mod.Require {
			if within(tool.Path, r.Path) {
				direct[r.Path] = true
			}
		}
	}
	explained := make(map[string]bool)
	for _, row := range dependencyRow.FindAllStringSubmatch(string(read(t, "docs/dependencies.md")), -1) {
		explained[row[1]] = true
	}
	for _, m := range slices.Sorted(maps.Keys(direct)) {
		if !explained[m] {
			t.Errorf("docs/dependencies.md does not say what %s is for and what it costs", m)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(explained)) {
		if !direct[m] {
			t.Errorf("docs/dependencies.md explains %s, which go.mod does not require directly", m)
		}
	}
}

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```")

// The programs in the README are cut from examples/ and from the Examples of the root package, which the compiler
// checks.
func TestProgramsInTheReadmeAreExamples(t *testing.T) {
	t.Parallel()
	var examples string
	for _, name := range goFiles(t) {
		if path.Dir(name) == "." && strings.HasSuffix(name, "_test.go") || within(path.Dir(name), "examples") {
			examples += unindented(string(read(t, name)))
		}
	}
	blocks := goBlock.FindAllStringSubmatch(string(read(t, "README.md")), -1)
	if len(blocks) == 0 {
		t.Error("README.md shows no program")
	}
	for _, block := range blocks {
		if !strings.Contains(examples, unindented(block[1])) {
			t.Errorf("README.md shows a program that neither examples/ nor an Example of the root package contains "+
				"line by line:\n%s", block[1])
		}
	}
}

func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimSpace(line) + "\n")
	}
	return out.String()
}
