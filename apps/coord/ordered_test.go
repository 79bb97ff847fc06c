// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// An ordered map is a list of pairs, also for those who go through it while it changes: they see what was there when
// they began and is still there when they come to it.
func TestOrderedAgainstList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o, list := newOrdered[int](), []string{}
		change := func() {
			key := fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "key"))
			i := slices.Index(list, key)
			if rapid.Bool().Draw(t, "delete") {
				o.delete(key)
				if i >= 0 {
					list = slices.Delete(slices.Clone(list), i, i+1)
				}
				return
			}
			o.set(key, len(key))
			if i < 0 {
				list = append(slices.Clone(list), key)
			}
		}
		for range rapid.IntRange(0, 30).Draw(t, "changes") {
			change()
		}
		began := list
		fresh := map[string]bool{} // that came while somebody went through
		var seen []string
		for key := range o.all() {
			if !slices.Contains(list, key) || !slices.Contains(began, key) || fresh[key] {
				t.Fatalf("%s is there, of %v, then %v", key, began, list)
			}
			seen = append(seen, key)
			before := list
			for range rapid.IntRange(0, 3).Draw(t, "changes meanwhile") {
				change()
				for _, key := range before {
					if !slices.Contains(list, key) {
						fresh[key] = true // if it comes back, it is another one
					}
				}
			}
		}
		for _, key := range list {
			if slices.Contains(began, key) && !fresh[key] && !slices.Contains(seen, key) {
				t.Fatalf("%s was left out of %v, then %v: %v", key, began, list, seen)
			}
		}
		var now []string
		for key := range o.all() {
			now = append(now, key)
		}
		if !slices.Equal(now, list) || o.len() != len(list) {
			t.Fatalf("%v, want %v", now, list)
		}
	})
}
