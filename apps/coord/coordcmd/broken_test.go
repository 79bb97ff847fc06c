// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A data folder that is named from here is the same one for the coordinator that is started in the background, and for
// commands beside it.
func TestRelativeDataFolder(t *testing.T) {
	t.Parallel()
	env := []string{"DRAGOMAN_COORD=http://" + clitest.FreeAddress(t), "DRAGOMAN_DATA_DIR=mine", "DRAGOMAN_PROJECT=p",
		"CLAUDE_ENV_FILE="}
	start := clitest.Command(t, env, "coord", "hook", "session-start")
	start.Stdin = strings.NewReader(`{"session_id":"1"}`)
	if out, err := start.CombinedOutput(); err != nil || !strings.Contains(string(out), "you are registered") {
		t.Fatalf("%v\n%s", err, out)
	}
	data := filepath.Join(start.Dir, "mine")
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	for file, want := range map[string]bool{"owner.key": true, "serve.log": true, "mine": false} {
		if _, err := os.Stat(filepath.Join(data, cmdline.FolderCoord, file)); (err == nil) != want {
			t.Errorf("%s: %v", file, err)
		}
	}
	token := clitest.Command(t, env, "coord", "token", "create", "ann")
	token.Dir = start.Dir
	if out, err := token.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The gate and hooks are open when something else listens where the coordinator should, and when this program is not
// where it was, and say so.
func TestNoCoordinatorLetsThrough(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	env := []string{"DRAGOMAN_COORD=" + other.URL, "DRAGOMAN_PROJECT=p", "CLAUDE_ENV_FILE="}
	for _, args := range [][]string{{"guard", "check"}, {"hook", "session-start"}, {"hook", "pre-tool-use"}} {
		cmd := clitest.Command(t, env, append([]string{"coord"}, args...)...)
		for _, git := range []string{"init -q", "add x"} {
			if err := os.WriteFile(filepath.Join(cmd.Dir, "x"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			in := exec.Command("git", strings.Fields(git)...)
			in.Dir = cmd.Dir
			if out, err := in.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		cmd.Stdin = strings.NewReader(`{"session_id":"1","tool_name":"Edit","tool_input":{"file_path":"x"}}`)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "Warning: ") ||
			!strings.Contains(string(out), "is no coordinator") || strings.Contains(string(out), "json") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// Files that are known to be leased are not committed, also if the coordinator went away, or refused, before it had
// heard of all files.
func TestGuardKeepsWhatItFound(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	for status, want := range map[int]struct {
		exit int
		said string
	}{http.StatusServiceUnavailable: {cmdline.ExitFailure, "Warning: "},
		http.StatusForbidden: {cmdline.ExitAuth, "DRAGOMAN_COORD_TOKEN"}} {
		var asked atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1) == 1 {
				io.WriteString(w, `{"conflicts":[{"file_path":"1","session":"fay","description":"d"}]}`)
				return
			}
			w.WriteHeader(status)
			io.WriteString(w, `{"error":"no more"}`)
		}))
		defer srv.Close()
		cmd := clitest.Command(t, []string{"DRAGOMAN_COORD=" + srv.URL, "DRAGOMAN_PROJECT=p"}, "coord", "guard",
			"check")
		if out, err := exec.Command("sh", "-c", `cd "$1" && git init -q && touch $(seq 1 "$2") && git add .`, "",
			cmd.Dir, "201").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != want.exit || !strings.Contains(string(out), "is leased by fay: d") ||
			!strings.Contains(string(out), want.said) {
			t.Errorf("%d: exit %d\n%s", status, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// A coordinator that hangs keeps nobody for long, and everybody is told what to do about it.
func TestCoordinatorHangs(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	s, url := startCoordinator(t)
	if err := s.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"guard", "check"}, {"hook", "session-start"}, {"hook", "pre-tool-use"},
		{"hook", "stop"}, {"doctor"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			cmd := clitest.Command(t, []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_PROJECT=p", "CLAUDE_ENV_FILE="},
				append([]string{"coord"}, args...)...)
			if out, err := exec.Command("sh", "-c", `cd "$1" && git init -q && touch x && git add x`, "",
				cmd.Dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			cmd.Stdin = strings.NewReader(`{"session_id":"1","tool_name":"Edit","tool_input":{"file_path":"x"}}`)
			begin := time.Now()
			out, err := cmd.CombinedOutput()
			if took := time.Since(begin); took > 18*time.Second { // one call's 5 seconds, on a machine that is busy
				t.Errorf("took %v", took)
			}
			if (err != nil) != (args[0] == "doctor") { // which says that all is not well
				t.Error(err)
			}
			for want, is := range map[string]bool{url + " does not respond": true, "kill -9": true, "deadline": false,
				"dragoman coord serve": false} {
				if strings.Contains(string(out), want) != is {
					t.Errorf("%q is %t in\n%s", want, !is, out)
				}
			}
		})
	}
}

// An edit does not pass unseen because the coordinator was stopped: the hook before it starts one, and none before what
// is no edit.
func TestEditsStartTheCoordinator(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	env := []string{"DRAGOMAN_COORD=http://" + clitest.FreeAddress(t), "DRAGOMAN_DATA_DIR=" + data,
		"DRAGOMAN_PROJECT=p", "CLAUDE_ENV_FILE="}
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	for _, step := range []struct{ moment, input, want string }{
		{"pre-tool-use", `{"session_id":"a","tool_name":"Read","tool_input":{"file_path":"x"}}`, ""},
		{"pre-tool-use", `{"session_id":"a","tool_name":"Edit","tool_input":{"file_path":"/elsewhere/x"}}`, ""},
		{"stop", `{"session_id":"a"}`, "nothing listens"},
		{"pre-tool-use", `{"session_id":"a","tool_name":"Edit","tool_input":{"file_path":"x"}}`, "knows you as"},
		{"pre-tool-use", `{"session_id":"a","tool_name":"Edit","tool_input":{"file_path":"x"}}`, ""},
	} {
		hook := clitest.Command(t, env, "coord", "hook", step.moment)
		hook.Stdin = strings.NewReader(step.input)
		if out, err := hook.CombinedOutput(); err != nil || !strings.Contains(string(out), step.want) ||
			step.want == "" && len(out) > 0 {
			t.Fatalf("%+v: %v\n%s", step, err, out)
		}
	}
}

// Unreadable messages of an MCP client end nothing.
func TestStdioGoesOnAfterGarbage(t *testing.T) {
	t.Parallel()
	cmd := clitest.Command(t, []string{"DRAGOMAN_PROJECT=p"}, "coord", "stdio", "--embedded", "--data-dir", ":memory:")
	in, out := startRaw(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewReader(out)
	for _, step := range [][2]string{
		{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"c","version":"1"}}}`, `"2025-06-18"`},
		{`garbage`, `-32700`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `-32600`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`, `"id":2,"error"`},
		{`{"jsonrpc":"2.0","id":3,"method":"prompts/get"}`, `"id":3,"error"`},
		{`{"jsonrpc":"2.0","id":4,"method":"resources/read"}`, `"id":4,"error"`},
		{`{"method":"tools/call","params":{"name":"add_todo","arguments":{"todo_item":"` + strings.Repeat("x", 20<<20) +
			`"}},"jsonrpc":"2.0","id":5}`, `"id":5,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"join_project",` +
			`"arguments":{"session_name":"a"}}}`, `Join the project \"p\"`},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"dragoman://p/nothing"}}`,
			`"id":7,"error":{"code":-32`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"list_active_agents"}}`, `"id":8,"result"`},
	} {
		if _, err := io.WriteString(in, step[0]+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, step[1]) || strings.Contains(line, "calling") ||
			strings.Contains(line, "rejected") {
			t.Fatalf("%.200s\nis answered with\n%s(%v), without %s", step[0], line, err, step[1])
		}
	}
}

// A client that waits when the coordinator is killed gets an answer of the usual form, which says what may have
// happened; so does a client that asks for something unknown, over HTTP in between.
func TestStdioSaysThatTheCoordinatorIsGone(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	env := []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data, "DRAGOMAN_PROJECT=p"}
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	session := stdioClient(t, clitest.Command(t, env, "coord", "stdio"), "", nil)
	for _, name := range []string{"a", "b"} {
		mustCall(t, session, "register_agent",
			map[string]any{"session_name": name, "task_id": name, "branch": "", "description": ""}, `"registered"`)
	}
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "dragoman://p/nothing"}); err == nil ||
		strings.Contains(err.Error(), "rejected") {
		t.Error(err)
	}
	answer := make(chan string, 1)
	go func() {
		text, err := clitest.CallTool(context.Background(), session, "query_agent",
			map[string]any{"from_session": "a", "to_session": "b", "query_type": "q", "query": "Who?", "timeout": 300})
		answer <- fmt.Sprint(string(text), err)
	}()
	clitest.Await(t, func() bool {
		text, err := clitest.CallTool(t.Context(), session, "check_messages",
			map[string]any{"session_name": "b", "peek": true})
		return err == nil && strings.Contains(string(text), "Who?")
	})
	stopDaemon(t, data, syscall.SIGKILL)
	said := <-answer
	if !strings.Contains(said, `"code":"unavailable"`) || !strings.Contains(said, "may have done") ||
		strings.Contains(said, "http") {
		t.Error(said)
	}
	mustCall(t, session, "list_active_agents", nil, `"b":`) // it is there again
}

// Subscriptions are renewed with another coordinator, for one who calls and for one who does not.
func TestStdioSubscribesAgain(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	env := []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data, "DRAGOMAN_PROJECT=p"}
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	agents, leases := "dragoman://p/agents", "dragoman://p/leases"
	join := func(version string) (session *sdk.ClientSession, updated chan string) {
		updated = make(chan string, 1000)
		session = stdioClient(t, clitest.Command(t, env, "coord", "stdio"), version, &sdk.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context,
				req *sdk.ResourceUpdatedNotificationRequest) {
				updated <- req.Params.URI
			},
		})
		for _, uri := range []string{agents, leases} {
			if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
		}
		return session, updated
	}
	active, tellsActive := join("2025-06-18")
	_, tellsSilent := join("2026-07-28")
	awaitUpdate(t, active, tellsActive, agents)
	awaitUpdate(t, active, tellsSilent, agents)
	stopDaemon(t, data, syscall.SIGKILL)
	again(t, active, "list_active_agents", nil, "{")
	for _, updated := range []chan string{tellsActive, tellsSilent} {
		clitest.Await(t, func() bool { // nobody could tell what happened meanwhile
			select {
			case uri := <-updated:
				return uri == leases
			default:
				return false
			}
		})
		awaitUpdate(t, active, updated, agents)
	}
}

// Unreadable projects cannot be subscribed to, for the same reason.
func TestStdioRefusesSubscriptions(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	env := []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data, "DRAGOMAN_PROJECT=p"}
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	session := stdioClient(t, clitest.Command(t, env, "coord", "stdio"), "2025-11-25", nil)
	stopDaemon(t, data, syscall.SIGKILL) // a subscription starts it again, too
	for _, uri := range []string{"dragoman://p/nothing", "http://x", "dragoman://p/agents/x", "dragoman://%01/agents"} {
		err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri})
		_, reading := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		subscribing, _ := errors.AsType[*jsonrpc.Error](err)
		read, _ := errors.AsType[*jsonrpc.Error](reading)
		if subscribing == nil || read == nil || subscribing.Code != read.Code || subscribing.Message != read.Message {
			t.Errorf("%s: subscribing is refused with %v, reading with %v", uri, err, reading)
		}
	}
}

// Harnesses name files by their absolute paths, in whichever work tree of the repository.
func TestStdioTakesAbsolutePaths(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	cmd := clitest.Command(t, nil, "coord", "stdio", "--embedded", "--data-dir", ":memory:")
	init := exec.Command("git", "init", "-q")
	init.Dir = cmd.Dir
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	session := stdioClient(t, cmd, "", nil)
	announce := func(who string, more map[string]any) map[string]any {
		args := map[string]any{"session_name": who, "change_type": "modify", "description": ""}
		for name, value := range more {
			args[name] = value
		}
		return args
	}
	mustCall(t, session, "announce_file_change",
		announce("a", map[string]any{"file_path": filepath.Join(cmd.Dir, "src", "main.go")}),
		`"locked","file_path":"src/main.go"`)
	mustCall(t, session, "announce_file_change", announce("b", map[string]any{"file_path": "src/main.go"}),
		`"conflict"`)
	mustCall(t, session, "announce_file_change",
		announce("b", map[string]any{"paths": []string{filepath.Join(cmd.Dir, "src") + "/",
			filepath.Join(cmd.Dir, "x")}}), `"conflict"`)
	mustCall(t, session, "announce_file_change",
		announce("b", map[string]any{"paths": []string{filepath.Join(cmd.Dir, "doc") + "/"}}), `"paths":["doc/"]`)
	mustCall(t, session, "release_file_lock",
		map[string]any{"session_name": "a", "file_path": filepath.Join(cmd.Dir, "src", "main.go")}, `"released"`)
	// A work tree in the work tree, or beside it, has its own root; a path that leads into it is one of that.
	in := filepath.Join(cmd.Dir, ".wt", "in")
	if out, err := exec.Command("git", "-C", cmd.Dir, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit",
		"-q", "--allow-empty", "-m", "begin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command("git", "-C", cmd.Dir, "worktree", "add", "-q", in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for path, want := range map[string]string{
		filepath.Join(in, "a.go"): "a.go", ".wt/in/b.go": "b.go", "./.wt//in/c/": "c/", ".wt/in/d/*.go": "d/*.go",
		".wt/int/e.go": ".wt/int/e.go", "src/../.wt/in/f.go": "f.go", "w*/in/g.go": "w*/in/g.go",
	} {
		mustCall(t, session, "announce_file_change", announce("w", map[string]any{"paths": []string{path}}),
			`"paths":["`+want+`"]`)
	}
	mustCall(t, session, "announce_file_change", announce("v", map[string]any{"file_path": "a.go"}), `"conflict"`)
	mustCall(t, session, "announce_file_change", announce("a", map[string]any{"file_path": "/etc/hosts"}),
		coord.CodeInvalid)
}
