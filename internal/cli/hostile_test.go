// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/server"
)

// hostile is text that would repaint the terminal, set its title, type into it, turn letters around or forge lines.
const hostile = "ok\x1b[2J\x1b]0;pwned\x07\u009b31m\u202egpj.exe\u2066\r\nTask: forged\rStatus: " +
	"completed\x7f\u2028Error: forged\U000e0041"

func hostileCard() *a2a.AgentCard {
	url := "https://example.com/" + hostile
	return &a2a.AgentCard{
		Name: hostile, Description: hostile, Version: hostile, DocumentationURL: &url, IconURL: &url,
		Provider:          &a2a.AgentProvider{URL: hostile, Organization: hostile},
		DefaultInputModes: []string{"text/plain", hostile}, DefaultOutputModes: []string{hostile},
		Capabilities: a2a.AgentCapabilities{Extensions: []a2a.AgentExtension{{URI: hostile, Description: hostile}}},
		SecuritySchemes: map[string]a2a.SecurityScheme{
			hostile: &a2a.APIKeyScheme{Location: "header", Name: hostile}, "b": &a2a.HTTPAuthScheme{Scheme: hostile},
			"c": &a2a.OpenIDConnectScheme{URL: hostile},
		},
		SecurityRequirements: []a2a.SecurityRequirement{{hostile: []string{hostile}}},
		Skills: []a2a.AgentSkill{{ID: hostile, Name: hostile, Description: hostile, Tags: []string{hostile},
			Examples: []string{hostile}, InputModes: []string{hostile}}},
	}
}

// hostileParts has such text in every member of every sort of part.
func hostileParts() []a2a.Part {
	data, err := a2a.DataPart(map[string]string{hostile: hostile})
	if err != nil {
		panic(err)
	}
	return []a2a.Part{
		a2a.TextPart(hostile), {Content: a2a.Text(hostile), MediaType: hostile}, data,
		a2a.RawPart([]byte(hostile), hostile, hostile), a2a.URLPart("https://example.com/"+hostile, hostile, hostile),
	}
}

// fiend answers whatever it is asked with hostile text, and with hostile ids.
type fiend struct{ a2a.Service }

func (fiend) task(state a2a.TaskState) *a2a.Task {
	message := &a2a.Message{ID: hostile, Role: a2a.RoleAgent, Parts: hostileParts()}
	return &a2a.Task{
		ID: hostile, ContextID: hostile, Status: a2a.TaskStatus{State: state, Message: message},
		Artifacts: []*a2a.Artifact{{ID: hostile, Name: hostile, Description: hostile, Parts: hostileParts()}},
		History:   []*a2a.Message{message},
	}
}

func (f fiend) SendMessage(context.Context, *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return f.task(a2a.TaskStateInputRequired), nil
}

func (f fiend) GetTask(_ context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if req.ID == "none" {
		return nil, &a2a.Error{Kind: a2a.ErrTaskNotFound, Message: hostile}
	}
	return f.task(a2a.TaskStateInputRequired), nil
}

func (f fiend) CancelTask(context.Context, *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return f.task(a2a.TaskStateWorking), nil
}

func (f fiend) ListTasks(context.Context, *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return &a2a.ListTasksResponse{Tasks: []*a2a.Task{f.task(a2a.TaskStateFailed)}, NextPageToken: hostile, PageSize: 1,
		TotalSize: 1}, nil
}

func (fiend) Capabilities() a2a.AgentCapabilities {
	no := false
	return a2a.AgentCapabilities{Streaming: &no}
}

func TestNothingHostileReachesTheTerminal(t *testing.T) {
	t.Parallel()
	url := serveService(t, fiend{}, &server.Options{Card: hostileCard()}, func() {})
	for name, args := range map[string][]string{
		"card":      {"card", "get"},
		"send":      {"send", "Hello"},
		"stream":    {"send", "Hello", "--stream"},
		"async":     {"send", "Hello", "--async"},
		"get":       {"task", "get", "some"},
		"not found": {"task", "get", "none"},
		"list":      {"task", "list"},
		"cancel":    {"task", "cancel", "some"},
		"own words": {"task", "frob" + hostile},
		"own value": {"send", "--file", hostile},
	} {
		for _, output := range []string{outputText, outputJSON} {
			t.Run(name+"/"+output, func(t *testing.T) {
				t.Parallel()
				got := run(t.Context(), append(args, "-a", url, "-o", output)...)
				if got.code > cmdline.ExitUsage {
					t.Errorf("exit code %d: %s", got.code, got.stderr)
				}
				checkHarmless(t, got.stdout+got.stderr)
				if output == outputText {
					checkNotForged(t, got)
				}
			})
		}
	}
}

func checkHarmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028') {
			t.Errorf("%U is in the output:\n%q", r, text)
			return
		}
	}
}

// checkNotForged looks for lines that begin as those of the program do, and that the agent made up.
func checkNotForged(t *testing.T, got result) {
	t.Helper()
	for line := range strings.Lines(got.stdout + got.stderr) {
		if strings.HasPrefix(line, "Task: forged") || strings.HasPrefix(line, "Status: completed") ||
			strings.HasPrefix(line, "Error: forged") {
			t.Errorf("an agent's text passes for a line of the program:\n%s", got.stdout)
		}
	}
}

func TestHostileStream(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		if err := turn.Working(hostileParts()...); err != nil {
			return err
		}
		w := turn.NewArtifact(hostile)
		for range 3 {
			if _, err := w.WriteString(hostile); err != nil {
				return err
			}
		}
		return errors.Join(w.Close(), turn.Ask(hostileParts()...))
	}), nil)
	for _, output := range []string{outputText, outputJSON} {
		got := run(t.Context(), "send", "-a", url, "-o", output, "--stream", "Hello")
		if got.code != cmdline.ExitOK {
			t.Fatalf("exit code %d: %s", got.code, got.stderr)
		}
		checkHarmless(t, got.stdout+got.stderr)
		if output == outputText {
			checkNotForged(t, got)
		}
	}
}

// A writer that fails makes the command fail: a result that nobody got is none.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	r := Run{Program: "dragoman", Args: []string{"version"}, Stdin: strings.NewReader(""), Stdout: fullDisk{},
		Stderr:    &stderr,
		LookupEnv: func(string) (string, bool) { return "", false }}
	if code := r.Do(t.Context()); code != cmdline.ExitFailure || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
