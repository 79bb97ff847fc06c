// SPDX-License-Identifier: Apache-2.0

package coordcmd_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// codingAgent is the name of a program that works as coding agents do: it edits a shared work tree step by step, calls
// the coordinator's tools over stdio, and its harness runs the hooks.
const codingAgent = "coding-agent"

// harness runs one coding agent. Its arguments are its session, how many steps it takes, and dragoman.
type harness struct {
	session, dragoman string
	env               []string
	mcp               *sdk.ClientSession
}

func runCodingAgent() int {
	steps, err := strconv.Atoi(os.Args[2])
	if err == nil {
		h := &harness{session: os.Args[1], dragoman: os.Args[3], env: os.Environ()}
		err = h.work(context.Background(), steps)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[1], err)
		return 1
	}
	return 0
}

// work adds functions to a file that another agent changes too, and calls to a second one, and commits each step.
func (h *harness) work(ctx context.Context, steps int) error {
	if _, err := h.hook("session-start", nil); err != nil {
		return err
	}
	// what a harness takes from the file of session-start
	h.env = append(h.env, "DRAGOMAN_SESSION="+sessionName(h.session))
	cmd := exec.Command(h.dragoman, "coord", "stdio")
	cmd.Env = h.env
	var err error
	h.mcp, err = sdk.NewClient(&sdk.Implementation{Name: codingAgent, Version: "1"}, nil).Connect(ctx,
		&sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return err
	}
	defer h.mcp.Close()
	me := sessionName(h.session)
	todo, err := h.call(ctx, "add_todo", map[string]any{"session_name": me, "todo_item": "functions of " + h.session,
		"priority": 1})
	if err != nil {
		return err
	}
	for i := range steps {
		name := h.session + strconv.Itoa(i)
		for _, edit := range []struct{ file, line string }{{"lib.txt", "func " + name}, {"main.txt", "call " + name}} {
			if err := h.edit(edit.file, edit.line); err != nil {
				return err
			}
		}
		if err := h.commit("add " + name); err != nil {
			return err
		}
		if _, err := h.hook("stop", nil); err != nil { // the end of a turn
			return err
		}
	}
	if _, err := h.call(ctx, "update_todo",
		map[string]any{"session_name": me, "todo_id": todo["todo_id"], "status": "completed"}); err != nil {
		return err
	}
	_, err = h.hook("session-end", nil)
	return err
}

func (h *harness) call(ctx context.Context, tool string, args map[string]any) (answer map[string]any, err error) {
	text, err := clitest.CallTool(ctx, h.mcp, tool, args)
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	return answer, err
}

// hook runs a hook as a harness does, and returns what it says.
func (h *harness) hook(moment string, more map[string]any) (string, error) {
	in := map[string]any{"session_id": h.session, "cwd": "."}
	for name, value := range more {
		in[name] = value
	}
	text, err := json.Marshal(in)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(h.dragoman, "coord", "hook", moment)
	cmd.Env, cmd.Stdin = h.env, bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		return "", fmt.Errorf("hook %s: %w: %s", moment, err, &stderr)
	}
	return string(out), nil
}

// edit adds a line to a file, as soon as the hook allows it. Between reading and writing there is time for others.
func (h *harness) edit(file, line string) error {
	tool := map[string]any{"tool_name": "Edit", "tool_input": map[string]any{"file_path": file}}
	for deadline := time.Now().Add(time.Minute); ; {
		said, err := h.hook("pre-tool-use", tool)
		if err != nil {
			return err
		}
		if said == "" {
			break
		}
		if !strings.Contains(said, `"deny"`) || time.Now().After(deadline) {
			return errors.New(said)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := h.hook("post-tool-use", tool); err != nil { // takes its time, which the race needs
		return err
	}
	return os.WriteFile(file, append(text, line+"\n"...), 0o600)
}

// commit commits the files of the step. All agents share one index, which git lets one of them have at a time.
func (h *harness) commit(message string) error {
	for deadline := time.Now().Add(time.Minute); ; {
		cmd := exec.Command("git", "commit", "-q", "-m", message, "--", "lib.txt", "main.txt")
		cmd.Env = h.env
		out, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		if !bytes.Contains(out, []byte(".lock")) || time.Now().After(deadline) {
			return fmt.Errorf("git commit: %w: %s", err, out)
		}
	}
}

// Two coding agents change the same files of one work tree through hooks and tools, and no change is lost. A third one
// that asks nobody is stopped by the guard while they hold what it wants to commit.
func TestAgentsShareAWorkTree(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	tree := filepath.Join(t.TempDir(), "shop")
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dragoman", codingAgent} { // the test binary is each program when it is called so
		if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
			t.Skipf("no symbolic links may be made here: %v; on Windows turn on the developer mode to run this test",
				err)
		}
	}
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, []byte("[user]\nname = T\nemail = t@example.com\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1", "CLAUDE_ENV_FILE=")
	run := func(dir, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(dir, name string, args ...string) string {
		t.Helper()
		out, err := run(dir, name, args...)
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return out
	}
	daemon, err := clitest.StartProgram([]string{"coord", "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir()},
		t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(daemon.Kill)
	url, err := daemon.Ready()
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "DRAGOMAN_COORD="+url)
	must(".", "git", "init", "-q", tree)
	for _, file := range []string{"lib.txt", "main.txt"} {
		if err := os.WriteFile(filepath.Join(tree, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must(tree, "git", "add", ".")
	must(tree, "git", "commit", "-q", "-m", "begin")
	program := filepath.Join(bin, "dragoman")
	must(tree, program, "coord", "guard", "install")

	// A lease that lasts as long as the test needs it: both agents hold theirs for an instant only.
	client := stdioOf(t, program, tree, env)
	for _, args := range []map[string]any{
		{"session_name": "holder", "task_id": "1", "branch": "", "description": ""},
		{"session_name": "holder", "file_path": "README", "change_type": "create", "description": "mine"},
	} {
		tool := "register_agent"
		if args["file_path"] != nil {
			tool = "announce_file_change"
		}
		if _, err := clitest.CallTool(t.Context(), client, tool, args); err != nil {
			t.Fatal(err)
		}
	}

	const steps = 4
	results := make(chan error, 2)
	for _, session := range []string{"ann", "bob"} {
		go func() {
			out, err := run(tree, filepath.Join(bin, codingAgent), session, strconv.Itoa(steps), program)
			if err != nil {
				err = fmt.Errorf("%w\n%s", err, out)
			}
			results <- err
		}()
	}
	// The third one has a work tree of its own, asks nobody, and finds the gate shut.
	rogue := filepath.Join(t.TempDir(), "rogue")
	must(tree, "git", "worktree", "add", "-q", "-b", "rogue", rogue)
	if err := os.WriteFile(filepath.Join(rogue, "README"), []byte("mine!\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(rogue, "git", "add", "README")
	out, err := run(rogue, "git", "commit", "-q", "-m", "rogue")
	if err == nil || !strings.Contains(out, "README is leased by holder: mine") {
		t.Errorf("the guard let it through: %v\n%s", err, out)
	}

	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	for file, verb := range map[string]string{"lib.txt": "func", "main.txt": "call"} {
		text := must(tree, "git", "show", "HEAD:"+file)
		for _, session := range []string{"ann", "bob"} {
			for i := range steps {
				if line := fmt.Sprintf("%s %s%d\n", verb, session, i); strings.Count(text, line) != 1 {
					t.Errorf("%s has %q %d times:\n%s", file, line, strings.Count(text, line), text)
				}
			}
		}
	}
	if log := must(tree, "git", "log", "--oneline"); strings.Count(log, " add ") != 2*steps ||
		strings.Contains(log, "rogue") {
		t.Errorf("the history is\n%s", log)
	}
	if text := must(tree, "git", "status", "--porcelain"); text != "" {
		t.Errorf("left over:\n%s", text)
	}
	if _, err := clitest.CallTool(t.Context(), client, "release_file_lock",
		map[string]any{"session_name": "holder", "file_path": "README"}); err != nil {
		t.Fatal(err)
	}
	must(rogue, "git", "commit", "-q", "-m", "now it may")
}

// stdioOf starts a proxy in a folder and returns a client of it.
func stdioOf(t *testing.T, program, dir string, env []string) *sdk.ClientSession {
	t.Helper()
	cmd := exec.Command(program, "coord", "stdio")
	cmd.Dir, cmd.Env = dir, env
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// sessionName returns the name that hooks give the agent of a harness's session.
func sessionName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "agent-" + hex.EncodeToString(sum[:4])
}
