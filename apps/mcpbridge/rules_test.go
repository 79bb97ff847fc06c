// SPDX-License-Identifier: Apache-2.0

package mcpbridge_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/mcpbridge"
	"github.com/dragoman-a2a/dragoman/auth"
)

type policy func(context.Context, auth.Access) error

func (p policy) Decide(ctx context.Context, access auth.Access) error { return p(ctx, access) }

// A policy decides about each tool: by the caller, the agent, the operation and the skill. A session is for the caller
// that began it.
func TestRules(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		a := serve(t, asker, skill("ask"), skill("refund"))
		b, err := mcpbridge.New([]mcpbridge.Agent{{Name: "shop", Service: a, Card: a.Card()}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var caller atomic.Value
		caller.Store(a2a.Identity{Subject: "ann"})
		asked := make(chan auth.Access, 1)
		refusing := atomic.Bool{}
		endpoint := b.Handler(&mcpbridge.Callers{
			Of: func(*http.Request) a2a.Identity { return caller.Load().(a2a.Identity) },
			Policy: policy(func(_ context.Context, access auth.Access) error {
				asked <- access
				if refusing.Load() {
					return a2a.NewError(a2a.ErrPermissionDenied, "not you")
				}
				return nil
			})})
		c := connect(t, generation, endpoint, nil)
		use := func(tool string, args map[string]any, operation, skill string) (*mcp.CallToolResult, report) {
			result, r := call(t, c, tool, args)
			want := auth.Access{Agent: "shop", Operation: operation, Skill: skill,
				Call: &a2a.Call{Identity: a2a.Identity{Subject: "ann"}}}
			if diff := cmp.Diff(want, <-asked); diff != "" {
				t.Errorf("%s asks: %s", tool, diff)
			}
			return result, r
		}
		_, begun := use("refund", map[string]any{"text": "one"}, "SendMessage", "refund")
		if begun.TaskID == "" {
			t.Fatalf("an allowed call reports %+v", begun)
		}
		refusing.Store(true)
		for tool, operation := range map[string]string{"ask": "SendMessage", "get_task": "GetTask",
			"cancel_task": "CancelTask"} {
			skill := map[string]string{"ask": "ask"}[tool]
			result, r := use(tool, map[string]any{"text": "two", "task_id": begun.TaskID}, operation, skill)
			if !result.IsError || r.TaskID != "" {
				t.Errorf("%s is answered %+v", tool, r)
			}
		}
		if generation >= "2026" { // has no sessions
			return
		}
		r := httptest.NewRequestWithContext(t.Context(), "DELETE", "/", nil)
		r.Header.Set("Mcp-Session-Id", c.ID())
		caller.Store(a2a.Identity{Subject: "bob"})
		w := httptest.NewRecorder()
		endpoint.ServeHTTP(w, r)
		if caller.Store(a2a.Identity{Subject: "ann"}); w.Code != http.StatusForbidden {
			t.Errorf("another caller ends the session: %d", w.Code)
		}
	})
}

// A caller does not tell the task of another from one that does not exist.
func TestTasksOfOthers(t *testing.T) {
	each(t, func(t *testing.T, generation string) {
		a := serve(t, asker, skill("ask"))
		b, err := mcpbridge.New([]mcpbridge.Agent{{Name: "shop", Service: a, Card: a.Card()}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		as := func(subject string) *mcp.ClientSession {
			return connect(t, generation, b.Handler(&mcpbridge.Callers{
				Of: func(*http.Request) a2a.Identity { return a2a.Identity{Subject: subject} }}), nil)
		}
		ann, bob := as("ann"), as("bob")
		_, begun := call(t, ann, "ask", map[string]any{"text": "one"})
		if begun.TaskID == "" || begun.ContextID == "" {
			t.Fatalf("ann begins %+v", begun)
		}
		const none = "00000000-0000-7000-8000-000000000000"
		for _, c := range []struct{ tool, member, id string }{{"get_task", "task_id", begun.TaskID},
			{"cancel_task", "task_id", begun.TaskID}, {"ask", "task_id", begun.TaskID},
			{"ask", "context_id", begun.ContextID}} {
			foreign, _ := call(t, bob, c.tool, map[string]any{"text": "two", c.member: c.id})
			never, _ := call(t, bob, c.tool, map[string]any{"text": "two", c.member: none})
			if !foreign.IsError || textAt(t, foreign, 0) != textAt(t, never, 0) {
				t.Errorf("%s by %s: %q, for none: %q", c.tool, c.member, textAt(t, foreign, 0), textAt(t, never, 0))
			}
		}
		if _, r := call(t, ann, "get_task", map[string]any{"task_id": begun.TaskID}); r.Status != "input-required" {
			t.Errorf("ann's task is %+v", r)
		}
		_, r := call(t, ann, "ask", map[string]any{"text": "two", "task_id": begun.TaskID})
		if r.TaskID != begun.TaskID {
			t.Errorf("ann goes on with %+v", r)
		}
	})
}
