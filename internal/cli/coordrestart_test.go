// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// Who has asked a session over A2A gets its answer, though the coordinator is killed meanwhile; and the task is there
// after the next time, too.
func TestQuestionsOverA2AOutliveTheCoordinator(t *testing.T) {
	t.Parallel()
	data, addr := t.TempDir(), freeAddress(t)
	url := "http://" + addr
	serve := func() *serverProcess {
		t.Helper()
		s, err := startProcess([]string{"coord", "serve", "--addr", addr, "--data-dir", data}, t.TempDir(), os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.kill)
		if _, err := s.ready(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := serve()
	register(t, connectTo(t, url, ""), "a")
	send := dragoman(t, nil, "send", "-a", url+"/a2a/p/a", "--text", "Which fields?")
	var out, said bytes.Buffer
	send.Stdout, send.Stderr = &out, &said
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
	for range 2 {
		s.kill()
		s = serve()
	}
	messages := questions()
	if len(messages) != 1 {
		t.Fatalf("there are %v", messages)
	}
	mustCall(t, connectTo(t, url, ""), "respond_to_query", map[string]any{
		"project_id": "p", "from_session": "a", "to_session": "a2a:anonymous", "message_id": messages[0].ID,
		"response": "name and email",
	}, `{"status":"response_sent","to":"a2a:anonymous","unread":1}`) // and no "matched":false
	if err := send.Wait(); err != nil || !strings.Contains(out.String(), "name and email") {
		t.Errorf("send ended with %v, and says %s%s", err, &out, &said)
	}
	s.kill()
	serve()
	list, err := dragoman(t, nil, "task", "list", "-a", url+"/a2a/p/a", "-o", "json").Output()
	if err != nil || !strings.Contains(string(list), "TASK_STATE_COMPLETED") {
		t.Errorf("%s, %v", list, err)
	}
}
