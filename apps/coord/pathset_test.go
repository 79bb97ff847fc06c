// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A set finds the paths that one by one are found to meet another.
func TestPathSet(t *testing.T) {
	t.Parallel()
	path := rapid.StringMatching(`[aA.-]{1,2}(/([aA.-]{1,2}|\*|\*\*)){0,3}/?`)
	rapid.Check(t, func(t *rapid.T) {
		s := &Settings{IgnoreCase: rapid.Bool().Draw(t, "ignore case")}
		literal, literalOther := rapid.Bool().Draw(t, "literal"), rapid.Bool().Draw(t, "other literal")
		clean := func(p string, literal bool) string {
			p, err := s.clean(p, literal)
			if err != nil {
				return "x"
			}
			return p
		}
		paths := rapid.SliceOfN(path, 0, 8).Draw(t, "paths")
		for i, p := range paths {
			paths[i] = clean(p, literal)
		}
		other := clean(path.Draw(t, "other"), literalOther)
		var want, got []int
		for n, p := range paths {
			if s.overlap(p, literal, other, literalOther) {
				want = append(want, n)
			}
		}
		newPathSet(s, paths, literal).each(other, literalOther, new(work), func(n int) bool {
			got = append(got, n)
			return true
		})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("of %q %v meet %q, not %v", paths, want, other, got)
		}
	})
}

// files returns so many files of a folder.
func files(folder string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s/%d.go", folder, i)
	}
	return all
}

// The cost of a command is not the product of its paths and the leased paths.
func TestManyPathsCostLittle(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const shared = "src/all.go" // so that all are looked at
	for i := range maxAllPaths/maxPaths - 1 {
		c := announce(fmt.Sprint("s", i), append(files(fmt.Sprint("src/", i), maxPaths-1), shared)...)
		c.Mode = ModeShared
		b.gives(c, "locked")
	}
	for what, c := range map[string]Command{
		"a claim": announce("z", append(files("src/z", maxPaths-1), shared)...),
		"a look":  Conflicts{Session: "z", Paths: append(files("src/x", maxChecked-1), shared)},
	} {
		b.as("", c)
		// a claim looks twice: whether somebody is in the way, and who
		if w := b.p.state.work; w == 0 || w > 3*maxAllPaths {
			t.Errorf("%s compared %d times", what, w)
		}
	}
}

// However many paths with wildcards there are, a command looks at some only: a look takes the others for leased, and
// what would have to be compared with more is not leased.
func TestManyPatternsCostLittle(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range maxPatterns / maxClaimPatterns {
		c := announce(fmt.Sprint("s", i))
		for j := range maxClaimPatterns {
			c.Paths = append(c.Paths, fmt.Sprintf("?%s%02d%dx", strings.Repeat("a*", 38), i, j))
		}
		c.Mode = ModeShared
		b.gives(c, "locked")
	}
	const most = maxWork + maxPaths*maxClaimPatterns*maxMeet
	var paths []string
	for i := range maxChecked {
		paths = append(paths, fmt.Sprintf("%s%05d", strings.Repeat("a", 75), i))
	}
	look := b.do(Conflicts{Paths: paths}).(ConflictList)
	if w := b.p.state.work; w > most || len(look.Conflicts) != len(paths) {
		t.Errorf("%d of %d, after %d steps", len(look.Conflicts), len(paths), w)
	}
	if f, ok := b.do(announce("z", paths[:maxPaths]...)).(Failure); !ok || f.Code != CodeLimit ||
		b.p.state.work > most {
		t.Errorf("%+v, after %d steps", f, b.p.state.work)
	}
	b.gives(announce("z", "b/a"), "locked")
	if found := b.do(Conflicts{Paths: []string{"b/a", "x"}}).(ConflictList).Conflicts; len(found) != 1 ||
		found[0].FilePath != "b/a" {
		t.Errorf("%+v", found)
	}
}

// Names that are long are not searched for slips of the pen.
func TestSlipsOfShortNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	long := strings.Repeat("ab", maxSlip/2)
	for _, name := range []string{long, long + "ba", "User"} {
		b.as("", Define{Session: "a", Name: name, Definition: "{}"})
	}
	b.gives(GetInterface{Name: "Usre"}, `"similar":["User"]`)
	b.gives(GetInterface{Name: "b" + long[1:]}, `"similar":["`+long+`"`)
	b.gives(GetInterface{Name: "b" + long}, `"similar":["`+long+`"]`) // which is in it
	b.gives(GetInterface{Name: "b" + long[1:] + "ba"}, `"similar":[]`)
}
