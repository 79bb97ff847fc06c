// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// If the coordinator is killed while an A2A task waits for a session, the task is there after the restart and has
// failed, and the session has no question left.
func TestQuestionsOverA2AAndAKilledCoordinator(t *testing.T) {
	t.Parallel()
	data, addr := t.TempDir(), clitest.FreeAddress(t)
	url := "http://" + addr
	serve := func() *clitest.Process {
		t.Helper()
		args := []string{"coord", "serve", "--addr", addr, "--data-dir", data}
		s, err := clitest.StartProgram(args, t.TempDir(), os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Kill)
		if _, err := s.Ready(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := serve()
	register(t, connectTo(t, url, ""), "a")
	send := clitest.Command(t, nil, "send", "-a", url+"/a2a/p/a", "--text", "Which fields?")
	if err := send.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { send.Process.Kill() })
	questions := func() (all []struct {
		ID string `json:"id"`
	}) {
		client := connectTo(t, url, "")
		text, err := clitest.CallTool(t.Context(), client, "check_messages",
			map[string]any{"project_id": "p", "session_name": "a", "peek": true})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return all
	}
	clitest.Await(t, func() bool { return len(questions()) == 1 })
	s.Kill()
	serve()
	if messages := questions(); len(messages) != 0 {
		t.Errorf("there are %v", messages)
	}
	list, err := clitest.Command(t, nil, "task", "list", "-a", url+"/a2a/p/a", "-o", "json").Output()
	if err != nil || !strings.Contains(string(list), "TASK_STATE_FAILED") {
		t.Errorf("%s, %v", list, err)
	}
}
