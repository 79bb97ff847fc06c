// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// The cost of calls of many agents at once with a database, in one project: half of them read.
func BenchmarkHub(b *testing.B) {
	db, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	tables, err := coord.OpenTables(b.Context(), db)
	if err != nil {
		b.Fatal(err)
	}
	h := coord.NewHub(&coord.HubOptions{Store: tables})
	defer h.Close()
	var n atomic.Int64
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		name := fmt.Sprint("s", n.Add(1))
		file := coord.Announce{Session: name, Paths: []string{name}, ChangeType: "modify"}
		for pb.Next() {
			for _, c := range []coord.Command{file, coord.Check{Session: name},
				coord.Release{Session: name, Path: name}, coord.ListAgents{}} {
				if _, err := h.Do(b.Context(), project, "", c); err != nil {
					b.Error(err)
				}
			}
		}
	})
}
