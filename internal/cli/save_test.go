// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/talk"
)

// filesAgent brings forth the artifacts.
func filesAgent(artifacts ...*a2a.Artifact) agent.Agent {
	return agent.Func(func(_ context.Context, t *agent.Turn) error {
		for _, artifact := range artifacts {
			if err := t.PutArtifact(artifact); err != nil {
				return err
			}
		}
		return nil
	})
}

func named(id, name string, parts ...a2a.Part) *a2a.Artifact {
	return &a2a.Artifact{ID: a2a.ArtifactID(id), Name: name, Parts: parts}
}

// taskOf runs the agent and returns its task's id.
func taskOf(t *testing.T, url string) string {
	t.Helper()
	got := run(t.Context(), "send", "-a", url, "--text", "go", "-o", "json")
	var res struct{ Task struct{ ID string } }
	if err := json.Unmarshal([]byte(got.stdout), &res, json.MatchCaseInsensitiveNames(true)); err != nil ||
		res.Task.ID == "" {
		t.Fatalf("%v %+v", err, got)
	}
	return res.Task.ID
}

func contentOf(t *testing.T, elements ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func TestTaskDownload(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, filesAgent(
		named("1", "picture", a2a.RawPart([]byte("PNG"), "image/png", "rabbit.png"),
			a2a.RawPart([]byte("PNG2"), "image/png", "rabbit.png")),
		named("2", "src/main.go", a2a.TextPart("package "), a2a.TextPart("main\n")),
		named("3", "rates", talk.JSONPart([]byte(`{"b":1.50,"a":2}`)), a2a.TextPart("as of today")),
		named("4", "", a2a.RawPart([]byte{0}, "application/x-unheard-of", "")),
	), nil)
	task, dir := taskOf(t, url), filepath.Join(t.TempDir(), "new")
	got := run(t.Context(), "task", "download", "-a", url, task, "--dir", dir)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, "Task: "+task, "Context: ", "Status: completed",
		"Saved: "+filepath.Join(dir, "rabbit.png")+" (image/png, 3 bytes)",
		filepath.Join(dir, "rabbit-2.png")+" (image/png, 4 bytes)")
	for name, want := range map[string]string{
		"rabbit.png": "PNG", "rabbit-2.png": "PNG2", "src/main.go": "package main\n",
		"rates.json": "{\n  \"b\": 1.50,\n  \"a\": 2\n}\n", "rates.txt": "as of today", "artifact-4": "\x00",
	} {
		if content := contentOf(t, dir, name); content != want {
			t.Errorf("%s has %q", name, content)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 6 {
		t.Errorf("the folder has %v", entries)
	}

	// Nothing is written over, unless that is asked for.
	os.WriteFile(filepath.Join(dir, "rabbit.png"), []byte("mine"), 0o600)
	got = run(t.Context(), "task", "download", "-a", url, task, "--dir", dir, "--artifact", "picture")
	if got.code != cmdline.ExitFailure || !strings.Contains(got.stderr, "rabbit.png is there already; --force writes "+
		"over it") || contentOf(t, dir, "rabbit.png") != "mine" {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), "task", "download", "-a", url, task, "--dir", dir, "--artifact", "1", "--force", "-o",
		"json")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, `"size": 3`) ||
		!strings.Contains(got.stdout, `"state": "TASK_STATE_COMPLETED"`) || contentOf(t, dir, "rabbit.png") != "PNG" {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), "task", "download", "-a", url, task, "--dir", dir, "--artifact", "sculpture")
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "it has picture, src/main.go, rates, 4") {
		t.Errorf("%+v", got)
	}
}

func TestTaskDownloadStaysInItsFolder(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, filesAgent(
		named("1", "a", a2a.RawPart([]byte("bad"), "text/plain", "../outside.txt")),
		named("2", "b", a2a.RawPart([]byte("bad"), "text/plain", "/outside.txt")),
		named("3", "c", a2a.RawPart([]byte("bad"), "text/plain", "link/outside.txt")),
		named("4", "d", a2a.RawPart([]byte("good"), "text/plain", "inside.txt")),
	), nil)
	above := t.TempDir()
	dir := filepath.Join(above, "in")
	os.Mkdir(dir, 0o700)
	if err := os.Symlink(above, filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links may be made here: %v; on Windows turn on the developer mode to run this test", err)
	}
	got := run(t.Context(), "task", "download", "-a", url, taskOf(t, url), "--dir", dir)
	if got.code != cmdline.ExitFailure || strings.Count(got.stderr, "is not saved") != 3 ||
		contentOf(t, dir, "inside.txt") != "good" {
		t.Errorf("%+v", got)
	}
	if entries, _ := os.ReadDir(above); len(entries) != 1 {
		t.Errorf("written outside: %v", entries)
	}
}

func TestTaskDownloadByURL(t *testing.T) {
	t.Parallel()
	files := serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials were sent to another server")
		}
		switch r.URL.Path {
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/huge":
			w.Header().Set("Content-Length", "2000000000")
		case "/cat.png":
			w.Header().Set("Content-Type", "image/png; q=1")
			w.Write([]byte("PNG"))
		default:
			http.NotFound(w, r)
		}
	})
	url := serveAgent(t, filesAgent(
		named("cat", "", a2a.URLPart(files+"/cat.png", "", "")),
		named("round", "", a2a.URLPart(files+"/round", "", "")),
		named("huge", "", a2a.URLPart(files+"/huge", "", "")), named("gone", "", a2a.URLPart(files+"/gone", "", "")),
		named("odd", "", a2a.URLPart("file:///etc/passwd", "", "")),
	), nil)
	task, dir := taskOf(t, url), t.TempDir()
	args := []string{"task", "download", "-a", url, task, "--dir", dir, "--bearer", "secret-token"}
	got := run(t.Context(), append(args, "--artifact", "cat")...)
	if got.code != cmdline.ExitFailure || !strings.Contains(got.stderr, "--networks loopback allows it") {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), append(args, "--networks", "loopback")...)
	has(t, "the error stream", got.stderr, "more than 3 redirects", "it has more than 1024 MiB", "HTTP 404",
		"no URL of http or https")
	if got.code != cmdline.ExitFailure || contentOf(t, dir, "cat.png") != "PNG" ||
		!strings.Contains(got.stdout, "cat.png (image/png, 3 bytes)") {
		t.Errorf("%+v", got)
	}
	if got := run(t.Context(), append(args, "--networks", "all")...); got.code != cmdline.ExitUsage {
		t.Errorf("%+v", got)
	}
}

func TestSendSaves(t *testing.T) {
	t.Parallel()
	made := serveAgent(t, filesAgent(named("1", "a", a2a.RawPart([]byte("PNG"), "image/png", "a.png"))), nil)
	said := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Reply(a2a.TextPart("here"), a2a.RawPart([]byte("GIF"), "image/gif", "b.gif"))
	}), nil)
	dir := t.TempDir()
	for _, args := range [][]string{{"-a", made}, {"-a", said, "-o", "json"}} {
		got := run(t.Context(), append([]string{"send", "--text", "go", "--save", dir}, args...)...)
		if got.code != cmdline.ExitOK || !strings.Contains(got.stderr, "Saved: "+dir) ||
			strings.Contains(got.stdout, dir) {
			t.Errorf("%+v", got)
		}
	}
	if contentOf(t, dir, "a.png") != "PNG" || contentOf(t, dir, "b.gif") != "GIF" {
		t.Error("the files have something else")
	}
	if got := run(t.Context(), "send", "-a", made, "--async", "--save", dir, "hi"); got.code != cmdline.ExitUsage {
		t.Errorf("%+v", got)
	}
	got, _ := converse(t, []string{"go", "/save " + filepath.Join(dir, "more"), "/save " + filepath.Join(dir, "more")},
		"-a", made)
	if got.code != cmdline.ExitOK || contentOf(t, dir, "more", "a.png") != "PNG" ||
		!strings.Contains(got.stderr, "is there already") {
		t.Errorf("%+v", got)
	}
}

func TestTaskWait(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := serveAgent(t, agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		if turn.Text() == "ask" {
			return turn.Ask(a2a.TextPart("what?"))
		}
		turn.Working(a2a.TextPart("busy"))
		select {
		case <-release:
		case <-ctx.Done():
		}
		return turn.Artifact("done", a2a.TextPart("at last"))
	}), nil)
	id := func(text string) string {
		got := run(t.Context(), "send", "-a", url, "--async", "--text", text)
		_, rest, _ := strings.Cut(got.stdout, "Task: ")
		task, _, _ := strings.Cut(rest, "\n")
		return task
	}
	waits, works := id("ask"), id("work")
	got := run(t.Context(), "task", "wait", "-a", url, waits)
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: input-required") ||
		strings.Count(got.stderr, "Resume: ") != 1 {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), "task", "get", "-a", url, works, "--wait", "--timeout", "50ms")
	if got.code != cmdline.ExitTimeout ||
		!strings.Contains(got.stderr, "Resume: dragoman task subscribe -a "+url+" "+works) {
		t.Errorf("%+v", got)
	}
	close(release)
	got = run(t.Context(), "task", "get", "-a", url, works, "--watch", "-o", "json")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, `"state": "TASK_STATE_COMPLETED"`) ||
		!strings.Contains(got.stdout, "at last") || bytes.Count([]byte(got.stdout), []byte("\n{")) != 0 {
		t.Errorf("%+v", got)
	}
}
