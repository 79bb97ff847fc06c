// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpbridgecmd_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

const bridgeDoc = "../../../docs/mcp-bridge.md"

var bridgeBlock = regexp.MustCompile("(?s)```json (config|call|answer)\n(.*?)\n```")

// docBlocks returns the blocks of docs/mcp-bridge.md that this test runs.
func docBlocks(t *testing.T, sort string) [][]byte {
	t.Helper()
	doc, err := os.ReadFile(bridgeDoc)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for _, m := range bridgeBlock.FindAllSubmatch(doc, -1) {
		if string(m[1]) == sort {
			all = append(all, m[2])
		}
	}
	return all
}

// bridgeSession connects to the bridge as a client does.
func bridgeSession(t *testing.T, transport sdk.Transport, generation string) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), transport,
		&sdk.ClientSessionOptions{ProtocolVersion: generation})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if got := c.InitializeResult().ProtocolVersion; got != generation {
		t.Fatalf("speaks %s, want %s", got, generation)
	}
	return c
}

// The examples of docs/mcp-bridge.md work, over standard input and output and over HTTP, in both kinds of MCP.
func TestBridgeDoesWhatItsDocumentSays(t *testing.T) {
	t.Parallel()
	_, agent := clitest.Serve(t, "serve", "--agent", "currency", "--addr", "127.0.0.1:0", "--data-dir", ":memory:")
	_, front := clitest.Serve(t, "mcp", "bridge", "-a", agent, "--http", "127.0.0.1:0", "--mcp-token", "secret")
	for _, generation := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(generation, func(t *testing.T) {
			t.Run("stdio", func(t *testing.T) {
				runCalls(t, bridgeSession(t, &sdk.CommandTransport{Command: configured(t, agent)}, generation))
			})
			t.Run("http", func(t *testing.T) {
				web := &http.Client{Transport: withBearer("secret")}
				runCalls(t, bridgeSession(t, &sdk.StreamableClientTransport{Endpoint: front, HTTPClient: web},
					generation))
			})
		})
	}
	for _, token := range []string{"", "wrong"} {
		_, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{
				Endpoint: front, HTTPClient: &http.Client{Transport: withBearer(token)},
			}, nil)
		if err == nil {
			t.Errorf("the token %q was taken", token)
		}
	}
}

type withBearer string

func (b withBearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	transport := &http.Transport{DisableKeepAlives: true}
	return transport.RoundTrip(r)
}

// configured returns the command of the document's configuration, with another agent.
func configured(t *testing.T, agent string) *exec.Cmd {
	t.Helper()
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(docBlocks(t, "config")[0], &config); err != nil {
		t.Fatal(err)
	}
	server := config.Servers["currency"]
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), clitest.Link(t))
	cmd.Args = []string{server.Command}
	for _, arg := range server.Args {
		cmd.Args = append(cmd.Args, strings.Replace(arg, "http://127.0.0.1:8080", agent, 1))
	}
	return cmd
}

// runCalls makes the calls of the document one after the other.
func runCalls(t *testing.T, c *sdk.ClientSession) {
	t.Helper()
	calls, answers := docBlocks(t, "call"), docBlocks(t, "answer")
	if len(calls) != len(answers) || len(calls) < 3 {
		t.Fatalf("%d calls and %d answers", len(calls), len(answers))
	}
	task := ""
	for i, text := range calls {
		var call struct {
			Name      string         `json:"name"`
			Arguments map[string]any `json:"arguments"`
		}
		if err := json.Unmarshal([]byte(strings.Replace(string(text), `"TASK"`, `"`+task+`"`, 1)), &call); err != nil {
			t.Fatal(err)
		}
		result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		if err != nil {
			t.Fatal(err)
		}
		task = compareAnswer(t, answers[i], result)
	}
}

// compareAnswer compares an answer with what the document says, and returns the task that it names.
func compareAnswer(t *testing.T, doc []byte, result *sdk.CallToolResult) (task string) {
	t.Helper()
	var want []any
	if err := json.Unmarshal(doc, &want); err != nil {
		t.Fatal(err)
	}
	last := result.Content[len(result.Content)-1].(*sdk.TextContent).Text
	var report map[string]string
	if err := json.Unmarshal([]byte(last), &report); err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		switch w := w.(type) {
		case string:
			if got := result.Content[0].(*sdk.TextContent).Text; !strings.Contains(got, w) {
				t.Errorf("the answer is %q, and the document says %q", got, w)
			}
		case map[string]any:
			if report["status"] != w["status"] {
				t.Errorf("the answer is %s, and the document says %s", last, w["status"])
			}
		}
	}
	return report["task_id"]
}
