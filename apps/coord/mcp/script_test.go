// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/coordscript"
)

var update = flag.Bool("update", false, "write the answers that scripts get into them")

// TestScripts plays the conversations in testdata with each kind of MCP.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".script")+"/"+version, func(t *testing.T) {
				t.Parallel()
				play(t, file, version)
			})
		}
	}
}

func play(t *testing.T, file, version string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(coordmcp.New(hub, &coordmcp.Options{Extended: true}).Handler())
	var open []*mcp.ClientSession
	defer func() {
		for _, c := range open {
			c.Close()
		}
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	}()
	played, err := coordscript.Play(t.Context(), string(text), func(who string) (coordscript.Client, error) {
		client := mcp.NewClient(&mcp.Implementation{Name: who, Version: "1"}, nil)
		transport := &mcp.StreamableClientTransport{Endpoint: srv.URL, DisableStandaloneSSE: true}
		c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			return nil, err
		}
		open = append(open, c)
		if got := c.InitializeResult().ProtocolVersion; got != version {
			return nil, fmt.Errorf("the protocol is %s, want %s", got, version)
		}
		return scriptClient{c}, nil
	})
	if *update {
		if err := os.WriteFile(file, []byte(played), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", file, err)
	}
}

// A scriptClient is a client for scripts.
type scriptClient struct{ *mcp.ClientSession }

func (c scriptClient) Call(ctx context.Context, tool, arguments string) (coordscript.Answer, error) {
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: jsontext.Value(arguments)})
	if err != nil {
		return coordscript.Answer{}, err
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 {
		return coordscript.Answer{}, fmt.Errorf("the answer is no text: %+v", result)
	}
	structured, err := json.Marshal(result.StructuredContent)
	return coordscript.Answer{Text: text.Text, Structured: structured, Failed: result.IsError}, err
}
