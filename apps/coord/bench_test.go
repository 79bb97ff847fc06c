// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The cost of a lease beside so many others.
func BenchmarkLease(b *testing.B) {
	for _, others := range []int{0, 500, 4000} {
		b.Run(fmt.Sprint("beside ", others), func(b *testing.B) {
			p := NewProject("p")
			now := time.Now()
			for i := range others {
				p.Do(now, "", Announce{Session: fmt.Sprint("task-", i%100),
					Paths: []string{fmt.Sprintf("src/task-%d/file-%d.ts", i%100, i)}, ChangeType: "modify"})
			}
			for b.Loop() {
				if r, _ := p.Do(now, "", Announce{Session: "a", Paths: []string{"src/app.ts"},
					ChangeType: "modify"}); r.(Locked).Status != "locked" {
					b.Fatal(r)
				}
				if r, _ := p.Do(now, "", Release{Session: "a", Path: "src/app.ts"}); r.(Released).Status != "released" {
					b.Fatal(r)
				}
			}
		})
	}
}

// The cost of waiting for a file behind so many others, and of handing it on to the next session.
func BenchmarkQueue(b *testing.B) {
	for _, waiters := range []int{10, 100, 400} {
		b.Run(fmt.Sprint("of ", waiters), func(b *testing.B) {
			p := NewProject("p")
			now := time.Now()
			want := func(name string) Result {
				r, _ := p.Do(now, "", Announce{Session: name, Paths: []string{"src/app.ts"}, ChangeType: "modify",
					Wait: time.Minute})
				return r
			}
			for i := range waiters + 1 {
				want(fmt.Sprint("task-", i))
			}
			holder := 0
			for b.Loop() {
				name := fmt.Sprint("task-", holder)
				r, _ := p.Do(now, "", Release{Session: name, Path: "src/app.ts"})
				if r.(Released).Status != "released" {
					b.Fatal(r)
				}
				if _, ok := want(name).(waiting); !ok {
					b.Fatal("nobody is in the way")
				}
				holder = (holder + 1) % (waiters + 1)
			}
		})
	}
}

// The cost of the worst patterns: those that differ at their end only.
func BenchmarkPatterns(b *testing.B) {
	p := NewProject("p")
	now := time.Now()
	claim := func(session, end string, n int) Announce {
		c := Announce{Session: session, ChangeType: "modify"}
		for i := range n {
			c.Paths = append(c.Paths, fmt.Sprint(strings.Repeat("*a", 100), end, i))
		}
		return c
	}
	for i := range 10 {
		if r, _ := p.Do(now, "", claim(fmt.Sprint("task-", i), fmt.Sprint("x", i), 1)); r == nil {
			b.Fatal(r)
		}
	}
	for b.Loop() {
		p.Do(now, "", claim("a", "y", 1))
		p.Do(now, "", Release{Session: "a", Path: strings.Repeat("*a", 100) + "y0"})
	}
}
