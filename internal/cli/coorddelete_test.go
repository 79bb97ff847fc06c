// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A user at a terminal has to type the name of the project that is to be deleted.
func TestDeletionAsks(t *testing.T) {
	t.Parallel()
	_, url := clitest.Serve(t, "coord", "serve", "--addr", "127.0.0.1:0", "--data-dir", ":memory:")
	env := map[string]string{"DRAGOMAN_COORD": url, "DRAGOMAN_PROJECT": "p", "DRAGOMAN_DATA_DIR": t.TempDir()}
	if got := runWith(t.Context(), env, `{"session_id":"1"}`, "coord", "hook", "session-start"); got.code !=
		cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	for _, test := range []struct {
		lines []string
		code  int
		want  string
	}{
		{nil, cmdline.ExitFailure, "was not deleted"}, {[]string{"^C"}, cmdline.ExitFailure, "was not deleted"},
		{[]string{"y"}, cmdline.ExitFailure, "was not deleted"},
		{[]string{"p"}, cmdline.ExitOK, "Deleted: p"}, {[]string{"p"}, cmdline.ExitFailure, "There is no project p"},
	} {
		var out bytes.Buffer
		somebody := &person{lines: test.lines}
		r := Run{Program: "dragoman", Args: []string{"coord", "delete", "p", "--force", "--coord", url},
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
			LookupEnv: func(string) (string, bool) { return "", false }, person: somebody}
		if code := r.Do(t.Context()); code != test.code || !strings.Contains(out.String(), test.want) {
			t.Errorf("%v: exit code %d: %s", test.lines, code, out.String())
		}
		if len(somebody.prompts) != 1 || !strings.Contains(somebody.prompts[0], "deletes all data of the project p") {
			t.Errorf("%q", somebody.prompts)
		}
	}
}
