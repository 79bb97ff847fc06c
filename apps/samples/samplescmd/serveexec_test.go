// SPDX-License-Identifier: Apache-2.0

//go:build unix

package samplescmd_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/clitest/dragoman"
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
		s, err := clitest.StartProgram([]string{"serve", "--exec", command, "--addr", "127.0.0.1:0"}, dir, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		url, err := s.Ready()
		if err != nil {
			t.Fatal(err)
		}
		got := dragoman.Run(t.Context(), "send", "-a", url, "--async", "--text", "go")
		_, rest, _ := strings.Cut(got.Stdout, "Task: ")
		task, _, _ := strings.Cut(rest, "\n")
		pid := awaitPID(t, filepath.Join(dir, "pid"))
		got = dragoman.Run(t.Context(), "task", "cancel", "-a", url, task)
		if got.Code != cmdline.ExitOK || !strings.Contains(got.Stdout, "Status: canceled") {
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
			args := []string{"serve", "--exec", stubborn, "--addr", "127.0.0.1:0", "--drain", drain}
			s, err := clitest.StartProgram(args, dir, os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Kill)
			url, err := s.Ready()
			if err != nil {
				t.Fatal(err)
			}
			dragoman.Run(t.Context(), "send", "-a", url, "--async", "--text", "go")
			pid := awaitPID(t, filepath.Join(dir, "pid"))
			if group, err := syscall.Getpgid(pid); err == nil {
				t.Cleanup(func() { syscall.Kill(-group, syscall.SIGKILL) })
			}
			s.Cmd.Process.Signal(os.Interrupt)
			awaitRefused(t, url)
			if drain == "1h" {
				s.Cmd.Process.Signal(os.Interrupt)
			}
			select {
			case <-s.Done:
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
	args := []string{"serve", "--exec", `sleep 1000 & echo $! > pid; wait`, "--addr", "127.0.0.1:0"}
	s, err := clitest.StartProgram(args, dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	url, err := s.Ready()
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan dragoman.Result, 1)
	go func() { sent <- dragoman.Run(t.Context(), "send", "-a", url, "--stream", "--text", "go") }()
	pid := awaitPID(t, filepath.Join(dir, "pid"))
	list := dragoman.Run(t.Context(), "task", "list", "-a", url, "--status", "working", "-o", "json")
	var page struct {
		Tasks []struct {
			ID string `json:"id"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal([]byte(list.Stdout), &page); err != nil || len(page.Tasks) != 1 {
		t.Fatalf("%v: %+v", err, list)
	}
	if got := dragoman.Run(t.Context(), "task", "cancel", "-a", url, page.Tasks[0].ID); got.Code != cmdline.ExitOK ||
		!strings.Contains(got.Stdout, "Status: canceled") {
		t.Errorf("%+v", got)
	}
	awaitGone(t, pid)
	if got := <-sent; !strings.Contains(got.Stdout, "Status: canceled") {
		t.Errorf("%+v", got)
	}
}
