// SPDX-License-Identifier: Apache-2.0

//go:build unix

package samplescmd_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/clitest/dragoman"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

// coderWith serves coder with a model that first calls a tool, and MCP servers.
func coderWith(t *testing.T, tool llmtest.Call, servers ...string) (url string, model *llmtest.Server) {
	t.Helper()
	model = llmtest.New(t, llmtest.Calls(tool), llmtest.Text("```go a.go\npackage a\n```\n"))
	args := []string{"serve", "--agent", "coder", "--addr", "127.0.0.1:0", "--data-dir", cmdline.InMemory, "--llm",
		"openai"}
	for _, server := range servers {
		args = append(args, "--mcp", server)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0], cmd.Dir, cmd.Env = "dragoman", t.TempDir(), os.Environ()
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_API_KEY", "LLM_MODEL"} {
		cmd.Env = append(cmd.Env, name+"="+model.Env(name))
	}
	s, err := clitest.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // it takes leave of the servers
		s.Cmd.Process.Signal(syscall.SIGTERM)
		<-s.Done
		if err := s.Cmd.Wait(); err != nil {
			t.Errorf("it ended with %v:\n%s", err, s.Output())
		}
	})
	if url, err = s.Ready(); err != nil {
		t.Fatal(err)
	}
	return url, model
}

func partsServer(t *testing.T) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "parts", Version: "1"}, nil)
	type part struct {
		Name string `json:"name"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "count", Description: "Counts parts."},
		func(_ context.Context, _ *sdk.CallToolRequest, p part) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "3 of " + p.Name}}}, nil, nil
		})
	served := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() { served.CloseClientConnections(); served.Close() })
	return served.URL
}

func checkTold(t *testing.T, url string, model *llmtest.Server, want string) {
	t.Helper()
	got := dragoman.Run(t.Context(), "send", "-a", url, "--text", "the stock of wheels, in Go")
	if got.Code != cmdline.ExitOK ||
		!strings.Contains(got.Stdout, "a.go") {
		t.Errorf("%+v", got)
	}
	if results := model.Last().Results(); len(results) != 1 || !strings.Contains(results[0].Text, want) {
		t.Errorf("the model was told %+v", results)
	}
}

func TestToolsOfAnMCPServer(t *testing.T) {
	url, model := coderWith(t, llmtest.Call{Name: "count", Args: `{"name":"wheels"}`}, partsServer(t))
	checkTold(t, url, model, "3 of wheels")
}

// The second server is a command: the bridge to an A2A agent, which is an MCP server.
func TestToolsOfSeveralMCPServers(t *testing.T) {
	shouter := dragoman.ServeAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		return turn.Artifact("answer", a2a.TextPart(strings.ToUpper(turn.Text())))
	}))
	url, model := coderWith(t, llmtest.Call{Name: "server2_test", Args: `{"text":"wheels"}`}, partsServer(t),
		clitest.Link(t)+" mcp bridge -a test="+shouter)
	checkTold(t, url, model, "WHEELS")
}

func TestMCPServersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args string
		exit int
		says string
	}{
		{"serve --agent coder --mcp http://127.0.0.1:1/mcp", cmdline.ExitUsage,
			"--mcp is for a language model, and there is none"},
		{"serve --agent hello --mcp x", cmdline.ExitUsage, "--mcp is for --agent coder"},
		{"serve --agent coder --llm openai --base-url http://127.0.0.1:1/v1 --model m --mcp " +
			"http://user:secret@127.0.0.1:1/mcp", cmdline.ExitUnreachable,
			`--mcp is "http://user:xxxxx@127.0.0.1:1/mcp": connect the MCP server: `},
		{"samples up --llm openai --base-url http://127.0.0.1:1/v1 --model m --mcp false", cmdline.ExitUnreachable,
			`--mcp is "false": connect the MCP server: `},
	} {
		got := dragoman.Run(t.Context(), append(strings.Fields(test.args), "--addr", "127.0.0.1:0", "--data-dir",
			cmdline.InMemory)...)
		if got.Code != test.exit || !strings.Contains(got.Stderr, "Error: "+test.says) ||
			strings.Contains(got.Stderr, "secret") {
			t.Errorf("%s: %+v", test.args, got)
		}
	}
}
