// SPDX-License-Identifier: Apache-2.0

package a2a

import "github.com/dragoman-a2a/dragoman/internal/jsonio"

func writeAgentCard(w *writer, c *AgentCard) {
	w.Begin()
	w.Str("name", c.Name)
	w.Str("description", c.Description)
	jsonio.WriteEach(w, "supportedInterfaces", c.SupportedInterfaces, writeAgentInterface)
	writeOptMember(w, "provider", c.Provider, writeAgentProvider)
	w.Str("version", c.Version)
	w.PtrStr("documentationUrl", c.DocumentationURL)
	writeMember(w, "capabilities", &c.Capabilities, writeAgentCapabilities)
	if len(c.SecuritySchemes) > 0 {
		writeMap(w, "securitySchemes", c.SecuritySchemes, writeSecurityScheme)
	}
	writeOptEach(w, "securityRequirements", c.SecurityRequirements, writeSecurityRequirement)
	jsonio.Strs(w, "defaultInputModes", c.DefaultInputModes)
	jsonio.Strs(w, "defaultOutputModes", c.DefaultOutputModes)
	jsonio.WriteEach(w, "skills", c.Skills, writeAgentSkill)
	writeOptEach(w, "signatures", c.Signatures, writeAgentCardSignature)
	w.PtrStr("iconUrl", c.IconURL)
	w.End()
}

func writeAgentInterface(w *writer, i *AgentInterface) {
	w.Begin()
	w.Str("url", i.URL)
	w.Str("protocolBinding", i.Binding)
	w.OptStr("tenant", i.Tenant)
	w.Str("protocolVersion", i.ProtocolVersion)
	w.End()
}

func writeAgentProvider(w *writer, p *AgentProvider) {
	w.Begin()
	w.Str("url", p.URL)
	w.Str("organization", p.Organization)
	w.End()
}

func writeAgentCapabilities(w *writer, c *AgentCapabilities) {
	w.Begin()
	w.PtrBool("streaming", c.Streaming)
	w.PtrBool("pushNotifications", c.PushNotifications)
	writeOptEach(w, "extensions", c.Extensions, writeAgentExtension)
	w.PtrBool("extendedAgentCard", c.ExtendedAgentCard)
	w.End()
}

func writeAgentExtension(w *writer, e *AgentExtension) {
	w.Begin()
	w.OptStr("uri", e.URI)
	w.OptStr("description", e.Description)
	w.OptBool("required", e.Required)
	w.OptMetadata("params", e.Params)
	w.End()
}

func writeAgentSkill(w *writer, s *AgentSkill) {
	w.Begin()
	w.Str("id", s.ID)
	w.Str("name", s.Name)
	w.Str("description", s.Description)
	jsonio.Strs(w, "tags", s.Tags)
	jsonio.OptStrs(w, "examples", s.Examples)
	jsonio.OptStrs(w, "inputModes", s.InputModes)
	jsonio.OptStrs(w, "outputModes", s.OutputModes)
	writeOptEach(w, "securityRequirements", s.SecurityRequirements, writeSecurityRequirement)
	w.End()
}

func writeAgentCardSignature(w *writer, s *AgentCardSignature) {
	w.Begin()
	w.Str("protected", s.Protected)
	w.Str("signature", s.Signature)
	w.OptMetadata("header", s.Header)
	w.End()
}

func writeSecurityRequirement(w *writer, r *SecurityRequirement) {
	w.Begin()
	if len(*r) > 0 {
		writeMap(w, "schemes", *r, writeStringList)
	}
	w.End()
}

func writeStringList(w *writer, list []string) {
	w.Begin()
	jsonio.OptStrs(w, "list", list)
	w.End()
}

func writeSecurityScheme(w *writer, s SecurityScheme) {
	w.Begin()
	switch s := s.(type) {
	case *APIKeyScheme:
		writeMember(w, "apiKeySecurityScheme", s, writeAPIKeyScheme)
	case *HTTPAuthScheme:
		writeMember(w, "httpAuthSecurityScheme", s, writeHTTPAuthScheme)
	case *OAuth2Scheme:
		writeMember(w, "oauth2SecurityScheme", s, writeOAuth2Scheme)
	case *OpenIDConnectScheme:
		writeMember(w, "openIdConnectSecurityScheme", s, writeOpenIDConnectScheme)
	case *MutualTLSScheme:
		writeMember(w, "mtlsSecurityScheme", s, writeMutualTLSScheme)
	default:
		w.Fail("holds no security scheme")
	}
	w.End()
}

func writeAPIKeyScheme(w *writer, s *APIKeyScheme) {
	w.Begin()
	w.OptStr("description", s.Description)
	w.Str("location", s.Location)
	w.Str("name", s.Name)
	w.End()
}

func writeHTTPAuthScheme(w *writer, s *HTTPAuthScheme) {
	w.Begin()
	w.OptStr("description", s.Description)
	w.Str("scheme", s.Scheme)
	w.OptStr("bearerFormat", s.BearerFormat)
	w.End()
}

func writeOAuth2Scheme(w *writer, s *OAuth2Scheme) {
	w.Begin()
	w.OptStr("description", s.Description)
	w.Key("flows")
	writeOauthFlow(w, s.Flow)
	w.OptStr("oauth2MetadataUrl", s.MetadataURL)
	w.End()
}

func writeOpenIDConnectScheme(w *writer, s *OpenIDConnectScheme) {
	w.Begin()
	w.OptStr("description", s.Description)
	w.Str("openIdConnectUrl", s.URL)
	w.End()
}

func writeMutualTLSScheme(w *writer, s *MutualTLSScheme) {
	w.Begin()
	w.OptStr("description", s.Description)
	w.End()
}

func writeOauthFlow(w *writer, f OAuthFlow) {
	w.Begin()
	switch f := f.(type) {
	case *AuthorizationCodeFlow:
		writeMember(w, "authorizationCode", f, writeAuthorizationCodeFlow)
	case *ClientCredentialsFlow:
		writeMember(w, "clientCredentials", f, writeClientCredentialsFlow)
	case *DeviceCodeFlow:
		writeMember(w, "deviceCode", f, writeDeviceCodeFlow)
	case *ImplicitFlow:
		writeMember(w, "implicit", f, writeImplicitFlow)
	case *PasswordFlow:
		writeMember(w, "password", f, writePasswordFlow)
	default:
		w.Fail("holds no OAuth flow")
	}
	w.End()
}

func writeAuthorizationCodeFlow(w *writer, f *AuthorizationCodeFlow) {
	w.Begin()
	w.Str("authorizationUrl", f.AuthorizationURL)
	w.Str("tokenUrl", f.TokenURL)
	w.OptStr("refreshUrl", f.RefreshURL)
	writeScopes(w, f.Scopes)
	w.OptBool("pkceRequired", f.PKCERequired)
	w.End()
}

func writeClientCredentialsFlow(w *writer, f *ClientCredentialsFlow) {
	w.Begin()
	w.Str("tokenUrl", f.TokenURL)
	w.OptStr("refreshUrl", f.RefreshURL)
	writeScopes(w, f.Scopes)
	w.End()
}

func writeDeviceCodeFlow(w *writer, f *DeviceCodeFlow) {
	w.Begin()
	w.Str("deviceAuthorizationUrl", f.DeviceAuthorizationURL)
	w.Str("tokenUrl", f.TokenURL)
	w.OptStr("refreshUrl", f.RefreshURL)
	writeScopes(w, f.Scopes)
	w.End()
}

// In the deprecated flows no member is required.
func writeImplicitFlow(w *writer, f *ImplicitFlow) {
	w.Begin()
	w.OptStr("authorizationUrl", f.AuthorizationURL)
	w.OptStr("refreshUrl", f.RefreshURL)
	writeOptScopes(w, f.Scopes)
	w.End()
}

func writePasswordFlow(w *writer, f *PasswordFlow) {
	w.Begin()
	w.OptStr("tokenUrl", f.TokenURL)
	w.OptStr("refreshUrl", f.RefreshURL)
	writeOptScopes(w, f.Scopes)
	w.End()
}

func writeScopes(w *writer, m map[string]string) { writeMap(w, "scopes", m, (*writer).Text) }

func writeOptScopes(w *writer, m map[string]string) {
	if len(m) > 0 {
		writeScopes(w, m)
	}
}
