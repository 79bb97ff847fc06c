// SPDX-License-Identifier: Apache-2.0

package a2a

func (w *writer) agentCard(c *AgentCard) {
	w.begin()
	w.str("name", c.Name)
	w.str("description", c.Description)
	writeList(w, "supportedInterfaces", c.SupportedInterfaces, (*writer).agentInterface)
	writeOptMember(w, "provider", c.Provider, (*writer).agentProvider)
	w.str("version", c.Version)
	w.ptrStr("documentationUrl", c.DocumentationURL)
	writeMember(w, "capabilities", &c.Capabilities, (*writer).agentCapabilities)
	if len(c.SecuritySchemes) > 0 {
		writeMap(w, "securitySchemes", c.SecuritySchemes, (*writer).securityScheme)
	}
	writeOptList(w, "securityRequirements", c.SecurityRequirements, (*writer).securityRequirement)
	w.strs("defaultInputModes", c.DefaultInputModes)
	w.strs("defaultOutputModes", c.DefaultOutputModes)
	writeList(w, "skills", c.Skills, (*writer).agentSkill)
	writeOptList(w, "signatures", c.Signatures, (*writer).agentCardSignature)
	w.ptrStr("iconUrl", c.IconURL)
	w.end()
}

func (w *writer) agentInterface(i *AgentInterface) {
	w.begin()
	w.str("url", i.URL)
	w.str("protocolBinding", i.Binding)
	w.optStr("tenant", i.Tenant)
	w.str("protocolVersion", i.ProtocolVersion)
	w.end()
}

func (w *writer) agentProvider(p *AgentProvider) {
	w.begin()
	w.str("url", p.URL)
	w.str("organization", p.Organization)
	w.end()
}

func (w *writer) agentCapabilities(c *AgentCapabilities) {
	w.begin()
	w.ptrBool("streaming", c.Streaming)
	w.ptrBool("pushNotifications", c.PushNotifications)
	writeOptList(w, "extensions", c.Extensions, (*writer).agentExtension)
	w.ptrBool("extendedAgentCard", c.ExtendedAgentCard)
	w.end()
}

func (w *writer) agentExtension(e *AgentExtension) {
	w.begin()
	w.optStr("uri", e.URI)
	w.optStr("description", e.Description)
	w.optBool("required", e.Required)
	w.metadata("params", e.Params)
	w.end()
}

func (w *writer) agentSkill(s *AgentSkill) {
	w.begin()
	w.str("id", s.ID)
	w.str("name", s.Name)
	w.str("description", s.Description)
	w.strs("tags", s.Tags)
	w.optStrs("examples", s.Examples)
	w.optStrs("inputModes", s.InputModes)
	w.optStrs("outputModes", s.OutputModes)
	writeOptList(w, "securityRequirements", s.SecurityRequirements, (*writer).securityRequirement)
	w.end()
}

func (w *writer) agentCardSignature(s *AgentCardSignature) {
	w.begin()
	w.str("protected", s.Protected)
	w.str("signature", s.Signature)
	w.metadata("header", s.Header)
	w.end()
}

func (w *writer) securityRequirement(r *SecurityRequirement) {
	w.begin()
	if len(*r) > 0 {
		writeMap(w, "schemes", *r, (*writer).stringList)
	}
	w.end()
}

func (w *writer) stringList(list []string) {
	w.begin()
	w.optStrs("list", list)
	w.end()
}

func (w *writer) securityScheme(s SecurityScheme) {
	w.begin()
	switch s := s.(type) {
	case *APIKeyScheme:
		writeMember(w, "apiKeySecurityScheme", s, (*writer).apiKeyScheme)
	case *HTTPAuthScheme:
		writeMember(w, "httpAuthSecurityScheme", s, (*writer).httpAuthScheme)
	case *OAuth2Scheme:
		writeMember(w, "oauth2SecurityScheme", s, (*writer).oauth2Scheme)
	case *OpenIDConnectScheme:
		writeMember(w, "openIdConnectSecurityScheme", s, (*writer).openIDConnectScheme)
	case *MutualTLSScheme:
		writeMember(w, "mtlsSecurityScheme", s, (*writer).mutualTLSScheme)
	default:
		w.fail("holds no security scheme")
	}
	w.end()
}

func (w *writer) apiKeyScheme(s *APIKeyScheme) {
	w.begin()
	w.optStr("description", s.Description)
	w.str("location", s.Location)
	w.str("name", s.Name)
	w.end()
}

func (w *writer) httpAuthScheme(s *HTTPAuthScheme) {
	w.begin()
	w.optStr("description", s.Description)
	w.str("scheme", s.Scheme)
	w.optStr("bearerFormat", s.BearerFormat)
	w.end()
}

func (w *writer) oauth2Scheme(s *OAuth2Scheme) {
	w.begin()
	w.optStr("description", s.Description)
	w.key("flows")
	w.oauthFlow(s.Flow)
	w.optStr("oauth2MetadataUrl", s.MetadataURL)
	w.end()
}

func (w *writer) openIDConnectScheme(s *OpenIDConnectScheme) {
	w.begin()
	w.optStr("description", s.Description)
	w.str("openIdConnectUrl", s.URL)
	w.end()
}

func (w *writer) mutualTLSScheme(s *MutualTLSScheme) {
	w.begin()
	w.optStr("description", s.Description)
	w.end()
}

func (w *writer) oauthFlow(f OAuthFlow) {
	w.begin()
	switch f := f.(type) {
	case *AuthorizationCodeFlow:
		writeMember(w, "authorizationCode", f, (*writer).authorizationCodeFlow)
	case *ClientCredentialsFlow:
		writeMember(w, "clientCredentials", f, (*writer).clientCredentialsFlow)
	case *DeviceCodeFlow:
		writeMember(w, "deviceCode", f, (*writer).deviceCodeFlow)
	case *ImplicitFlow:
		writeMember(w, "implicit", f, (*writer).implicitFlow)
	case *PasswordFlow:
		writeMember(w, "password", f, (*writer).passwordFlow)
	default:
		w.fail("holds no OAuth flow")
	}
	w.end()
}

func (w *writer) authorizationCodeFlow(f *AuthorizationCodeFlow) {
	w.begin()
	w.str("authorizationUrl", f.AuthorizationURL)
	w.str("tokenUrl", f.TokenURL)
	w.optStr("refreshUrl", f.RefreshURL)
	w.scopes(f.Scopes)
	w.optBool("pkceRequired", f.PKCERequired)
	w.end()
}

func (w *writer) clientCredentialsFlow(f *ClientCredentialsFlow) {
	w.begin()
	w.str("tokenUrl", f.TokenURL)
	w.optStr("refreshUrl", f.RefreshURL)
	w.scopes(f.Scopes)
	w.end()
}

func (w *writer) deviceCodeFlow(f *DeviceCodeFlow) {
	w.begin()
	w.str("deviceAuthorizationUrl", f.DeviceAuthorizationURL)
	w.str("tokenUrl", f.TokenURL)
	w.optStr("refreshUrl", f.RefreshURL)
	w.scopes(f.Scopes)
	w.end()
}

// In the deprecated flows no member is required.
func (w *writer) implicitFlow(f *ImplicitFlow) {
	w.begin()
	w.optStr("authorizationUrl", f.AuthorizationURL)
	w.optStr("refreshUrl", f.RefreshURL)
	w.optScopes(f.Scopes)
	w.end()
}

func (w *writer) passwordFlow(f *PasswordFlow) {
	w.begin()
	w.optStr("tokenUrl", f.TokenURL)
	w.optStr("refreshUrl", f.RefreshURL)
	w.optScopes(f.Scopes)
	w.end()
}

func (w *writer) scopes(m map[string]string) { writeMap(w, "scopes", m, (*writer).text) }

func (w *writer) optScopes(m map[string]string) {
	if len(m) > 0 {
		w.scopes(m)
	}
}
