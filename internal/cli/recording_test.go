// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shBlock is a block of commands of a page, and servedAt the address at which one of them serves.
var (
	shBlock  = regexp.MustCompile("(?s)```sh\n(.*?)```")
	servedAt = regexp.MustCompile(`--addr (127\.0\.0\.1:\d+)`)
)

// What docs/recording.md says to do works, in its order. Servers of the page run until its end, at free addresses.
func TestRecordingPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	getenv := func(name string) string {
		if name == "HOME" || name == "XDG_DATA_HOME" {
			return dir
		}
		return os.Getenv(name)
	}
	var addresses []string // of the page, each followed by the real one
	ran := 0
	for _, block := range shBlock.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			args := slices.DeleteFunc(regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(strings.TrimSpace(line), -1), func(s string) bool { return s == "" })
			for i := range args {
				args[i] = strings.Trim(args[i], `"`)
			}
			if at := servedAt.FindStringSubmatch(line); at != nil {
				args[slices.Index(args, at[1])] = "127.0.0.1:0"
				s, err := startProcess(replaceAll(args[1:], addresses), dir, getenv)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.kill)
				url, err := s.ready()
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				addresses = append(addresses, at[1], strings.TrimPrefix(url, "http://"))
				continue
			}
			cmd := exec.Command(self)
			cmd.Args, cmd.Dir, cmd.Env = replaceAll(args, addresses), dir, append(os.Environ(), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			if err != nil || args[1] == "send" && !strings.Contains(string(out), "1 USD = 0.77252 GBP") || args[1] == "diff" && len(out) > 0 {
				t.Fatalf("%s%v\n%s", line, err, out)
			}
			ran++
		}
	}
	if ran != 5 || len(addresses) != 6 {
		t.Errorf("%d commands ran, and %d servers", ran, len(addresses)/2)
	}
}

func replaceAll(args, pairs []string) []string {
	replacer := strings.NewReplacer(pairs...)
	var all []string
	for _, arg := range args {
		all = append(all, replacer.Replace(arg))
	}
	return all
}
