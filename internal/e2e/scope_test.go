// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
)

// operations are the eleven of A2A 1.0 §3.1, each on the task with an id.
var operations = []struct {
	name   string
	params func(id string) string
}{
	{"SendMessage", func(id string) string { return message("a", taskID(id)) }},
	{"SendStreamingMessage", func(id string) string { return message("a", taskID(id)) }},
	{"GetTask", byID},
	{"ListTasks", func(id string) string { return fmt.Sprintf(`{"contextId":%q}`, id) }},
	{"CancelTask", byID},
	{"SubscribeToTask", byID},
	{"CreateTaskPushNotificationConfig",
		func(id string) string { return fmt.Sprintf(`{"taskId":%q,"url":"https://example.com/hook"}`, id) }},
	{"GetTaskPushNotificationConfig", func(id string) string { return fmt.Sprintf(`{"taskId":%q,"id":"p"}`, id) }},
	{"ListTaskPushNotificationConfigs", func(id string) string { return fmt.Sprintf(`{"taskId":%q}`, id) }},
	{"DeleteTaskPushNotificationConfig", func(id string) string { return fmt.Sprintf(`{"taskId":%q,"id":"p"}`, id) }},
	{"GetExtendedAgentCard", func(string) string { return `{}` }},
}

// addTenant puts a tenant into parameters.
func addTenant(params, tenant string) string {
	if tenant == "" {
		return params
	}
	var in map[string]json.RawMessage
	json.Unmarshal([]byte(params), &in)
	in["tenant"], _ = json.Marshal(tenant)
	out, _ := json.Marshal(in)
	return string(out)
}

// A task of somebody else, of another tenant or of another agent over the same journal is answered for to the letter
// as one that never was, by each operation.
func TestForeignTasks(t *testing.T) {
	eachJournal(t, byHeader, func(t *testing.T, c *caller) {
		otherAgent := *c.stack
		otherAgent.url = c.serve(t, "other", byHeader)
		alice := c.with("X-User: alice")
		task := at[map[string]any](t, alice.ok(t, "SendMessage", addTenant(message("ask"), "acme")), "task")
		for _, stranger := range []struct {
			name   string
			c      *caller
			tenant string
		}{
			{"another owner", c.with("X-User: bob"), "acme"},
			{"another tenant", alice, "other"},
			{"no tenant", alice, ""},
			{"another agent", otherAgent.caller(t, c.binding).with("X-User: alice"), "acme"},
		} {
			t.Run(stranger.name, func(t *testing.T) { checkStranger(t, stranger.c, stranger.tenant, task) })
		}
		// The task itself noticed nothing of all that.
		wantState(t, alice.ok(t, "GetTask", addTenant(byID(idOf(t, task)), "acme")), "INPUT_REQUIRED")
	})
}

// checkStranger compares what each operation says of a foreign task with what it says of none.
func checkStranger(t *testing.T, c *caller, tenant string, task map[string]any) {
	t.Helper()
	id, contextOf := idOf(t, task), at[string](t, task, "contextId")
	unknown := strings.Repeat("0", len(id))
	for _, op := range operations {
		foreignID := id
		if op.name == "ListTasks" {
			foreignID = contextOf
		}
		foreign := c.call(t, op.name, addTenant(op.params(foreignID), tenant))
		never := c.call(t, op.name, addTenant(op.params(unknown), tenant))
		if never.body = strings.ReplaceAll(never.body, unknown, foreignID); foreign.status != never.status ||
			foreign.body != never.body {
			t.Errorf("%s tells a foreign task from none:\n%d %s\n%d %s", op.name, foreign.status, foreign.body,
				never.status, never.body)
		}
		for name := range foreign.header {
			if name != "Date" && name != "X-Request-Id" &&
				fmt.Sprint(foreign.header[name]) != fmt.Sprint(never.header[name]) {
				t.Errorf("%s: header %s tells a foreign task from none", op.name, name)
			}
		}
		switch op.name {
		case "SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask":
			c.wantError(t, foreign, "TASK_NOT_FOUND", "", "")
		case "ListTasks":
			if foreign.result["totalSize"] != 0.0 {
				t.Errorf("lists %s", foreign.body)
			}
		}
	}
	if all := c.ok(t, "ListTasks", addTenant(`{}`, tenant)); all["totalSize"] != 0.0 {
		t.Errorf("without a filter it lists %v", all)
	}
	checkReplay(t, c, tenant, id, unknown)
	checkForeignContext(t, c, tenant, id, contextOf)
}

// checkReplay does the same for a subscription that wants to be resumed.
func checkReplay(t *testing.T, c *caller, tenant, id, unknown string) {
	t.Helper()
	resume := c.with("A2A-Extensions: "+replayExtension, "Last-Event-ID: 1")
	foreign := resume.call(t, "SubscribeToTask", addTenant(byID(id), tenant))
	never := resume.call(t, "SubscribeToTask", addTenant(byID(unknown), tenant))
	if foreign.status != never.status || foreign.body != strings.ReplaceAll(never.body, unknown, id) {
		t.Errorf("replay tells a foreign task from none:\n%s\n%s", foreign.body, never.body)
	}
	c.wantError(t, foreign, "TASK_NOT_FOUND", "", "")
}

// checkForeignContext speaks of the foreign task's context: with the task's id it is not found, and with the context
// alone, as with a reference, nothing of the foreign task is seen.
func checkForeignContext(t *testing.T, c *caller, tenant, id, contextOf string) {
	t.Helper()
	c.wantFails(t, "SendMessage", addTenant(message("a", taskID(id), contextID(contextOf)), tenant), "TASK_NOT_FOUND",
		"", "")
	sent := c.ok(t, "SendMessage", addTenant(message("related", contextID("c-1"), `"referenceTaskIds":["`+id+`"]`),
		tenant))
	if seen := textOf(at[map[string]any](t, sent, "task", "artifacts", 0)); strings.Contains(seen, id) {
		t.Errorf("by reference the agent sees %q", seen)
	}
	sent = c.ok(t, "SendMessage", addTenant(message("related", contextID(contextOf)), tenant))
	if seen := textOf(at[map[string]any](t, sent, "task", "artifacts", 0)); strings.Contains(seen, id) {
		t.Errorf("by the context's id the agent sees %q", seen)
	}
}

// Without credentials nothing is read, not even whether the task exists.
func TestStrangersAreTurnedAway(t *testing.T) {
	each(t, byHeader, func(t *testing.T, c *caller) {
		id := idOf(t, c.with("X-User: alice").send(t, "ask"))
		for _, op := range operations {
			a := c.call(t, op.name, op.params(id))
			c.wantError(t, a, "UNAUTHENTICATED", "", "X-User")
			if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, `name="X-User"`) {
				t.Errorf("%s: challenge %q", op.name, got)
			}
		}
	})
}

// A known caller without a permission learns which one is missing. Each operation answers alike, whether the task
// exists or not.
func TestPermissions(t *testing.T) {
	t.Parallel()
	readOnly := auth.AuthorizerFunc(func(ctx context.Context, access auth.Access) (auth.Grant, error) {
		if access.Call.Identity.Subject == "guest" {
			return auth.Grant{}, a2a.NewError(a2a.ErrPermissionDenied,
				"the scope tasks."+access.Operation+" is missing")
		}
		return auth.BySubject.Authorize(ctx, access)
	})
	for _, b := range bindings {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			c := startEngine(t, &engine.Options{Authorizer: readOnly}, byHeader).caller(t, b)
			id := idOf(t, c.with("X-User: alice").send(t, "ask"))
			guest := c.with("X-User: guest")
			for _, op := range operations {
				if strings.Contains(op.name, "PushNotification") || op.name == "GetExtendedAgentCard" {
					continue // refused to everybody
				}
				for _, id := range []string{id, "nobody-has-it"} {
					guest.wantFails(t, op.name, op.params(id), "PERMISSION_DENIED", "",
						"the scope tasks."+op.name+" is missing")
				}
			}
		})
	}
}
