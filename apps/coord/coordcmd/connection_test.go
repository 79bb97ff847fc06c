// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd_test

import (
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// An agent that is silent for long keeps what it has as long as its harness lives, however short a time the coordinator
// waits for a heartbeat, and also when that was started again; and loses it with its harness.
func TestStdioKeepsSilentAgentsAlive(t *testing.T) {
	t.Parallel()
	const alive = 3 * time.Second // the least that serve takes
	addr, data := clitest.FreeAddress(t), t.TempDir()
	serve := func() *clitest.Process {
		s, url := startCoordinator(t, "--extended", "--session-timeout", alive.String(), "--addr", addr, "--data-dir",
			data)
		if url != "http://"+addr {
			t.Fatalf("serves at %s", url)
		}
		return s
	}
	s := serve()
	env := []string{"DRAGOMAN_COORD=http://" + addr, "DRAGOMAN_DATA_DIR=" + data, "DRAGOMAN_PROJECT=p",
		"DRAGOMAN_SESSION=ann"}
	cmd := clitest.Command(t, env, "coord", "stdio")
	ann := stdioClient(t, cmd, "", nil)
	me := map[string]any{"session_name": "ann", "task_id": "1", "branch": "", "description": ""}
	mustCall(t, ann, "register_agent", me, `"registered"`)
	mustCall(t, ann, "register_agent", me, `"registered"`) // a second time, which frees it from what it was bound to
	mustCall(t, ann, "announce_file_change",
		map[string]any{"session_name": "ann", "file_path": "x", "change_type": "modify"}, `"locked"`)

	holds := func(c *sdk.ClientSession) bool {
		text, err := clitest.CallTool(t.Context(), c, "check_lock",
			map[string]any{"project_id": "p", "session_name": "looker", "file_path": "x"})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "ann")
	}
	lives := func(c *sdk.ClientSession) {
		t.Helper()
		for begun := time.Now(); time.Since(begun) < 2*alive-time.Second; <-time.After(200 * time.Millisecond) {
			if !holds(c) {
				t.Fatalf("the lease is gone after %v, though the harness is there", time.Since(begun))
			}
		}
	}
	lives(connectTo(t, "http://"+addr, "2026-07-28"))
	s.Kill()
	serve()
	looker := connectTo(t, "http://"+addr, "2026-07-28")
	lives(looker)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	clitest.Await(t, func() bool { return !holds(looker) })
}
