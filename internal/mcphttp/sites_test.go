// SPDX-License-Identifier: Apache-2.0

package mcphttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// post gives a handler a request of MCP, without a network.
func post(t *testing.T, h http.Handler, header map[string]string, body string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8096/mcp",
		strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// handler returns the handler of a server whose one tool says yes, and counts its calls.
func handler(calls *int) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	server.AddTool(&mcp.Tool{Name: "yes", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			*calls++
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "yes"}}}, nil
		})
	return mcphttp.Handler(server, nil, nil)
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ready   = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	callYes = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"yes","arguments":{}}}`
	alone   = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"yes","arguments":{},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// Neither kind of MCP serves pages of other sites, which the browser tells of in either of two ways.
func TestOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]map[string]string{
		"by site": {"Sec-Fetch-Site": "cross-site"}, "by a site beside": {"Sec-Fetch-Site": "same-site"},
		"by origin":    {"Origin": "http://elsewhere.example"},
		"its own page": {"Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:8096"}, "a program": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := http.StatusForbidden
			if name == "its own page" || name == "a program" {
				want = http.StatusOK
			}
			calls := 0
			h := handler(&calls)
			with := post(t, h, header, initialize)
			if id := with.Header().Get("Mcp-Session-Id"); with.Code != want || (id == "") != (want != http.StatusOK) {
				t.Errorf("with sessions: %d %s, session %q", with.Code, with.Body, id)
			} else if id != "" {
				t.Cleanup(func() {
					req := httptest.NewRequest(http.MethodDelete, "http://127.0.0.1:8096/mcp", nil)
					req.Header.Set("Mcp-Session-Id", id)
					h.ServeHTTP(httptest.NewRecorder(), req)
				})
			}
			header := map[string]string{"Sec-Fetch-Site": header["Sec-Fetch-Site"], "Origin": header["Origin"],
				"Mcp-Protocol-Version": mcphttp.Stateless, "Mcp-Method": "tools/call", "Mcp-Name": "yes"}
			without := post(t, h, header, alone)
			if served := calls == 1; without.Code != want || served != (want == http.StatusOK) {
				t.Errorf("without sessions: %d %s", without.Code, without.Body)
			}
		})
	}
}

// A session on which nothing comes for half an hour is over, and one on which something comes is not.
func TestSilentSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		h := handler(&calls)
		id := post(t, h, nil, initialize).Header().Get("Mcp-Session-Id")
		header := map[string]string{"Mcp-Session-Id": id, "Mcp-Protocol-Version": "2025-11-25"}
		post(t, h, header, ready)
		for i, pause := range []time.Duration{0, 29 * time.Minute, 29 * time.Minute} {
			time.Sleep(pause)
			if got := post(t, h, header, callYes); got.Code != http.StatusOK || calls != i+1 {
				t.Fatalf("after %v: %d %s", pause, got.Code, got.Body)
			}
		}
		time.Sleep(31 * time.Minute)
		if got := post(t, h, header, callYes); got.Code != http.StatusNotFound || calls != 3 {
			t.Errorf("a session of long ago: %d %s", got.Code, got.Body)
		}
	})
}
