// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// The engine refuses content that no binding can write. Such content would make its task, and each list that contains
// the task, unreadable.
func TestInvalidUTF8IsRefused(t *testing.T) {
	t.Parallel()
	const broken = "caf\xe9"
	for name, run := range map[string]agent.Func{
		"a status":    func(_ context.Context, t *agent.Turn) error { return t.Working(a2a.TextPart(broken)) },
		"an artifact": func(_ context.Context, t *agent.Turn) error { return t.Artifact("a", a2a.TextPart(broken)) },
		"a name":      func(_ context.Context, t *agent.Turn) error { return t.Artifact(broken, a2a.TextPart("a")) },
		"data": func(_ context.Context,
			t *agent.Turn) error {
			return t.Artifact("a", a2a.Part{Content: a2a.Data("{")})
		},
		"metadata": func(_ context.Context, t *agent.Turn) error {
			return t.Artifact("a", a2a.Part{Content: a2a.Text("a"), Metadata: a2a.Metadata{"k": []byte("{")}})
		},
		"a question":      func(_ context.Context, t *agent.Turn) error { return t.Ask(a2a.TextPart(broken)) },
		"a reply":         func(_ context.Context, t *agent.Turn) error { return t.Reply(a2a.TextPart(broken)) },
		"a rejection":     func(context.Context, *agent.Turn) error { return agent.Reject(a2a.TextPart(broken)) },
		"a public reason": func(context.Context, *agent.Turn) error { return agent.Public(broken, errors.New("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			eng, err := engine.New(&engine.Options{Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer eng.Shutdown(t.Context())
			service := eng.Agent("a", run, nil)
			result, err := service.SendMessage(t.Context(),
				&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hi"))})
			if err != nil {
				t.Fatal(err)
			}
			task, ok := result.(*a2a.Task)
			if !ok || task.Status.State != a2a.TaskStateFailed {
				t.Fatalf("%+v", result)
			}
			list, err := service.ListTasks(t.Context(), &a2a.ListTasksRequest{})
			if err != nil || len(list.Tasks) != 1 {
				t.Fatalf("%+v %v", list, err)
			}
			if _, err := list.AppendJSON(nil); err != nil {
				t.Errorf("the list cannot be written: %v", err)
			}
		})
	}
}
