// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	s := &Settings{Roots: []string{"/repo/ann/app", `C:\code\app\`}}
	for in, want := range map[string]string{
		"src/a.ts": "src/a.ts", "./src/a.ts": "src/a.ts", "src//a.ts": "src/a.ts", "src/b/../a.ts": "src/a.ts",
		`src\a.ts`:               "src/a.ts",
		"/repo/ann/app/src/a.ts": "src/a.ts", "C:/code/app/src/a.ts": "src/a.ts", "src/": "src/",
		"src/**/*.ts": "src/**/*.ts", ".": "**", "/repo/ann/app": "**",
	} {
		if got, err := s.clean(in, false); got != want || err != nil {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "..", "../a", "a/../../b", "/etc/passwd", "/repo/ann/apple/x", "a\x00b", "a\nb",
		"a\xff", "D:/x", strings.Repeat("a", 1025), strings.Repeat("*/", 129)} {
		if got, err := s.clean(in, false); err == nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// A work tree that lies in another one is the one that its files are named by, whatever the order of the roots.
func TestInnermostRoot(t *testing.T) {
	t.Parallel()
	roots := []string{"/r", "/r/.wt/in", "/r/.wt/in/deep", "/beside"}
	for range 2 {
		slices.Reverse(roots)
		s := &Settings{Roots: roots}
		for in, want := range map[string]string{
			"/r/a": "a", "/r/.wt/in/a": "a", ".wt/in/a": "a", "./.wt/in/*.go": "*.go", "/r/.wt/in/deep/a": "a",
			".wt/in/deep/a": "a", "deep/a": "a", "/beside/a": "a",
			".wt/in/": "**", "/r/.wt/in": "**", ".wt/inn/a": ".wt/inn/a", ".wt/IN/a": ".wt/IN/a", ".wt": ".wt",
			"beside/a": "beside/a", ".wt/in/deep/": "**", "b/.wt/in/a": "b/.wt/in/a",
		} {
			if got, err := s.clean(in, false); got != want || err != nil {
				t.Errorf("with roots %q %q is %q, %v; want %q", roots, in, got, err, want)
			}
		}
	}
	s := &Settings{Roots: []string{"/r", "/r/In"}, IgnoreCase: true}
	if got, err := s.clean("iN/a", true); got != "a" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Both spellings of a name with marks are one: that of macOS, in NFD, and that of the others.
func TestSpellingsOfMarks(t *testing.T) {
	t.Parallel()
	const composed, apart = "caf\u00e9", "cafe\u0301"
	for _, root := range []string{"/repo/" + composed, "/repo/" + apart} {
		s := &Settings{Roots: []string{root}}
		for _, folder := range []string{"", "/repo/" + composed + "/", "/repo/" + apart + "/"} {
			for _, name := range []string{composed, apart} {
				for in, want := range map[string]string{"a/" + name + ".go": "a/" + composed + ".go",
					name + "/": composed + "/", name + "/**/*.go": composed + "/**/*.go"} {
					if got, err := s.clean(folder+in, false); got != want || err != nil {
						t.Errorf("with root %q %q is %q, %v", root, folder+in, got, err)
					}
				}
			}
		}
	}
	s := &Settings{}
	long := strings.Repeat("\u1ed9", maxPath/3) // of which each is 5 bytes apart
	for _, in := range []string{long, norm.NFD.String(long)} {
		if got, err := s.clean(in, false); got != long || err != nil {
			t.Errorf("%d bytes: %v", len(in), err)
		}
	}
	for _, in := range []string{strings.Repeat("\U0001d160", maxPath/8), norm.NFD.String(long + long)} {
		if _, err := s.clean(in, false); err == nil || !strings.Contains(err.Error(), "longer than 1024 bytes") {
			t.Errorf("%d bytes: %v", len(in), err)
		}
	}
	if fold := (&Settings{IgnoreCase: true}); !fold.overlap("\u01f0.go", false, "J\u030c.go", false) {
		t.Error("case counts where only one of the letters is composed")
	}
}

// A lease of a file under one spelling conflicts with the other one, and either one releases it, also when an earlier
// version stored another spelling.
func TestLeasesOfEitherSpelling(t *testing.T) {
	t.Parallel()
	const composed, apart = "caf\u00e9.go", "cafe\u0301.go"
	b := newBed(t)
	for _, names := range [][2]string{{composed, apart}, {apart, composed}} {
		for _, kept := range []string{composed, apart} {
			b.lease(Announce{Session: "a", Paths: []string{names[0]}, ChangeType: "modify"})
			snapshot, err := b.p.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			if err := b.p.Restore(bytes.ReplaceAll(snapshot, []byte(composed), []byte(kept)), nil); err != nil {
				t.Fatal(err)
			}
			b.gives(Announce{Session: "b", Paths: []string{names[1]}, ChangeType: "modify"}, "conflict")
			b.gives(Conflicts{Paths: []string{names[1]}}, `"session":"a"`)
			b.gives(CheckLock{Session: "a", Path: names[1]}, "held")
			b.gives(Release{Session: "a", Path: names[1]}, "released")
			b.gives(Conflicts{Paths: []string{names[1]}}, `"conflicts":[]`)
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	s := &Settings{}
	overlap := func(a, b string) bool { return s.overlap(a, false, b, false) }
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"src/a.ts", "src/a.ts", true}, {"src/a.ts", "src/b.ts", false}, {"src", "src/a.ts", true},
		{"src/", "src/a/b.ts", true}, {"src/", "srcx/a", false},
		{"src/*.ts", "src/a.ts", true}, {"src/*.ts", "src/b/a.ts", false}, {"src/**/*.ts", "src/a.ts", true},
		{"src/**/*.ts", "src/b/c/a.ts", true},
		{"src/**/*.ts", "srca.ts", false}, {"src/api/**/*.ts", "src/a.go", false}, {"**/a.ts", "x/a.ts", true},
		{"src/**", "src/x", true}, {"src/a*.ts", "src/*b.ts", true}, {"src/a*.ts", "src/b*.ts", false},
		{"*.go", "*.ts", false}, {"a/*/c", "a/b/*", true},
		{"?.go", "ab.go", false}, {"?.go", "a.go", true}, {"[ab].go", "a.go", false}, {"{a,b}.go", "b.go", false},
		{"**", "anything/at/all", true},
		{"*/x", "a/b/x", false}, {"**/x/**", "a/x/b", true}, {"a/**/b", "a/b", true}, {"a/**/b", "ab", false},
		{"SRC/a", "src/a", false},
		// A name of which one character has many bytes, names with brackets and braces, and folders that do not say so.
		{"src/?.ts", "src/é.ts", true}, {"src/??.ts", "src/é.ts", false},
		{"app/????/page.tsx", "app/[id]/page.tsx", true},
		{"app/[id]/page.tsx", "app/[slug]/page.tsx", false}, {"{a,{b,c}}d", "ad", false}, {"[]x].go", "x.go", false},
		{"src/api", "src/*/x.ts", true},
		{"src/api.d", "lib/*/x.ts", false}, {".github", "**/*.yml", true}, {"v1/", "*/x.ts", true},
		{"a**/b", "a/b", true}, {"a**/b", "ac/d/b", true},
		{"***", "a/b", true}, {"src/*/", "src/a/b/c.ts", true}, {"src/*/", "lib/a", false}, {"**/*/**", "a", true},
		{"*?", "ab/c.go", false},
		// Folders with a dot in their name, which may be files as well as they look.
		{"v1.2", "v1.2/x.go", true}, {"v1.2", "v1.2/*.go", true}, {"v1.2", "v1.2/**", true}, {"v1.2", "**/x.go", true},
		{"v1.2", "*/x.go", true},
		{"src/api.d", "src/*/x.ts", true}, {"v1.2", "v1.3/*.go", false}, {"v1.2", "v*", true}, {"v1.2", "*.go", false},
		{strings.Repeat("*a", 100) + "x", strings.Repeat("*a", 100) + "y", true}, // which is too much to look at
	} {
		if got := overlap(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %v", test.a, test.b, got)
		}
		if got := overlap(test.b, test.a); got != test.want {
			t.Errorf("%q and %q: %v", test.b, test.a, got)
		}
	}
	fold := &Settings{IgnoreCase: true, Roots: []string{"/Kelvin/App"}}
	for a, b := range map[string]string{"SRC/a.ts": "src/*.TS", "\u212a.ts": "k.ts", "ſ.ts": "S.ts", "É.ts": "é.ts",
		"Σ.ts": "ς.ts"} {
		if !fold.overlap(a, false, b, false) {
			t.Errorf("case counts in %q and %q", a, b)
		}
	}
	if got, err := fold.clean("/\u212aelvin/app/X", false); got != "X" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	s := &Settings{}
	for _, test := range []struct {
		outer, inner string
		want         bool
	}{
		{"src/a.go", "src/a.go", true}, {"src/", "src", true}, {"src", "src/", true}, {"src/", "src/a.go", true},
		{"src", "src/*.go", true}, {"src", "srcx", false},
		{"**", "src/", true}, {"**", "**/*.go", true}, {"src/**", "src/a.go", true}, {"src/**", "src/", true},
		{"src/**", "src", false}, {"src/**", "src/*", true},
		{"src/*", "src/*", true}, {"src/*", "src/*/", false}, {"src/*/", "src/*", true},
		{"src/*.go", "src/a.go", false}, {"v1.2", "v1.2/x", false}, {"v1.2/", "v1.2/x", true},
	} {
		if got := s.covers(test.outer, isFolder(test.outer, false), test.inner,
			isFolder(test.inner, false)); got != test.want {
			t.Errorf("%q covers %q: %v", test.outer, test.inner, got)
		}
	}
	if s.covers("src", isFolder("src", true), "src", isFolder("src", false)) {
		t.Error("a file covers a folder")
	}
}

// matcher returns an expression for the files that a path is about, made in another way. With may it is also about
// those that are below it if it is a folder.
func matcher(p string, may bool) *regexp.Regexp {
	p, slash := strings.CutSuffix(p, "/")
	e := ""
	for i := 0; i < len(p); i++ {
		switch rest := p[i:]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || p[i-1] == '/'):
			e += "(?:.+/)?"
			i += 2
		case strings.HasPrefix(rest, "**"):
			e += ".*"
			i++
		case rest[0] == '*':
			e += "[^/]*"
		case rest[0] == '?':
			e += "[^/]"
		default:
			n := strings.IndexAny(rest, "*?")
			if n < 0 {
				n = len(rest)
			}
			e += regexp.QuoteMeta(rest[:n])
			i += n - 1
		}
	}
	if slash || isFolder(p, false) || may && !strings.ContainsAny(p, "*?") {
		e += "(?:/.*)?"
	}
	return regexp.MustCompile("^(?s:" + e + ")$")
}

// checkOverlap checks that paths which are about one file overlap, whatever they look like, and are allowed it.
func checkOverlap(t interface{ Errorf(string, ...any) }, a, b, file string) {
	s := &Settings{}
	a, errA := s.clean(a, false)
	b, errB := s.clean(b, false)
	file, errF := s.clean(file, true)
	if errA != nil || errB != nil || errF != nil || strings.ContainsAny(file, `\*?`) || strings.HasSuffix(file, "/") {
		return
	}
	overlap := func(a, b string) bool { return s.overlap(a, false, b, false) }
	if matcher(a, true).MatchString(file) && matcher(b, true).MatchString(file) && !overlap(a, b) {
		t.Errorf("%q and %q are both about %q", a, b, file)
	}
	if overlap(a, b) != overlap(b, a) {
		t.Errorf("%q and %q overlap one way only", a, b)
	}
	inA, inB := matcher(a, false).MatchString(file), matcher(b, false).MatchString(file)
	lease := &Lease{Claim: Claim{Paths: []string{a}}}
	if got := (&state{}).allows(lease, file); got != inA && !(got && a == file) {
		t.Errorf("%q is about %q: %v", a, file, got)
	}
	if s.covers(a, isFolder(a, false), b, isFolder(b, false)) && inB && !inA {
		t.Errorf("%q covers %q, and is not about %q", a, b, file)
	}
}

func FuzzOverlap(f *testing.F) {
	f.Add("src/*.ts", "src/a.ts", "src/a.ts")
	f.Add("s?c/[ab]*", "*/[ab].ts", "src/[ab].ts")
	f.Add("**/é", "a/?", "a/é")
	f.Add("a**/{b", "a/**/", "ab/{b")
	f.Fuzz(func(t *testing.T, a, b, file string) { checkOverlap(t, a, b, file) })
}

// Patterns that are made of a file overlap.
func TestOverlapOfWhatIsMadeOfAFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.StringMatching(`[abé\[\]{}.,-]{1,6}(/[abé\[\]{}.,-]{1,6}){0,3}`).Draw(t, "file")
		made := func(label string) string {
			p := []rune(file)
			for range rapid.IntRange(0, 3).Draw(t, label+" cuts") {
				from := rapid.IntRange(0, len(p)-1).Draw(t, label+" from")
				to := rapid.IntRange(from, min(len(p), from+5)).Draw(t, label+" to")
				wild := rapid.SampledFrom([]string{"?", "*", "**", "**/", "/"}).Draw(t, label+" by")
				p = slices.Concat(p[:from], []rune(wild), p[to:])
			}
			if i := slices.Index(p, '/'); i > 0 && rapid.Bool().Draw(t, label+" is a folder") {
				p = p[:i] // which does not say so
			}
			return string(p)
		}
		checkOverlap(t, made("a"), made("b"), file)
	})
}

// Which roots are in one another is found out anew when they change, whoever copies the settings that were.
func TestRootsChange(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, inner := range []string{"in", "out"} {
		settings := b.p.state.Settings // as somebody does who changes one of them
		settings.Roots = []string{"/repo", "/repo/" + inner}
		b.do(Configure{settings})
		if got, err := b.p.state.Settings.clean(inner+"/x.go", true); got != "x.go" || err != nil {
			t.Errorf("%s/x.go is %q, %v", inner, got, err)
		}
	}
}
