// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

var printedTask = regexp.MustCompile(`--task-id ([0-9a-f-]+)`)

// taskIn returns the task that a run prints the command for to come back to it.
func taskIn(t *testing.T, got result) string {
	t.Helper()
	found := printedTask.FindStringSubmatch(got.stderr)
	if got.code != cmdline.ExitOK || found == nil {
		t.Fatalf("no task to go on with: %+v", got)
	}
	return found[1]
}

// Hosts on one data folder run beside each other, and an id is all that it takes to go on with what one of them began.
func TestHostsRunBesideEachOther(t *testing.T) {
	t.Parallel()
	url, dir := serveAgent(t, asker, nil), t.TempDir()
	ask := func(args ...string) result {
		return run(t.Context(), append([]string{"host", "ask", "-a", url, "--data-dir", dir}, args...)...)
	}
	first := taskIn(t, ask("@test hi"))

	lines, typed := io.Pipe() // of a conversation that goes on
	asked, stderr := make(chan struct{}, 10), &locked{}
	talk := Run{
		Program: "dragoman", Args: []string{"host", "-a", url, "--data-dir", dir}, Stdin: lines,
		Stdout: &signalling{after: "input-required", then: asked}, Stderr: stderr,
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	ended := make(chan int, 1)
	go func() { ended <- talk.Do(t.Context()) }()
	io.WriteString(typed, "@test hello\n")
	<-asked

	second := taskIn(t, ask("@test hi again"))
	if got := ask("--task-id", second, "--text", "more"); got.code != cmdline.ExitOK {
		t.Errorf("a task of the second folder: %+v", got)
	}
	if got := ask("--task-id", first, "--text", "more"); got.code != cmdline.ExitFailure ||
		!strings.Contains(got.stderr, "no stopped host has this task or context; one of the 1 running hosts may have "+
			"it\nHint: continue in the host that has it") {
		t.Errorf("a task of a host that runs: %+v", got)
	}
	typed.Close()
	if code := <-ended; code != cmdline.ExitOK {
		t.Fatalf("the conversation ended with %d: %s", code, stderr.String())
	}
	for _, id := range []string{first, second} {
		if got := ask("--task-id", id, "--text", "more"); got.code != cmdline.ExitOK {
			t.Errorf("a task of a host that has ended: %+v", got)
		}
	}
	if got := ask("--task-id", "nonsense", "--text", "more"); !strings.Contains(got.stderr, "Error: task not found\n") {
		t.Errorf("an unknown task: %+v", got)
	}
	got := run(t.Context(), "host", "ask", "-a", url, "--data-dir", "/proc/none/such", "hi")
	if got.code != cmdline.ExitFailure || !strings.Contains(got.stderr, "Error: cannot create the data folder "+
		"/proc/none/such/host-2: ") {
		t.Errorf("a folder that cannot be: %+v", got)
	}
}

// A host for one user leaves the folder of a host that is served free, whichever of them starts first. A task that was
// begun through the served one can be continued when that one has ended.
func TestAHostForOneUserLeavesTheServedOneItsFolder(t *testing.T) {
	t.Parallel()
	url, dir := serveAgent(t, asker, nil), t.TempDir()
	lines, typed := io.Pipe()
	asked, ended := make(chan struct{}, 10), make(chan int, 1)
	talk := Run{
		Program: "dragoman", Args: []string{"host", "-a", url, "--data-dir", dir}, Stdin: lines,
		Stdout: &signalling{after: "input-required", then: asked}, Stderr: io.Discard,
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	go func() { ended <- talk.Do(t.Context()) }()
	io.WriteString(typed, "@test hello\n")
	<-asked

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said := make(lineWriter, 10)
	served, over := Run{
		Program: "dragoman", Args: []string{"host", "-a", url, "--data-dir", dir, "--serve", "127.0.0.1:0"},
		Stdin:  strings.NewReader(""),
		Stdout: io.Discard, Stderr: said, LookupEnv: func(string) (string, bool) { return "", false },
	}, make(chan int, 1)
	go func() { over <- served.Do(ctx) }()
	_, hosted, _ := strings.Cut(strings.TrimSpace(said.next(t)), " at ")
	got := run(t.Context(), "send", "-a", hosted, "@test hi")
	stop()
	<-over
	if got = run(t.Context(), "host", "ask", "-a", url, "--data-dir", dir, "--task-id", taskIn(t, got), "--text",
		"more"); got.code != cmdline.ExitOK {
		t.Errorf("a task of the served host: %+v", got)
	}
	typed.Close()
	if code := <-ended; code != cmdline.ExitOK {
		t.Errorf("the conversation ended with %d", code)
	}
}
