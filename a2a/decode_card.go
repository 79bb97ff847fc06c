// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"maps"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

var agentCardObject = object[AgentCard]{Snake: true, Members: []member[AgentCard]{
	{Name: "name", Read: func(d *reader, v *AgentCard) error { return jsonio.String(d, &v.Name) }},
	{Name: "description", Read: func(d *reader, v *AgentCard) error { return jsonio.String(d, &v.Description) }},
	{Name: "supportedInterfaces", Read: func(d *reader,
		v *AgentCard) error {
		return agentInterfaceObject.ReadList(d, &v.SupportedInterfaces)
	}},
	{Name: "provider", Read: func(d *reader,
		v *AgentCard) error {
		return agentProviderObject.ReadNew(d, &v.Provider)
	}},
	{Name: "version", Read: func(d *reader, v *AgentCard) error { return jsonio.String(d, &v.Version) }},
	{Name: "documentationUrl", Read: func(d *reader,
		v *AgentCard) error {
		return jsonio.New(d, &v.DocumentationURL, jsonio.String)
	}},
	{Name: "capabilities", Read: func(d *reader,
		v *AgentCard) error {
		return agentCapabilitiesObject.Read(d, &v.Capabilities)
	}},
	{Name: "securitySchemes", Read: func(d *reader,
		v *AgentCard) error {
		return readSecuritySchemes(d, &v.SecuritySchemes)
	}},
	{Name: "securityRequirements", Read: func(d *reader, v *AgentCard) error {
		return securityRequirementObject.ReadList(d, &v.SecurityRequirements)
	}},
	{Name: "defaultInputModes", Read: func(d *reader,
		v *AgentCard) error {
		return jsonio.Strings(d, &v.DefaultInputModes)
	}},
	{Name: "defaultOutputModes", Read: func(d *reader,
		v *AgentCard) error {
		return jsonio.Strings(d, &v.DefaultOutputModes)
	}},
	{Name: "skills", Read: func(d *reader, v *AgentCard) error { return agentSkillObject.ReadList(d, &v.Skills) }},
	{Name: "signatures", Read: func(d *reader,
		v *AgentCard) error {
		return agentCardSignatureObject.ReadList(d, &v.Signatures)
	}},
	{Name: "iconUrl", Read: func(d *reader, v *AgentCard) error { return jsonio.New(d, &v.IconURL, jsonio.String) }},
}}

var agentInterfaceObject = object[AgentInterface]{Snake: true, Members: []member[AgentInterface]{
	{Name: "url", Read: func(d *reader, v *AgentInterface) error { return jsonio.String(d, &v.URL) }},
	{Name: "protocolBinding", Read: func(d *reader, v *AgentInterface) error { return jsonio.String(d, &v.Binding) }},
	{Name: "tenant", Read: func(d *reader, v *AgentInterface) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "protocolVersion", Read: func(d *reader,
		v *AgentInterface) error {
		return jsonio.String(d, &v.ProtocolVersion)
	}},
}}

var agentProviderObject = object[AgentProvider]{Snake: true, Members: []member[AgentProvider]{
	{Name: "url", Read: func(d *reader, v *AgentProvider) error { return jsonio.String(d, &v.URL) }},
	{Name: "organization", Read: func(d *reader, v *AgentProvider) error { return jsonio.String(d, &v.Organization) }},
}}

var agentCapabilitiesObject = object[AgentCapabilities]{Snake: true, Members: []member[AgentCapabilities]{
	{Name: "streaming", Read: func(d *reader,
		v *AgentCapabilities) error {
		return jsonio.New(d, &v.Streaming, jsonio.Bool)
	}},
	{Name: "pushNotifications", Read: func(d *reader,
		v *AgentCapabilities) error {
		return jsonio.New(d, &v.PushNotifications, jsonio.Bool)
	}},
	{Name: "extensions", Read: func(d *reader,
		v *AgentCapabilities) error {
		return agentExtensionObject.ReadList(d, &v.Extensions)
	}},
	{Name: "extendedAgentCard", Read: func(d *reader,
		v *AgentCapabilities) error {
		return jsonio.New(d, &v.ExtendedAgentCard, jsonio.Bool)
	}},
}}

var agentExtensionObject = object[AgentExtension]{Snake: true, Members: []member[AgentExtension]{
	{Name: "uri", Read: func(d *reader, v *AgentExtension) error { return jsonio.String(d, &v.URI) }},
	{Name: "description", Read: func(d *reader, v *AgentExtension) error { return jsonio.String(d, &v.Description) }},
	{Name: "required", Read: func(d *reader, v *AgentExtension) error { return jsonio.Bool(d, &v.Required) }},
	{Name: "params", Read: func(d *reader, v *AgentExtension) error { return jsonio.Metadata(d, &v.Params) }},
}}

var agentSkillObject = object[AgentSkill]{Snake: true, Members: []member[AgentSkill]{
	{Name: "id", Read: func(d *reader, v *AgentSkill) error { return jsonio.String(d, &v.ID) }},
	{Name: "name", Read: func(d *reader, v *AgentSkill) error { return jsonio.String(d, &v.Name) }},
	{Name: "description", Read: func(d *reader, v *AgentSkill) error { return jsonio.String(d, &v.Description) }},
	{Name: "tags", Read: func(d *reader, v *AgentSkill) error { return jsonio.Strings(d, &v.Tags) }},
	{Name: "examples", Read: func(d *reader, v *AgentSkill) error { return jsonio.Strings(d, &v.Examples) }},
	{Name: "inputModes", Read: func(d *reader, v *AgentSkill) error { return jsonio.Strings(d, &v.InputModes) }},
	{Name: "outputModes", Read: func(d *reader, v *AgentSkill) error { return jsonio.Strings(d, &v.OutputModes) }},
	{Name: "securityRequirements", Read: func(d *reader, v *AgentSkill) error {
		return securityRequirementObject.ReadList(d, &v.SecurityRequirements)
	}},
}}

var agentCardSignatureObject = object[AgentCardSignature]{Snake: true, Members: []member[AgentCardSignature]{
	{Name: "protected", Read: func(d *reader, v *AgentCardSignature) error { return jsonio.String(d, &v.Protected) }},
	{Name: "signature", Read: func(d *reader, v *AgentCardSignature) error { return jsonio.String(d, &v.Signature) }},
	{Name: "header", Read: func(d *reader, v *AgentCardSignature) error { return jsonio.Metadata(d, &v.Header) }},
}}

var apiKeySchemeObject = object[APIKeyScheme]{Snake: true, Members: []member[APIKeyScheme]{
	{Name: "description", Read: func(d *reader, v *APIKeyScheme) error { return jsonio.String(d, &v.Description) }},
	{Name: "location", Read: func(d *reader, v *APIKeyScheme) error { return jsonio.String(d, &v.Location) }},
	{Name: "name", Read: func(d *reader, v *APIKeyScheme) error { return jsonio.String(d, &v.Name) }},
}}

var httpAuthSchemeObject = object[HTTPAuthScheme]{Snake: true, Members: []member[HTTPAuthScheme]{
	{Name: "description", Read: func(d *reader, v *HTTPAuthScheme) error { return jsonio.String(d, &v.Description) }},
	{Name: "scheme", Read: func(d *reader, v *HTTPAuthScheme) error { return jsonio.String(d, &v.Scheme) }},
	{Name: "bearerFormat", Read: func(d *reader, v *HTTPAuthScheme) error { return jsonio.String(d, &v.BearerFormat) }},
}}

var openIDConnectSchemeObject = object[OpenIDConnectScheme]{Snake: true, Members: []member[OpenIDConnectScheme]{
	{Name: "description", Read: func(d *reader,
		v *OpenIDConnectScheme) error {
		return jsonio.String(d, &v.Description)
	}},
	{Name: "openIdConnectUrl", Read: func(d *reader, v *OpenIDConnectScheme) error { return jsonio.String(d, &v.URL) }},
}}

var mutualTLSSchemeObject = object[MutualTLSScheme]{Snake: true, Members: []member[MutualTLSScheme]{
	{Name: "description", Read: func(d *reader, v *MutualTLSScheme) error { return jsonio.String(d, &v.Description) }},
}}

var authorizationCodeFlowObject = object[AuthorizationCodeFlow]{Snake: true, Members: []member[AuthorizationCodeFlow]{
	{Name: "authorizationUrl", Read: func(d *reader,
		v *AuthorizationCodeFlow) error {
		return jsonio.String(d, &v.AuthorizationURL)
	}},
	{Name: "tokenUrl", Read: func(d *reader, v *AuthorizationCodeFlow) error { return jsonio.String(d, &v.TokenURL) }},
	{Name: "refreshUrl", Read: func(d *reader,
		v *AuthorizationCodeFlow) error {
		return jsonio.String(d, &v.RefreshURL)
	}},
	{Name: "scopes", Read: func(d *reader,
		v *AuthorizationCodeFlow) error {
		return jsonio.Map(d, &v.Scopes, jsonio.String)
	}},
	{Name: "pkceRequired", Read: func(d *reader,
		v *AuthorizationCodeFlow) error {
		return jsonio.Bool(d, &v.PKCERequired)
	}},
}}

var clientCredentialsFlowObject = object[ClientCredentialsFlow]{Snake: true, Members: []member[ClientCredentialsFlow]{
	{Name: "tokenUrl", Read: func(d *reader, v *ClientCredentialsFlow) error { return jsonio.String(d, &v.TokenURL) }},
	{Name: "refreshUrl", Read: func(d *reader,
		v *ClientCredentialsFlow) error {
		return jsonio.String(d, &v.RefreshURL)
	}},
	{Name: "scopes", Read: func(d *reader,
		v *ClientCredentialsFlow) error {
		return jsonio.Map(d, &v.Scopes, jsonio.String)
	}},
}}

var deviceCodeFlowObject = object[DeviceCodeFlow]{Snake: true, Members: []member[DeviceCodeFlow]{
	{Name: "deviceAuthorizationUrl", Read: func(d *reader,
		v *DeviceCodeFlow) error {
		return jsonio.String(d, &v.DeviceAuthorizationURL)
	}},
	{Name: "tokenUrl", Read: func(d *reader, v *DeviceCodeFlow) error { return jsonio.String(d, &v.TokenURL) }},
	{Name: "refreshUrl", Read: func(d *reader, v *DeviceCodeFlow) error { return jsonio.String(d, &v.RefreshURL) }},
	{Name: "scopes", Read: func(d *reader, v *DeviceCodeFlow) error { return jsonio.Map(d, &v.Scopes, jsonio.String) }},
}}

var implicitFlowObject = object[ImplicitFlow]{Snake: true, Members: []member[ImplicitFlow]{
	{Name: "authorizationUrl", Read: func(d *reader,
		v *ImplicitFlow) error {
		return jsonio.String(d, &v.AuthorizationURL)
	}},
	{Name: "refreshUrl", Read: func(d *reader, v *ImplicitFlow) error { return jsonio.String(d, &v.RefreshURL) }},
	{Name: "scopes", Read: func(d *reader, v *ImplicitFlow) error { return jsonio.Map(d, &v.Scopes, jsonio.String) }},
}}

var passwordFlowObject = object[PasswordFlow]{Snake: true, Members: []member[PasswordFlow]{
	{Name: "tokenUrl", Read: func(d *reader, v *PasswordFlow) error { return jsonio.String(d, &v.TokenURL) }},
	{Name: "refreshUrl", Read: func(d *reader, v *PasswordFlow) error { return jsonio.String(d, &v.RefreshURL) }},
	{Name: "scopes", Read: func(d *reader, v *PasswordFlow) error { return jsonio.Map(d, &v.Scopes, jsonio.String) }},
}}

var oAuth2SchemeObject = object[OAuth2Scheme]{Snake: true, Members: []member[OAuth2Scheme]{
	{Name: "description", Read: func(d *reader, v *OAuth2Scheme) error { return jsonio.String(d, &v.Description) }},
	{Name: "flows", Read: func(d *reader, v *OAuth2Scheme) error { return readOneof(d, &v.Flow, &oauthFlowObject) }},
	{Name: "oauth2MetadataUrl", Read: func(d *reader,
		v *OAuth2Scheme) error {
		return jsonio.String(d, &v.MetadataURL)
	}},
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
	alternative[SecurityScheme]("oauth2SecurityScheme", &oAuth2SchemeObject),
	alternative[SecurityScheme]("openIdConnectSecurityScheme", &openIDConnectSchemeObject),
	alternative[SecurityScheme]("mtlsSecurityScheme", &mutualTLSSchemeObject),
)

func readSecurityScheme(d *reader, v *SecurityScheme) error {
	return readOneof(d, v, &securitySchemeObject)
}

// readSecuritySchemes leaves out schemes of types that are not known: the agent may be reached without them, and the
// requirements that name them stay, so that it does not look open.
func readSecuritySchemes(d *reader, schemes *map[string]SecurityScheme) error {
	err := jsonio.Map(d, schemes, readSecurityScheme)
	maps.DeleteFunc(*schemes, func(_ string, s SecurityScheme) bool { return s == nil })
	if len(*schemes) == 0 {
		*schemes = nil
	}
	return err
}

var securityRequirementObject = object[SecurityRequirement]{Snake: true, Members: []member[SecurityRequirement]{
	{Name: "schemes", Read: func(d *reader,
		v *SecurityRequirement) error {
		return jsonio.Map(d, v, stringListObject.Read)
	}},
}}

// A StringList is an object around a list, because protobuf has no maps of lists.
var stringListObject = object[[]string]{Snake: true, Members: []member[[]string]{
	{Name: "list", Read: func(d *reader, v *[]string) error { return jsonio.Strings(d, v) }},
}}
