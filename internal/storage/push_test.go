// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/store"
)

func TestPushKey(t *testing.T) {
	t.Parallel()
	variable := ""
	run := &cmdline.Run{LookupEnv: func(string) (string, bool) { return variable, variable != "" }}
	j := &Journal{Place: t.TempDir(), db: new(store.DB)}
	made, err := pushKey(run, j)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := pushKey(run, j); err != nil || !bytes.Equal(made, again) {
		t.Errorf("the second key is another one, %v", err)
	}
	path := filepath.Join(j.Place, pushKeyFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	variable = strings.Repeat("ab", 32)
	if key, err := pushKey(run, j); err != nil || !bytes.Equal(key, bytes.Repeat([]byte{0xab}, 32)) {
		t.Errorf("got %x, %v", key, err)
	}
	for _, variable = range []string{"abc", "abcd"} {
		if _, err := pushKey(run, j); err == nil {
			t.Errorf("%q is taken", variable)
		}
	}
	variable = ""
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pushKey(run, j); err == nil {
		t.Error("a damaged file is taken")
	}
}
