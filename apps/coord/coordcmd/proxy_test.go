// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A request that fails on a dead connection is repeated on another one, also when no coordinator is started in between.
func TestDeadConnectionIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	for range 20 {
		p := newProxy(&coordOptions{project: "p"}, nil)
		p.openConnection = func(ctx context.Context) (*sdk.ClientSession, error) {
			here, there := sdk.NewInMemoryTransports()
			if _, err := sdk.NewServer(&sdk.Implementation{Name: "s"}, nil).Connect(t.Context(), there,
				nil); err != nil {
				return nil, err
			}
			return sdk.NewClient(&sdk.Implementation{Name: "c"}, nil).Connect(ctx, here, nil)
		}
		var used []*sdk.ClientSession
		dead := errors.New("the connection is dead")
		if err := p.withConnection(t.Context(), func(conn *sdk.ClientSession) error {
			if used = append(used, conn); len(used) == 1 {
				return dead
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(used) != 2 || used[0] == used[1] || p.currentConnection() != used[1] {
			t.Fatalf("%p, and the connection is %p", used, p.currentConnection())
		}
		used[0].Wait()
		p.close(used[1])
	}
}

// As long as its harness lives, the sessions that call through a proxy are alive; then they are not.
func TestStdioPresence(t *testing.T) {
	t.Parallel()
	c := &commands{Run: new(cmdline.Run)}
	o := &coordOptions{project: "p", data: cmdline.InMemory}
	p := newProxy(o, nil)
	end, err := c.embed(t.Context(), o, p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		p.up.Close()
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	done := &sdk.CallToolResult{}
	p.note("check_messages", map[string]jsontext.Value{"project_id": quoted("p"), "from_session": quoted("gone")}, done)
	// A call that only reads, or is refused, keeps no session alive.
	victim := map[string]jsontext.Value{"project_id": quoted("p"), "session_name": quoted("victim"),
		"peek": jsontext.Value("true")}
	p.note("get_my_todos", victim, done)
	p.note("check_lock", victim, done)
	p.note("check_messages", victim, done)
	p.note("add_todo", victim, &sdk.CallToolResult{IsError: true})
	if got := p.sessions(); len(got) != 1 {
		t.Errorf("kept alive: %v", got)
	}
	text, err := callTool(t.Context(), p.up, "register_agent",
		map[string]any{"project_id": "p", "session_name": "a", "task_id": "1", "branch": "", "description": ""})
	if err != nil || !strings.Contains(string(text), "registered") {
		t.Fatalf("%s, %v", text, err)
	}
	p.note("register_agent", map[string]jsontext.Value{"project_id": quoted("p"), "session_name": quoted("a")}, done)
	ctx, cancel := context.WithCancel(t.Context())
	stayed := make(chan struct{})
	go func() { defer close(stayed); p.stay(ctx, time.Millisecond, os.Getppid()) }()
	clitest.Await(t, func() bool { return len(p.sessions()) == 1 }) // who is not registered is no longer ours
	if got := p.sessions(); got[0] != [2]string{"p", "a"} {
		t.Error(got)
	}
	cancel()
	<-stayed
	p.stay(t.Context(), time.Millisecond, -1) // ends at once, as the parent is another one
	p.note("unregister_agent", map[string]jsontext.Value{"project_id": quoted("p"), "session_name": quoted("a")}, done)
	if got := p.sessions(); len(got) != 0 {
		t.Error(got)
	}
}
