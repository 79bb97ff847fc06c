// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

var noon = time.Date(2025, 4, 2, 12, 0, 0, 250e6, time.UTC)

func written(t testing.TB, op wire.Operation, request, result any) string {
	t.Helper()
	got, err := Dialect.AppendResult([]byte("x"), op, request, result)
	if err != nil {
		t.Fatal(err)
	}
	fits(t, resultOf[op], got[1:])
	return string(got[1:])
}

func readResult(t testing.TB, op wire.Operation, request any, text string) any {
	t.Helper()
	got, err := Dialect.DecodeResult(op, request, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	forgetMessageIDs(got)
	return got
}

func TestTasksAreWritten(t *testing.T) {
	t.Parallel()
	task := &a2a.Task{
		ID: "t", ContextID: "c", Origin: a2a.Generation10,
		Status: a2a.TaskStatus{
			State: a2a.TaskStateWorking, Timestamp: noon,
			Message: &a2a.Message{ID: "m", TaskID: "t", ContextID: "c", Role: a2a.RoleAgent,
				Parts: []a2a.Part{a2a.TextPart("<&>\u2028\n")}},
		},
		Artifacts: []*a2a.Artifact{
			{ID: "doc", Name: "n", Description: "d",
				Parts: []a2a.Part{a2a.RawPart([]byte{1, 2}, "image/png", "a.png"),
					a2a.URLPart("https://a.example", "", "")}},
			{ID: "index-7", Parts: []a2a.Part{{Content: a2a.Data("{\n \"a\":1 }")}}},
		},
		History: []*a2a.Message{{ID: "u", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("go")}},
			{ID: "v", Parts: []a2a.Part{a2a.TextPart("who?")}}},
		Metadata: a2a.Metadata{"b": []byte("[1,\r\n2]"), "a": []byte("1.0")},
	}
	const want = `{"id":"t","sessionId":"c",` +
		`"status":{"state":"working","message":{"role":"agent","parts":[{"type":"text","text":"<&>` + "\u2028" +
		`\n"}]},"timestamp":"2025-04-02T12:00:00.250Z"},` +
		`"artifacts":[{"name":"n","description":"d","parts":[` +
		`{"type":"file","file":{"name":"a.png","mimeType":"image/png","bytes":"AQI="}},{"type":"file",` +
		`"file":{"uri":"https://a.example"}}],"index":0},` +
		`{"parts":[{"type":"data","data":{"a":1}}],"index":7}],` +
		`"history":[{"role":"user","parts":[{"type":"text","text":"go"}]},{"role":"agent","parts":[{"type":"text",` +
		`"text":"who?"}]}],` +
		`"metadata":{"a":1.0,"b":[1,2]}}`
	for _, op := range []wire.Operation{wire.OpSendMessage, wire.OpGetTask, wire.OpCancelTask} {
		if got := written(t, op, nil, task); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	least := &a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted}, Artifacts: []*a2a.Artifact{},
		History: []*a2a.Message{}}
	if got := written(t, wire.OpGetTask, nil, least); got != `{"id":"t","status":{"state":"submitted"}}` {
		t.Error(got)
	}
}

// A state without a name of its own is shown as the nearest, and comes back as it was.
func TestStatesComeBack(t *testing.T) {
	t.Parallel()
	for state, shown := range map[a2a.TaskState]string{
		a2a.TaskStateUnspecified:   `{"id":"t","status":{"state":"unknown"}}`,
		a2a.TaskStateSubmitted:     `{"id":"t","status":{"state":"submitted"}}`,
		a2a.TaskStateWorking:       `{"id":"t","status":{"state":"working"}}`,
		a2a.TaskStateCompleted:     `{"id":"t","status":{"state":"completed"}}`,
		a2a.TaskStateFailed:        `{"id":"t","status":{"state":"failed"}}`,
		a2a.TaskStateCanceled:      `{"id":"t","status":{"state":"canceled"}}`,
		a2a.TaskStateInputRequired: `{"id":"t","status":{"state":"input-required"}}`,
		a2a.TaskStateRejected: `{"id":"t","status":{"state":"failed"},"metadata":{"` + markerKey +
			`":{"state":"rejected"}}}`,
		a2a.TaskStateAuthRequired: `{"id":"t","status":{"state":"input-required"},"metadata":{"` + markerKey +
			`":{"state":"auth-required"}}}`,
	} {
		task := &a2a.Task{ID: "t", Status: a2a.TaskStatus{State: state}}
		if got := written(t, wire.OpGetTask, nil, task); got != shown {
			t.Errorf("got  %s\nwant %s", got, shown)
		}
		if diff := cmp.Diff(task, readResult(t, wire.OpGetTask, nil, shown), canonical); diff != "" {
			t.Errorf("-task +again\n%s", diff)
		}
	}
}

// Values for which the form has no place go into metadata, and reading takes them from there.
func TestMarkersComeBack(t *testing.T) {
	t.Parallel()
	own := a2a.Metadata{"own": []byte("1")}
	parts := []a2a.Part{
		{Content: a2a.Text("# x"), MediaType: "text/markdown", Filename: "x.md", Metadata: own},
		{Content: a2a.Data(`{"a":1}`), MediaType: "application/json"},
		{Content: a2a.Data(`[1,2]`)},
		{Content: a2a.Data(`"text"`), Filename: "f"},
		{Content: a2a.Data(`null`), Metadata: own},
		{Content: a2a.Data(`{"value":1}`)},
		{Content: a2a.Data(`{"name":"a.pdf","mimeType":"application/pdf"}`),
			Metadata: a2a.Metadata{"own": []byte("1"), markerKey: []byte(`{"file":true}`)}},
		{Content: a2a.Data(`{}`), Metadata: a2a.Metadata{markerKey: []byte(`{"file":true}`)}},
	}
	task := &a2a.Task{
		ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
		Artifacts: []*a2a.Artifact{{ID: "index-0", Parts: parts, Extensions: []string{"https://e.example"}}},
		History: []*a2a.Message{{
			ID: "m", TaskID: "t", Role: a2a.RoleUser, Parts: parts[:1], Extensions: []string{"https://e.example"},
			ReferenceTaskIDs: []a2a.TaskID{"r"}, Metadata: own,
		}},
	}
	const mark = `"` + markerKey + `":`
	const want = `{"id":"t","status":{"state":"completed"},"artifacts":[{"parts":[` +
		`{"type":"text","text":"# x","metadata":{` + mark +
		`{"mediaType":"text/markdown","filename":"x.md"},"own":1}},` +
		`{"type":"data","data":{"a":1},"metadata":{` + mark + `{"mediaType":"application/json"}}},` +
		`{"type":"data","data":{"value":[1,2]},"metadata":{` + mark + `{"wrapped":true}}},` +
		`{"type":"data","data":{"value":"text"},"metadata":{` + mark + `{"filename":"f","wrapped":true}}},` +
		`{"type":"data","data":{"value":null},"metadata":{` + mark + `{"wrapped":true},"own":1}},` +
		`{"type":"data","data":{"value":1}},` +
		`{"type":"file","file":{"name":"a.pdf","mimeType":"application/pdf"},"metadata":{"own":1}},` +
		`{"type":"file","file":{}}],"index":0,"metadata":{` + mark + `{"extensions":["https://e.example"]}}}],` +
		`"history":[{"role":"user","parts":[{"type":"text","text":"# x","metadata":{` + mark +
		`{"mediaType":"text/markdown","filename":"x.md"},"own":1}}],` +
		`"metadata":{` + mark + `{"extensions":["https://e.example"],"referenceTaskIds":["r"]},"own":1}}]}`
	got := written(t, wire.OpGetTask, nil, task)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if diff := cmp.Diff(task, readResult(t, wire.OpGetTask, nil, got), canonical); diff != "" {
		t.Errorf("-task +again\n%s", diff)
	}
	if _, there := own[markerKey]; there {
		t.Error("writing changed the metadata of the task")
	}
}

// Only an object that can have been made to wrap a value is taken for a wrapper.
func TestOnlyWrappersAreUnwrapped(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"value":[1, 2]}`: `[1, 2]`, ` { "value" : {"value":1} } `: `{"value":1}`, `{"value":null}`: `null`,
		`{}`: `{}`, `{"other":1}`: `{"other":1}`, `{"value":1,"other":2}`: `{"value":1,"other":2}`,
		`{"other":1,"value":2}`: `{"other":1,"value":2}`, `[1]`: `[1]`,
	} {
		text := `{"status":{"state":"working","message":{"parts":[{"data":` + data + `,"metadata":{"` + markerKey +
			`":{"wrapped":true}}}]}}}`
		task := readResult(t, wire.OpGetTask, &a2a.GetTaskRequest{ID: "t"}, text).(*a2a.Task)
		if got := string(task.Status.Message.Parts[0].Content.(a2a.Data)); got != want {
			t.Errorf("%s became %s, want %s", data, got, want)
		}
	}
}

// A value may be as deep as it may be anywhere, the object around it aside.
func TestWrappedDepth(t *testing.T) {
	t.Parallel()
	for levels, ok := range map[int]bool{a2a.MaxDepth: true, a2a.MaxDepth + 1: false} {
		value := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		text := `{"status":{"state":"working","message":{"parts":[{"data":{"value":` + value + `},"metadata":{"` +
			markerKey + `":{"wrapped":true}}}]}}}`
		_, err := Dialect.DecodeResult(wire.OpGetTask, &a2a.GetTaskRequest{ID: "t"}, []byte(text))
		if (err == nil) != ok {
			t.Errorf("%d levels: %v", levels, err)
		}
		part := a2a.Part{Content: a2a.Data(value)}
		task := &a2a.Task{ID: "t", Status: a2a.TaskStatus{Message: &a2a.Message{Parts: []a2a.Part{part}}}}
		if _, err := Dialect.AppendResult(nil, wire.OpGetTask, nil, task); (err == nil) != ok {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

// A marker that is old or not ours changes nothing but where it can.
func TestMarkersThatDoNotApply(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]a2a.Task{
		`{"status":{"state":"completed"},"metadata":{"` + markerKey +
			`":{"state":"rejected"}}}`: {Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}},
		`{"status":{"state":"failed"},"metadata":{"` + markerKey +
			`":{"state":"auth-required"}}}`: {Status: a2a.TaskStatus{State: a2a.TaskStateFailed}},
		`{"status":{"state":"failed"},"metadata":{"` + markerKey +
			`":{"state":"completed"},"a":1}}`: {Status: a2a.TaskStatus{State: a2a.TaskStateFailed},
			Metadata: a2a.Metadata{"a": []byte("1")}},
		`{"status":{"state":"failed"},"metadata":{"` + markerKey +
			`":5,"a":1}}`: {Status: a2a.TaskStatus{State: a2a.TaskStateFailed},
			Metadata: a2a.Metadata{"a": []byte("1")}},
		`{"status":{"state":"failed"},"metadata":{"` + markerKey +
			`":{"wrapped":true,"new":[1,2]}}}`: {Status: a2a.TaskStatus{State: a2a.TaskStateFailed}},
	} {
		want.ID = "t"
		got := readResult(t, wire.OpGetTask, &a2a.GetTaskRequest{ID: "t"}, text)
		if diff := cmp.Diff(&want, got, canonical); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
	}
}

// An answer that is a message is a completed task that says it.
func TestMessagesAreCompletedTasks(t *testing.T) {
	t.Parallel()
	reply := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("hi")}}
	with := *reply
	with.ContextID = "made"
	to := &a2a.Message{TaskID: "old", ContextID: "asked"}
	for _, test := range []struct {
		request *a2a.SendMessageRequest
		reply   *a2a.Message
		want    string
	}{
		{&a2a.SendMessageRequest{NewTaskID: "t", Message: new(a2a.Message)}, reply, `{"id":"t",`},
		{&a2a.SendMessageRequest{NewTaskID: "t", Message: new(a2a.Message)}, &with, `{"id":"t","sessionId":"made",`},
		{&a2a.SendMessageRequest{NewTaskID: "t", Message: to}, reply, `{"id":"old","sessionId":"asked",`},
	} {
		want := test.want +
			`"status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text","text":"hi"}]}}}`
		if got := written(t, wire.OpSendMessage, test.request, test.reply); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// The decoder reads the tasks that peers of that time send, including their faults.
func TestTasksOfPeers(t *testing.T) {
	t.Parallel()
	request := &a2a.SendMessageRequest{NewTaskID: "t", Message: &a2a.Message{ContextID: "c"}}
	said := func(role a2a.Role) *a2a.Message {
		return &a2a.Message{ID: "m", TaskID: "t", ContextID: "c", Role: role, Parts: []a2a.Part{a2a.TextPart("hi")}}
	}
	at := func(index int, texts ...string) *a2a.Artifact {
		a := &a2a.Artifact{ID: artifactID(index)}
		for _, text := range texts {
			a.Parts = append(a.Parts, a2a.TextPart(text))
		}
		return a
	}
	working := a2a.TaskStatus{State: a2a.TaskStateWorking}
	for name, test := range map[string]struct {
		text string
		want a2a.Task
	}{
		"id is a number": {`{"id":1,"status":{"state":"working"}}`, a2a.Task{Status: working}},
		"no id":          {`{"status":{"state":"working"}}`, a2a.Task{Status: working}},
		"its own session": {`{"id":"t","sessionId":"made","status":{"state":"working"}}`,
			a2a.Task{ContextID: "made", Status: working}},
		"null everywhere": {`{"id":"t","sessionId":null,"status":{"state":"working","message":null,"timestamp":null},` +
			`"artifacts":null,"history":null,"metadata":null}`, a2a.Task{Status: working}},
		"no role": {`{"id":"t","status":{"state":"working","message":{"parts":[{"text":"hi"}]}}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Message: said(a2a.RoleAgent)}}},
		"history": {`{"id":"t","status":{"state":"working"},"history":[{"role":"user","parts":[{"text":"hi"}]},` +
			`{"parts":[{"type":"text","text":"hi"}]}]}`,
			a2a.Task{Status: working, History: []*a2a.Message{said(a2a.RoleUser), said(a2a.RoleAgent)}}},
		"naive time": {`{"id":"t","status":{"state":"working","timestamp":"2025-04-02T12:00:00.250000"}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: noon}}},
		"offset": {`{"id":"t","status":{"state":"working","timestamp":"2025-04-02T14:00:00.25+02:00"}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: noon}}},
		"two Ls": {`{"id":"t","status":{"state":"cancelled"}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateCanceled}}},
		"underscore": {`{"id":"t","status":{"state":"input_required"}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired}}},
		"later state": {`{"id":"t","status":{"state":"rejected"}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateRejected}}},
		"all have index 0": {`{"id":"t","status":{"state":"working"},"artifacts":[{"parts":[{"text":"a"}]},` +
			`{"parts":[{"text":"b"}]},{"index":1,"parts":[{"text":"c"}]}]}`,
			a2a.Task{Status: working, Artifacts: []*a2a.Artifact{at(0, "a"), at(1, "b"), at(2, "c")}}},
		"chunks kept apart": {`{"id":"t","status":{"state":"working"},"artifacts":[{"index":3,"parts":[{"text":"a"}],` +
			`"append":false},{"index":3,"append":true,"parts":[{"text":"b"}]},{"index":3,"append":true,` +
			`"lastChunk":true,"parts":[{"text":"c"}]}]}`,
			a2a.Task{Status: working, Artifacts: []*a2a.Artifact{at(3, "a", "b", "c")}}},
		"past the last": {`{"id":"t","status":{"state":"working"},"artifacts":[{"index":1073741824},` +
			`{"index":1073741824}]}`, a2a.Task{Status: working, Artifacts: []*a2a.Artifact{at(maxIndex), at(0)}}},
		"append to nothing": {`{"id":"t","status":{"state":"working"},"artifacts":[{"index":3,"append":true,` +
			`"parts":[{"text":"b"}]}]}`, a2a.Task{Status: working, Artifacts: []*a2a.Artifact{at(3, "b")}}},
		"members of 0.2": {`{"id":"t","kind":"task","contextId":"x","status":{"state":"working"},` +
			`"artifacts":[{"artifactId":"a","parts":[{"type":"text","kind":"text","text":"a"}]}]}`,
			a2a.Task{Status: working, Artifacts: []*a2a.Artifact{at(0, "a")}}},
		"index null": {`{"id":"t","status":{"state":"working"},"artifacts":[{"index":null,"append":null,` +
			`"lastChunk":null,"parts":[{"text":"a"}]}]}`,
			a2a.Task{Status: working, Artifacts: []*a2a.Artifact{at(0, "a")}}},
		"no parts": {`{"id":"t","status":{"state":"working","message":{"role":"agent","parts":[]}}}`,
			a2a.Task{Status: a2a.TaskStatus{State: a2a.TaskStateWorking,
				Message: &a2a.Message{ID: "m", TaskID: "t", ContextID: "c", Role: a2a.RoleAgent}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.want.ID = "t"
			if test.want.ContextID == "" {
				test.want.ContextID = "c"
			}
			got := readResult(t, wire.OpSendMessage, request, test.text)
			if diff := cmp.Diff(&test.want, got, canonical); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestBadResults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, field, why string
	}{
		{`null`, "", "an object"},
		{`[]`, "", "an object"},
		{`{"id":"t"}`, "status", "is required"},
		{`{"id":"t","status":"working"}`, "status", "an object"},
		{`{"id":"t","status":{}}`, "status.state", "is required"},
		{`{"id":"t","status":{"state":"TASK_STATE_WORKING"}}`, "status.state", "no state"},
		{`{"id":"t","status":{"state":"working","timestamp":"yesterday"}}`, "status.timestamp", "RFC 3339"},
		{`{"id":"t","status":{"state":"working","timestamp":12}}`, "status.timestamp", "a string"},
		{`{"id":"t","status":{"state":"working","message":{"role":"system","parts":[]}}}`, "status.message.role",
			"user or agent"},
		{`{"id":"t","status":{"state":"working","message":{"parts":[{"text":"a"},{}]}}}`, "status.message.parts[1]",
			"one of"},
		{`{"id":"t","status":{"state":"working"},"history":[{"parts":[{"file":{"bytes":"*"}}]}]}`,
			"history[0].parts[0].file.bytes", "base64"},
		{`{"id":"t","status":{"state":"working"},"artifacts":[{"index":-1}]}`, "artifacts[0].index", "negative"},
		{`{"id":"t","status":{"state":"working"},"artifacts":[{"index":1073741825}]}`, "artifacts[0].index",
			"to 1073741824"},
		{`{"id":"t","status":{"state":"working"},"artifacts":[{},{"parts":[{"data":5}]}]}`,
			"artifacts[1].parts[0].data", "an object or an array"},
		{`{"id":"t","status":{"state":"working"},"metadata":{"a":` +
			strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, "metadata.a", "100 levels"},
	} {
		_, err := Dialect.DecodeResult(wire.OpGetTask, &a2a.GetTaskRequest{ID: "t"}, []byte(test.text))
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || e.Kind != a2a.ErrInvalidParams || !strings.Contains(e.PublicMessage(), test.field+" ") ||
			!strings.Contains(e.PublicMessage(), test.why) {
			t.Errorf("%s: %v", test.text, err)
		}
	}
	if _, err := Dialect.DecodeResult(wire.OpGetTask, nil, []byte(`{"status":{"state":"working"}}`)); err == nil ||
		!strings.Contains(err.Error(), "id is required") {
		t.Errorf("a task without an id: %v", err)
	}
}

func TestPushConfigs(t *testing.T) {
	t.Parallel()
	config := &a2a.PushConfig{ID: "p", TaskID: "t", URL: "https://a.example", Token: "k",
		Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "c"}}
	const text = `{"id":"t","pushNotificationConfig":{"url":"https://a.example","token":"k",` +
		`"authentication":{"schemes":["Bearer"],"credentials":"c"}}}`
	get := &a2a.GetPushConfigRequest{TaskID: "t", ID: "p"}
	if got := written(t, wire.OpGetPushConfig, get, config); got != text {
		t.Error(got)
	}
	nameless := *config
	nameless.TaskID = ""
	if got := written(t, wire.OpCreatePushConfig, config, &nameless); got != text {
		t.Error(got)
	}
	for _, request := range []any{get, config} {
		if diff := cmp.Diff(config, readResult(t, wire.OpGetPushConfig, request, text)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
	first := readResult(t, wire.OpCreatePushConfig, &a2a.PushConfig{TaskID: "t"},
		`{"id":null,"pushNotificationConfig":{"url":"https://a.example","authentication":{"schemes":["Bearer",`+
			`"Basic"],"jwks_url":"x"}}}`)
	if diff := cmp.Diff(&a2a.PushConfig{ID: "t", TaskID: "t", URL: "https://a.example",
		Authentication: &a2a.PushAuthentication{Scheme: "Bearer"}}, first); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, none := range []string{`{"id":"t","pushNotificationConfig":null}`, `{"id":"t","pushNotificationConfig":{}}`,
		`{"id":"t"}`} {
		if _, err := Dialect.DecodeResult(wire.OpGetPushConfig, get, []byte(none)); !errors.Is(err,
			a2a.ErrTaskNotFound) {
			t.Errorf("%s: %v", none, err)
		}
	}
	if _, err := Dialect.DecodeResult(wire.OpGetPushConfig, get,
		[]byte(`{"pushNotificationConfig":5}`)); !errors.Is(err, a2a.ErrInvalidParams) {
		t.Error(err)
	}
}

// A result that cannot be written causes an error, and the buffer stays unchanged.
func TestResultsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	status := a2a.TaskStatus{State: a2a.TaskStateWorking}
	var noTask *a2a.Task
	var noMessage *a2a.Message
	var noConfig *a2a.PushConfig
	for _, result := range []any{
		nil, noTask, noMessage, noConfig, &a2a.AgentCard{}, &a2a.ListTasksResponse{},
		&a2a.Task{ID: "\xff", Status: status},
		&a2a.Task{ID: "t", Status: a2a.TaskStatus{State: 99}},
		&a2a.Task{ID: "t", Status: a2a.TaskStatus{State: -1}},
		&a2a.Task{ID: "t", Status: a2a.TaskStatus{Timestamp: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}},
		&a2a.Task{ID: "t", Status: status, Artifacts: []*a2a.Artifact{nil}},
		&a2a.Task{ID: "t", Status: status, History: []*a2a.Message{nil}},
		&a2a.Task{ID: "t", Status: status, Metadata: a2a.Metadata{"a": nil}},
		&a2a.Task{ID: "t", Status: status,
			Metadata: a2a.Metadata{"a": []byte(strings.Repeat("[", 100) + strings.Repeat("]", 100))}},
		&a2a.Task{ID: "t", Status: status, Metadata: a2a.Metadata{"\xff": []byte("1")}},
		&a2a.Task{ID: "t", Status: status, History: []*a2a.Message{{Parts: []a2a.Part{{}}}}},
		&a2a.Task{ID: "t", Status: status, History: []*a2a.Message{{Parts: []a2a.Part{{Content: a2a.Data(`{`)}}}}},
		&a2a.Task{ID: "t", Status: status,
			History: []*a2a.Message{{Parts: []a2a.Part{{Content: a2a.Text("x"), MediaType: "\xff"}}}}},
	} {
		got, err := Dialect.AppendResult([]byte("x"), wire.OpGetTask, nil, result)
		if err == nil || string(got) != "x" {
			t.Errorf("%T %+v: %q", result, result, got)
		}
	}
}

// An id of the form index-N is index N; others count by when they appeared, past those that are taken.
func TestIndexes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ids  []a2a.ArtifactID
		want []int
	}{
		{[]a2a.ArtifactID{"a", "b", "a", "c", "b"}, []int{0, 1, 0, 2, 1}},
		{[]a2a.ArtifactID{"index-5", "index-0", "index-5"}, []int{5, 0, 5}},
		{[]a2a.ArtifactID{"index-1", "a", "b", "c"}, []int{1, 2, 3, 4}},
		{[]a2a.ArtifactID{"a", "index-0", "b"}, []int{0, 1, 2}},
		{[]a2a.ArtifactID{"index-00", "index--1", "index-", "index-+3", "index-1073741825", "INDEX-9"},
			[]int{0, 1, 2, 3, 4, 5}},
		{[]a2a.ArtifactID{"index-1073741824", ""}, []int{maxIndex, 1}},
		{[]a2a.ArtifactID{"a", "index-0", "index-1073741824"}, []int{0, 1, maxIndex}},
	} {
		var x indexes
		for i, id := range test.ids {
			if got := x.of(id); got != test.want[i] {
				t.Errorf("%q: %q is %d, want %d", test.ids, id, got, test.want[i])
			}
		}
	}
}
