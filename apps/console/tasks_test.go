// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/console"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

// Tasks of all agents are listed, those of an agent that is down from its conversations, and can be followed and
// cancelled.
func TestTasks(t *testing.T) {
	t.Parallel()
	endless := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		turn.Working(a2a.TextPart("begun"))
		<-ctx.Done()
		return context.Cause(ctx)
	})
	b := open(t, console.Options{})
	id := b.converse(a2atest.Serve(t, endless, card))
	b.must("POST", "conversations/"+id+"/messages", say("go"))
	b.until(id, 0, inState("TASK_STATE_WORKING"))
	listed := b.must("GET", "tasks", nil)
	tasks := listed["tasks"].([]any)
	if len(tasks) != 1 || len(listed["silent"].([]any)) != 0 {
		t.Fatalf("the tasks are %v", listed)
	}
	one := tasks[0].(map[string]any)
	task := one["task"].(map[string]any)
	if one["conversation"] != id {
		t.Errorf("the task is %v", one)
	}
	path := "agents/" + one["agent"].(string) + "/tasks/" + task["id"].(string)
	shown := b.must("GET", path, nil)
	if events := shown["events"].([]any); len(events) < 2 || shown["task"].(map[string]any)["id"] != task["id"] {
		t.Errorf("the task is shown as %v", shown)
	}

	resp, err := http.Get(b.web.URL + "/api/" + path + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b.must("POST", path+"/cancel", nil)
	last := ""
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data:") {
			last = lines.Text()
		}
	}
	if !strings.Contains(last, `"TASK_STATE_CANCELED"`) {
		t.Errorf("the stream ends with %s", last)
	}
	for _, test := range [][2]string{{"GET", "agents/x/tasks/y"}, {"POST", "agents/x/tasks/y/cancel"},
		{"GET", "agents/x/tasks/y/events"}, {"GET", path + "0"}, {"GET", path + "0/events"}} {
		if status, answer := b.ask(test[0], test[1], nil); status != http.StatusNotFound || answer["message"] == "" {
			t.Errorf("%v: %d %v", test, status, answer)
		}
	}
}
