// SPDX-License-Identifier: Apache-2.0

package logins_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/logins"
)

func TestOnlyTheUserCanRead(t *testing.T) {
	t.Parallel()
	file := logins.File(filepath.Join(t.TempDir(), "a", "logins.json"))
	var all sync.WaitGroup
	for _, origin := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			if err := file.Change(func(all map[string]*logins.Login) { all[origin] = &logins.Login{} }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := file.Read(); err != nil || len(got) != 4 {
		t.Errorf("%v, %v", got, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(string(file))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(string(file), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Read(); err == nil {
		t.Error("a file that others may read is read")
	}
}
