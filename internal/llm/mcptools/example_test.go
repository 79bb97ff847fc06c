// SPDX-License-Identifier: Apache-2.0

package mcptools_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/mcptools"
)

// A model uses the tools of an MCP server.
func Example() {
	ctx := context.Background()
	model, err := llm.Open(llm.Options{Provider: llm.Gemini, Key: os.Getenv("GEMINI_API_KEY")})
	if err != nil {
		fmt.Println(err)
		return
	}
	// For a server at a URL: mcptools.Options{URL: "https://example.com/mcp", Header: header}
	server, err := mcptools.Open(ctx, mcptools.Options{Command: []string{"parts-server"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	answer, err := llm.Run(ctx, model, llm.Task{
		Messages: []llm.Message{llm.User("Is part 12345 in stock?")},
		Tools:    server.Tools(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text)
}
