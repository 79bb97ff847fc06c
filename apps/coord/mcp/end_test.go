// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// A slow store keeps nothing before it is let go on.
type slow struct {
	coord.Store // nil: the others are not called
	goOn        chan struct{}
}

func (s *slow) Append(context.Context, []coord.Commit) error {
	<-s.goOn
	return nil
}

func (*slow) Load(context.Context, string) ([]byte, []coord.Event, error) { return nil, nil, nil }

func (*slow) Prune(context.Context, time.Time) error { return nil }

// A call is answered with its effects and messages, also when the coordinator ends before it can count the unread ones.
func TestAnswersAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &slow{goOn: make(chan struct{})}
		hub := coord.NewHub(&coord.HubOptions{Store: store})
		defer hub.Close()
		here, there := mcp.NewInMemoryTransports()
		served, err := coordmcp.New(hub, nil).MCP().Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer served.Close()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() { store.goOn <- struct{}{} }()
		call(t, c, "register_agent", map[string]any{"project_id": "p", "session_name": "a", "task_id": "1",
			"branch": "", "description": ""})

		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := hub.Do(t.Context(), "p", "", coord.Broadcast{Session: "b", Content: "hello"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // it is on its way to the store
		for tool, want := range map[string]string{
			"check_messages": `"content":"hello"`,
			"add_todo":       `"status":"added"`,
		} {
			wg.Go(func() {
				got := call(t, c, tool, map[string]any{"project_id": "p", "session_name": "a", "todo_item": "rest"})
				if !strings.Contains(got, want) {
					t.Errorf("%s: %s", tool, got)
				}
			})
			synctest.Wait() // it waits for the store, too
		}
		wg.Go(func() { hub.Close() })
		synctest.Wait()
		close(store.goOn)
		wg.Wait()
	})
}
