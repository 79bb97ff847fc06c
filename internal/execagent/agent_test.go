// SPDX-License-Identifier: Apache-2.0

package execagent

import (
	"bufio"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ chunk, in, want string }{
		{"\n", "a\nb\n", "a\n|b\n"}, {"\n", "a\nb", "a\n|b"}, {"--", "a--b--c", "a--|b--|c"}, {"\n", "", ""},
		{",", ",,", ",|,"},
	} {
		a := New("", test.chunk, 1)
		pieces := bufio.NewScanner(strings.NewReader(test.in))
		pieces.Split(a.split)
		var got []string
		for pieces.Scan() {
			got = append(got, pieces.Text())
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%q in pieces that end with %q: %q", test.in, test.chunk, got)
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var said tail
	for range 3 {
		said.Write([]byte(strings.Repeat("x", maxStderr) + "\xff end\n"))
	}
	if got := said.String(); len(got) > maxStderr+8 || !strings.HasSuffix(got, "x\uFFFD end") {
		t.Errorf("%d bytes, ending with %q", len(got), got[len(got)-10:])
	}
}
