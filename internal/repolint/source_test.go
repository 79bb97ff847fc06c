// SPDX-License-Identifier: Apache-2.0

package repolint

import (
	"bytes"
	"go/build/constraint"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryGoFileNamesItsLicence(t *testing.T) {
	t.Parallel()
	want := []byte("// SPDX-License-Identifier: Apache-2.0\n\n")
	for _, name := range goFiles(t) {
		if !bytes.HasPrefix(bytes.ReplaceAll(read(t, name), []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("%s does not start with %q and an empty line", name, bytes.TrimSpace(want))
		}
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	t.Parallel()
	for dir, sources := range packages(t) {
		var commented []string
		for _, s := range sources {
			if s.file.Doc.Text() == "" {
				continue
			}
			commented = append(commented, s.name)
			name := s.file.Name.Name
			if name != "main" && !strings.HasPrefix(s.file.Doc.Text(), "Package "+name+" ") {
				t.Errorf("%s: the package comment does not start with \"Package %s \"", s.name, name)
			}
		}
		if len(commented) != 1 {
			t.Errorf("package %s has %d package comments, want one: %v", dir, len(commented), commented)
		}
	}
}

// A package is named for what it is about; these names attract whatever has no place.
func TestNoPackageIsADrawer(t *testing.T) {
	t.Parallel()
	drawers := []string{"util", "utils", "common", "helper", "helpers", "types", "models"}
	for _, name := range goFiles(t) {
		if slices.Contains(drawers, path.Base(path.Dir(name))) {
			t.Errorf("%s: no package is called %s; name it for what it is about", name, path.Base(path.Dir(name)))
		}
	}
	for dir, sources := range packages(t) {
		if name := sources[0].file.Name.Name; slices.Contains(drawers, name) {
			t.Errorf("%s: no package is called %s; name it for what it is about", dir, name)
		}
	}
}

// Folders of one machine, in prose, code and scripts alike: nobody else has them.
var machinePath = regexp.MustCompile(`(?m)(?:^|[\s"'(=<>` + "`" +
	`])(/(?:home|Users|root|work|tmp|private/tmp|var/folders)/[\w.-]+|[A-Z]:\\Users\\\w+)`)

func TestNothingNamesAMachinesFolders(t *testing.T) {
	t.Parallel()
	for _, name := range files(t) {
		content := read(t, name)
		if inTestdata(name) || bytes.IndexByte(content, 0) >= 0 {
			continue
		}
		for _, found := range machinePath.FindAllSubmatch(content, -1) {
			t.Errorf("%s names %s, a folder of one machine; in tests use t.TempDir, in documents a relative path", name,
				found[1])
		}
	}
}

func TestMachinePathPattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"see /ho" + "me/ann/notes":                 true,
		"\"/t" + "mp/a.db\"":                       true,
		`C:\Us` + `ers\ann`:                        true,
		"GET /workers/7 and /rooted":               false,
		"https://example.com/ho" + "me/ann/":       false,
		"~/.local/share/dragoman, $TMPDIR, /tasks": false,
	} {
		if got := machinePath.MatchString(text); got != want {
			t.Errorf("%q: found %t, want %t", text, got, want)
		}
	}
}

// On Go 1.26 with GOEXPERIMENT=jsonv2 members would be lost on the wire (docs/decisions/0003-json-v2.md), so that
// combination must not build.
func TestGuardAgainstTheEarlyJSONExperiment(t *testing.T) {
	t.Parallel()
	const guard = "a2a/jsonv2_guard.go"
	for line := range strings.Lines(string(read(t, guard))) {
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			continue
		}
		for tags, want := range map[string]bool{"": false, "goexperiment.jsonv2": true,
			"goexperiment.jsonv2 go1.27": false} {
			if got := expr.Eval(func(tag string) bool {
				return slices.Contains(strings.Fields(tags),
					tag)
			}); got != want {
				t.Errorf("%s with tags %q: built %t, want %t", guard, tags, got, want)
			}
		}
		return
	}
	t.Errorf("%s has no build constraint", guard)
}
