// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"regexp"
	"sync"
	"testing"
)

var uuidv7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// Ids are UUIDv7 and rise within a process, also when many are made within one millisecond.
func TestIDsRise(t *testing.T) {
	t.Parallel()
	last := ""
	for range 10_000 {
		id := string(NewTaskID())
		if id <= last || !uuidv7.MatchString(id) {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
	}
}

func TestIDsAreDistinct(t *testing.T) {
	t.Parallel()
	var (
		seen sync.Map
		wg   sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			for range 1000 {
				for _, id := range []string{string(NewContextID()), string(NewMessageID()), string(NewArtifactID())} {
					if _, double := seen.LoadOrStore(id, true); double {
						t.Errorf("%s twice", id)
					}
				}
			}
		})
	}
	wg.Wait()
}
