// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A value that cannot be written causes an error that names the place. It never causes a panic, and the buffer stays
// unchanged.
func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	message := func(p Part) *StreamResponse {
		return &StreamResponse{&Task{History: []*Message{{Parts: []Part{TextPart("a"), p}}}}}
	}
	for _, test := range []struct {
		value codec
		says  string
	}{
		{(*Task)(nil), "the value is missing"},
		{&StreamResponse{}, "the value holds no event"},
		{&StreamResponse{(*Task)(nil)}, "task is missing"},
		{&SendResponse{}, "holds no event"},
		{&SendMessageRequest{}, "message is missing"},
		{&ArtifactUpdate{}, "artifact is missing"},
		{&Task{Artifacts: []*Artifact{{}, nil}}, "artifacts[1] is missing"},
		{&ListTasksResponse{Tasks: []*Task{nil}}, "tasks[0] is missing"},
		{message(Part{}), "task.history[0].parts[1].content is missing"},
		{message(TextPart("\xff")), "task.history[0].parts[1].text holds invalid UTF-8"},
		{message(Part{Content: Data("{")}), "task.history[0].parts[1].data is not valid JSON"},
		{message(Part{Content: Data(nil)}), "task.history[0].parts[1].data is not valid JSON"},
		{message(Part{Content: Data(`{"a":1,"a":2}`)}), "task.history[0].parts[1].data is not valid JSON"},
		{message(Part{Content: Data("1 2")}), "task.history[0].parts[1].data is not valid JSON"},
		{message(Part{Content: Data(nested(101))}), "task.history[0].parts[1].data nests deeper than 100"},
		{&Task{Metadata: Metadata{"a": jsontext.Value("1"), "b": nil}}, "metadata.b is not valid JSON"},
		{&Task{Metadata: Metadata{"a": jsontext.Value(nested(100))}}, "metadata.a nests deeper"},
		{&Task{Metadata: Metadata{"\xff": jsontext.Value("1")}}, "metadata"},
		{&Message{Extensions: []string{"a", "\xff"}}, "extensions[1] holds invalid UTF-8"},
		{&Message{Role: 3}, "role is 3"},
		{&TaskStatus{State: -1}, "state is -1"},
		{&TaskStatus{Timestamp: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "timestamp is not in the years"},
		{&GetTaskRequest{HistoryLength: ptr(1 << 31)}, "historyLength does not fit"},
		{&AgentCard{SecuritySchemes: map[string]SecurityScheme{"x": nil}},
			"securitySchemes.x holds no security scheme"},
		{&AgentCard{SecuritySchemes: map[string]SecurityScheme{"x": (*MutualTLSScheme)(nil)}},
			"securitySchemes.x.mtlsSecurityScheme is missing"},
		{&OAuth2Scheme{}, "flows holds no OAuth flow"},
	} {
		got, err := test.value.AppendJSON([]byte("before"))
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%T: %v does not say %q", test.value, err, test.says)
		}
		if string(got) != "before" {
			t.Errorf("%T: the buffer is %q", test.value, got)
		}
	}
}

// The exact bytes, as ProtoJSON has them: defaults are left out unless the member is required.
func TestAppendWrites(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]codec{
		`{"id":"","status":{"state":"TASK_STATE_UNSPECIFIED"}}`:      &Task{},
		`{"messageId":"","role":"ROLE_UNSPECIFIED","parts":[]}`:      &Message{},
		`{"artifactId":"","parts":[]}`:                               &Artifact{Parts: []Part{}},
		`{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}`: &ListTasksResponse{},
		`{}`:                               &ListTasksRequest{},
		`{"pageSize":1,"historyLength":0}`: &ListTasksRequest{PageSize: ptr(1), HistoryLength: ptr(0)},
		`{"taskId":"","contextId":"","artifact":{"artifactId":"","parts":[]}}`: &ArtifactUpdate{Artifact: &Artifact{}},
		`{"url":""}`: &PushConfig{},
		`{"name":"","description":"","supportedInterfaces":[],"version":"","documentationUrl":"",` +
			`"capabilities":{"streaming":false},"defaultInputModes":[],"defaultOutputModes":[],` +
			`"skills":[]}`: &AgentCard{
			DocumentationURL: ptr(""), Capabilities: AgentCapabilities{Streaming: ptr(false)},
		},
		`{"schemes":{"a":{},"b":{"list":["x"]}}}`: &SecurityRequirement{"b": {"x"}, "a": {}},
		`{"tokenUrl":"","scopes":{}}`:             &ClientCredentialsFlow{},
		`{"text":"<a href=\"b\">\u0001\ttab & é ` + "\u2028" +
			` \\ /"}`: &Part{Content: Text("<a href=\"b\">\x01\ttab & é \u2028 \\ /")},
		`{"raw":"+/8="}`:                    &Part{Content: Raw{0xfb, 0xff}},
		`{"data":{ "b" : 1.0, "a":1e400 }}`: &Part{Content: Data(`{ "b" : 1.0, "a":1e400 }`)},
		`{"data":{"b":1.0,"a":"\u00e9\n"}}`: &Part{Content: Data(
			"{\n\t\"b\" : 1.0,\r\n \"a\":\"\\u00e9\\n\" }\n")},
		`{"text":"","metadata":{"a":1,"b":{},"é":"x"}}`: &Part{Content: Text(""),
			Metadata: Metadata{"é": jsontext.Value(`"x"`), "b": jsontext.Value(`{}`), "a": jsontext.Value(`1`)}},
		`{"text":"","metadata":{}}`: &Part{Content: Text(""), Metadata: Metadata{}},
		`{"state":"TASK_STATE_WORKING","timestamp":"2025-10-28T08:30:00.009Z"}`: &TaskStatus{
			State: TaskStateWorking, Timestamp: time.Date(2025, 10, 28, 10, 30, 0, 9_999_999, time.FixedZone("", 7200)),
		},
	} {
		if got, err := value.AppendJSON(nil); err != nil || string(got) != want {
			t.Errorf("got  %s (%v)\nwant %s", got, err, want)
		}
	}
}

func TestAppendSendResponse(t *testing.T) {
	t.Parallel()
	for want, result := range map[string]SendResult{
		`x{"task":{"id":"t","status":{"state":"TASK_STATE_FAILED"}}}`: &Task{ID: "t",
			Status: TaskStatus{State: TaskStateFailed}},
		`x{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[]}}`: &Message{ID: "m", Role: RoleAgent},
	} {
		if got, err := AppendSendResponse([]byte("x"), result); err != nil || string(got) != want {
			t.Errorf("got %s, %v", got, err)
		}
	}
	for _, nothing := range []SendResult{nil, (*Task)(nil), (*Message)(nil)} {
		if got, err := AppendSendResponse([]byte("x"), nothing); err == nil || string(got) != "x" {
			t.Errorf("%T: got %s", nothing, got)
		}
	}
}

// TestEmptyArtifacts shows the one list whose emptiness is on the wire: a list of tasks with artifacts has the member
// for tasks without any, too (A2A 1.0 §3.1.4).
func TestEmptyArtifacts(t *testing.T) {
	t.Parallel()
	task := &Task{ID: "t", Status: TaskStatus{State: TaskStateCompleted}}
	for _, tt := range []struct {
		artifacts []*Artifact
		want      string
	}{
		{nil, `{"id":"t","status":{"state":"TASK_STATE_COMPLETED"}}`},
		{[]*Artifact{}, `{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[]}`},
	} {
		task.Artifacts = tt.artifacts
		got, err := task.AppendJSON(nil)
		if err != nil || string(got) != tt.want {
			t.Errorf("AppendJSON = %s, %v, want %s", got, err, tt.want)
		}
	}
}
