// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// awaitPID returns the process id that a file gets.
func awaitPID(t *testing.T, file string) int {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for again := time.NewTicker(10 * time.Millisecond); time.Now().Before(deadline); <-again.C {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return pid
		}
	}
	t.Fatalf("%s has no process id", file)
	return 0
}

func awaitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for again := time.NewTicker(10 * time.Millisecond); time.Now().Before(deadline); <-again.C {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
			return
		}
	}
	t.Errorf("process %d goes on", pid)
}

// Cancelling ends what the command has started, too.
func TestCancelEndsTheProcessGroup(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`sleep 1000 & echo $! > pid; wait`,
		// must be killed
		`trap "" TERM; (trap "" TERM; while :; do sleep 0.1; done) & echo $! > pid; while :; do sleep 0.1; done`,
	} {
		dir := t.TempDir()
		s, err := startProcess([]string{"serve", "--exec", command, "--addr", "127.0.0.1:0"}, dir, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.kill)
		url, err := s.ready()
		if err != nil {
			t.Fatal(err)
		}
		got := run(t.Context(), "send", "-a", url, "--async", "--text", "go")
		_, rest, _ := strings.Cut(got.stdout, "Task: ")
		task, _, _ := strings.Cut(rest, "\n")
		pid := awaitPID(t, filepath.Join(dir, "pid"))
		got = run(t.Context(), "task", "cancel", "-a", url, task)
		if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: canceled") {
			t.Errorf("%+v", got)
		}
		awaitGone(t, pid)
	}
}

// A server that is told to end a second time takes the commands along that it waits for, and so does one whose time to
// drain is up, also those that do not heed that they are asked to end.
func TestCommandsEndWithTheServer(t *testing.T) {
	t.Parallel()
	const stubborn = `trap "" TERM INT; (trap "" TERM INT; while :; do sleep 0.1; done) & echo $! > pid; while :; do ` +
		`sleep 0.1; done`
	for name, drain := range map[string]string{"second signal": "1h", "end of the drain": "10ms"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := startProcess([]string{"serve", "--exec", stubborn, "--addr", "127.0.0.1:0", "--drain", drain},
				dir, os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.kill)
			url, err := s.ready()
			if err != nil {
				t.Fatal(err)
			}
			run(t.Context(), "send", "-a", url, "--async", "--text", "go")
			pid := awaitPID(t, filepath.Join(dir, "pid"))
			if group, err := syscall.Getpgid(pid); err == nil {
				t.Cleanup(func() { syscall.Kill(-group, syscall.SIGKILL) })
			}
			s.cmd.Process.Signal(os.Interrupt)
			awaitRefused(t, url)
			if drain == "1h" {
				s.cmd.Process.Signal(os.Interrupt)
			}
			select {
			case <-s.done:
			case <-time.After(30 * time.Second):
				t.Error("the server goes on")
			}
			awaitGone(t, pid)
		})
	}
}

// A task is there as soon as its command runs, also when nobody asked for that and the command says nothing.
func TestSilentCommandsCanBeSeenAndCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := startProcess([]string{"serve", "--exec", `sleep 1000 & echo $! > pid; wait`, "--addr", "127.0.0.1:0"},
		dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	url, err := s.ready()
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan result, 1)
	go func() { sent <- run(t.Context(), "send", "-a", url, "--stream", "--text", "go") }()
	pid := awaitPID(t, filepath.Join(dir, "pid"))
	list := run(t.Context(), "task", "list", "-a", url, "--status", "working", "-o", "json")
	var page struct {
		Tasks []struct {
			ID string `json:"id"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal([]byte(list.stdout), &page); err != nil || len(page.Tasks) != 1 {
		t.Fatalf("%v: %+v", err, list)
	}
	if got := run(t.Context(), "task", "cancel", "-a", url, page.Tasks[0].ID); got.code != cmdline.ExitOK ||
		!strings.Contains(got.stdout, "Status: canceled") {
		t.Errorf("%+v", got)
	}
	awaitGone(t, pid)
	if got := <-sent; !strings.Contains(got.stdout, "Status: canceled") {
		t.Errorf("%+v", got)
	}
}

func TestExecSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ chunk, in, want string }{
		{"\n", "a\nb\n", "a\n|b\n"}, {"\n", "a\nb", "a\n|b"}, {"--", "a--b--c", "a--|b--|c"}, {"\n", "", ""},
		{",", ",,", ",|,"},
	} {
		a := newExecAgent("", test.chunk, 1)
		pieces := bufio.NewScanner(strings.NewReader(test.in))
		pieces.Split(a.split)
		var got []string
		for pieces.Scan() {
			got = append(got, pieces.Text())
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%q in pieces that end with %q: %q", test.in, test.chunk, got)
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var said tail
	for range 3 {
		said.Write([]byte(strings.Repeat("x", maxStderr) + "\xff end\n"))
	}
	if got := said.String(); len(got) > maxStderr+8 || !strings.HasSuffix(got, "x\uFFFD end") {
		t.Errorf("%d bytes, ending with %q", len(got), got[len(got)-10:])
	}
}
