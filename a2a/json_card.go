// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"maps"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

var agentCardObject = object[AgentCard]{Snake: true, Members: []member[AgentCard]{
	jsonio.Str("name", func(v *AgentCard) *string { return &v.Name }),
	jsonio.Str("description", func(v *AgentCard) *string { return &v.Description }),
	jsonio.Each("supportedInterfaces", 0, &agentInterfaceObject,
		func(v *AgentCard) *[]AgentInterface { return &v.SupportedInterfaces }),
	jsonio.Ptr("provider", &agentProviderObject, func(v *AgentCard) **AgentProvider { return &v.Provider }),
	jsonio.Str("version", func(v *AgentCard) *string { return &v.Version }),
	jsonio.PtrStr("documentationUrl", func(v *AgentCard) **string { return &v.DocumentationURL }),
	jsonio.Nested("capabilities", &agentCapabilitiesObject,
		func(v *AgentCard) *AgentCapabilities { return &v.Capabilities }),
	jsonio.Value("securitySchemes", readSecuritySchemes, writeSecuritySchemes,
		func(v *AgentCard) *map[string]SecurityScheme { return &v.SecuritySchemes }),
	jsonio.OptEach("securityRequirements", 0, &securityRequirementObject,
		func(v *AgentCard) *[]SecurityRequirement { return &v.SecurityRequirements }),
	jsonio.Strs("defaultInputModes", 0, func(v *AgentCard) *[]string { return &v.DefaultInputModes }),
	jsonio.Strs("defaultOutputModes", 0, func(v *AgentCard) *[]string { return &v.DefaultOutputModes }),
	jsonio.Each("skills", 0, &agentSkillObject, func(v *AgentCard) *[]AgentSkill { return &v.Skills }),
	jsonio.OptEach("signatures", 0, &agentCardSignatureObject,
		func(v *AgentCard) *[]AgentCardSignature { return &v.Signatures }),
	jsonio.PtrStr("iconUrl", func(v *AgentCard) **string { return &v.IconURL }),
}}

var agentInterfaceObject = object[AgentInterface]{Snake: true, Members: []member[AgentInterface]{
	jsonio.Str("url", func(v *AgentInterface) *string { return &v.URL }),
	jsonio.Str("protocolBinding", func(v *AgentInterface) *string { return &v.Binding }),
	jsonio.OptStr("tenant", func(v *AgentInterface) *string { return &v.Tenant }),
	jsonio.Str("protocolVersion", func(v *AgentInterface) *string { return &v.ProtocolVersion }),
}}

var agentProviderObject = object[AgentProvider]{Snake: true, Members: []member[AgentProvider]{
	jsonio.Str("url", func(v *AgentProvider) *string { return &v.URL }),
	jsonio.Str("organization", func(v *AgentProvider) *string { return &v.Organization }),
}}

var agentCapabilitiesObject = object[AgentCapabilities]{Snake: true, Members: []member[AgentCapabilities]{
	jsonio.PtrBool("streaming", func(v *AgentCapabilities) **bool { return &v.Streaming }),
	jsonio.PtrBool("pushNotifications", func(v *AgentCapabilities) **bool { return &v.PushNotifications }),
	jsonio.OptEach("extensions", 0, &agentExtensionObject,
		func(v *AgentCapabilities) *[]AgentExtension { return &v.Extensions }),
	jsonio.PtrBool("extendedAgentCard", func(v *AgentCapabilities) **bool { return &v.ExtendedAgentCard }),
}}

var agentExtensionObject = object[AgentExtension]{Snake: true, Members: []member[AgentExtension]{
	jsonio.OptStr("uri", func(v *AgentExtension) *string { return &v.URI }),
	jsonio.OptStr("description", func(v *AgentExtension) *string { return &v.Description }),
	jsonio.OptBool("required", func(v *AgentExtension) *bool { return &v.Required }),
	jsonio.OptMetadata("params", func(v *AgentExtension) *Metadata { return &v.Params }),
}}

var agentSkillObject = object[AgentSkill]{Snake: true, Members: []member[AgentSkill]{
	jsonio.Str("id", func(v *AgentSkill) *string { return &v.ID }),
	jsonio.Str("name", func(v *AgentSkill) *string { return &v.Name }),
	jsonio.Str("description", func(v *AgentSkill) *string { return &v.Description }),
	jsonio.Strs("tags", 0, func(v *AgentSkill) *[]string { return &v.Tags }),
	jsonio.OptStrs("examples", 0, func(v *AgentSkill) *[]string { return &v.Examples }),
	jsonio.OptStrs("inputModes", 0, func(v *AgentSkill) *[]string { return &v.InputModes }),
	jsonio.OptStrs("outputModes", 0, func(v *AgentSkill) *[]string { return &v.OutputModes }),
	jsonio.OptEach("securityRequirements", 0, &securityRequirementObject,
		func(v *AgentSkill) *[]SecurityRequirement { return &v.SecurityRequirements }),
}}

var agentCardSignatureObject = object[AgentCardSignature]{Snake: true, Members: []member[AgentCardSignature]{
	jsonio.Str("protected", func(v *AgentCardSignature) *string { return &v.Protected }),
	jsonio.Str("signature", func(v *AgentCardSignature) *string { return &v.Signature }),
	jsonio.OptMetadata("header", func(v *AgentCardSignature) *Metadata { return &v.Header }),
}}

var apiKeySchemeObject = object[APIKeyScheme]{Snake: true, Members: []member[APIKeyScheme]{
	jsonio.OptStr("description", func(v *APIKeyScheme) *string { return &v.Description }),
	jsonio.Str("location", func(v *APIKeyScheme) *string { return &v.Location }),
	jsonio.Str("name", func(v *APIKeyScheme) *string { return &v.Name }),
}}

var httpAuthSchemeObject = object[HTTPAuthScheme]{Snake: true, Members: []member[HTTPAuthScheme]{
	jsonio.OptStr("description", func(v *HTTPAuthScheme) *string { return &v.Description }),
	jsonio.Str("scheme", func(v *HTTPAuthScheme) *string { return &v.Scheme }),
	jsonio.OptStr("bearerFormat", func(v *HTTPAuthScheme) *string { return &v.BearerFormat }),
}}

var openIDConnectSchemeObject = object[OpenIDConnectScheme]{Snake: true, Members: []member[OpenIDConnectScheme]{
	jsonio.OptStr("description", func(v *OpenIDConnectScheme) *string { return &v.Description }),
	jsonio.Str("openIdConnectUrl", func(v *OpenIDConnectScheme) *string { return &v.URL }),
}}

var mutualTLSSchemeObject = object[MutualTLSScheme]{Snake: true, Members: []member[MutualTLSScheme]{
	jsonio.OptStr("description", func(v *MutualTLSScheme) *string { return &v.Description }),
}}

var oAuth2SchemeObject = object[OAuth2Scheme]{Snake: true, Members: []member[OAuth2Scheme]{
	jsonio.OptStr("description", func(v *OAuth2Scheme) *string { return &v.Description }),
	jsonio.Nested("flows", &oauthFlowObject, func(v *OAuth2Scheme) *OAuthFlow { return &v.Flow }),
	jsonio.OptStr("oauth2MetadataUrl", func(v *OAuth2Scheme) *string { return &v.MetadataURL }),
}}

var authorizationCodeFlowObject = object[AuthorizationCodeFlow]{Snake: true, Members: []member[AuthorizationCodeFlow]{
	jsonio.Str("authorizationUrl", func(v *AuthorizationCodeFlow) *string { return &v.AuthorizationURL }),
	jsonio.Str("tokenUrl", func(v *AuthorizationCodeFlow) *string { return &v.TokenURL }),
	jsonio.OptStr("refreshUrl", func(v *AuthorizationCodeFlow) *string { return &v.RefreshURL }),
	scopes(func(v *AuthorizationCodeFlow) *map[string]string { return &v.Scopes }),
	jsonio.OptBool("pkceRequired", func(v *AuthorizationCodeFlow) *bool { return &v.PKCERequired }),
}}

var clientCredentialsFlowObject = object[ClientCredentialsFlow]{Snake: true, Members: []member[ClientCredentialsFlow]{
	jsonio.Str("tokenUrl", func(v *ClientCredentialsFlow) *string { return &v.TokenURL }),
	jsonio.OptStr("refreshUrl", func(v *ClientCredentialsFlow) *string { return &v.RefreshURL }),
	scopes(func(v *ClientCredentialsFlow) *map[string]string { return &v.Scopes }),
}}

var deviceCodeFlowObject = object[DeviceCodeFlow]{Snake: true, Members: []member[DeviceCodeFlow]{
	jsonio.Str("deviceAuthorizationUrl", func(v *DeviceCodeFlow) *string { return &v.DeviceAuthorizationURL }),
	jsonio.Str("tokenUrl", func(v *DeviceCodeFlow) *string { return &v.TokenURL }),
	jsonio.OptStr("refreshUrl", func(v *DeviceCodeFlow) *string { return &v.RefreshURL }),
	scopes(func(v *DeviceCodeFlow) *map[string]string { return &v.Scopes }),
}}

// In the deprecated flows no member is required.
var implicitFlowObject = object[ImplicitFlow]{Snake: true, Members: []member[ImplicitFlow]{
	jsonio.OptStr("authorizationUrl", func(v *ImplicitFlow) *string { return &v.AuthorizationURL }),
	jsonio.OptStr("refreshUrl", func(v *ImplicitFlow) *string { return &v.RefreshURL }),
	optScopes(func(v *ImplicitFlow) *map[string]string { return &v.Scopes }),
}}

var passwordFlowObject = object[PasswordFlow]{Snake: true, Members: []member[PasswordFlow]{
	jsonio.OptStr("tokenUrl", func(v *PasswordFlow) *string { return &v.TokenURL }),
	jsonio.OptStr("refreshUrl", func(v *PasswordFlow) *string { return &v.RefreshURL }),
	optScopes(func(v *PasswordFlow) *map[string]string { return &v.Scopes }),
}}

func scopes[T any](of func(*T) *map[string]string) member[T] {
	return jsonio.Value("scopes", readScopes, writeScopes, of)
}

func optScopes[T any](of func(*T) *map[string]string) member[T] {
	return jsonio.Value("scopes", readScopes, func(w *writer, name string, m map[string]string) {
		if len(m) > 0 {
			writeScopes(w, name, m)
		}
	}, of)
}

func readScopes(d *reader, m *map[string]string) error { return jsonio.Map(d, m, jsonio.String) }

func writeScopes(w *writer, name string, m map[string]string) {
	w.Key(name)
	jsonio.WriteMap(w, m, (*writer).Text)
}

var oauthFlowObject = exactlyOne(func(v *OAuthFlow) *OAuthFlow { return v }, "holds no OAuth flow",
	pointerTo[OAuthFlow]("authorizationCode", &authorizationCodeFlowObject),
	pointerTo[OAuthFlow]("clientCredentials", &clientCredentialsFlowObject),
	pointerTo[OAuthFlow]("deviceCode", &deviceCodeFlowObject),
	pointerTo[OAuthFlow]("implicit", &implicitFlowObject),
	pointerTo[OAuthFlow]("password", &passwordFlowObject),
)

// An openScheme is a security scheme, or nil where there is one of a later edition of the protocol.
type openScheme struct {
	scheme SecurityScheme
	newer  bool
}

var securitySchemeObject = func() object[openScheme] {
	o := exactlyOne(func(v *openScheme) *SecurityScheme { return &v.scheme }, "holds no security scheme",
		pointerTo[SecurityScheme]("apiKeySecurityScheme", &apiKeySchemeObject),
		pointerTo[SecurityScheme]("httpAuthSecurityScheme", &httpAuthSchemeObject),
		pointerTo[SecurityScheme]("oauth2SecurityScheme", &oAuth2SchemeObject),
		pointerTo[SecurityScheme]("openIdConnectSecurityScheme", &openIDConnectSchemeObject),
		pointerTo[SecurityScheme]("mtlsSecurityScheme", &mutualTLSSchemeObject),
	)
	finish := o.Finish
	o.Unknown = func(v *openScheme) { v.newer = true }
	o.Finish = func(d *reader, v *openScheme) error {
		if v.newer {
			return nil
		}
		return finish(d, v)
	}
	return o
}()

// readSecuritySchemes leaves out schemes of types that are not known: the agent may be reached without them, and the
// requirements that name them stay, so that it does not look open.
func readSecuritySchemes(d *reader, schemes *map[string]SecurityScheme) error {
	err := jsonio.Map(d, schemes, func(d *reader, p *SecurityScheme) error {
		var v openScheme
		err := securitySchemeObject.Read(d, &v)
		*p = v.scheme
		return err
	})
	maps.DeleteFunc(*schemes, func(_ string, s SecurityScheme) bool { return s == nil })
	if len(*schemes) == 0 {
		*schemes = nil
	}
	return err
}

func writeSecuritySchemes(w *writer, name string, schemes map[string]SecurityScheme) {
	if len(schemes) > 0 {
		w.Key(name)
		jsonio.WriteMap(w, schemes, func(w *writer, s SecurityScheme) {
			securitySchemeObject.Write(w, &openScheme{scheme: s})
		})
	}
}

var securityRequirementObject = object[SecurityRequirement]{Snake: true, Members: []member[SecurityRequirement]{{
	Name: "schemes",
	Read: func(d *reader, v *SecurityRequirement) error { return jsonio.Map(d, v, stringListObject.Read) },
	Write: func(w *writer, name string, v *SecurityRequirement) {
		if len(*v) > 0 {
			w.Key(name)
			jsonio.WriteMap(w, *v, func(w *writer, list []string) { stringListObject.Write(w, &list) })
		}
	},
}}}

// A StringList is an object around a list, because protobuf has no maps of lists.
var stringListObject = object[[]string]{Snake: true, Members: []member[[]string]{
	jsonio.OptStrs("list", 0, func(v *[]string) *[]string { return v }),
}}
