// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

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
		{&SendMessageRequest{Message: &Message{ID: "m", Role: 7,
			Parts: []Part{{}, TextPart("x"), {Content: URL("")}, {Content: Data("{")}}}},
			[]string{"message.role", "message.parts[0]", "message.parts[2].url", "message.parts[3].data"}},
		{&SendMessageRequest{Tenant: long, Message: &Message{ID: MessageID(long), ContextID: "a\nb", TaskID: "\x7f",
			Role: RoleUser, Parts: []Part{TextPart("x")}, ReferenceTaskIDs: []TaskID{"a", "", "\u0085"}}},
			[]string{"tenant", "message.messageId", "message.contextId", "message.taskId",
				"message.referenceTaskIds[1]", "message.referenceTaskIds[2]"}},
		{&SendMessageRequest{Message: NewMessage(RoleUser, make([]Part, MaxParts+1)...)}, []string{"message.parts"}},
		{&SendMessageRequest{Message: &Message{ID: "m", Role: RoleUser, Parts: []Part{TextPart("x")},
			Extensions: make([]string, MaxNames+1)}}, []string{"message.extensions"}},
		{&SendMessageRequest{
			Message: &Message{ID: "m", Role: RoleUser, Parts: []Part{TextPart("x")},
				ReferenceTaskIDs: make([]TaskID, MaxNames+1)},
			Configuration: &SendConfiguration{AcceptedOutputModes: make([]string, MaxNames+1)},
		}, []string{"message.referenceTaskIds", "configuration.acceptedOutputModes"}},
		{&SendMessageRequest{
			Message: NewMessage(RoleUser, TextPart("x")),
			Configuration: &SendConfiguration{HistoryLength: ptr(-1),
				PushConfig: &PushConfig{URL: "ftp://x", Authentication: &PushAuthentication{Credentials: "a\r\nX: y"}}},
			Metadata: Metadata{"z": jsontext.Value("nope"), "b": nil, "a": jsontext.Value("1"),
				"deep": jsontext.Value(nested(100)), "edge": jsontext.Value(nested(99))},
		}, []string{
			"configuration.historyLength", "configuration.taskPushNotificationConfig.url",
			"configuration.taskPushNotificationConfig.authentication.scheme",
			"configuration.taskPushNotificationConfig.authentication.credentials", "metadata.b", "metadata.deep",
			"metadata.z",
		}},
		{&GetTaskRequest{HistoryLength: ptr(-1)}, []string{"id", "historyLength"}},
		{&ListTasksRequest{ContextID: "\x00", Status: 9, PageSize: ptr(0), HistoryLength: ptr(-5)},
			[]string{"contextId", "status", "pageSize", "historyLength"}},
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
		{&Task{ID: "t", Status: TaskStatus{State: TaskStateWorking, Message: &Message{}},
			Artifacts: []*Artifact{{}, nil, {ID: "a", Parts: []Part{TextPart("")}},
				{ID: "a", Parts: []Part{TextPart("")}}}, History: []*Message{nil}},
			[]string{"status.message.messageId", "status.message.role", "status.message.parts",
				"artifacts[0].artifactId", "artifacts[0].parts", "artifacts[1]", "artifacts[3].artifactId",
				"history[0]"}},
		{&Artifact{}, []string{"artifactId", "parts"}},
		{&StatusUpdate{}, []string{"taskId", "contextId", "status.state"}},
		{&ArtifactUpdate{}, []string{"taskId", "contextId", "artifact"}},
		{&AgentCard{}, []string{"name", "description", "version", "supportedInterfaces", "defaultInputModes",
			"defaultOutputModes"}},
		{&AgentCard{
			Name: "n", Description: "d", Version: "1", SupportedInterfaces: []AgentInterface{{Tenant: long}},
			Provider:          &AgentProvider{},
			Capabilities:      AgentCapabilities{Extensions: []AgentExtension{{}}},
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
			Skills: []AgentSkill{{}}, Signatures: []AgentCardSignature{{}},
		}, []string{
			"supportedInterfaces[0].url", "supportedInterfaces[0].protocolBinding",
			"supportedInterfaces[0].protocolVersion", "supportedInterfaces[0].tenant",
			"provider.url", "provider.organization", "capabilities.extensions[0].uri", "skills[0].id", "skills[0].name",
			"skills[0].description",
			"signatures[0].protected", "signatures[0].signature",
		}},
		{schemes(map[string]SecurityScheme{"a": &APIKeyScheme{Location: "body"}, "h": &HTTPAuthScheme{},
			"i": &OpenIDConnectScheme{}, "m": &MutualTLSScheme{}, "n": nil}), []string{
			"securitySchemes.a.apiKeySecurityScheme.location", "securitySchemes.a.apiKeySecurityScheme.name",
			"securitySchemes.h.httpAuthSecurityScheme.scheme",
			"securitySchemes.i.openIdConnectSecurityScheme.openIdConnectUrl", "securitySchemes.n",
		}},
		{flows(nil), []string{flow}},
		{flows(&AuthorizationCodeFlow{}),
			[]string{flow + ".authorizationCode.authorizationUrl", flow + ".authorizationCode.tokenUrl"}},
		{flows(&ClientCredentialsFlow{}), []string{flow + ".clientCredentials.tokenUrl"}},
		{flows(&DeviceCodeFlow{}), []string{flow + ".deviceCode.deviceAuthorizationUrl",
			flow + ".deviceCode.tokenUrl"}},
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
		"message.parts must have at most 1000 elements": &SendMessageRequest{Message: NewMessage(RoleUser,
			make([]Part, 10_000)...)},
		"at most 256": &GetTaskRequest{ID: TaskID(strings.Repeat("x", 300))},
		"1 to 100":    &ListTasksRequest{PageSize: ptr(101)},
	} {
		if err := v.Validate(); err == nil || !strings.Contains(err.Error(), limit) {
			t.Errorf("%v does not say %q", err, limit)
		}
	}
}

// Metadata of a request and the media types that its caller accepts are bounded in bytes, together.
func TestValidateBoundsMetadata(t *testing.T) {
	t.Parallel()
	const bound = MaxRequestMetadata
	// The value has its quotes, its name 1 byte, and the media types 100 bytes.
	value := func(size int) Metadata { return Metadata{"k": jsontext.Value(`"` + strings.Repeat("x", size-3) + `"`)} }
	modes := &SendConfiguration{AcceptedOutputModes: slices.Repeat([]string{"text/plain"}, 10)}
	long := &SendConfiguration{AcceptedOutputModes: []string{strings.Repeat("x", bound)}}
	m := NewMessage(RoleUser, TextPart("hi"))
	for name, test := range map[string]struct {
		value validator
		size  int // 0 means that it is fine
	}{
		"metadata at the bound": {&SendMessageRequest{Message: m, Metadata: value(bound)}, 0},
		"metadata above it":     {&SendMessageRequest{Message: m, Metadata: value(bound + 1)}, bound + 1},
		"both at the bound": {&SendMessageRequest{Message: m, Metadata: value(bound - 100),
			Configuration: modes}, 0},
		"both above it": {&SendMessageRequest{Message: m, Metadata: value(bound - 99),
			Configuration: modes}, bound + 1},
		"media types at the bound": {&SendMessageRequest{Message: m, Configuration: long}, 0},
		"media types above it": {&SendMessageRequest{Message: m, Metadata: value(4), Configuration: long},
			bound + 4},
		"metadata of a cancel at the bound": {&CancelTaskRequest{ID: "t", Metadata: value(bound)}, 0},
		"metadata of a cancel above it":     {&CancelTaskRequest{ID: "t", Metadata: value(bound + 1)}, bound + 1},
	} {
		err := test.value.Validate()
		if test.size == 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		e := AsError(err)
		if len(e.Violations) != 1 || e.Violations[0].Field != "metadata" ||
			!strings.Contains(e.Violations[0].Description, fmt.Sprintf("not %d;", test.size)) {
			t.Errorf("%s: %v", name, err)
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
