// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

type validator interface{ Validate() error }

// A value that has all that is required passes, also when it comes from a peer.
func TestValidateAccepts(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		if v, ok := e.value.(validator); ok {
			if err := v.Validate(); err != nil {
				t.Errorf("%s: %v", e.schema, err)
			}
		}
	}
	for _, v := range []validator{
		&SendMessageRequest{Message: NewMessage(RoleAgent, TextPart(""))},
		&SendMessageRequest{Message: NewMessage(RoleUser, slices.Repeat([]Part{TextPart("a")}, MaxParts)...)},
		&GetTaskRequest{ID: TaskID(strings.Repeat("x", MaxIDLength)), HistoryLength: ptr(0)},
		&ListTasksRequest{}, &ListTasksRequest{PageSize: ptr(1)}, &ListTasksRequest{PageSize: ptr(MaxPageSize)},
		&ExtendedCardRequest{}, &PushConfig{URL: "http://localhost:8080"},
		&Message{ID: "m", Role: RoleUser, Parts: []Part{{Content: Data(nested(MaxDepth))}, RawPart(nil, "", "")}},
	} {
		if err := v.Validate(); err != nil {
			t.Errorf("%+v: %v", v, err)
		}
	}
}

// Each value lists all its violations, in the order of the members.
func TestValidateNamesEveryViolation(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxIDLength+1)
	flows := func(f OAuthFlow) *AgentCard {
		card := exampleCard()
		card.SecuritySchemes = map[string]SecurityScheme{"o": &OAuth2Scheme{Flow: f}}
		return card
	}
	schemes := func(schemes map[string]SecurityScheme) *AgentCard {
		card := exampleCard()
		card.SecuritySchemes = schemes
		return card
	}
	const flow = "securitySchemes.o.oauth2SecurityScheme.flows"
	for i, test := range []struct {
		value  validator
		fields []string
	}{
		{&SendMessageRequest{}, []string{"message"}},
		{&SendMessageRequest{Message: &Message{}}, []string{"message.messageId", "message.role", "message.parts"}},
		{&SendMessageRequest{Message: &Message{ID: "m", Role: 7, Parts: []Part{{}, TextPart("x"), {Content: URL("")}, {Content: Data("{")}}}},
			[]string{"message.role", "message.parts[0]", "message.parts[2].url", "message.parts[3].data"}},
		{&SendMessageRequest{Tenant: long, Message: &Message{ID: MessageID(long), ContextID: "a\nb", TaskID: "\x7f", Role: RoleUser, Parts: []Part{TextPart("x")}, ReferenceTaskIDs: []TaskID{"a", "", "\u0085"}}},
			[]string{"tenant", "message.messageId", "message.contextId", "message.taskId", "message.referenceTaskIds[1]", "message.referenceTaskIds[2]"}},
		{&SendMessageRequest{Message: NewMessage(RoleUser, make([]Part, MaxParts+1)...)}, []string{"message.parts"}},
		{&SendMessageRequest{
			Message:       NewMessage(RoleUser, TextPart("x")),
			Configuration: &SendConfiguration{HistoryLength: ptr(-1), PushConfig: &PushConfig{URL: "ftp://x", Authentication: &PushAuthentication{Credentials: "a\r\nX: y"}}},
			Metadata:      Metadata{"z": jsontext.Value("nope"), "b": nil, "a": jsontext.Value("1"), "deep": jsontext.Value(nested(100)), "edge": jsontext.Value(nested(99))},
		}, []string{
			"configuration.historyLength", "configuration.taskPushNotificationConfig.url", "configuration.taskPushNotificationConfig.authentication.scheme",
			"configuration.taskPushNotificationConfig.authentication.credentials", "metadata.b", "metadata.deep", "metadata.z",
		}},
		{&GetTaskRequest{HistoryLength: ptr(-1)}, []string{"id", "historyLength"}},
		{&ListTasksRequest{ContextID: "\x00", Status: 9, PageSize: ptr(0), HistoryLength: ptr(-5)}, []string{"contextId", "status", "pageSize", "historyLength"}},
		{&ListTasksRequest{PageSize: ptr(MaxPageSize + 1)}, []string{"pageSize"}},
		{&CancelTaskRequest{}, []string{"id"}},
		{&SubscribeRequest{Tenant: "\xff"}, []string{"tenant", "id"}},
		{&PushConfig{}, []string{"url"}},
		{&PushConfig{ID: long, URL: "/hook", Token: "a\nb"}, []string{"id", "url", "token"}},
		{&PushConfig{URL: "https:///x"}, []string{"url"}},
		{&PushConfig{URL: "https://:80/x"}, []string{"url"}},
		{&PushConfig{URL: "http://a b/"}, []string{"url"}},
		{&GetPushConfigRequest{}, []string{"taskId", "id"}},
		{&ListPushConfigsRequest{PageSize: -1}, []string{"taskId", "pageSize"}},
		{&DeletePushConfigRequest{}, []string{"taskId", "id"}},
		{&ExtendedCardRequest{Tenant: long}, []string{"tenant"}},
		{&Task{}, []string{"id", "status.state"}},
		{&Task{ID: "t", Status: TaskStatus{State: TaskStateWorking, Message: &Message{}}, Artifacts: []*Artifact{{}, nil, {ID: "a", Parts: []Part{TextPart("")}}, {ID: "a", Parts: []Part{TextPart("")}}}, History: []*Message{nil}},
			[]string{"status.message.messageId", "status.message.role", "status.message.parts", "artifacts[0].artifactId", "artifacts[0].parts", "artifacts[1]", "artifacts[3].artifactId", "history[0]"}},
		{&Artifact{}, []string{"artifactId", "parts"}},
		{&StatusUpdate{}, []string{"taskId", "contextId", "status.state"}},
		{&ArtifactUpdate{}, []string{"taskId", "contextId", "artifact"}},
		{&AgentCard{}, []string{"name", "description", "version", "supportedInterfaces", "defaultInputModes", "defaultOutputModes"}},
		{&AgentCard{
			Name: "n", Description: "d", Version: "1", SupportedInterfaces: []AgentInterface{{Tenant: long}}, Provider: &AgentProvider{},
			Capabilities:      AgentCapabilities{Extensions: []AgentExtension{{}}},
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}, Skills: []AgentSkill{{}}, Signatures: []AgentCardSignature{{}},
		}, []string{
			"supportedInterfaces[0].url", "supportedInterfaces[0].protocolBinding", "supportedInterfaces[0].protocolVersion", "supportedInterfaces[0].tenant",
			"provider.url", "provider.organization", "capabilities.extensions[0].uri", "skills[0].id", "skills[0].name", "skills[0].description",
			"signatures[0].protected", "signatures[0].signature",
		}},
		{schemes(map[string]SecurityScheme{"a": &APIKeyScheme{Location: "body"}, "h": &HTTPAuthScheme{}, "i": &OpenIDConnectScheme{}, "m": &MutualTLSScheme{}, "n": nil}), []string{
			"securitySchemes.a.apiKeySecurityScheme.location", "securitySchemes.a.apiKeySecurityScheme.name", "securitySchemes.h.httpAuthSecurityScheme.scheme",
			"securitySchemes.i.openIdConnectSecurityScheme.openIdConnectUrl", "securitySchemes.n",
		}},
		{flows(nil), []string{flow}},
		{flows(&AuthorizationCodeFlow{}), []string{flow + ".authorizationCode.authorizationUrl", flow + ".authorizationCode.tokenUrl"}},
		{flows(&ClientCredentialsFlow{}), []string{flow + ".clientCredentials.tokenUrl"}},
		{flows(&DeviceCodeFlow{}), []string{flow + ".deviceCode.deviceAuthorizationUrl", flow + ".deviceCode.tokenUrl"}},
		{flows(&ImplicitFlow{}), nil},
	} {
		t.Run(fmt.Sprintf("%d %T", i, test.value), func(t *testing.T) {
			t.Parallel()
			var fields []string
			if err := test.value.Validate(); err != nil {
				e, _ := errors.AsType[*Error](err)
				if e == nil || e.Kind != ErrInvalidParams {
					t.Fatal(err)
				}
				for _, v := range e.Violations {
					fields = append(fields, v.Field)
					if v.Description == "" {
						t.Errorf("%s is wrong, but not why", v.Field)
					}
				}
			}
			if diff := cmp.Diff(test.fields, fields); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestValidateNamesTheLimit(t *testing.T) {
	t.Parallel()
	for limit, v := range map[string]validator{
		"10000 parts; at most 1000": &SendMessageRequest{Message: NewMessage(RoleUser, make([]Part, 10_000)...)},
		"at most 256":               &GetTaskRequest{ID: TaskID(strings.Repeat("x", 300))},
		"1 to 100":                  &ListTasksRequest{PageSize: ptr(101)},
	} {
		if err := v.Validate(); err == nil || !strings.Contains(err.Error(), limit) {
			t.Errorf("%v does not say %q", err, limit)
		}
	}
}

func TestValidateBoundsItsError(t *testing.T) {
	t.Parallel()
	err := (&SendMessageRequest{Message: NewMessage(RoleUser, make([]Part, MaxParts)...)}).Validate()
	if n := len(AsError(err).Violations); n != maxViolations {
		t.Errorf("%d violations, want %d", n, maxViolations)
	}
}

func TestValidateNil(t *testing.T) {
	t.Parallel()
	for _, v := range []validator{(*SendMessageRequest)(nil), (*Task)(nil), (*AgentCard)(nil), (*PushConfig)(nil)} {
		if err := v.Validate(); !errors.Is(err, ErrInvalidParams) {
			t.Errorf("%T: %v", v, err)
		}
	}
}

// What cannot be written is an error that names the place, never a panic, and leaves the buffer alone.
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
		{&AgentCard{SecuritySchemes: map[string]SecurityScheme{"x": nil}}, "securitySchemes.x holds no security scheme"},
		{&AgentCard{SecuritySchemes: map[string]SecurityScheme{"x": (*MutualTLSScheme)(nil)}}, "securitySchemes.x.mtlsSecurityScheme is missing"},
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
		`{"name":"","description":"","supportedInterfaces":[],"version":"","documentationUrl":"","capabilities":{"streaming":false},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}`: &AgentCard{
			DocumentationURL: ptr(""), Capabilities: AgentCapabilities{Streaming: ptr(false)},
		},
		`{"schemes":{"a":{},"b":{"list":["x"]}}}`:                        &SecurityRequirement{"b": {"x"}, "a": {}},
		`{"tokenUrl":"","scopes":{}}`:                                    &ClientCredentialsFlow{},
		`{"text":"<a href=\"b\">\u0001\ttab & é ` + "\u2028" + ` \\ /"}`: &Part{Content: Text("<a href=\"b\">\x01\ttab & é \u2028 \\ /")},
		`{"raw":"+/8="}`:                                &Part{Content: Raw{0xfb, 0xff}},
		`{"data":{ "b" : 1.0, "a":1e400 }}`:             &Part{Content: Data(`{ "b" : 1.0, "a":1e400 }`)},
		`{"data":{"b":1.0,"a":"\u00e9\n"}}`:             &Part{Content: Data("{\n\t\"b\" : 1.0,\r\n \"a\":\"\\u00e9\\n\" }\n")},
		`{"text":"","metadata":{"a":1,"b":{},"é":"x"}}`: &Part{Content: Text(""), Metadata: Metadata{"é": jsontext.Value(`"x"`), "b": jsontext.Value(`{}`), "a": jsontext.Value(`1`)}},
		`{"text":"","metadata":{}}`:                     &Part{Content: Text(""), Metadata: Metadata{}},
		`{"state":"TASK_STATE_WORKING","timestamp":"2025-10-28T08:30:00.009Z"}`: &TaskStatus{
			State: TaskStateWorking, Timestamp: time.Date(2025, 10, 28, 10, 30, 0, 9_999_999, time.FixedZone("", 7200)),
		},
	} {
		if got, err := value.AppendJSON(nil); err != nil || string(got) != want {
			t.Errorf("got  %s (%v)\nwant %s", got, err, want)
		}
	}
}
