// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/console"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
)

// servePush serves an agent that sends notifications to this machine as well.
func servePush(t *testing.T, a agent.Agent) string {
	t.Helper()
	events := memory.New(nil)
	sender, err := push.New(push.Options{Journal: events, AllowPrivate: true, Poll: 20 * time.Millisecond,
		Logger: a2atest.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(&engine.Options{Journal: events, Push: sender, Logger: a2atest.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.Shutdown(context.Background()), sender.Shutdown(context.Background())); err != nil {
			t.Error(err)
		}
	})
	yes, pushing := true, *card
	pushing.Capabilities.PushNotifications, pushing.Capabilities.Streaming = &yes, &yes
	svc := e.Agent("endless", a, &engine.AgentOptions{Card: &pushing, AnyInput: true})
	return a2atest.ServeService(t, svc, &server.Options{Card: &pushing})
}

// The console takes notifications with the token of the config, and shows those that it refuses.
func TestInbox(t *testing.T) {
	t.Parallel()
	endless := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		turn.Working(a2a.TextPart("begun"))
		<-ctx.Done()
		return context.Cause(ctx)
	})
	b := open(t, console.Options{})
	id := b.converse(servePush(t, endless))
	b.must("POST", "conversations/"+id+"/messages", say("go"))
	b.until(id, 0, inState("TASK_STATE_WORKING"))
	one := b.must("GET", "tasks", nil)["tasks"].([]any)[0].(map[string]any)
	path := "agents/" + one["agent"].(string) + "/tasks/" + one["task"].(map[string]any)["id"].(string)
	if status, _ := b.ask("POST", path+"/push", map[string]any{"base": "file:///"}); status != http.StatusBadRequest {
		t.Errorf("an address that is no web address: %d", status)
	}
	box := b.must("POST", path+"/push", map[string]any{"base": b.web.URL + "/"})["url"].(string)
	for url, want := range map[string]int{box: http.StatusUnauthorized, b.web.URL + "/push/x": http.StatusNotFound} {
		resp, err := http.Post(url, "application/json", strings.NewReader(`{"task":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d", url, resp.StatusCode)
		}
	}
	b.must("POST", path+"/cancel", nil)
	var pushes []passed
	b.wire(0, func(p passed) bool {
		if p.Dir == "push" {
			pushes = append(pushes, p)
		}
		return p.Dir == "push" && !p.Failed
	})
	if pushes[0].Status != http.StatusUnauthorized || !pushes[0].Failed || pushes[len(pushes)-1].Status != 204 {
		t.Errorf("the notifications are %+v", pushes)
	}
	if row := b.whole(pushes[len(pushes)-1].Seq); row.Headers["X-A2a-Notification-Token"] != "[redacted]" {
		t.Errorf("it shows its token: %v", row.Headers)
	}
}
