// SPDX-License-Identifier: Apache-2.0

package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// A client that ends its session while a call waits is answered at once, and the call does not go on.
func TestEndOfSessionEndsItsCalls(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			close(begun)
			select {
			case <-ctx.Done():
				ended <- ctx.Err()
			case <-time.After(20 * time.Second):
				ended <- nil
			}
			return nil, ctx.Err()
		})
	srv := httptest.NewServer(mcphttp.Handler(server, nil, nil))
	defer srv.Close()
	defer srv.CloseClientConnections()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL},
			&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
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

// The request that carries a call ends with its connection, and the call goes on, whatever request the client says it
// is.
func TestCarrierEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	begun, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			carrier := mcphttp.Carrier(ctx)
			if err := carrier.Err(); err != nil {
				t.Errorf("over before it began: %v", err)
			}
			close(begun)
			select {
			case <-carrier.Done():
				ended <- ctx.Err()
			case <-time.After(20 * time.Second):
				t.Error("the request goes on without its connection")
				ended <- nil
			}
			close(goOn)
			return &mcp.CallToolResult{}, nil
		})
	srv := httptest.NewServer(mcphttp.Handler(server, nil, nil))
	defer srv.Close()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL},
			&mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cut := context.WithCancel(t.Context())
	defer cut()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL,
		strings.NewReader(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"wait"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Mcp-Session-Id": c.ID(), "Mcp-Protocol-Version": "2025-11-25", "Content-Type": "application/json",
		"Accept":           "application/json, text/event-stream",
		"Dragoman-Carrier": "1",
	} {
		req.Header.Set(name, value)
	}
	go srv.Client().Do(req) // which is never answered
	<-begun
	cut()
	<-goOn
	if err := <-ended; err != nil {
		t.Errorf("the call ended with it: %v", err)
	}
}

// An error that is none of JSON-RPC has a code of it for the client, and one that is keeps its own.
func TestErrorsHaveCodes(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	for name, err := range map[string]error{"plain": errors.New("no"),
		"coded": fmt.Errorf("no: %w", &jsonrpc.Error{Code: 7, Message: "seven"})} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, err
			})
	}
	srv := httptest.NewServer(mcphttp.Handler(server, nil, nil))
	defer srv.Close()
	for _, generation := range []string{"2025-11-25", mcphttp.Stateless} {
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).
			Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL},
				&mcp.ClientSessionOptions{ProtocolVersion: generation})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]int64{"plain": jsonrpc.CodeInternalError, "coded": 7} {
			_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
			if said, ok := errors.AsType[*jsonrpc.Error](err); !ok || said.Code != want {
				t.Errorf("%s, %s: %v, want %d", generation, name, err, want)
			}
		}
		c.Close()
	}
}
