// SPDX-License-Identifier: Apache-2.0

package mcphttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// A client that ends its session while a call waits is answered at once, and the call does not go on.
func TestEndOfSessionEndsItsCalls(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(begun)
		select {
		case <-ctx.Done():
			ended <- ctx.Err()
		case <-time.After(20 * time.Second):
			ended <- nil
		}
		return nil, ctx.Err()
	})
	srv := httptest.NewServer(mcphttp.Handler(server, nil))
	defer srv.Close()
	defer srv.CloseClientConnections()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	go c.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"}) // its session ends before it
	<-begun
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, srv.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", c.ID())
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	resp, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Error(resp.Status)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the end of the session waited for its call")
		}
	default:
		t.Error("the call goes on without its session")
	}
	c.Close() // its session is gone already
}
