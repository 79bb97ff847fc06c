// SPDX-License-Identifier: Apache-2.0

package terminal

import "testing"

func TestWrapLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line          string
		columns, hang int
		want          string
	}{
		{"one two three", 0, 0, "one two three"},
		{"one two three", 13, 0, "one two three"},
		{"one two three", 12, 0, "one two\nthree"},
		{"  one two three", 9, 2, "  one two\n    three"},
		{"/a    one two", 10, 6, "/a    one\n      two"},
		{"https://agents.example.com/currency is long", 20, 0, "https://agents.example.com/currency\nis long"},
		{"eins zwölf", 10, 0, "eins zwölf"},
	} {
		if got := WrapLine(test.line, test.columns, test.hang); got != test.want {
			t.Errorf("%q at %d:\n%s\nwant\n%s", test.line, test.columns, got, test.want)
		}
	}
}
