// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// A resource is the same in either spelling of its URI, and the client is told of it in its own.
func TestSpellingsOfURIs(t *testing.T) {
	each(t, func(t *testing.T, p *place, generation string) {
		c, told := p.join("ann", generation)
		const project, session = "größe & mehr:1", "ä b"
		args := func(more ...string) map[string]any {
			all := map[string]any{"project_id": project, "session_name": session, "task_id": "1", "branch": "",
				"description": "d"}
			for i := 0; i < len(more); i += 2 {
				all[more[i]] = more[i+1]
			}
			return all
		}
		call(t, c, "register_agent", args())
		call(t, c, "broadcast_message", args("session_name", "other", "message_type", "info", "content", "hello"))
		for _, of := range [][2]string{
			{"dragoman://größe & mehr:1/agents", `"ä b":`},
			{"dragoman://gr%C3%B6%C3%9Fe%20%26%20mehr%3A1/agents", `"ä b":`},
			{"dragoman://größe%20& mehr:1/inbox/ä b", "hello"},
			{"dragoman://gr%c3%b6%C3%9Fe%20&%20mehr:1/inbox/%C3%A4%20b", "hello"},
		} {
			if got, err := read(t, c, of[0]); err != nil || !strings.Contains(got, of[1]) {
				t.Errorf("%s: %s, %v", of[0], got, err)
			}
		}
		plain, escaped := "dragoman://größe & mehr:1/todos", "dragoman://gr%C3%B6%C3%9Fe%20%26%20mehr%3A1/todos"
		todo := func() { call(t, c, "add_todo", args("todo_item", "x")) }
		for _, uri := range []string{plain, escaped} {
			if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			subscribed(t, generation, told, uri, todo)
			if generation != generations[0] { // its client ends a subscription itself
				c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: uri})
				continue
			}
			other := map[string]string{plain: escaped, escaped: plain}[uri]
			if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: other}); err != nil {
				t.Fatal(err)
			}
			todo()
			select {
			case got := <-told:
				t.Errorf("told of %s after the end of the subscription", got)
			case <-time.After(300 * time.Millisecond):
			}
		}
	})
	for _, uris := range [][3]string{
		{"dragoman://a b/agents", "dragoman://a%20b/agents", "same"},
		{"dragoman://p/inbox/a%2Fb", "dragoman://p/inbox/a%2fb", "same"},
		{"dragoman://p/agents", "dragoman://p/todos"}, {"dragoman://p/agents", "dragoman://q/agents"},
		{"http://x", "http://x"},
	} {
		if got := coordmcp.SameResource(uris[0], uris[1]); got != (uris[2] != "") {
			t.Errorf("%s and %s: %v", uris[0], uris[1], got)
		}
	}
}
