// SPDX-License-Identifier: Apache-2.0

package mcptools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/llm/mcptools"
)

// asServer makes this program an MCP server on its standard input and output.
const asServer = "MCPTOOLS_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		if err := server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

type part struct {
	Name string `json:"name"`
}

// server has tools of all kinds.
func server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "parts", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "stock.count", Description: "counts parts"},
		func(_ context.Context, _ *mcp.CallToolRequest, p part) (*mcp.CallToolResult, any, error) {
			if p.Name == "" {
				return nil, nil, errors.New("no such part")
			}
			return nil, map[string]int{p.Name: 3}, nil
		})
	add := func(name, schema string, call func(context.Context) *mcp.CallToolResult) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)},
			func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return call(ctx), nil
			})
	}
	const none = `{"type":"object"}`
	add("show", none, func(context.Context) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "a wheel"}, &mcp.ImageContent{MIMEType: "image/png", Data: []byte("png")},
			&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
			&mcp.ResourceLink{URI: "file:///a", Name: "a"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", Text: "inside"}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///c", Blob: []byte("cc"),
				MIMEType: "x/y"}},
		}}
	})
	add("environment", none, func(context.Context) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(os.Environ(), "\n")}}}
	})
	add("wait", none, func(ctx context.Context) *mcp.CallToolResult { <-ctx.Done(); return &mcp.CallToolResult{} })
	add("nothing", none, func(context.Context) *mcp.CallToolResult { return &mcp.CallToolResult{} })
	add("elsewhere", `{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`,
		func(context.Context) *mcp.CallToolResult { return nil })
	return s
}

// inProcess opens the server without a network.
func inProcess(t *testing.T, o mcptools.Options) (*mcptools.Server, error) {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := server().Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); session.Wait() })
	o.Transport = ours
	s, err := mcptools.Open(t.Context(), o)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// call calls one tool as a model would.
func call(t *testing.T, s *mcptools.Server, name, args string) llm.Message {
	t.Helper()
	model := llmtest.New(t, llmtest.Calls(llmtest.Call{Name: name, Args: args}), llmtest.Text("ok"))
	a, err := llm.Run(t.Context(), model.Model(), llm.Task{Messages: []llm.Message{llm.User("go")}, Tools: s.Tools()})
	if err != nil {
		t.Fatal(err)
	}
	return a.Messages[1]
}

func TestEachWayToAServer(t *testing.T) {
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server() }, nil))
	t.Cleanup(served.Close)
	t.Setenv("GEMINI_API_KEY", "secret-key")
	for name, open := range map[string]func(*testing.T) (*mcptools.Server, error){
		"command": func(t *testing.T) (*mcptools.Server, error) {
			return mcptools.Open(t.Context(),
				mcptools.Options{Command: []string{os.Args[0]}, Env: []string{asServer + "=1"}})
		},
		"HTTP": func(t *testing.T) (*mcptools.Server, error) {
			return mcptools.Open(t.Context(), mcptools.Options{URL: served.URL})
		},
		"in process": func(t *testing.T) (*mcptools.Server, error) { return inProcess(t, mcptools.Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if m := call(t, s, "stock_count", `{"name":"wheel"}`); m.Text != `{"wheel":3}` {
				t.Errorf("the model was told %q", m.Text)
			}
			if m := call(t, s, "stock_count", `{"name":""}`); m.Text != "error: no such part" {
				t.Errorf("the model was told %q", m.Text)
			}
			if m := call(t, s, "stock_count", `{}`); !strings.Contains(m.Text, "do not fit") {
				t.Errorf("the model was told %q", m.Text)
			}
			if env := call(t, s, "environment", ``).Text; name == "command" &&
				(strings.Contains(env, "secret-key") || !strings.Contains(env, "PATH=")) {
				t.Errorf("the command sees %q", env)
			}
		})
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	s, err := inProcess(t, mcptools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := call(t, s, "show", "")
	if want := "a wheel\n[audio, audio/wav, 3 bytes]\n[resource a file:///a]\ninside\n[resource file:///c, x/y, 2 " +
		"bytes]"; m.Text != want {
		t.Errorf("the model was told %q, want %q", m.Text, want)
	}
	if len(m.Images) != 1 || m.Images[0].MediaType != "image/png" || string(m.Images[0].Data) != "png" {
		t.Errorf("and shown %+v", m.Images)
	}
	if m := call(t, s, "nothing", ""); m.Text != "done" {
		t.Errorf("the model was told %q", m.Text)
	}
}

func TestWhichTools(t *testing.T) {
	t.Parallel()
	s, err := inProcess(t, mcptools.Options{Prefix: "parts/"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range s.Tools() {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); strings.Contains(got, "elsewhere") ||
		!strings.Contains(got, "parts_stock_count") || len(names) != 5 {
		t.Errorf("the tools are %s", got)
	}
}

func TestACallThatTakesTooLong(t *testing.T) {
	t.Parallel()
	s, err := inProcess(t, mcptools.Options{Time: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if m := call(t, s, "wait", ""); !strings.Contains(m.Text, "took longer than 200ms") {
		t.Errorf("the model was told %q", m.Text)
	}
}

func TestServersThatAreNotThere(t *testing.T) {
	t.Parallel()
	big := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 33 << 10 {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<10))); err != nil {
				return
			}
		}
	}))
	t.Cleanup(big.Close)
	for name, test := range map[string]struct {
		options mcptools.Options
		want    string
	}{
		"nothing": {mcptools.Options{}, "set one of"},
		"two":     {mcptools.Options{URL: "http://localhost", Command: []string{"x"}}, "set one of"},
		"program": {mcptools.Options{Command: []string{"/no/such/program"}}, "no such file"},
		"silent": {mcptools.Options{Command: []string{"cat"}, Time: 200 * time.Millisecond},
			"connect the MCP server"},
		"no HTTP":  {mcptools.Options{URL: "http://127.0.0.1:1"}, "connect the MCP server"},
		"too much": {mcptools.Options{URL: big.URL}, "over the limit of 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := mcptools.Open(t.Context(), test.options)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open = %v, %v", s, err)
			}
		})
	}
}
