// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// runScript starts scripts/run.sh, which "make run" calls, on the data folder and returns it with its lines.
func runScript(t *testing.T, data string) (*exec.Cmd, lineWriter) {
	t.Helper()
	cmd := exec.Command("sh", "../../scripts/run.sh")
	cmd.Env = append(os.Environ(), "DRAGOMAN_BIN="+clitest.Link(t), "RUN_DATA="+data,
		"CURRENCY_ADDR="+clitest.FreeAddress(t), "HELLO_ADDR="+clitest.FreeAddress(t),
		"EXPENSES_ADDR="+clitest.FreeAddress(t), "HOST_ADDR="+clitest.FreeAddress(t),
		"CONSOLE_ADDR="+clitest.FreeAddress(t))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(lineWriter, 100)
	go func() {
		defer close(lines)
		for all := bufio.NewScanner(out); all.Scan(); {
			lines <- all.Text()
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		for range lines { // until all of its processes have ended
		}
		cmd.Wait()
	})
	return cmd, lines
}

// await returns the first line that has a text in it.
func (w lineWriter) await(t *testing.T, text string) string {
	t.Helper()
	var before []string
	for {
		line := w.next(t)
		if strings.Contains(line, text) {
			return line
		}
		if before = append(before, line); len(before) > 100 {
			t.Fatalf("no %q in:\n%s", text, strings.Join(before, "\n"))
		}
	}
}

func TestRunScriptTellsWhoWasKilled(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	cmd, lines := runScript(t, data)
	lines.await(t, "Ctrl-C stops all.")
	owner, err := os.ReadFile(filepath.Join(data, "hello", "dragoman.owner"))
	if err != nil {
		t.Fatal(err)
	}
	var holder sqlite.Holder
	if err := json.Unmarshal(owner, &holder); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(holder.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := lines.await(t, "run: "); got != "run: hello ended by itself (signal KILL). The tasks are kept; run "+
		"make run again" {
		t.Errorf("got %q", got)
	}
	for range lines { // until the others have ended, too
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != cmdline.ExitFailure {
		t.Errorf("ended with %v", err)
	}
}

func TestRunScriptOnAFolderInUse(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	_, first := runScript(t, data)
	first.await(t, "Ctrl-C stops all.")
	_, second := runScript(t, data)
	second.await(t, "is in use by dragoman serve (process ")
	second.await(t, "If another make run goes on here, stop that first")
}
