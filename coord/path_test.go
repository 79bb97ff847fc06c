// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"path"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	t.Parallel()
	s := &Settings{Roots: []string{"/repo/ann/app", `C:\work\app\`}}
	for in, want := range map[string]string{
		"src/a.ts": "src/a.ts", "./src/a.ts": "src/a.ts", "src//a.ts": "src/a.ts", "src/b/../a.ts": "src/a.ts", `src\a.ts`: "src/a.ts",
		"/repo/ann/app/src/a.ts": "src/a.ts", "C:/work/app/src/a.ts": "src/a.ts", "src/": "src/", "src/**/*.ts": "src/**/*.ts", ".": "**", "/repo/ann/app": "**",
	} {
		if got, err := s.clean(in); got != want || err != nil {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "..", "../a", "a/../../b", "/etc/passwd", "/repo/ann/apple/x", "a\x00b", "a\nb", "a\xff", "D:/x", strings.Repeat("a", 1025), strings.Repeat("*/", 129)} {
		if got, err := s.clean(in); err == nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	s := &Settings{}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"src/a.ts", "src/a.ts", true}, {"src/a.ts", "src/b.ts", false}, {"src", "src/a.ts", true}, {"src/", "src/a/b.ts", true}, {"src/", "srcx/a", false},
		{"src/*.ts", "src/a.ts", true}, {"src/*.ts", "src/b/a.ts", false}, {"src/**/*.ts", "src/a.ts", true}, {"src/**/*.ts", "src/b/c/a.ts", true},
		{"src/**/*.ts", "src/a.go", false}, {"src/**/*.ts", "srca.ts", false}, {"**/a.ts", "xa.ts", false}, {"**/a.ts", "x/a.ts", true},
		{"src/**", "src/x", true}, {"src/a*.ts", "src/*b.ts", true}, {"src/a*.ts", "src/b*.ts", false}, {"*.go", "*.ts", false}, {"a/*/c", "a/b/*", true},
		{"?.go", "ab.go", false}, {"?.go", "a.go", true}, {"[ab].go", "a.go", true}, {"{a,b}.go", "b.go", true}, {"**", "anything/at/all", true},
		{"*/x", "a/b/x", false}, {"**/x/**", "a/x/b", true}, {"a/**/b", "a/b", true}, {"a/**/b", "ab", false}, {"SRC/a", "src/a", false},
	} {
		if got := s.overlap(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
		if got := s.overlap(test.b, test.a); got != test.want {
			t.Errorf("%q and %q: %v", test.b, test.a, got)
		}
	}
	if fold := (&Settings{IgnoreCase: true}); !fold.overlap("SRC/a.ts", "src/*.TS") {
		t.Error("case counts though it should not")
	}
}

// Two patterns that match the same file overlap, whatever they look like.
func FuzzOverlap(f *testing.F) {
	f.Add("src/*.ts", "src/a.ts", "src/a.ts")
	f.Add("s?c/[ab]*", "*/b.ts", "src/b.ts")
	f.Fuzz(func(t *testing.T, a, b, file string) {
		s := &Settings{}
		a, errA := s.clean(a)
		b, errB := s.clean(b)
		file, errF := s.clean(file)
		if errA != nil || errB != nil || errF != nil || strings.ContainsAny(a+b, `\`) {
			return
		}
		inA, errA := path.Match(strings.TrimSuffix(a, "/"), file)
		inB, errB := path.Match(strings.TrimSuffix(b, "/"), file)
		if errA == nil && errB == nil && inA && inB && !s.overlap(a, b) {
			t.Errorf("%q and %q both match %q", a, b, file)
		}
		if s.overlap(a, b) != s.overlap(b, a) {
			t.Errorf("%q and %q overlap one way only", a, b)
		}
	})
}
