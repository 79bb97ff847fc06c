// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// shBlock is a block of commands of a page, and servedAt the address at which one of them serves.
var (
	shBlock  = regexp.MustCompile("(?s)```sh\n(.*?)```")
	servedAt = regexp.MustCompile(`--addr (127\.0\.0\.1:\d+)`)
)

// The steps of docs/recording.md work, in their order. Servers of the page run until its end, at free addresses.
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
			args := slices.DeleteFunc(regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(strings.TrimSpace(line), -1),
				func(s string) bool { return s == "" })
			for i := range args {
				args[i] = strings.Trim(args[i], `"`)
			}
			if at := servedAt.FindStringSubmatch(line); at != nil {
				args[slices.Index(args, at[1])] = "127.0.0.1:0"
				s, err := clitest.StartProgram(replaceAll(args[1:], addresses), dir, getenv)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.Kill)
				url, err := s.Ready()
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				addresses = append(addresses, at[1], strings.TrimPrefix(url, "http://"))
				continue
			}
			cmd := exec.Command(self)
			cmd.Args, cmd.Dir, cmd.Env = replaceAll(args, addresses), dir, append(os.Environ(), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			if err != nil || args[1] == "send" && !strings.Contains(string(out), "1 USD = 0.77252 GBP") ||
				args[1] == "diff" && len(out) > 0 {
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

// A page of somebody else gets nothing from a recorder or a player either, whose agent would take them for programs:
// neither under another name, nor by a request from its own origin.
func TestRecordersAreCalledByTheirNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func(args ...string) string {
		s, err := clitest.StartProgram(args, dir, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		url, err := s.Ready()
		if err != nil {
			t.Fatal(err)
		}
		return url
	}
	agent := start("serve", "--echo", "--addr", "127.0.0.1:0")
	tape := start("record", "-a", agent, "--addr", "127.0.0.1:0", "--cassette", "talk.jsonl")
	if got := run(t.Context(), "send", "-a", tape, "--text", "hello"); got.code != cmdline.ExitOK {
		t.Fatalf("a program: %+v", got)
	}
	played := start("replay", "talk.jsonl", "--addr", "127.0.0.1:0")
	for _, try := range []struct {
		url, host string
		header    map[string]string
		want      int
	}{
		{tape, "", nil, http.StatusOK},
		{tape, "evil.example", nil, http.StatusForbidden},
		{tape, "evil.example", map[string]string{"Sec-Fetch-Site": "same-origin"}, http.StatusForbidden},
		{tape, "", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
			http.StatusForbidden},
		{tape, "", map[string]string{"Origin": "https://evil.example"}, http.StatusForbidden},
		{tape, "localhost", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"},
			http.StatusOK},
		{played, "evil.example", nil, http.StatusForbidden},
		{played, "", map[string]string{"Origin": "https://evil.example"}, http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, try.url, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user",`+
				`"parts":[{"kind":"text","text":"hi"}]}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Host, req.Close = try.host, true
		req.Header.Set("Content-Type", "application/json")
		for name, value := range try.header {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != try.want {
			t.Errorf("%+v: %s", try, resp.Status)
		}
	}
}
