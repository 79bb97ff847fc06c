// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A hook of git lets a commit through with a warning where the program is gone.
func TestHookWithoutTheProgram(t *testing.T) {
	t.Parallel()
	gone := exec.Command("sh", "-c", guardScript(filepath.Join(t.TempDir(), "it's gone"), "p q", "http://127.0.0.1:1")+
		`echo "$DRAGOMAN_PROJECT"`)
	if out, err := gone.CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "dragoman is not where it was") || !strings.HasSuffix(string(out), "p q\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
