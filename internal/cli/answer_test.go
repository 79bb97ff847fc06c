// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// waiting starts a task that waits for a form and returns its id.
func waiting(t *testing.T, url string) string {
	t.Helper()
	got := run(t.Context(), "send", "-a", url, "--text", "lunch")
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	_, rest, _ := strings.Cut(got.stdout, "Task: ")
	task, _, _ := strings.Cut(rest, "\n")
	has(t, "the output", got.stdout, "  Field: date: Date (date, such as 2026-11-21)\n",
		"  Field: amount: Amount (number) = 20\n")
	if strings.Contains(got.stdout, "Data:") {
		t.Errorf("the form is there twice:\n%s", got.stdout)
	}
	has(t, "the error stream", got.stderr, "Form: dragoman send -a "+url+" --task-id "+task+" --skeleton\n",
		"Answer: dragoman send -a "+url+" --task-id "+task+" --answer form.json\n")
	return task
}

func TestSendAnswersForms(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	task := waiting(t, url)

	got := run(t.Context(), "send", "-a", url, "--task-id", task, "--skeleton")
	want := "{\n  \"date\": \"\",\n  \"amount\": \"20\",\n  \"purpose\": \"\",\n  \"request_id\": " +
		"\"request_id_1234567\"\n}\n"
	if got.code != cmdline.ExitOK || got.stdout != want {
		t.Fatalf("%+v", got)
	}
	file := filepath.Join(t.TempDir(), "form.json")
	if err := os.WriteFile(file, []byte(got.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	got = run(t.Context(), "send", "-a", url, "--task-id", task, "--answer", file)
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "date: it is needed; purpose: it is needed") ||
		!strings.Contains(got.stderr, "--skeleton") {
		t.Fatalf("%+v", got)
	}
	filled := strings.NewReplacer(`"date": ""`, `"date": "2026-11-20"`, `"purpose": ""`,
		`"purpose":"lunch"`).Replace(want)
	got = runWith(t.Context(), nil, filled, "send", "-a", url, "--task-id", task, "--answer", "-", "--stream")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: completed") {
		t.Fatalf("%+v", got)
	}
	// A task that has ended waits for nothing.
	got = run(t.Context(), "send", "-a", url, "--task-id", task, "--skeleton")
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "is completed and asks for no form") ||
		!strings.Contains(got.stderr, "task get") {
		t.Errorf("%+v", got)
	}
}

func TestSendRefusesOddFormFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--skeleton"}, {"--answer", "form.json"}, {"--skeleton", "--task-id", "1", "--text", "x"},
		{"--task-id", "1", "--answer", "/no/such/file"},
		{"--fill", "hi"}, {"--task-id", "1", "--answer", "{}", "--skeleton"},
	} {
		got := run(t.Context(), append([]string{"send", "-a", "http://127.0.0.1:1"}, args...)...)
		if got.code != cmdline.ExitUsage {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestSendFillsFormsAtATerminal(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	for _, test := range []struct {
		lines          []string
		stdout, stderr string
	}{
		{lines: []string{"2026-11-20", "", "x", "", "", "", "", "lunch", "", ""}, stdout: "Status: completed",
			stderr: "Purpose: too short"},
		{lines: []string{"2026-11-20", "/later"}, stdout: "Status: input-required", stderr: "Answer: dragoman send"},
		{lines: []string{"yesterday", "/help", "/later"}, stdout: "Status: input-required",
			stderr: "Answer: dragoman send"},
		{lines: []string{"2026-11-20", "", "/quit"}, stdout: "Status: input-required", stderr: "Answer: dragoman send"},
		{lines: []string{"/cancel"}, stdout: "Status: canceled", stderr: "ended as canceled"},
		{lines: []string{"yesterday", "/cancel"}, stdout: "Status: canceled", stderr: "ended as canceled"},
		{lines: []string{"^C"}, stdout: "Status: input-required", stderr: "Answer: dragoman send"},
	} {
		var out, err bytes.Buffer
		r := Run{Program: "dragoman", Args: []string{"send", "-a", url, "--fill", "lunch"},
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
			LookupEnv: func(string) (string, bool) { return "", false }, person: &person{lines: test.lines}}
		if code := r.Do(t.Context()); code != cmdline.ExitOK {
			t.Errorf("%v: exit code %d\n%s", test.lines, code, err.String())
		}
		has(t, "the output", out.String(), test.stdout)
		has(t, "the error stream", err.String(), test.stderr)
	}
}
