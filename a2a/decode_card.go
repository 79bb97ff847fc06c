// SPDX-License-Identifier: Apache-2.0

package a2a

import "maps"

var agentCardObject = object[AgentCard]{members: []member[AgentCard]{
	{name: "name", read: func(d *reader, v *AgentCard) error { return readString(d, &v.Name) }},
	{name: "description", read: func(d *reader, v *AgentCard) error { return readString(d, &v.Description) }},
	{name: "supportedInterfaces", read: func(d *reader, v *AgentCard) error { return agentInterfaceObject.readList(d, &v.SupportedInterfaces) }},
	{name: "provider", read: func(d *reader, v *AgentCard) error { return agentProviderObject.readNew(d, &v.Provider) }},
	{name: "version", read: func(d *reader, v *AgentCard) error { return readString(d, &v.Version) }},
	{name: "documentationUrl", read: func(d *reader, v *AgentCard) error { return readStringPtr(d, &v.DocumentationURL) }},
	{name: "capabilities", read: func(d *reader, v *AgentCard) error { return agentCapabilitiesObject.read(d, &v.Capabilities) }},
	{name: "securitySchemes", read: func(d *reader, v *AgentCard) error { return readSecuritySchemes(d, &v.SecuritySchemes) }},
	{name: "securityRequirements", read: func(d *reader, v *AgentCard) error {
		return securityRequirementObject.readList(d, &v.SecurityRequirements)
	}},
	{name: "defaultInputModes", read: func(d *reader, v *AgentCard) error { return readStrings(d, &v.DefaultInputModes) }},
	{name: "defaultOutputModes", read: func(d *reader, v *AgentCard) error { return readStrings(d, &v.DefaultOutputModes) }},
	{name: "skills", read: func(d *reader, v *AgentCard) error { return agentSkillObject.readList(d, &v.Skills) }},
	{name: "signatures", read: func(d *reader, v *AgentCard) error { return agentCardSignatureObject.readList(d, &v.Signatures) }},
	{name: "iconUrl", read: func(d *reader, v *AgentCard) error { return readStringPtr(d, &v.IconURL) }},
}}

var agentInterfaceObject = object[AgentInterface]{members: []member[AgentInterface]{
	{name: "url", read: func(d *reader, v *AgentInterface) error { return readString(d, &v.URL) }},
	{name: "protocolBinding", read: func(d *reader, v *AgentInterface) error { return readString(d, &v.Binding) }},
	{name: "tenant", read: func(d *reader, v *AgentInterface) error { return readString(d, &v.Tenant) }},
	{name: "protocolVersion", read: func(d *reader, v *AgentInterface) error { return readString(d, &v.ProtocolVersion) }},
}}

var agentProviderObject = object[AgentProvider]{members: []member[AgentProvider]{
	{name: "url", read: func(d *reader, v *AgentProvider) error { return readString(d, &v.URL) }},
	{name: "organization", read: func(d *reader, v *AgentProvider) error { return readString(d, &v.Organization) }},
}}

var agentCapabilitiesObject = object[AgentCapabilities]{members: []member[AgentCapabilities]{
	{name: "streaming", read: func(d *reader, v *AgentCapabilities) error { return readBoolPtr(d, &v.Streaming) }},
	{name: "pushNotifications", read: func(d *reader, v *AgentCapabilities) error { return readBoolPtr(d, &v.PushNotifications) }},
	{name: "extensions", read: func(d *reader, v *AgentCapabilities) error { return agentExtensionObject.readList(d, &v.Extensions) }},
	{name: "extendedAgentCard", read: func(d *reader, v *AgentCapabilities) error { return readBoolPtr(d, &v.ExtendedAgentCard) }},
}}

var agentExtensionObject = object[AgentExtension]{members: []member[AgentExtension]{
	{name: "uri", read: func(d *reader, v *AgentExtension) error { return readString(d, &v.URI) }},
	{name: "description", read: func(d *reader, v *AgentExtension) error { return readString(d, &v.Description) }},
	{name: "required", read: func(d *reader, v *AgentExtension) error { return readBool(d, &v.Required) }},
	{name: "params", read: func(d *reader, v *AgentExtension) error { return readMetadata(d, &v.Params) }},
}}

var agentSkillObject = object[AgentSkill]{members: []member[AgentSkill]{
	{name: "id", read: func(d *reader, v *AgentSkill) error { return readString(d, &v.ID) }},
	{name: "name", read: func(d *reader, v *AgentSkill) error { return readString(d, &v.Name) }},
	{name: "description", read: func(d *reader, v *AgentSkill) error { return readString(d, &v.Description) }},
	{name: "tags", read: func(d *reader, v *AgentSkill) error { return readStrings(d, &v.Tags) }},
	{name: "examples", read: func(d *reader, v *AgentSkill) error { return readStrings(d, &v.Examples) }},
	{name: "inputModes", read: func(d *reader, v *AgentSkill) error { return readStrings(d, &v.InputModes) }},
	{name: "outputModes", read: func(d *reader, v *AgentSkill) error { return readStrings(d, &v.OutputModes) }},
	{name: "securityRequirements", read: func(d *reader, v *AgentSkill) error {
		return securityRequirementObject.readList(d, &v.SecurityRequirements)
	}},
}}

var agentCardSignatureObject = object[AgentCardSignature]{members: []member[AgentCardSignature]{
	{name: "protected", read: func(d *reader, v *AgentCardSignature) error { return readString(d, &v.Protected) }},
	{name: "signature", read: func(d *reader, v *AgentCardSignature) error { return readString(d, &v.Signature) }},
	{name: "header", read: func(d *reader, v *AgentCardSignature) error { return readMetadata(d, &v.Header) }},
}}

var apiKeySchemeObject = object[APIKeyScheme]{members: []member[APIKeyScheme]{
	{name: "description", read: func(d *reader, v *APIKeyScheme) error { return readString(d, &v.Description) }},
	{name: "location", read: func(d *reader, v *APIKeyScheme) error { return readString(d, &v.Location) }},
	{name: "name", read: func(d *reader, v *APIKeyScheme) error { return readString(d, &v.Name) }},
}}

var httpAuthSchemeObject = object[HTTPAuthScheme]{members: []member[HTTPAuthScheme]{
	{name: "description", read: func(d *reader, v *HTTPAuthScheme) error { return readString(d, &v.Description) }},
	{name: "scheme", read: func(d *reader, v *HTTPAuthScheme) error { return readString(d, &v.Scheme) }},
	{name: "bearerFormat", read: func(d *reader, v *HTTPAuthScheme) error { return readString(d, &v.BearerFormat) }},
}}

var openIDConnectSchemeObject = object[OpenIDConnectScheme]{members: []member[OpenIDConnectScheme]{
	{name: "description", read: func(d *reader, v *OpenIDConnectScheme) error { return readString(d, &v.Description) }},
	{name: "openIdConnectUrl", read: func(d *reader, v *OpenIDConnectScheme) error { return readString(d, &v.URL) }},
}}

var mutualTLSSchemeObject = object[MutualTLSScheme]{members: []member[MutualTLSScheme]{
	{name: "description", read: func(d *reader, v *MutualTLSScheme) error { return readString(d, &v.Description) }},
}}

var authorizationCodeFlowObject = object[AuthorizationCodeFlow]{members: []member[AuthorizationCodeFlow]{
	{name: "authorizationUrl", read: func(d *reader, v *AuthorizationCodeFlow) error { return readString(d, &v.AuthorizationURL) }},
	{name: "tokenUrl", read: func(d *reader, v *AuthorizationCodeFlow) error { return readString(d, &v.TokenURL) }},
	{name: "refreshUrl", read: func(d *reader, v *AuthorizationCodeFlow) error { return readString(d, &v.RefreshURL) }},
	{name: "scopes", read: func(d *reader, v *AuthorizationCodeFlow) error { return readMap(d, &v.Scopes, readString) }},
	{name: "pkceRequired", read: func(d *reader, v *AuthorizationCodeFlow) error { return readBool(d, &v.PKCERequired) }},
}}

var clientCredentialsFlowObject = object[ClientCredentialsFlow]{members: []member[ClientCredentialsFlow]{
	{name: "tokenUrl", read: func(d *reader, v *ClientCredentialsFlow) error { return readString(d, &v.TokenURL) }},
	{name: "refreshUrl", read: func(d *reader, v *ClientCredentialsFlow) error { return readString(d, &v.RefreshURL) }},
	{name: "scopes", read: func(d *reader, v *ClientCredentialsFlow) error { return readMap(d, &v.Scopes, readString) }},
}}

var deviceCodeFlowObject = object[DeviceCodeFlow]{members: []member[DeviceCodeFlow]{
	{name: "deviceAuthorizationUrl", read: func(d *reader, v *DeviceCodeFlow) error { return readString(d, &v.DeviceAuthorizationURL) }},
	{name: "tokenUrl", read: func(d *reader, v *DeviceCodeFlow) error { return readString(d, &v.TokenURL) }},
	{name: "refreshUrl", read: func(d *reader, v *DeviceCodeFlow) error { return readString(d, &v.RefreshURL) }},
	{name: "scopes", read: func(d *reader, v *DeviceCodeFlow) error { return readMap(d, &v.Scopes, readString) }},
}}

var implicitFlowObject = object[ImplicitFlow]{members: []member[ImplicitFlow]{
	{name: "authorizationUrl", read: func(d *reader, v *ImplicitFlow) error { return readString(d, &v.AuthorizationURL) }},
	{name: "refreshUrl", read: func(d *reader, v *ImplicitFlow) error { return readString(d, &v.RefreshURL) }},
	{name: "scopes", read: func(d *reader, v *ImplicitFlow) error { return readMap(d, &v.Scopes, readString) }},
}}

var passwordFlowObject = object[PasswordFlow]{members: []member[PasswordFlow]{
	{name: "tokenUrl", read: func(d *reader, v *PasswordFlow) error { return readString(d, &v.TokenURL) }},
	{name: "refreshUrl", read: func(d *reader, v *PasswordFlow) error { return readString(d, &v.RefreshURL) }},
	{name: "scopes", read: func(d *reader, v *PasswordFlow) error { return readMap(d, &v.Scopes, readString) }},
}}

var oauth2SchemeObject = object[OAuth2Scheme]{members: []member[OAuth2Scheme]{
	{name: "description", read: func(d *reader, v *OAuth2Scheme) error { return readString(d, &v.Description) }},
	{name: "flows", read: func(d *reader, v *OAuth2Scheme) error { return readOneof(d, &v.Flow, &oauthFlowObject) }},
	{name: "oauth2MetadataUrl", read: func(d *reader, v *OAuth2Scheme) error { return readString(d, &v.MetadataURL) }},
}}

var oauthFlowObject = oneofObject(
	alternative[OAuthFlow]("authorizationCode", &authorizationCodeFlowObject),
	alternative[OAuthFlow]("clientCredentials", &clientCredentialsFlowObject),
	alternative[OAuthFlow]("deviceCode", &deviceCodeFlowObject),
	alternative[OAuthFlow]("implicit", &implicitFlowObject),
	alternative[OAuthFlow]("password", &passwordFlowObject),
)

var securitySchemeObject = openObject(
	alternative[SecurityScheme]("apiKeySecurityScheme", &apiKeySchemeObject),
	alternative[SecurityScheme]("httpAuthSecurityScheme", &httpAuthSchemeObject),
	alternative[SecurityScheme]("oauth2SecurityScheme", &oauth2SchemeObject),
	alternative[SecurityScheme]("openIdConnectSecurityScheme", &openIDConnectSchemeObject),
	alternative[SecurityScheme]("mtlsSecurityScheme", &mutualTLSSchemeObject),
)

func readSecurityScheme(d *reader, v *SecurityScheme) error {
	return readOneof(d, v, &securitySchemeObject)
}

// readSecuritySchemes leaves out schemes of types that are not known: the agent may be reached without them, and the
// requirements that name them stay, so that it does not look open.
func readSecuritySchemes(d *reader, schemes *map[string]SecurityScheme) error {
	err := readMap(d, schemes, readSecurityScheme)
	maps.DeleteFunc(*schemes, func(_ string, s SecurityScheme) bool { return s == nil })
	if len(*schemes) == 0 {
		*schemes = nil
	}
	return err
}

var securityRequirementObject = object[SecurityRequirement]{members: []member[SecurityRequirement]{
	{name: "schemes", read: func(d *reader, v *SecurityRequirement) error { return readMap(d, v, stringListObject.read) }},
}}

// A StringList is an object around a list, because protobuf has no maps of lists.
var stringListObject = object[[]string]{members: []member[[]string]{
	{name: "list", read: func(d *reader, v *[]string) error { return readStrings(d, v) }},
}}
