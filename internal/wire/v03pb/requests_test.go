// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// sent returns the request of a send that says only this, and so does not wait.
func sent(parts ...a2a.Part) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{
		Message:       &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: parts},
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	}
}

// Different spellings in the protos and the peers of 0.2.2 to 0.3 mean the same.
func TestOneGrammarForAllVersions(t *testing.T) {
	t.Parallel()
	const inMessage = `{"message":{"messageId":"m","role":"ROLE_USER","content":[%s]}}`
	text, raw, url := a2a.TextPart("x"), a2a.RawPart([]byte("abc"), "image/png", "a.png"),
		a2a.URLPart("https://e.com/a", "", "")
	data := a2a.Part{Content: a2a.Data(`{"kind":"text","value":1}`)}
	configured := func(change func(*a2a.SendConfiguration)) *a2a.SendMessageRequest {
		r := sent(text)
		change(r.Configuration)
		return r
	}
	withConfiguration := func(c string) string {
		return `{"configuration":` + c + `,"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]}}`
	}
	push := &a2a.PushConfig{ID: "p", URL: "https://e.com/hook", Token: "t",
		Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "c"}}
	const pushText = `{"id":"p","url":"https://e.com/hook","token":"t","authentication":{"schemes":["Bearer",` +
		`"Basic"],"credentials":"c"}}`
	pushOf := func(task a2a.TaskID, id string) *a2a.PushConfig {
		c := *push
		c.TaskID, c.ID = task, id
		return &c
	}
	const pushWithoutID = `{"url":"https://e.com/hook","token":"t","authentication":{"schemes":["Bearer"],` +
		`"credentials":"c"}}`
	for name, test := range map[string]struct {
		op   wire.Operation
		text string
		want any
	}{
		"content": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"text":"x"}`), sent(text)},
		"parts": {wire.OpStreamMessage,
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`, sent(text)},
		"request, before 0.3.0": {wire.OpSendMessage,
			`{"request":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x"}]}}`, sent(text)},
		"snake case": {wire.OpSendMessage,
			`{"message":{"message_id":"m","role":"ROLE_USER","content":[{"file":{"file_with_bytes":"YWJj",` +
				`"mime_type":"image/png","name":"a.png"}}]}}`, sent(raw)},
		"numbers for names": {wire.OpSendMessage,
			`{"message":{"messageId":"m","role":1,"content":[{"text":"x"}]}}`, sent(text)},
		"bytes": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"file":{"fileWithBytes":"YWJj","mimeType":"image/png","name":"a.png"}}`),
			sent(raw)},
		"URL-safe, unpadded": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"file":{"fileWithBytes":"-_8"}}`),
			sent(a2a.RawPart([]byte{0xfb, 0xff}, "", ""))},
		"uri": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"file":{"fileWithUri":"https://e.com/a","fileWithBytes":null}}`), sent(url)},
		"data": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"data":{"data":{"kind":"text","value":1}}}`), sent(data)},
		"data, nothing": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"data":{}}`),
			sent(a2a.Part{Content: a2a.Data(`{}`)})},
		"data of the SDKs": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"data":{"data":{"value":[1]}},"metadata":{"data_part_compat":true}}`),
			sent(a2a.Part{Content: a2a.Data(`[1]`)})},
		"text with their mark": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"text":"x","metadata":{"data_part_compat":true}}`),
			sent(a2a.Part{Content: a2a.Text("x"), Metadata: a2a.Metadata{"data_part_compat": jsontext.Value("true")}})},
		"nulls": {wire.OpSendMessage,
			`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x","file":null,"data":null,` +
				`"metadata":null}],"taskId":null,"metadata":null},"configuration":null,"metadata":null}`, sent(text)},
		"unknown members": {wire.OpSendMessage,
			`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"x","more":1}],"more":{"a":[{}]}},` +
				`"more":1}`, sent(text)},
		"blocking": {wire.OpSendMessage, withConfiguration(`{"blocking":true}`),
			configured(func(c *a2a.SendConfiguration) { c.ReturnImmediately = false })},
		"not blocking":       {wire.OpSendMessage, withConfiguration(`{"blocking":false}`), sent(text)},
		"blocking, not said": {wire.OpSendMessage, withConfiguration(`{}`), sent(text)},
		"historyLength": {wire.OpSendMessage, withConfiguration(`{"historyLength":10}`),
			configured(func(c *a2a.SendConfiguration) { c.HistoryLength = new(10) })},
		"historyLength, a text": {wire.OpSendMessage, withConfiguration(`{"historyLength":"10"}`),
			configured(func(c *a2a.SendConfiguration) { c.HistoryLength = new(10) })},
		"historyLength, all": {wire.OpSendMessage, withConfiguration(`{"historyLength":0}`), sent(text)},
		"acceptedOutputModes": {wire.OpSendMessage, withConfiguration(`{"accepted_output_modes":["text/plain"]}`),
			configured(func(c *a2a.SendConfiguration) { c.AcceptedOutputModes = []string{"text/plain"} })},
		"pushNotification": {wire.OpSendMessage, withConfiguration(`{"pushNotification":` + pushText + `}`),
			configured(func(c *a2a.SendConfiguration) { c.PushConfig = push })},
		"pushNotificationConfig": {wire.OpSendMessage, withConfiguration(`{"pushNotificationConfig":` + pushText + `}`),
			configured(func(c *a2a.SendConfiguration) { c.PushConfig = push })},

		"create, Python": {wire.OpCreatePushConfig,
			`{"parent":"tasks/t","configId":"p","config":{"name":"tasks/t/pushNotificationConfigs/p",` +
				`"pushNotificationConfig":` + pushText + `}}`, pushOf("t", "p")},
		"create, Python without id": {wire.OpCreatePushConfig,
			`{"parent":"tasks/t","config":{"name":"tasks/t/pushNotificationConfigs/None","pushNotificationConfig":` +
				pushWithoutID + `}}`, pushOf("t", "")},
		"create, JavaScript": {wire.OpCreatePushConfig,
			`{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":` + pushText + `}`, pushOf("t", "p")},
		"create, it without id": {wire.OpCreatePushConfig,
			`{"name":"tasks/t/pushNotificationConfigs/","pushNotificationConfig":` + pushWithoutID + `}`,
			pushOf("t", "")},
		"create, by the text": {wire.OpCreatePushConfig,
			`{"config":{"taskId":"t","pushNotificationConfig":` + pushText + `}}`, pushOf("", "p")},
		"create, the id in the name": {wire.OpCreatePushConfig,
			`{"name":"tasks/t/pushNotificationConfigs/p","pushNotificationConfig":` + pushWithoutID + `}`,
			pushOf("t", "p")},
		"create, the id beside": {wire.OpCreatePushConfig,
			`{"parent":"tasks/t","config_id":"p","config":{"push_notification_config":` + pushWithoutID + `}}`,
			pushOf("t", "p")},
		"create, before 0.2.5": {wire.OpCreatePushConfig,
			`{"name":"tasks/t/pushNotifications/p","pushNotificationConfig":` + pushText + `}`, pushOf("t", "p")},

		"cancel":           {wire.OpCancelTask, `{"name":"tasks/t"}`, &a2a.CancelTaskRequest{ID: "t"}},
		"cancel, nothing":  {wire.OpCancelTask, ``, &a2a.CancelTaskRequest{}},
		"cancel, empty":    {wire.OpCancelTask, `{}`, &a2a.CancelTaskRequest{}},
		"subscribe":        {wire.OpSubscribe, `{"name":"tasks/a/b"}`, &a2a.SubscribeRequest{ID: "a/b"}},
		"subscribe, empty": {wire.OpSubscribe, ``, &a2a.SubscribeRequest{}},
	} {
		got, err := Proto.DecodeRequest(test.op, []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got, asCarried); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	const inMessage = `{"message":{"messageId":"m","role":"ROLE_USER","content":[%s]}}`
	many := func(one string, n int) string { return strings.Repeat(one+",", n-1) + one }
	for _, test := range []struct {
		op    wire.Operation
		text  string
		field string // "" for what is no JSON
		says  string
	}{
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"file":{"fileWithBytes":"YWJj","fileWithUri":"https://e.com"}}`),
			"message.content[0].file.fileWithUri", "beside"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"file":{"name":"x"}}`), "message.content[0].file",
			"must have one of"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"file":{"fileWithBytes":"a b"}}`),
			"message.content[0].file.fileWithBytes", "base64"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"text":"x","data":{"data":{}}}`), "message.content[0]",
			"has both text and data"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"text":"x"},{"kind":"text"}`), "message.content[1]",
			"must have one of text, file, data"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"data":{"data":[1]}}`), "message.content[0].data.data",
			"must be an object"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"data":[1]}`), "message.content[0].data", "must be an object"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, `{"text":1}`), "message.content[0].text", "must be a string"},
		{wire.OpSendMessage, fmt.Sprintf(inMessage, many(`{"text":""}`, a2a.MaxParts+1)), "message.content", "at most"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":"user","content":[]}}`, "message.role", "ROLE_USER"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":3,"content":[]}}`, "message.role",
			"no name stands for"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","content":[],"parts":[]}}`, "message.parts", "two names"},
		{wire.OpSendMessage, `{"message":{},"request":{}}`, "request", "two names"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","message_id":"m"}}`, "message.message_id", "two names"},
		{wire.OpSendMessage, `{"message":[]}`, "message", "must be an object"},
		{wire.OpSendMessage, `[]`, ".", "must be an object"},
		{wire.OpSendMessage, `{"message":{},"configuration":{"blocking":"yes"}}`, "configuration.blocking",
			"true or false"},
		{wire.OpSendMessage, `{"message":{},"configuration":{"historyLength":"many"}}`, "configuration.historyLength",
			"whole number"},
		{wire.OpSendMessage,
			`{"message":{},"configuration":{"pushNotification":{"url":"u","authentication":{"credentials":"c"}}}}`,
			"configuration.pushNotification.authentication.schemes", "required"},
		{wire.OpSendMessage, `{"message":{}`, "", ""},
		{wire.OpSendMessage, `{"message":{},"message":{}}`, "message", "twice"},
		{wire.OpSendMessage, `{"message":{}} {}`, "", ""},
		{wire.OpSendMessage, "{\"message\":{\"messageId\":\"\xff\"}}", "", ""},
		{wire.OpCreatePushConfig, `{}`, "config.pushNotificationConfig", "required"},
		{wire.OpCreatePushConfig, `{"config":{}}`, "config.pushNotificationConfig", "required"},
		{wire.OpCreatePushConfig, `{"parent":"agents/t","config":{"pushNotificationConfig":{"url":"u"}}}`, "parent",
			"tasks/{id}"},
		{wire.OpCreatePushConfig, `{"parent":"tasks/","config":{"pushNotificationConfig":{"url":"u"}}}`, "parent",
			"tasks/{id}"},
		{wire.OpCreatePushConfig,
			`{"parent":"tasks/t","config":{"name":"tasks/other/pushNotificationConfigs/p",` +
				`"pushNotificationConfig":{"url":"u"}}}`, "config.name", "name of the task"},
		{wire.OpCreatePushConfig,
			`{"parent":"tasks/t","configId":"a","config":{"pushNotificationConfig":{"id":"b","url":"u"}}}`, "configId",
			"differs"},
		{wire.OpCancelTask, `{"name":"t"}`, "name", "tasks/{id}"},
		{wire.OpCancelTask, `{"name":"tasks/t/pushNotificationConfigs/p"}`, "name", "tasks/{id}"},
		{wire.OpSubscribe, `{"name":7}`, "name", "must be a string"},
		{wire.OpSubscribe, `[]`, ".", "must be an object"},
	} {
		_, err := Proto.DecodeRequest(test.op, []byte(test.text))
		e, ok := errors.AsType[*a2a.Error](err)
		shown := test.text[:min(len(test.text), 200)]
		switch {
		case test.field == "":
			if !ok || e.Kind != a2a.ErrParse {
				t.Errorf("%s: %v", shown, err)
			}
		case !ok || e.Kind != a2a.ErrInvalidParams:
			t.Errorf("%s: %v", shown, err)
		case test.field == ".":
			if !strings.Contains(e.PublicMessage(), test.says) {
				t.Errorf("%s: %v", shown, err)
			}
		case len(e.Violations) != 1 || e.Violations[0].Field != test.field ||
			!strings.Contains(e.Violations[0].Description, test.says):
			t.Errorf("%s: %v, %+v", shown, err, e.Violations)
		}
	}
	if _, err := Proto.DecodeRequest(wire.OpGetTask, nil); err == nil {
		t.Error("a body of a GET was read")
	}
}

// Which of the two forms a body is in is told by what only one of them has.
// received returns the form of a body, as the server finds it.
func received(op wire.Operation, body []byte) wire.Dialect {
	if IsText(op, body) {
		return Text
	}
	return Proto
}

func TestReceived(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]wire.Dialect{
		`{"message":{"role":"user","parts":[]}}`:                               Text,
		`{"message":{"role":"agent","parts":[]}}`:                              Text,
		`{"message":{"kind":"message","parts":[]}}`:                            Text,
		`{"message":{"parts":[{"kind":"text","text":"x"}]}}`:                   Text,
		`{"message":{"parts":[{"type":"text","text":"x"}]}}`:                   Text,
		`{"message":{"role":"ROLE_USER","content":[{"text":"x"}]}}`:            Proto,
		`{"message":{"role":"ROLE_USER","parts":[{"text":"x"}]}}`:              Proto,
		`{"message":{"role":1,"parts":[{"data":{"data":{"kind":"text"}}}]}}`:   Proto,
		`{"request":{"role":"ROLE_USER","content":[{"text":"x"}]}}`:            Proto,
		`{"message":{"content":[{"text":"x"}]},"metadata":{"kind":"message"}}`: Proto,
		`{}`:   Proto,
		`[`:    Proto,
		`null`: Proto,
	} {
		if got := received(wire.OpSendMessage, []byte(body)); got != want {
			t.Errorf("%s is taken for %T", body, got)
		}
		if got := received(wire.OpCancelTask, []byte(body)); got != Proto {
			t.Errorf("%s, the body of a cancel, is taken for %T", body, got)
		}
	}
}

// Errors that are found in the model name the fields of the form.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		op          wire.Operation
		field, want string
	}{
		{wire.OpSendMessage, "message.parts", "message.content"},
		{wire.OpSendMessage, "message.parts[3]", "message.content[3]"},
		{wire.OpStreamMessage, "message.parts[3].url", "message.content[3].file.fileWithUri"},
		{wire.OpSendMessage, "message.partsOf", "message.partsOf"},
		{wire.OpSendMessage, "message.taskId", "message.taskId"},
		{wire.OpSendMessage, "configuration.taskPushNotificationConfig.url", "configuration.pushNotification.url"},
		{wire.OpSendMessage, "configuration.taskPushNotificationConfig.authentication.scheme",
			"configuration.pushNotification.authentication.schemes[0]"},
		{wire.OpCreatePushConfig, "taskId", "parent"},
		{wire.OpCreatePushConfig, "authentication.scheme", "pushNotificationConfig.authentication.schemes[0]"},
		{wire.OpCreatePushConfig, "parent", "parent"},
		{wire.OpCancelTask, "id", "name"},
		{wire.OpGetTask, "historyLength", "historyLength"},
	} {
		e := a2a.InvalidParams(test.field, "is wrong")
		if got := Named(test.op, e); got.Violations[0].Field != test.want || e.Violations[0].Field != test.field {
			t.Errorf("%v: %s is %s", test.op, test.field, got.Violations[0].Field)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for state := a2a.TaskStateSubmitted; state <= a2a.TaskStateAuthRequired; state++ {
		if got, ok := StateNamed(StateName(state)); !ok || got != state {
			t.Errorf("%s is %v", StateName(state), got)
		}
	}
	for name, want := range map[string]a2a.TaskState{
		"input-required": a2a.TaskStateInputRequired, "input_required": a2a.TaskStateInputRequired,
		"canceled":  a2a.TaskStateCanceled,
		"cancelled": a2a.TaskStateCanceled, "TASK_STATE_CANCELED": a2a.TaskStateCanceled,
		"TASK_STATE_CANCELLED": a2a.TaskStateCanceled,
	} {
		if got, ok := StateNamed(name); !ok || got != want {
			t.Errorf("%s is %v", name, got)
		}
	}
	for _, name := range []string{"", "unknown", "TASK_STATE_UNSPECIFIED", "TASK_STATE_", "working!",
		"TASK_STATE_working"} {
		if got, ok := StateNamed(name); ok {
			t.Errorf("%q is %v", name, got)
		}
	}
	if name := StateName(99); name != "" {
		t.Errorf("99 is %s", name)
	}
}
