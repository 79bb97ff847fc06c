// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/client/grpc"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// pushStack serves a script whose agent notifies webhooks.
func pushStack(t *testing.T) *stack {
	t.Helper()
	j := onDisk(t)
	sender, err := push.New(push.Options{Journal: j, AllowPrivate: true, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.Shutdown(t.Context()) })
	return startEngine(t, &engine.Options{Journal: j, Push: sender}, func(o *server.Options) { o.GRPC = grpc.New(nil) })
}

// Each operation does the same in each version and over each binding, and tells no secret.
func TestPushConfigsInAllVersions(t *testing.T) {
	t.Parallel()
	s := pushStack(t)
	for _, way := range []struct {
		binding    string
		generation a2a.Generation
	}{
		{a2a.BindingJSONRPC, a2a.Generation10}, {a2a.BindingHTTPJSON, a2a.Generation10},
		{a2a.BindingGRPC, a2a.Generation10}, {a2a.BindingJSONRPC, a2a.Generation03},
		{a2a.BindingHTTPJSON, a2a.Generation03}, {a2a.BindingGRPC, a2a.Generation03},
		{a2a.BindingJSONRPC, a2a.Generation01},
	} {
		t.Run(way.binding+" "+string(way.generation), func(t *testing.T) {
			t.Parallel()
			bodies := make(chan map[string]any, 100)
			hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					io.WriteString(w, r.URL.Query().Get("validationToken"))
					return
				}
				var body map[string]any
				if json.NewDecoder(r.Body).Decode(&body) == nil && r.Header.Get(push.HeaderToken) == "a token" &&
					r.Header.Get("Authorization") == "Bearer a secret" {
					bodies <- body
				}
			}))
			defer hook.Close()
			c, err := client.Dial(t.Context(), s.url, &client.Options{Bindings: []string{way.binding},
				Generations: []a2a.Generation{way.generation}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			config := a2a.PushConfig{URL: hook.URL, Token: "a token",
				Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "a secret"}}
			inline := config
			result, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{
				Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("ask")),
				Configuration: &a2a.SendConfiguration{PushConfig: &inline},
			})
			if err != nil {
				t.Fatal(err)
			}
			task := result.(*a2a.Task)
			checkConfigs(t, c, task, config, way.generation)
			first := <-bodies
			if whole := first["id"] == string(task.ID); whole != (way.generation != a2a.Generation10) {
				t.Errorf("the webhook got %v", first)
			}
		})
	}
}

func checkConfigs(t *testing.T, c *client.Client, task *a2a.Task, config a2a.PushConfig, gen a2a.Generation) {
	t.Helper()
	ctx := t.Context()
	config.TaskID, config.ID = task.ID, "second"
	if gen == a2a.Generation01 {
		config.ID = "" // it has one config a task
	}
	made, err := c.CreatePushConfig(ctx, &config)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: task.ID, ID: config.ID})
	if err != nil && gen != a2a.Generation01 {
		t.Fatal(err)
	}
	for _, shown := range []*a2a.PushConfig{made, got} {
		if shown != nil && (shown.URL != config.URL || shown.Token == config.Token || shown.Token == "" ||
			shown.Authentication == nil || shown.Authentication.Credentials == config.Authentication.Credentials) {
			t.Errorf("the config is shown as %+v", shown)
		}
	}
	if gen == a2a.Generation01 {
		return
	}
	list, err := c.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{TaskID: task.ID})
	if err != nil || len(list.Configs) != 2 {
		t.Fatalf("listed %+v, %v", list, err)
	}
	if err := c.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: task.ID, ID: "second"}); err != nil {
		t.Fatal(err)
	}
	_, err = c.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: task.ID, ID: "second"})
	if !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("a deleted config: %v", err)
	}
}

// An error names the field as the caller's version does.
func TestPushConfigsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := pushStack(t)
	task := s.must(t, "SendMessage", say10("ask"), v10)["task"].(map[string]any)["id"].(string)
	for _, test := range []struct{ version, method, params, field string }{
		{v10, "CreateTaskPushNotificationConfig",
			`{"taskId":"` + task + `","url":"https://a@b.example"}`, "url"},
		{v03, "tasks/pushNotificationConfig/set",
			`{"taskId":"` + task + `","pushNotificationConfig":{"url":"https://a@b.example"}}`,
			"pushNotificationConfig.url"},
		{v03, "message/send", strings.TrimSuffix(say03("ask"), "}") + `,"configuration":{"pushNotificationConfig":` +
			`{"url":"https://a.example","authentication":{"schemes":["Odd"]}}}}`,
			"configuration.pushNotificationConfig.authentication.schemes"},
		{v01, "tasks/send", strings.TrimSuffix(say01("t", "ask"), "}") +
			`,"pushNotification":{"url":"https://a@b.example"}}`, "pushNotification.url"},
	} {
		_, failure := s.call(t, test.method, test.params, test.version)
		text, _ := json.Marshal(failure["data"])
		if failure["code"] != float64(-32602) || !containsField(text, test.field) {
			t.Errorf("%s: %v %s", test.method, failure["code"], text)
		}
	}
}

// containsField reports whether the data of an error names a field.
func containsField(data []byte, field string) bool {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return false
	}
	var find func(any) bool
	find = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if name == "field" && member == field || find(member) {
					return true
				}
			}
		case []any:
			for _, element := range v {
				if find(element) {
					return true
				}
			}
		}
		return false
	}
	return find(v)
}
