// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	requirementsFile = "docs/requirements.md"
	requirements     = 351 // statements of A2A 1.0.1
)

// later are the features that a line may wait for.
var later = []string{
	"push delivery", "signed cards", "authentication", "extended card",
	"orchestrating host",
}

// reasons say why a line cannot be tested over the wire.
var reasons = []string{"specification", "custom", "documentation", "deployment", "operations", "policy"}

// requirementLevels are those of the standard, and two for what it says without a keyword.
var requirementLevels = []string{"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "ERR", "INFO"}

// requirement is one line of the document.
type requirement struct {
	id, section, level, whose, what, shown string
	overTheWire                            bool
}

func (r requirement) String() string { return requirementsFile + ": " + r.id }

func readRequirements(t *testing.T) []requirement {
	t.Helper()
	var all []requirement
	chapter := ""
	for line := range strings.Lines(string(read(t, requirementsFile))) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			chapter = title
		}
		if !strings.HasPrefix(line, "| V1-") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 6 || slices.Contains(cells, "") {
			t.Errorf("%s: a line needs six full cells: %s", requirementsFile, line)
			continue
		}
		all = append(all, requirement{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
			chapter == "Over the wire"})
	}
	return all
}

func TestEveryRequirementIsThereOnce(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, r := range readRequirements(t) {
		count[r.id]++
		if !slices.Contains(requirementLevels, r.level) {
			t.Errorf("%v: the level is one of %v, not %q", r, requirementLevels, r.level)
		}
	}
	for n := 1; n <= requirements; n++ {
		id := fmt.Sprintf("V1-%03d", n)
		if count[id] != 1 {
			t.Errorf("%s has %s %d times, want once", requirementsFile, id, count[id])
		}
		delete(count, id)
	}
	for id := range count {
		t.Errorf("%s has %s, which no statement of the standard has", requirementsFile, id)
	}
}

func TestEveryRequirementIsShown(t *testing.T) {
	t.Parallel()
	tests := testsByFolder{}
	for _, r := range readRequirements(t) {
		if !r.overTheWire {
			if !slices.Contains(reasons, r.shown) {
				t.Errorf("%v: a line that cannot be tested over the wire says why, with one of %v, not %q", r, reasons,
					r.shown)
			}
			continue
		}
		shown := 0
		for _, item := range splitShown(r.shown) {
			if feature, ok := strings.CutPrefix(item, "later: "); ok {
				if !slices.Contains(later, feature) {
					t.Errorf("%v waits for %q; features are %q", r, feature, later)
				}
			} else if err := tests.find(t, item); err != nil {
				t.Errorf("%v: %v", r, err)
			}
			shown++
		}
		if shown == 0 {
			t.Errorf("%v has neither a test nor a feature that it waits for", r)
		}
	}
}

// shownItem is a test in backquotes, in which commas may stand, or a feature.
var shownItem = regexp.MustCompile("`[^`]*`|[^`,]+")

func splitShown(cell string) []string {
	var items []string
	for _, item := range shownItem.FindAllString(cell, -1) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// testsByFolder has the tests of each folder that was asked about.
type testsByFolder map[string]*folderTests

type folderTests struct {
	functions map[string]bool
	literals  map[string]bool // what may name a case
}

// find checks that a test exists, written as `folder.TestName` or `folder.TestName/case`.
func (all testsByFolder) find(t *testing.T, item string) error {
	t.Helper()
	name := strings.Trim(item, "`")
	if len(name) != len(item)-2 {
		return fmt.Errorf("%q is neither a test in backquotes nor \"later: feature\"", item)
	}
	folder, name, ok := strings.Cut(name, ".")
	if !ok {
		return fmt.Errorf("%s is not written as folder.TestName", item)
	}
	test, subtest, hasCase := strings.Cut(name, "/")
	in := all[folder]
	if in == nil {
		in = readTests(t, folder)
		all[folder] = in
	}
	switch {
	case !in.functions[test]:
		return fmt.Errorf("%s has no function %s in its tests", folder, test)
	case hasCase && !in.literals[subtest]:
		return fmt.Errorf("%s has no case %q of %s in its tests", folder, subtest, test)
	}
	return nil
}

func readTests(t *testing.T, folder string) *folderTests {
	t.Helper()
	found := &folderTests{map[string]bool{}, map[string]bool{}}
	for _, name := range goFiles(t) {
		if path.Dir(name) != folder || !strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, bytes.NewReader(read(t, name)),
			parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("parse: %v", err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") &&
				f.Name.Name != "TestMain" {
				found.functions[f.Name.Name] = true
			}
		}
		for node := range ast.Preorder(file) {
			if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					found.literals[text] = true
				}
			}
		}
	}
	return found
}

func TestRequirementsCheckFindsFaults(t *testing.T) {
	t.Parallel()
	tests := testsByFolder{}
	for item, ok := range map[string]bool{
		"`internal/repolint.TestRequirementsCheckFindsFaults`":                     true,
		"`internal/repolint.TestRequirementsCheckFindsFaults/a case of this test`": true,
		"`internal/repolint.TestRequirementsCheckFindsFaults/no " + "such case`":   false,
		"`internal/repolint.TestNothingOfThisName`":                                false,
		"`internal/nowhere.TestRequirementsCheckFindsFaults`":                      false,
		"`internal/repolint`":                                false,
		"internal/repolint.TestRequirementsCheckFindsFaults": false,
	} {
		if err := tests.find(t, item); (err == nil) != ok {
			t.Errorf("%s: %v", item, err)
		}
	}
	t.Run("a case of this test", func(t *testing.T) {
		want := []string{"`a.TestB/1,000 parts`", "later: push delivery", "`c.TestD`"}
		if got := splitShown("`a.TestB/1,000 parts`, later: push delivery, `c.TestD`"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
