// SPDX-License-Identifier: Apache-2.0

// Package mcphttp serves an MCP server at one address to both kinds of MCP, that with sessions (2024-11-05 to 2025-11-25)
// and that without (2026-07-28).
package mcphttp

import (
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stateless is the first revision of MCP without sessions.
const Stateless = "2026-07-28"

// sessionTimeout is how long a session is kept on which nothing comes.
const sessionTimeout = 30 * time.Minute

// Handler returns the handler of an MCP endpoint. Each kind of MCP has a handler of its own, as one of both would lose
// what the other needs: subscriptions and cancelling. Web pages of others are refused.
func Handler(server *mcp.Server) http.Handler {
	get := func(*http.Request) *mcp.Server { return server }
	with := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	without := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= Stateless {
			without.ServeHTTP(w, r)
			return
		}
		with.ServeHTTP(w, r)
	}))
}
