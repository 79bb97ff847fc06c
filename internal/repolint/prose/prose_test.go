// SPDX-License-Identifier: Apache-2.0

package prose

import (
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"The guard rejects commits that touch leased files.": nil,
		"Who asks for a session is refused. It ends.":        {"headless"},
		"The server starts. Whatever fails, it stays.":       {"headless"},
		"What is A2A?":                                  nil,
		"What?":                                         nil,
		"what is deleted cannot be had back":            {"headless"},
		"Whose lease it is, the event says.":            {"headless"},
		"Nobody holds the lease.":                       {"glossary"},
		"It is kept for ever, and somebody\npays.":      {"glossary", "glossary"},
		"A session without a sign of\nlife is stale.":   {"glossary"},
		strings.Repeat("word ", MaxWords) + ".":         nil,
		strings.Repeat("word ", MaxWords+1) + ".":       {"words"},
		strings.Repeat("Two halves. ", MaxWords):        nil,
		strings.Repeat("no stop here\n\n", MaxWords):    nil,
		strings.Repeat("version 1.0 e.g. ", MaxWords/2): {"words"},
	} {
		found := Check(text)
		if len(found) != len(want) {
			t.Errorf("%q: %v, want %q", text, found, want)
			continue
		}
		for i, f := range found {
			if !strings.Contains(f.Rule, want[i]) {
				t.Errorf("%q: %v, want %q", text, f, want[i])
			}
		}
	}
}

func TestOffsetsOfSentences(t *testing.T) {
	t.Parallel()
	const text = "One is good.\n\n  \"Nobody came.\" Nobody left."
	var starts []string
	for _, f := range Check(text) {
		starts = append(starts, text[f.Offset:f.Offset+7])
	}
	if want := []string{"\"Nobody", "Nobody "}; !slices.Equal(starts, want) {
		t.Errorf("sentences start at %q, want %q", starts, want)
	}
}
