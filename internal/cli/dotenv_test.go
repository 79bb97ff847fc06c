// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

func TestParseEnv(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                                  "",
		"# DRAGOMAN_X=1":                    "",
		"OTHER='no end":                     "",
		"dragoman_x=1":                      "",
		"DRAGOMAN_X=1":                      "1",
		"\ufeffDRAGOMAN_X=1":                "1",
		"  DRAGOMAN_X = 1  \r\n":            "1",
		"export DRAGOMAN_X=1":               "1",
		"export\tDRAGOMAN_X=1":              "1",
		"exportDRAGOMAN_X=1":                "",
		"DRAGOMAN_X=":                       "",
		"DRAGOMAN_X=a b":                    "a b",
		"DRAGOMAN_X=a=b":                    "a=b",
		"DRAGOMAN_X=a # comment":            "a",
		"DRAGOMAN_X=a\t#comment":            "a",
		"DRAGOMAN_X=# comment":              "",
		"DRAGOMAN_X=http://h/#part":         "http://h/#part",
		"DRAGOMAN_X=$HOME":                  "$HOME",
		`DRAGOMAN_X=it's`:                   "it's",
		`DRAGOMAN_X='a # "b" \n' # comment`: `a # "b" \n`,
		`DRAGOMAN_X="a # 'b'"#comment`:      "a # 'b'",
		`DRAGOMAN_X="a\n\t\"\\\$b"`:         "a\n\t\"\\$b",
		"DRAGOMAN_X=1\nDRAGOMAN_X=2":        "2",
	} {
		var file envFile
		if err := file.parse(line); err != nil || file.vars["DRAGOMAN_X"] != want {
			t.Errorf("%q: %q %v, want %q", line, file.vars, err, want)
		}
	}
}

func TestParseEnvErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\nA2ACLI_BEARER hunter2":          "line 2 is not KEY=VALUE",
		"A2ACLI_BEARER: hunter2=":          "line 1 is not KEY=VALUE",
		"A2ACLI_BEARER='hunter2":           "line 1: the value of A2ACLI_BEARER has no closing quote",
		`A2ACLI_BEARER="hunter2\"`:         "line 1: the value of A2ACLI_BEARER has no closing quote",
		`A2ACLI_BEARER="hunter2" x`:        "line 1: the value of A2ACLI_BEARER goes on after its closing quote",
		"A2ACLI_X=1\nA2ACLI_X='hunter2' y": "line 2: the value of A2ACLI_X goes on after its closing quote",
	} {
		if err := new(envFile).parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParseEnv(f *testing.F) {
	for _, seed := range []string{"DRAGOMAN_X=1", "export A2ACLI_Y='a' # b", "DRAGOMAN_Z=\"a\\n\\\"\"\r\n",
		"\ufeff#\nOTHER", `DRAGOMAN_X="\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var file, again envFile
		err := file.parse(text)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
		for name := range file.vars {
			if !isEnvName(name) || !strings.HasPrefix(name, "DRAGOMAN_") && !strings.HasPrefix(name, "A2ACLI_") {
				t.Errorf("variable %q", name)
			}
		}
		// Text in single quotes comes back unchanged.
		if value := strings.NewReplacer("'", "", "\n", "").Replace(text); err == nil {
			if err := again.parse("A2ACLI_X='" + value + "'"); err != nil || again.vars["A2ACLI_X"] != value {
				t.Errorf("%q came back as %q, %v", value, again.vars, err)
			}
		}
	})
}

// writeEnv writes a .env file that only its owner may read.
func writeEnv(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, envFileName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func findIn(t *testing.T, dir string, env map[string]string) []envFile {
	t.Helper()
	c := newCommand(env)
	c.Dir = dir
	files, err := c.findFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestNearestFileAndTheUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, "config")
	env := map[string]string{"XDG_CONFIG_HOME": home}
	users := writeEnv(t, filepath.Join(home, "a2a-cli"), "A2ACLI_X=user")
	above := writeEnv(t, dir, "A2ACLI_X=above")
	paths := func(files []envFile) (paths []string) {
		for _, file := range files {
			paths = append(paths, file.path)
		}
		return paths
	}
	for from, want := range map[string][]string{
		filepath.Join(dir, "a", "b"):        {above, users},
		filepath.Join(home, "a2a-cli"):      {users}, // once
		filepath.Join(home, "a2a-cli", "x"): {users},
		"":                                  {users},
	} {
		if diff := cmp.Diff(want, paths(findIn(t, from, env))); diff != "" {
			t.Errorf("from %s: -want +got:\n%s", from, diff)
		}
	}
}

func TestFileOfAnotherUserDoesNotCount(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() != 0 {
		t.Skip("only root can give a file away; run this test as root, and not on Windows")
	}
	dir := t.TempDir()
	path := writeEnv(t, dir, "A2ACLI_AGENT_CARD=http://example.com")
	if err := os.Chown(path, 12345, 12345); err != nil {
		t.Skipf("the file system keeps no owners: %v; set TMPDIR to one that does to run this test", err)
	}
	files := findIn(t, dir, nil)
	if len(files) != 1 || files[0].vars != nil || !strings.Contains(files[0].warning, "belongs to another user") {
		t.Errorf("found %+v", files)
	}
	files = findIn(t, dir, map[string]string{"DRAGOMAN_CONFIG": path})
	if len(files) != 1 || len(files[0].vars) != 1 || files[0].warning != "" {
		t.Errorf("named %+v", files)
	}
}

func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeEnv(t, dir, strings.Repeat("# long\n", maxEnvFile/7)+"#")
	findIn(t, dir, nil)
	writeEnv(t, dir, strings.Repeat("#", maxEnvFile+1))
	c := newCommand(nil)
	c.Dir = dir
	if _, err := c.findFiles(); err == nil || !strings.Contains(err.Error(), "1048576 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestConfigHome(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("checks the folders of Linux; run this test there")
	}
	for _, test := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/h"}, "/h/.config"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "relative"}, "/h/.config"},
		{nil, ""},
	} {
		got, err := newCommand(test.env).ConfigHome()
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%v: %q, %v", test.env, got, err)
		}
	}
}

func TestLinesWithoutEffect(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"# comment", "", "not a line", "DATABASE_URL=x", `KEY="-----BEGIN`, "of another program", `-----END"`,
		"also not",
		"DRAGOMAN_AGENT_CRAD=http://127.0.0.1:8080", "DRAGOMAN_AGENT_CARD=http://127.0.0.1:8080", "DRAGOMAN_ZZZZZZZZ=1",
		"A2ACLI_OF_ANOTHER_TOOL=1", "DRAGOMAN_STREAM=true", "DRAGOMAN_PARALEL=1",
	}, "\n")
	var errs strings.Builder
	dir := t.TempDir()
	r := newCommand(nil).process
	r.Dir, r.Args = dir, []string{"config", "show"}
	r.Stderr, r.Stdout = &errs, new(strings.Builder)
	path := writeEnv(t, dir, text)
	if code := r.Do(t.Context()); code != cmdline.ExitOK {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	want := []string{
		path + ":3: is not KEY=VALUE and has no effect",
		path + ":8: is not KEY=VALUE and has no effect",
		path + ":9: DRAGOMAN_AGENT_CRAD is no variable of dragoman and has no effect; did you mean " +
			"DRAGOMAN_AGENT_CARD?",
		path + ":11: DRAGOMAN_ZZZZZZZZ is no variable of dragoman and has no effect",
		path + ":14: DRAGOMAN_PARALEL is no variable of dragoman and has no effect; did you mean DRAGOMAN_PARALLEL?",
	}
	if diff := cmp.Diff("Warning: "+strings.Join(want, "\nWarning: ")+"\n", errs.String()); diff != "" {
		t.Errorf("warnings: -want +got:\n%s", diff)
	}
	var listed []string
	for line := range strings.Lines(r.Stdout.(*strings.Builder).String()) {
		if rest, found := strings.CutPrefix(line, "Not used: "); found {
			listed = append(listed, strings.TrimSpace(rest))
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("config show: -want +got:\n%s", diff)
	}
}
