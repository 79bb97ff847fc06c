// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"testing"

	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// Clients decide by what a tool says of itself whether to ask a person before they call it, and whether to call it
// again.
func TestHints(t *testing.T) {
	t.Parallel()
	const (
		reads  = "reads"
		again  = "may be called again"
		writes = "writes"
	)
	want := map[string]string{
		"register_agent": again, "heartbeat": again, "list_active_agents": reads, "unregister_agent": writes,
		"mark_task_completed": again,
		"add_todo":            writes, "update_todo": again, "get_my_todos": reads, "get_all_todos": reads,
		"query_agent": writes, "check_messages": writes, "respond_to_query": writes, "broadcast_message": writes,
		"announce_file_change": again, "release_file_lock": again, "get_recent_changes": reads,
		"register_interface": again, "query_interface": reads, "list_interfaces": reads, "list_locks": reads,
		"check_lock": reads,
	}
	list, err := dial(t, &coordmcp.Options{Extended: true}).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		h := tool.Annotations
		if h == nil || h.DestructiveHint == nil || *h.DestructiveHint || h.OpenWorldHint == nil || *h.OpenWorldHint {
			t.Errorf("%s does not say that it destroys nothing, and stays within the project: %+v", tool.Name, h)
			continue
		}
		got := writes
		switch {
		case h.ReadOnlyHint:
			got = reads
		case h.IdempotentHint:
			got = again
		}
		if got != want[tool.Name] {
			t.Errorf("%s %s, but should be one that %q", tool.Name, got, want[tool.Name])
		}
		delete(want, tool.Name)
	}
	for name := range want {
		t.Errorf("there is no %s", name)
	}
}
