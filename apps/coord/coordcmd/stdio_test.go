// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// startRaw starts a proxy and returns its two ends, for what no client of MCP would say.
func startRaw(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// stdioClient starts a proxy and returns a client of it.
func stdioClient(t *testing.T, cmd *exec.Cmd, version string, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).
		Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// mustCall calls a tool and wants a text in its answer.
func mustCall(t *testing.T, session *sdk.ClientSession, tool string, args map[string]any, want string) {
	t.Helper()
	text, err := clitest.CallTool(t.Context(), session, tool, args)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want) {
		t.Fatalf("%s: %s, without %s", tool, text, want)
	}
}

// stopDaemon ends the coordinator that has a data folder.
func stopDaemon(t *testing.T, data string, signal syscall.Signal) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, cmdline.FolderCoord, "dragoman.owner"))
	if err != nil {
		return // none runs
	}
	var holder sqlite.Holder
	if err := json.Unmarshal(text, &holder); err != nil {
		t.Fatal(err)
	}
	if syscall.Kill(holder.PID, signal) != nil {
		return
	}
	for deadline := time.Now().Add(20 * time.Second); syscall.Kill(holder.PID, 0) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the coordinator does not end")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// Harnesses of both kinds of MCP share a coordinator that the first of them starts, and that is started again when it
// was killed; what one of them holds the other cannot have.
func TestStdioStartsTheCoordinator(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	env := []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data, "DRAGOMAN_PROJECT=p"}
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	ann := stdioClient(t, clitest.Command(t, env, "coord", "stdio", "--session", "ann"), "", nil)
	bob := stdioClient(t, clitest.Command(t, env, "coord", "stdio"), "2025-06-18", nil)
	if version := bob.InitializeResult().ProtocolVersion; version != "2025-06-18" {
		t.Errorf("bob speaks %s", version)
	}
	if text := bob.InitializeResult().Instructions; !strings.Contains(text, `project_id may be left out; it is "p"`) {
		t.Error(text)
	}
	mustCall(t, ann, "register_agent", map[string]any{"task_id": "1", "branch": "main", "description": "d"},
		`"session_name":"ann"`)
	mustCall(t, bob, "register_agent", map[string]any{"session_name": "bob", "task_id": "2", "branch": "main",
		"description": "d"}, `"other_active_agents":["ann"]`)
	lease := map[string]any{"file_path": "x", "change_type": "modify", "description": "d"}
	mustCall(t, ann, "announce_file_change", lease, `"locked"`)
	lease["session_name"] = "bob"
	mustCall(t, bob, "announce_file_change", lease, `"File is locked by ann"`)

	stopDaemon(t, data, syscall.SIGKILL)
	again(t, bob, "announce_file_change", lease, `"File is locked by ann"`)
	again(t, ann, "list_active_agents", nil, `"bob":`)
}

// again is mustCall for a client whose coordinator was killed. A call on a connection that is dead and does not know it
// yet is answered with what to do then, which is to ask again.
func again(t *testing.T, c *sdk.ClientSession, tool string, args map[string]any, want string) {
	t.Helper()
	if text, err := clitest.CallTool(t.Context(), c, tool, args); err == nil &&
		strings.Contains(string(text), "look before you ask again") {
		t.Logf("%s: %s", tool, text)
	}
	mustCall(t, c, tool, args, want)
}

// The schemas say which arguments a tool needs: the project has a value, and the session only where it was given.
func TestStdioRelaxesSchemas(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	env := []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data}
	for args, want := range map[string][]any{
		"--project p": {"session_name"}, "--project p --session s": {},
	} {
		session := stdioClient(t, clitest.Command(t, env,
			append([]string{"coord", "stdio", "--embedded", "--data-dir", ":memory:"}, strings.Fields(args)...)...), "",
			nil)
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) < 19 {
			t.Errorf("%d tools", len(list.Tools))
		}
		for _, tool := range list.Tools {
			required, _ := tool.InputSchema.(map[string]any)["required"].([]any)
			if tool.Name == "get_my_todos" && len(required) != len(want) {
				t.Errorf("%s: %s needs %v, want %v", args, tool.Name, required, want)
			}
		}
	}
}

// Lists may be asked for without params, as the official clients of JavaScript and Python do.
func TestStdioTakesListsWithoutParams(t *testing.T) {
	t.Parallel()
	cmd := clitest.Command(t, []string{"DRAGOMAN_PROJECT=p"}, "coord", "stdio", "--embedded", "--data-dir", ":memory:")
	in, out := startRaw(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewReader(out)
	ask := func(request, want string) {
		t.Helper()
		if _, err := io.WriteString(in, request+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Fatalf("%s\nis answered with\n%s(%v), without %s", request, line, err, want)
		}
	}
	ask(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},`+
			`"clientInfo":{"name":"c","version":"1"}}}`, `"2024-11-05"`)
	for method, want := range map[string]string{
		"tools/list": `"add_todo"`, "resources/list": `"uri":"dragoman://p/agents"`,
		"resources/templates/list": "dragoman://{project}/agents", "prompts/list": `"join_project"`,
	} {
		ask(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`, want)
	}
}

// A call that waits is given up when the harness cancels it, and says meanwhile that it waits; resources are passed on.
func TestStdioPassesOnWaits(t *testing.T) {
	t.Parallel()
	env := []string{"DRAGOMAN_PROJECT=p"}
	progress := make(chan string, 100)
	session := stdioClient(t, clitest.Command(t, env, "coord", "stdio", "--embedded", "--data-dir", ":memory:"), "",
		&sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context,
				req *sdk.ProgressNotificationClientRequest) {
				progress <- req.Params.Message
			},
		})
	for _, name := range []string{"a", "b"} {
		mustCall(t, session, "register_agent",
			map[string]any{"session_name": name, "task_id": name, "branch": "", "description": ""}, `"registered"`)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		params := &sdk.CallToolParams{Name: "query_agent", Meta: sdk.Meta{"progressToken": "t"},
			Arguments: map[string]any{
				"from_session": "a", "to_session": "b", "query_type": "q", "query": "Who?", "timeout": 300,
			}}
		_, err := session.CallTool(ctx, params)
		ended <- err
	}()
	inbox := map[string]any{"session_name": "b", "peek": true}
	clitest.Await(t, func() bool {
		text, err := clitest.CallTool(t.Context(), session, "check_messages", inbox)
		return err == nil && strings.Contains(string(text), "Who?")
	})
	if said := <-progress; said != "waiting" {
		t.Errorf("said %q", said)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	clitest.Await(t, func() bool { // whoever was asked need not answer
		text, err := clitest.CallTool(t.Context(), session, "check_messages", inbox)
		return err == nil && string(text) == "[]"
	})
}

// So it is between the harness and a coordinator of its own, for both calls that wait and each kind of MCP.
func TestProxyPassesOnWaits(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	env := []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data}
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	stdioClient(t, clitest.Command(t, env, "coord", "stdio", "--project", "first"), "", nil) // starts the coordinator
	for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			progress := make(chan any, 100)
			session := stdioClient(t, clitest.Command(t, env, "coord", "stdio", "--project", version), version,
				&sdk.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
						progress <- req.Params.ProgressToken
					},
				})
			for _, name := range []string{"a", "b"} {
				mustCall(t, session, "register_agent",
					map[string]any{"session_name": name, "task_id": name, "branch": "", "description": ""},
					`"registered"`)
			}
			change := map[string]any{"session_name": "b", "file_path": "x", "change_type": "modify",
				"wait_seconds": 300}
			mustCall(t, session, "announce_file_change", change, `"locked"`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 2)
			wait := func(tool string, args map[string]any) {
				_, err := session.CallTool(ctx,
					&sdk.CallToolParams{Name: tool, Arguments: args, Meta: sdk.Meta{"progressToken": tool}})
				ended <- err
			}
			go wait("announce_file_change",
				map[string]any{"session_name": "a", "file_path": "x", "change_type": "modify", "wait_seconds": 300})
			go wait("query_agent", map[string]any{"from_session": "a", "to_session": "b", "query_type": "q",
				"query": "Who?", "timeout": 300})
			for told := map[any]bool{}; len(told) < 2; {
				select {
				case token := <-progress:
					told[token] = true
				case <-time.After(40 * time.Second):
					t.Fatalf("only %v said that it waits", told)
				}
			}
			cancel()
			for range 2 {
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("ended with %v", err)
				}
			}
			clitest.Await(t, func() bool { // whoever was asked need not answer
				text, err := clitest.CallTool(t.Context(), session, "check_messages",
					map[string]any{"session_name": "b", "peek": true})
				return err == nil && string(text) == "[]"
			})
			mustCall(t, session, "release_file_lock", map[string]any{"session_name": "b", "file_path": "x"},
				`"released"`)
			clitest.Await(t, func() bool { // a's claim is gone, or a would have the lock now
				change := map[string]any{"session_name": "c", "file_path": "x", "change_type": "modify"}
				text, err := clitest.CallTool(t.Context(), session, "announce_file_change", change)
				return err == nil && strings.Contains(string(text), `"locked"`)
			})
		})
	}
}

// Resources and prompts are those of the coordinator.
func TestStdioPassesOnResources(t *testing.T) {
	t.Parallel()
	updated := make(chan string, 100)
	session := stdioClient(t, clitest.Command(t, nil, "coord", "stdio", "--embedded", "--data-dir", ":memory:",
		"--project", "p"), "", &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context,
			req *sdk.ResourceUpdatedNotificationRequest) {
			updated <- req.Params.URI
		},
	})
	mustCall(t, session, "register_agent",
		map[string]any{"session_name": "a", "task_id": "1", "branch": "", "description": ""}, `"registered"`)
	if _, err := session.ListResources(t.Context(), nil); err != nil {
		t.Error(err)
	}
	templates, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) == 0 {
		t.Errorf("%+v, %v", templates, err)
	}
	const uri = "dragoman://p/agents"
	read, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil || len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, `"a"`) {
		t.Errorf("%+v, %v", read, err)
	}
	if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	awaitUpdate(t, session, updated, uri)
	prompts, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) == 0 {
		t.Errorf("%+v, %v", prompts, err)
	}
}

// awaitUpdate has agents come until a client is told so: nobody answers that a subscription has begun.
func awaitUpdate(t *testing.T, session *sdk.ClientSession, updated <-chan string, uri string) {
	t.Helper()
	for i := range 200 {
		mustCall(t, session, "register_agent",
			map[string]any{"session_name": fmt.Sprint("b", i), "task_id": "1", "branch": "", "description": ""},
			`"registered"`)
		select {
		case got := <-updated:
			if got == uri {
				return
			}
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatal("nobody is told of a change")
}

// The proxy ends when its harness does, whatever that leaves behind.
func TestStdioEndsWithItsHarness(t *testing.T) {
	t.Parallel()
	cmd := clitest.Command(t, nil, "coord", "stdio", "--embedded", "--data-dir", ":memory:", "--project", "p")
	in, out := startRaw(t, cmd)
	io.WriteString(in,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},`+
			`"clientInfo":{"name":"t","version":"1"}}}`+"\n")
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil ||
		!strings.Contains(line, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("%q, %v", line, err)
	}
	in.Close()
	io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
