// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"testing"
	"time"
)

// What a lease costs beside so many others.
func BenchmarkLease(b *testing.B) {
	for _, others := range []int{0, 500, 4000} {
		b.Run(fmt.Sprint("beside ", others), func(b *testing.B) {
			p := NewProject("p")
			now := time.Now()
			for i := range others {
				p.Do(now, "", Announce{Session: fmt.Sprint("task-", i%100), Paths: []string{fmt.Sprintf("src/task-%d/file-%d.ts", i%100, i)}, ChangeType: "modify"})
			}
			for b.Loop() {
				if r, _ := p.Do(now, "", Announce{Session: "a", Paths: []string{"src/app.ts"}, ChangeType: "modify"}); r.(Locked).Status != "locked" {
					b.Fatal(r)
				}
				if r, _ := p.Do(now, "", Release{Session: "a", Path: "src/app.ts"}); r.(Released).Status != "released" {
					b.Fatal(r)
				}
			}
		})
	}
}
