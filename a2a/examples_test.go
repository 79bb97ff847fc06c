// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// codec is what every type of the protocol can do; the methods of json/v2 are among them.
type codec interface {
	json.UnmarshalerFrom
	json.MarshalerTo
	UnmarshalJSON([]byte) error
	MarshalJSON() ([]byte, error)
	AppendJSON([]byte) ([]byte, error)
}

// An example is a value of a type with every member set.
type example struct {
	schema  string // name of the protocol's message
	value   codec
	members []string // what the decoder knows
}

func ptr[T any](v T) *T { return &v }

var exampleTime = time.Date(2025, 10, 28, 10, 30, 0, 123e6, time.UTC)

func exampleMetadata() Metadata {
	return Metadata{"trace": jsontext.Value(`{"id":12345678901234567890,"ratio":1.0,"huge":1e400}`),
		"a": jsontext.Value(`null`)}
}

func exampleParts() []Part {
	return []Part{
		{Content: Text("Hello \u2028 \U0001F600 \"quoted\"\n"), MediaType: "text/plain", Filename: "hello.txt",
			Metadata: exampleMetadata()},
		{Content: Raw{0, 0xfb, 0xff}, MediaType: "image/png", Filename: "x.png", Metadata: Metadata{}},
		{Content: URL("https://example.com/a?b=1&c=<2>"), MediaType: "text/html", Filename: "a.html",
			Metadata: exampleMetadata()},
		{Content: Data(`{"b":[1,2.50,null],"a":"\u00e9"}`), MediaType: "application/json", Filename: "a.json",
			Metadata: exampleMetadata()},
	}
}

func exampleMessage() *Message {
	return &Message{
		ID: "m1", ContextID: "c1", TaskID: "t1", Role: RoleUser, Parts: exampleParts(), Metadata: exampleMetadata(),
		Extensions: []string{"https://example.com/ext"}, ReferenceTaskIDs: []TaskID{"t0"},
	}
}

func exampleArtifact() *Artifact {
	return &Artifact{
		ID: "a1", Name: "result", Description: "what came of it", Parts: exampleParts(), Metadata: exampleMetadata(),
		Extensions: []string{"https://example.com/ext"},
	}
}

func exampleStatus() TaskStatus {
	return TaskStatus{State: TaskStateWorking, Message: exampleMessage(), Timestamp: exampleTime}
}

func exampleTask() *Task {
	return &Task{
		ID: "t1", ContextID: "c1", Status: exampleStatus(), Artifacts: []*Artifact{exampleArtifact()},
		History: []*Message{exampleMessage()}, Metadata: exampleMetadata(),
	}
}

func exampleStatusUpdate() *StatusUpdate {
	return &StatusUpdate{TaskID: "t1", ContextID: "c1", Status: exampleStatus(), Metadata: exampleMetadata()}
}

func exampleArtifactUpdate() *ArtifactUpdate {
	return &ArtifactUpdate{TaskID: "t1", ContextID: "c1", Artifact: exampleArtifact(), Append: true, LastChunk: true,
		Metadata: exampleMetadata()}
}

func examplePushConfig() *PushConfig {
	return &PushConfig{
		Tenant: "acme", ID: "p1", TaskID: "t1", URL: "https://example.com/hook", Token: "secret",
		Authentication: &PushAuthentication{Scheme: "Bearer", Credentials: "xyz"},
	}
}

func exampleSendRequest() *SendMessageRequest {
	return &SendMessageRequest{
		Tenant: "acme", Message: exampleMessage(), Metadata: exampleMetadata(),
		Configuration: &SendConfiguration{
			AcceptedOutputModes: []string{"text/plain"}, PushConfig: examplePushConfig(), HistoryLength: ptr(0),
			ReturnImmediately: true,
		},
	}
}

func exampleCard() *AgentCard {
	requirements := []SecurityRequirement{{"oauth": {"read", "write"}, "key": nil}, {}}
	scopes := map[string]string{"read": "read all", "<&>": ""}
	return &AgentCard{
		Name: "Currency", Description: "converts", Version: "1.2.3", DocumentationURL: ptr(""),
		IconURL: ptr("https://example.com/i.png"),
		SupportedInterfaces: []AgentInterface{{URL: "https://example.com", Binding: BindingJSONRPC, Tenant: "acme",
			ProtocolVersion: "1.0"}},
		Provider: &AgentProvider{URL: "https://example.com", Organization: "Example"},
		Capabilities: AgentCapabilities{
			Streaming: ptr(true), PushNotifications: ptr(false), ExtendedAgentCard: ptr(true),
			Extensions: []AgentExtension{{URI: "https://example.com/ext", Description: "more", Required: true,
				Params: exampleMetadata()}},
		},
		SecuritySchemes: map[string]SecurityScheme{
			"key":  &APIKeyScheme{Description: "a key", Location: "header", Name: "X-Key"},
			"http": &HTTPAuthScheme{Description: "a token", Scheme: "Bearer", BearerFormat: "JWT"},
			"oidc": &OpenIDConnectScheme{Description: "discovered",
				URL: "https://example.com/.well-known/openid-configuration"},
			"mtls": &MutualTLSScheme{Description: "a certificate"},
			"oauth": &OAuth2Scheme{Description: "a flow", MetadataURL: "https://example.com/m",
				Flow: &AuthorizationCodeFlow{AuthorizationURL: "https://example.com/a",
					TokenURL: "https://example.com/t", RefreshURL: "https://example.com/r", Scopes: scopes,
					PKCERequired: true}},
			"client": &OAuth2Scheme{Flow: &ClientCredentialsFlow{TokenURL: "https://example.com/t",
				RefreshURL: "https://example.com/r", Scopes: scopes}},
			"device": &OAuth2Scheme{Flow: &DeviceCodeFlow{DeviceAuthorizationURL: "https://example.com/d",
				TokenURL: "https://example.com/t", RefreshURL: "https://example.com/r", Scopes: scopes}},
			"implicit": &OAuth2Scheme{Flow: &ImplicitFlow{AuthorizationURL: "https://example.com/a",
				RefreshURL: "https://example.com/r", Scopes: scopes}},
			"password": &OAuth2Scheme{Flow: &PasswordFlow{TokenURL: "https://example.com/t",
				RefreshURL: "https://example.com/r", Scopes: scopes}},
		},
		SecurityRequirements: requirements,
		DefaultInputModes:    []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []AgentSkill{{
			ID: "convert", Name: "Convert", Description: "converts amounts", Tags: []string{"money"},
			Examples:   []string{"1 USD in EUR"},
			InputModes: []string{"text/plain"}, OutputModes: []string{"text/plain"}, SecurityRequirements: requirements,
		}},
		Signatures: []AgentCardSignature{{Protected: "e30", Signature: "c2ln", Header: exampleMetadata()}},
	}
}

// examples has every type that has JSON of its own.
func examples() []example {
	card := exampleCard()
	scheme := func(name string) codec { return card.SecuritySchemes[name].(codec) }
	flow := func(name string) codec { return card.SecuritySchemes[name].(*OAuth2Scheme).Flow.(codec) }
	return []example{
		{"Task", exampleTask(), list(taskObject)},
		{"Message", exampleMessage(), list(messageObject)},
		{"Part", &exampleParts()[0], list(partObject)},
		{"Artifact", exampleArtifact(), list(artifactObject)},
		{"TaskStatus", ptr(exampleStatus()), list(taskStatusObject)},
		{"TaskStatusUpdateEvent", exampleStatusUpdate(), list(statusUpdateObject)},
		{"TaskArtifactUpdateEvent", exampleArtifactUpdate(), list(artifactUpdateObject)},
		{"StreamResponse", &StreamResponse{exampleArtifactUpdate()}, list(streamResponseObject)},
		{"SendMessageResponse", &SendResponse{exampleTask()}, list(sendResponseObject)},
		{"SendMessageRequest", exampleSendRequest(), list(sendMessageRequestObject)},
		{"SendMessageConfiguration", exampleSendRequest().Configuration, list(sendConfigurationObject)},
		{"GetTaskRequest", &GetTaskRequest{Tenant: "acme", ID: "t1", HistoryLength: ptr(3)},
			list(getTaskRequestObject)},
		{"ListTasksRequest", &ListTasksRequest{
			Tenant: "acme", ContextID: "c1", Status: TaskStateAuthRequired, PageSize: ptr(10), PageToken: "next",
			HistoryLength: ptr(0), StatusTimestampAfter: exampleTime, IncludeArtifacts: true,
		}, list(listTasksRequestObject)},
		{"ListTasksResponse", &ListTasksResponse{Tasks: []*Task{exampleTask()}, NextPageToken: "next", PageSize: 1,
			TotalSize: 2}, list(listTasksResponseObject)},
		{"CancelTaskRequest", &CancelTaskRequest{Tenant: "acme", ID: "t1", Metadata: exampleMetadata()},
			list(cancelTaskRequestObject)},
		{"SubscribeToTaskRequest", &SubscribeRequest{Tenant: "acme", ID: "t1"}, list(subscribeRequestObject)},
		{"TaskPushNotificationConfig", examplePushConfig(), list(pushConfigObject)},
		{"AuthenticationInfo", examplePushConfig().Authentication, list(pushAuthenticationObject)},
		{"GetTaskPushNotificationConfigRequest", &GetPushConfigRequest{Tenant: "acme", TaskID: "t1", ID: "p1"},
			list(getPushConfigRequestObject)},
		{"ListTaskPushNotificationConfigsRequest",
			&ListPushConfigsRequest{Tenant: "acme", TaskID: "t1", PageSize: 5, PageToken: "next"},
			list(listPushConfigsRequestObject)},
		{"ListTaskPushNotificationConfigsResponse",
			&ListPushConfigsResponse{Configs: []*PushConfig{examplePushConfig()}, NextPageToken: "next"},
			list(listPushConfigsResponseObject)},
		{"DeleteTaskPushNotificationConfigRequest", &DeletePushConfigRequest{Tenant: "acme", TaskID: "t1", ID: "p1"},
			list(deletePushConfigRequestObject)},
		{"GetExtendedAgentCardRequest", &ExtendedCardRequest{Tenant: "acme"}, list(extendedCardRequestObject)},
		{"AgentCard", card, list(agentCardObject)},
		{"AgentInterface", &card.SupportedInterfaces[0], list(agentInterfaceObject)},
		{"AgentProvider", card.Provider, list(agentProviderObject)},
		{"AgentCapabilities", &card.Capabilities, list(agentCapabilitiesObject)},
		{"AgentExtension", &card.Capabilities.Extensions[0], list(agentExtensionObject)},
		{"AgentSkill", &card.Skills[0], list(agentSkillObject)},
		{"AgentCardSignature", &card.Signatures[0], list(agentCardSignatureObject)},
		{"SecurityRequirement", &card.SecurityRequirements[0], list(securityRequirementObject)},
		{"APIKeySecurityScheme", scheme("key"), list(apiKeySchemeObject)},
		{"HTTPAuthSecurityScheme", scheme("http"), list(httpAuthSchemeObject)},
		{"OAuth2SecurityScheme", scheme("oauth"), list(oAuth2SchemeObject)},
		{"OpenIdConnectSecurityScheme", scheme("oidc"), list(openIDConnectSchemeObject)},
		{"MutualTlsSecurityScheme", scheme("mtls"), list(mutualTLSSchemeObject)},
		{"AuthorizationCodeOAuthFlow", flow("oauth"), list(authorizationCodeFlowObject)},
		{"ClientCredentialsOAuthFlow", flow("client"), list(clientCredentialsFlowObject)},
		{"DeviceCodeOAuthFlow", flow("device"), list(deviceCodeFlowObject)},
		{"ImplicitOAuthFlow", flow("implicit"), list(implicitFlowObject)},
		{"PasswordOAuthFlow", flow("password"), list(passwordFlowObject)},
	}
}

func list[T any](o object[T]) []string {
	var names []string
	for _, m := range o.Members {
		names = append(names, m.Name)
	}
	return names
}
