// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// Without a session only calls that may wait are answered by a stream of events.
func TestOnlyCallsThatWaitAreStreams(t *testing.T) {
	t.Parallel()
	hub := coord.NewHub(nil)
	defer hub.Close()
	h := New(hub, nil).Handler()
	post := func(header, tool string) *httptest.ResponseRecorder {
		body := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{`+
				`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"t",`+
				`"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			tool, mcphttp.Stateless)
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": mcphttp.Stateless,
			"Mcp-Method":           "tools/call", "Mcp-Name": header,
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for i := range tools {
		if tools[i].extended {
			continue
		}
		name := tools[i].name
		want := "application/json"
		if name == "query_agent" || name == "announce_file_change" {
			want = "text/event-stream"
		}
		if w := post(name, name); w.Code != http.StatusOK || w.Header().Get("Content-Type") != want ||
			!strings.Contains(w.Body.String(), "is missing") {
			t.Errorf("%s: %d %s, want %s\n%s", name, w.Code, w.Header().Get("Content-Type"), want, w.Body)
		}
	}
	if w := post("heartbeat", "query_agent"); w.Code != http.StatusBadRequest {
		t.Errorf("a call under another name: %d\n%s", w.Code, w.Body)
	}
}

// The parameters of a tool say whether it may wait: no other tool makes a command that waits.
func TestSilentToolsDoNotWait(t *testing.T) {
	t.Parallel()
	for i := range tools {
		a := &args{values: map[string]jsontext.Value{}}
		for _, p := range tools[i].params {
			value, ok := map[string]string{"boolean": "true", "integer": "9", "number": "9", "array": `["x"]`}[p.kind]
			if !ok {
				value = `"x"`
			}
			a.values[p.name] = jsontext.Value(value)
		}
		if c := tools[i].command(a); silent(tools[i].name) && waits(c) {
			t.Errorf("%s waits: %+v", tools[i].name, c)
		}
	}
}
