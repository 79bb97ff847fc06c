// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// fullTask has every member set, and a part of each sort.
func fullTask() *a2a.Task {
	metadata := a2a.Metadata{"n": jsontext.Value(`1.0`)}
	message := func(id a2a.MessageID, role a2a.Role, parts ...a2a.Part) *a2a.Message {
		return &a2a.Message{
			ID: id, ContextID: "c", TaskID: "t", Role: role, Parts: parts, Metadata: metadata,
			Extensions: []string{"https://example.com/ext"}, ReferenceTaskIDs: []a2a.TaskID{"t0"},
		}
	}
	return &a2a.Task{
		ID: "t", ContextID: "c", Metadata: metadata,
		Status: a2a.TaskStatus{
			State: a2a.TaskStateAuthRequired, Message: message("m2", a2a.RoleAgent, a2a.TextPart("which?")),
			Timestamp: time.Date(2025, 10, 28, 10, 30, 0, 123e6, time.UTC),
		},
		History: []*a2a.Message{message("m1", a2a.RoleUser, a2a.TextPart("hi"))},
		Artifacts: []*a2a.Artifact{{
			ID: "a", Name: "result", Description: "what came of it", Metadata: metadata,
			Extensions: []string{"https://example.com/ext"},
			Parts: []a2a.Part{
				{Content: a2a.Text("<b>"), MediaType: "text/html", Filename: "b.html", Metadata: metadata},
				a2a.RawPart([]byte("abc"), "image/png", "x.png"),
				a2a.URLPart("https://example.com/a", "text/plain", "a.txt"),
				{Content: a2a.Data(`{"a":1}`), Metadata: metadata},
				{Content: a2a.Data(`[1]`)},
				{Content: a2a.Data(`null`), MediaType: "application/json"},
			},
		}},
	}
}

const fullTaskText = `{"kind":"task","id":"t","contextId":"c","status":{"state":"auth-required",` +
	`"message":{"kind":"message","messageId":"m2","contextId":"c","taskId":"t","role":"agent",` +
	`"parts":[{"kind":"text","text":"which?"}],` +
	`"metadata":{"n":1.0},"extensions":["https://example.com/ext"],"referenceTaskIds":["t0"]},` +
	`"timestamp":"2025-10-28T10:30:00.123Z"},` +
	`"artifacts":[{"artifactId":"a","name":"result","description":"what came of it","parts":[` +
	`{"kind":"text","text":"<b>","metadata":{"n":1.0,"https://dragoman-a2a.dev/wire/v03":{"mediaType":"text/html",` +
	`"filename":"b.html"}}},` +
	`{"kind":"file","file":{"mimeType":"image/png","name":"x.png","bytes":"YWJj"}},` +
	`{"kind":"file","file":{"mimeType":"text/plain","name":"a.txt","uri":"https://example.com/a"}},` +
	`{"kind":"data","data":{"a":1},"metadata":{"n":1.0}},` +
	`{"kind":"data","data":{"value":[1]},"metadata":{"https://dragoman-a2a.dev/wire/v03":{"wrapped":true}}},` +
	`{"kind":"data","data":{"value":null},` +
	`"metadata":{"https://dragoman-a2a.dev/wire/v03":{"mediaType":"application/json","wrapped":true}}}],` +
	`"metadata":{"n":1.0},"extensions":["https://example.com/ext"]}],` +
	`"history":[{"kind":"message","messageId":"m1","contextId":"c","taskId":"t","role":"user",` +
	`"parts":[{"kind":"text","text":"hi"}],` +
	`"metadata":{"n":1.0},"extensions":["https://example.com/ext"],"referenceTaskIds":["t0"]}],"metadata":{"n":1.0}}`

func TestResultsAsWritten(t *testing.T) {
	t.Parallel()
	push := &a2a.PushConfig{Tenant: "acme", ID: "p", TaskID: "t", URL: "https://e.com", Token: "s",
		Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "c"}}
	const pushText = `{"taskId":"t","pushNotificationConfig":{"id":"p","url":"https://e.com","token":"s",` +
		`"authentication":{"schemes":["Bearer"],"credentials":"c"}}}`
	for _, test := range []struct {
		op           wire.Operation
		result       any
		schema, want string
	}{
		{wire.OpSendMessage, fullTask(), "Task", fullTaskText},
		{wire.OpGetTask, &a2a.Task{ID: "t"}, "Task",
			`{"kind":"task","id":"t","contextId":"","status":{"state":"unknown"}}`},
		{wire.OpCancelTask, &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}},
			"Task", `{"kind":"task","id":"t","contextId":"c","status":{"state":"canceled"}}`},
		{wire.OpSendMessage, &a2a.Message{ID: "m", Parts: []a2a.Part{a2a.TextPart("\u2028\n")}}, "Message",
			"{\"kind\":\"message\",\"messageId\":\"m\",\"role\":\"agent\",\"parts\":[{\"kind\":\"text\"," +
				"\"text\":\"\u2028\\n\"}]}"},
		{wire.OpCreatePushConfig, push, "TaskPushNotificationConfig", pushText},
		{wire.OpGetPushConfig, push, "TaskPushNotificationConfig", pushText},
		{wire.OpListPushConfigs, &a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{push}, NextPageToken: "lost"},
			"", `[` + pushText + `]`},
		{wire.OpListPushConfigs, &a2a.ListPushConfigsResponse{}, "", `[]`},
		{wire.OpDeletePushConfig, nil, "", `null`},
		{wire.OpListTasks, &a2a.ListTasksResponse{PageSize: 50}, "ListTasksResult",
			`{"tasks":[],"totalSize":0,"pageSize":50,"nextPageToken":""}`},
	} {
		got, err := Dialect.AppendResult([]byte("x"), test.op, nil, test.result)
		if err != nil || string(got) != "x"+test.want {
			t.Errorf("%v: %v\n got %s\nwant x%s", test.op, err, got, test.want)
			continue
		}
		fitsSchemas(t, got[1:], test.schema)
	}
}

// A result that cannot be written causes an error that names the field, and the buffer stays unchanged.
func TestWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field  string
		result any
	}{
		{"the value", (*a2a.Task)(nil)},
		{"status.state", &a2a.Task{Status: a2a.TaskStatus{State: 9}}},
		{"history[1]", &a2a.Task{History: []*a2a.Message{{}, nil}}},
		{"artifacts[0]", &a2a.Task{Artifacts: []*a2a.Artifact{nil}}},
		{"parts[0].content", &a2a.Message{Parts: []a2a.Part{{}}}},
		{"parts[0].text", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("\xff")}}},
		{"parts[0].data", &a2a.Message{Parts: []a2a.Part{{Content: a2a.Data(`{`)}}}},
		{"metadata.a", &a2a.Message{Metadata: a2a.Metadata{"a": nil}}},
		{"status.timestamp",
			&a2a.Task{Status: a2a.TaskStatus{Timestamp: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}}},
		{"parts[0].data", &a2a.Message{Parts: []a2a.Part{{Content: a2a.Data(nest(101))}}}},
	} {
		b, err := Dialect.AppendResult([]byte("x"), wire.OpSendMessage, nil, test.result)
		if err == nil || string(b) != "x" || !strings.Contains(err.Error(), test.field+" ") {
			t.Errorf("%s: %q, %v", test.field, b, err)
		}
	}
}

// Answers of the official SDKs, of the documents and of drafts, in their own spellings.
func TestAnswersOfPeers(t *testing.T) {
	t.Parallel()
	at := time.Date(2025, 4, 2, 16, 59, 25, 331844e3, time.UTC)
	task := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired, Timestamp: at}}
	message := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("x")}}
	for name, test := range map[string]struct {
		op   wire.Operation
		text string
		want any
	}{
		"a naive timestamp": {wire.OpGetTask,
			`{"id":"t","contextId":"c","kind":"task","status":{"state":"input-required",` +
				`"timestamp":"2025-04-02T16:59:25.331844"}}`, task},
		"an offset": {wire.OpGetTask,
			`{"id":"t","contextId":"c","kind":"task","status":{"state":"input_required",` +
				`"timestamp":"2025-04-02T18:59:25.331844+02:00"}}`, task},
		"no kind": {wire.OpCancelTask,
			`{"id":"t","contextId":"c","status":{"state":"input-required","timestamp":"2025-04-02T16:59:25.331844Z"}}`,
			task},
		"nulls of Python": {wire.OpSendMessage,
			`{"artifacts":null,"contextId":"c","history":null,"id":"t","kind":"task","metadata":null,` +
				`"status":{"message":null,"state":"input-required","timestamp":"2025-04-02T16:59:25.331844+00:00"}}`,
			task},
		"a message": {wire.OpSendMessage,
			`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}`, message},
		"type": {wire.OpSendMessage,
			`{"type":"message","messageId":"m","parts":[{"type":"text","text":"x"}]}`, message},
		"a message without kind": {wire.OpSendMessage,
			`{"messageId":"m","role":"agent","parts":[{"text":"x"}],"final":true}`, message},
		"states": {wire.OpListTasks,
			`{"tasks":[{"id":"1","status":{"state":"unknown"}},{"id":"2","status":{"state":"cancelled"}},{"id":"3",` +
				`"status":{"state":"rejected"}}]}`,
			&a2a.ListTasksResponse{Tasks: []*a2a.Task{{ID: "1"},
				{ID: "2", Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}},
				{ID: "3", Status: a2a.TaskStatus{State: a2a.TaskStateRejected}}}}},
		"config": {wire.OpGetPushConfig, `{"taskId":"t","config":{"url":"https://e.com"}}`,
			&a2a.PushConfig{TaskID: "t", URL: "https://e.com"}},
		"delete":            {wire.OpDeletePushConfig, `null`, nil},
		"delete, an object": {wire.OpDeletePushConfig, `{}`, nil},
		"a marker that is no mark": {wire.OpSendMessage,
			`{"kind":"message","messageId":"m","parts":[{"kind":"data","data":{"value":1},` +
				`"metadata":{"https://dragoman-a2a.dev/wire/v03":7}}]}`,
			&a2a.Message{ID: "m", Role: a2a.RoleAgent,
				Parts: []a2a.Part{{Content: a2a.Data(`{"value":1}`),
					Metadata: a2a.Metadata{MarkerKey: jsontext.Value("7")}}}}},
		"wrapped, but not so": {wire.OpSendMessage,
			`{"kind":"message","messageId":"m","parts":[{"kind":"data","data":{"value":1,"b":2},` +
				`"metadata":{"https://dragoman-a2a.dev/wire/v03":{"wrapped":true}}}]}`,
			&a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{{Content: a2a.Data(`{"value":1,"b":2}`)}}}},
	} {
		got, err := Dialect.DecodeResult(test.op, nil, []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got, asCarried); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// An agent that leaves out the id of a message gets one made up, another one each time.
func TestMadeUpMessageIDs(t *testing.T) {
	t.Parallel()
	const text = `{"id":"t","status":{"state":"working","message":{"role":"agent","parts":[]}},` +
		`"history":[{"parts":[]}]}`
	got, err := Dialect.DecodeResult(wire.OpGetTask, nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	task := got.(*a2a.Task)
	if a, b := task.Status.Message.ID, task.History[0].ID; a == "" || b == "" || a == b ||
		task.History[0].Role != a2a.RoleAgent {
		t.Errorf("%q, %q", a, b)
	}
}

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		op    wire.Operation
		text  string
		field string
	}{
		{wire.OpGetTask, `{"kind":"message","messageId":"m","parts":[]}`, "kind"},
		{wire.OpGetTask, `{"messageId":"m","parts":[]}`, "kind"},
		{wire.OpGetTask, `{"kind":"task","id":"t"}`, "status"},
		{wire.OpSendMessage, `{"kind":"status-update","taskId":"t","status":{"state":"working"}}`, "kind"},
		{wire.OpSendMessage, `{"task":{"id":"t"}}`, "kind"},
		{wire.OpSendMessage, `{"kind":"task","id":"t","status":{"state":"TASK_STATE_WORKING"}}`, "status.state"},
		{wire.OpListTasks, `{"tasks":[{"id":"t","status":{"timestamp":"yesterday"}}]}`, "tasks[0].status.timestamp"},
		{wire.OpListTasks, `{"totalSize":1e12}`, "totalSize"},
		{wire.OpListPushConfigs, `[{"taskId":"t"}]`, "[0].pushNotificationConfig"},
	} {
		_, err := Dialect.DecodeResult(test.op, nil, []byte(test.text))
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || len(e.Violations) != 1 || e.Violations[0].Field != test.field {
			t.Errorf("%s: %v, want %s", test.text, err, test.field)
		}
	}
	for _, text := range []string{``, `null`, `[]`, `"x"`, `{"kind":"task"`} {
		if _, err := Dialect.DecodeResult(wire.OpSendMessage, nil, []byte(text)); err == nil {
			t.Errorf("%q is an answer", text)
		}
	}
}

// Metadata under the key of markers are lost, because that key is reserved. No other metadata are lost.
func TestForeignMarkers(t *testing.T) {
	t.Parallel()
	metadata := a2a.Metadata{MarkerKey: jsontext.Value(`{"wrapped":true}`), "a": jsontext.Value(`1`)}
	message := &a2a.Message{ID: "m", Role: a2a.RoleAgent,
		Parts: []a2a.Part{{Content: a2a.Data(`{"value":1}`), Metadata: metadata}}}
	want := &a2a.Message{ID: "m", Role: a2a.RoleAgent,
		Parts: []a2a.Part{{Content: a2a.Data(`{"value":1}`), Metadata: a2a.Metadata{"a": jsontext.Value(`1`)}}}}
	text, err := Dialect.AppendResult(nil, wire.OpSendMessage, nil, message)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Dialect.DecodeResult(wire.OpSendMessage, nil, text)
	if diff := cmp.Diff(want, got, asCarried); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if len(metadata) != 2 {
		t.Error("the message was changed")
	}
}

// A value as deep as the model takes it stays that deep, though its wrapper is one level more.
func TestDeepData(t *testing.T) {
	t.Parallel()
	deep := "[" + nest(a2a.MaxDepth-1) + "]"
	answered(t, wire.OpSendMessage, &a2a.Message{ID: "m", Role: a2a.RoleAgent,
		Parts: []a2a.Part{{Content: a2a.Data(deep)}}})
	answered(t, wire.OpSendMessage, &a2a.Message{ID: "m", Role: a2a.RoleAgent,
		Parts: []a2a.Part{{Content: a2a.Data(nest(a2a.MaxDepth))}}})
}

// The extended card is one of 0.3, whatever interfaces of other versions the agent has.
func TestExtendedCard(t *testing.T) {
	t.Parallel()
	card := &a2a.AgentCard{
		Name: "Currency", Description: "converts", Version: "1", DefaultInputModes: []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		SupportedInterfaces: []a2a.AgentInterface{
			{URL: "https://e.com", Binding: a2a.BindingJSONRPC, ProtocolVersion: "1.0"},
			{URL: "https://e.com/old", Binding: a2a.BindingJSONRPC, ProtocolVersion: "0.3.0"},
		},
		Capabilities: a2a.AgentCapabilities{Streaming: new(true), ExtendedAgentCard: new(true)},
		Skills:       []a2a.AgentSkill{{ID: "s", Name: "S", Description: "d", Tags: []string{"t"}}},
	}
	text, err := Dialect.AppendResult([]byte("x"), wire.OpExtendedCard, nil, card)
	if err != nil || text[0] != 'x' {
		t.Fatalf("%s, %v", text, err)
	}
	fitsSchemas(t, text[1:], "AgentCard")
	got, err := Dialect.DecodeResult(wire.OpExtendedCard, nil, text[1:])
	if err != nil {
		t.Fatal(err)
	}
	if c := got.(*a2a.AgentCard); c.Name != card.Name || len(c.SupportedInterfaces) != 1 ||
		c.SupportedInterfaces[0].URL != "https://e.com/old" || !*c.Capabilities.ExtendedAgentCard {
		t.Errorf("%+v", c)
	}
	if _, err := Dialect.DecodeResult(wire.OpExtendedCard, nil, []byte(`[]`)); err == nil {
		t.Error("an array is a card")
	}
}
