// SPDX-License-Identifier: Apache-2.0

package prose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	const source = "# What it costs\n" +
		"\n" +
		"A paragraph with `some code. Here` and\n" +
		"a [link](page.md).\n" +
		"<!-- a comment\n" +
		"of two lines -->\n" +
		"```sh\n" +
		"nobody reads this\n" +
		"```\n" +
		"* an item\n" +
		"  goes on\n" +
		"1. another\n" +
		"\n" +
		"| a | `x|y` |\n" +
		"| --- | --- |\n" +
		"> quoted **words**\n"
	want := []Passage{
		{Text: "What it costs", Line: 1, Heading: true},
		{Text: "A paragraph with code and\na link.", Line: 3},
		{Text: "an item\n  goes on", Line: 10},
		{Text: "another", Line: 12},
		{Text: " a ", Line: 14},
		{Text: " code ", Line: 14},
		{Text: "quoted words", Line: 16},
	}
	if diff := cmp.Diff(want, Markdown(source)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if found := want[0].Check(); len(found) != 0 {
		t.Errorf("a heading is no sentence: %v", found)
	}
	p := Passage{Text: "One line.\nNobody reads.", Line: 7}
	if found := p.Check(); len(found) != 1 || p.LineOf(found[0]) != 8 {
		t.Errorf("got %v, want one finding in line 8", found)
	}
}
