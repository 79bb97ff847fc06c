// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

const specificationFile = "../../docs/cli-spec.md"

// specified are the ids of the specification's registry by tier: each area with the numbers that it has there.
var specified = map[string]string{
	"Tier 1": "CARD_GET 1 SEND 1-6 TASK_GET 1 TASK_CANCEL 1 INTERACT 1-5 TASK_POLL 1-4 OUT 1-6 EXIT 1-2 AUTH 1-4 TX " +
		"1-3 VER 1 DEFAULT 1 CONFIG 1 CLI 1 SKILL 1-2",
	"Tier 2": "CARD_GET 2 TASK_LIST 1 TASK_SUBSCRIBE 1-2 AUTH 5-7 TX 4 VER 3 CONFIG 2 DOWNLOAD 1 OUT 7 CONFORM 1 CLI " +
		"2 PUSH 1",
	"Tier 3": "CARD_GET 3-5 AUTH 8 PUSH 2 CHAT 1 TX 5 AUTH 9-11 DEMO_SERVER 1 VER 2",
}

// idsOf writes the ids of a tier out.
func idsOf(areas string) []string {
	var ids []string
	words := strings.Fields(areas)
	for i := 0; i < len(words); i += 2 {
		first, last, several := strings.Cut(words[i+1], "-")
		if !several {
			last = first
		}
		for n := number(first); n <= number(last); n++ {
			ids = append(ids, "A2ACLI_"+words[i]+"_"+strings.Repeat("0", 3-len(cmdline.Itoa(n)))+cmdline.Itoa(n))
		}
	}
	return ids
}

func number(text string) int {
	n := 0
	for _, digit := range text {
		n = n*10 + int(digit-'0')
	}
	return n
}

// shownBy is a test that a line names: a script or a function, perhaps of another folder.
var shownBy = regexp.MustCompile("`(?:([a-z/]+)\\.)?(Test[A-Za-z0-9]+)`|`([a-z_]+\\.txtar)`")

// docs/cli-spec.md has each id of the specification once, with a result, and names tests that exist.
func TestSpecificationIsAnswered(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(specificationFile)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	chapter := ""
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			chapter = title
		}
		if !strings.HasPrefix(line, "| A2ACLI_") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			t.Fatalf("%d cells in %s", len(cells), line)
		}
		id, result, note := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		found[chapter] = append(found[chapter], id)
		tests := shownBy.FindAllStringSubmatch(note, -1)
		switch {
		case !slices.Contains([]string{"pass", "partial", "later", "n/a"}, result):
			t.Errorf("%s: the result is %q", id, result)
		case note == "":
			t.Errorf("%s: no test and no note", id)
		case result == "pass" && len(tests) == 0 && id != "A2ACLI_DEFAULT_001":
			t.Errorf("%s: passes without a test", id)
		}
		for _, test := range tests {
			if !testExists(t, test[1], test[2], test[3]) {
				t.Errorf("%s: there is no %s", id, test[0])
			}
		}
	}
	count := 0
	for tier, areas := range specified {
		want, got := slices.Sorted(slices.Values(idsOf(areas))), slices.Sorted(slices.Values(found[tier]))
		count += len(want)
		if !slices.Equal(want, got) {
			t.Errorf("%s has %v, want %v", tier, got, want)
		}
	}
	if count != 66 {
		t.Errorf("the specification has 66 requirements, and here are %d", count)
	}
}

// testExists reports whether there is a test function in a folder, "" for this one, or a script here.
func testExists(t *testing.T, folder, function, script string) bool {
	t.Helper()
	if script != "" {
		_, err := os.Stat(filepath.Join("testdata", script))
		return err == nil
	}
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if folder == "" {
		files, err = filepath.Glob("*_test.go")
	}
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(source), "\nfunc "+function+"(t *testing.T)")
	})
}
