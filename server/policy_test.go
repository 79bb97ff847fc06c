// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
)

// policyFunc is a function that is a Policy.
type policyFunc func(auth.Access) error

func (f policyFunc) Decide(_ context.Context, access auth.Access) error { return f(access) }

// Each operation of each version asks the policy before the service, and names itself as 1.0 does.
func TestPolicyDecidesEachOperation(t *testing.T) {
	t.Parallel()
	const text = `"message":{"messageId":"m","kind":"message","role":"user","parts":[{"kind":"text","text":"hi"}],` +
		`"metadata":{"skillId":"refund"}}`
	const text01 = `"id":"t1","message":{"role":"user","parts":[{"type":"text","text":"hi"}],` +
		`"metadata":{"skillId":"refund"}}`
	const text10 = `"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}],` +
		`"metadata":{"skillId":"refund"}}`
	const hook = `"pushNotificationConfig":{"id":"p","url":"https://example.com"}`
	sends := map[string]string{"SendMessage": "refund", "SendStreamingMessage": "refund"}
	for version, methods := range map[string][][3]string{
		"1.0": {
			{"SendMessage", `{` + text10 + `}`, "SendMessage"},
			{"SendStreamingMessage", `{` + text10 + `}`, "SendStreamingMessage"},
			{"GetTask", `{"id":"t1"}`, "GetTask"}, {"ListTasks", `{}`, "ListTasks"},
			{"CancelTask", `{"id":"t1"}`, "CancelTask"}, {"SubscribeToTask", `{"id":"t1"}`, "SubscribeToTask"},
			{"CreateTaskPushNotificationConfig", `{"taskId":"t1","url":"https://example.com"}`,
				"CreateTaskPushNotificationConfig"},
			{"GetTaskPushNotificationConfig", `{"taskId":"t1","id":"p"}`, "GetTaskPushNotificationConfig"},
			{"ListTaskPushNotificationConfigs", `{"taskId":"t1"}`, "ListTaskPushNotificationConfigs"},
			{"DeleteTaskPushNotificationConfig", `{"taskId":"t1","id":"p"}`, "DeleteTaskPushNotificationConfig"},
			{"GetExtendedAgentCard", `{}`, "GetExtendedAgentCard"},
		},
		"0.3": {
			{"message/send", `{` + text + `}`, "SendMessage"},
			{"message/stream", `{` + text + `}`, "SendStreamingMessage"},
			{"tasks/get", `{"id":"t1"}`, "GetTask"}, {"tasks/cancel", `{"id":"t1"}`, "CancelTask"},
			{"tasks/resubscribe", `{"id":"t1"}`, "SubscribeToTask"},
			{"tasks/pushNotificationConfig/set", `{"taskId":"t1",` + hook + `}`, "CreateTaskPushNotificationConfig"},
			{"tasks/pushNotificationConfig/get", `{"id":"t1"}`, "GetTaskPushNotificationConfig"},
			{"tasks/pushNotificationConfig/list", `{"id":"t1"}`, "ListTaskPushNotificationConfigs"},
			{"tasks/pushNotificationConfig/delete", `{"id":"t1","pushNotificationConfigId":"p"}`,
				"DeleteTaskPushNotificationConfig"},
			{"agent/getAuthenticatedExtendedCard", `{}`, "GetExtendedAgentCard"},
		},
		"0.1": {
			{"tasks/send", `{` + text01 + `}`, "SendMessage"},
			{"tasks/sendSubscribe", `{` + text01 + `}`, "SendStreamingMessage"},
			{"tasks/get", `{"id":"t1"}`, "GetTask"}, {"tasks/cancel", `{"id":"t1"}`, "CancelTask"},
			{"tasks/resubscribe", `{"id":"t1"}`, "SubscribeToTask"},
			{"tasks/pushNotification/set", `{"id":"t1","pushNotificationConfig":{"url":"https://example.com"}}`,
				"CreateTaskPushNotificationConfig"},
			{"tasks/pushNotification/get", `{"id":"t1"}`, "GetTaskPushNotificationConfig"},
		},
	} {
		var seen []auth.Access
		f := &fake{caps: can()}
		ts := serve(t, f, func(o *server.Options) {
			asAlice(o)
			o.Generations = nil
			o.Policy = policyFunc(func(access auth.Access) error {
				seen = append(seen, access)
				return a2a.NewError(a2a.ErrPermissionDenied, "not on Sundays")
			})
		})
		for _, m := range methods {
			seen = nil
			got := do(t, ts, "POST", "/", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, m[0], m[1]),
				"A2A-Version: "+version, "Content-Type: application/json",
				"Accept: application/json, text/event-stream")
			if !strings.Contains(string(got.body), "not on Sundays") {
				t.Errorf("%s %s: %d %s", version, m[0], got.status, got.body)
			}
			if len(seen) != 1 || seen[0].Operation != m[2] || seen[0].Skill != sends[m[2]] ||
				seen[0].Agent != "Test agent" || seen[0].Call.Identity.Subject != "alice" {
				t.Errorf("%s %s: the policy was asked for %+v", version, m[0], seen)
			}
		}
		if asked, _ := f.last(); asked != nil {
			t.Errorf("%s: the service was asked for %T", version, asked)
		}
		for _, m := range methods {
			if !slices.Contains(auth.Operations(), m[2]) {
				t.Errorf("auth.Operations lacks %s", m[2])
			}
		}
	}
}

// The scopes in the card's security requirements are those that the server wants to see.
func TestScopesOfTheCard(t *testing.T) {
	t.Parallel()
	f := &fake{caps: can()}
	ts := serve(t, f, func(o *server.Options) {
		o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"a": &a2a.HTTPAuthScheme{Scheme: "Bearer"},
			"b": &a2a.HTTPAuthScheme{Scheme: "Basic"}}
		o.Card.SecurityRequirements = []a2a.SecurityRequirement{{"a": {"use"}}, {"b": {"admin"}}}
		o.Card.Skills = []a2a.AgentSkill{{ID: "greet", Name: "n", Description: "d", Tags: []string{"t"}},
			{ID: "refund", Name: "n", Description: "d", Tags: []string{"t"},
				SecurityRequirements: []a2a.SecurityRequirement{{"a": {"use", "pay"}}}}}
		o.Authenticator = auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
			scopes := strings.Fields(r.Header.Get("X-Scopes"))
			if slices.Contains(scopes, "anonymous") {
				return a2a.Identity{}, nil
			}
			return a2a.Identity{Subject: "alice", Scopes: scopes}, nil
		})
	})
	const send = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}],"metadata":{"skillId":%q}}}`
	for _, c := range []struct {
		scopes, skill string
		status        int
		says          string
	}{
		{"use", "greet", 200, ""}, // a skill that wants nothing of its own
		{"admin other", "greet", 200, ""},
		{"use pay", "", 200, ""},
		{"use", "", 403, "your credentials lack the scope pay"}, // such a message may be for any skill
		{"use pay", "refund", 200, ""},
		{"", "", 403, "your credentials lack the scope use, or admin"},
		{"use", "refund", 403, "your credentials lack the scope pay"},
		{"anonymous", "", 401, "your credentials lack the scope use, or admin"},
	} {
		got := rpc(t, ts, "SendMessage", fmt.Sprintf(send, c.skill), "X-Scopes: "+c.scopes)
		if got.status != c.status || !strings.Contains(string(got.body), c.says) ||
			(got.header.Get("WWW-Authenticate") != "") != (c.status == 401) {
			t.Errorf("%q %q: %d %s", c.scopes, c.skill, got.status, got.body)
		}
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	var asked []string
	ask := func(name string, answer error) auth.Policy {
		return policyFunc(func(auth.Access) error { asked = append(asked, name); return answer })
	}
	all := auth.Policies{ask("a", nil), ask("b", a2a.ErrRateLimited), ask("c", a2a.ErrPermissionDenied)}
	if err := all.Decide(t.Context(), auth.Access{}); err != error(a2a.ErrRateLimited) {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, asked); diff != "" {
		t.Error(diff)
	}
	if err := (auth.Policies{}).Decide(t.Context(), auth.Access{}); err != nil {
		t.Errorf("no policy: %v", err)
	}
}
