// SPDX-License-Identifier: Apache-2.0

package a2a

// Validate reports everything that is wrong with the card as one ErrInvalidParams. Required strings must not be empty
// (A2A 1.0 proto, REQUIRED); at least one interface, input mode and output mode is needed for anybody to talk to the
// agent. Skills, tags and scopes may be empty lists: the standard's own example of a card has no skills (A2A 1.0
// §8.4.1).
func (c *AgentCard) Validate() error { return validate(c, checkAgentCard) }

func checkAgentCard(c *checker, at *path, card *AgentCard) {
	c.required(at, "name", card.Name)
	c.required(at, "description", card.Description)
	c.required(at, "version", card.Version)
	c.atLeastOne(at, "supportedInterfaces", len(card.SupportedInterfaces))
	checkList(c, at.member("supportedInterfaces"), card.SupportedInterfaces, checkAgentInterface)
	if p := card.Provider; p != nil {
		c.required(at.member("provider"), "url", p.URL)
		c.required(at.member("provider"), "organization", p.Organization)
	}
	checkList(c, at.member("capabilities").member("extensions"), card.Capabilities.Extensions, checkAgentExtension)
	checkMap(c, at.member("securitySchemes"), card.SecuritySchemes, checkSecurityScheme)
	c.atLeastOne(at, "defaultInputModes", len(card.DefaultInputModes))
	c.atLeastOne(at, "defaultOutputModes", len(card.DefaultOutputModes))
	checkList(c, at.member("skills"), card.Skills, checkAgentSkill)
	checkList(c, at.member("signatures"), card.Signatures, checkAgentCardSignature)
}

func (c *checker) atLeastOne(at *path, name string, n int) {
	if n == 0 {
		c.fail(at, name, "must have at least one element")
	}
}

func checkAgentInterface(c *checker, at *path, i *AgentInterface) {
	c.required(at, "url", i.URL)
	c.required(at, "protocolBinding", i.Binding)
	c.required(at, "protocolVersion", i.ProtocolVersion)
	c.id(at, "tenant", i.Tenant)
}

func checkAgentExtension(c *checker, at *path, e *AgentExtension) {
	c.required(at, "uri", e.URI) // without it the entry says nothing
	c.metadata(at, "params", e.Params)
}

func checkAgentSkill(c *checker, at *path, s *AgentSkill) {
	c.required(at, "id", s.ID)
	c.required(at, "name", s.Name)
	c.required(at, "description", s.Description)
}

func checkAgentCardSignature(c *checker, at *path, s *AgentCardSignature) {
	c.required(at, "protected", s.Protected)
	c.required(at, "signature", s.Signature)
	c.metadata(at, "header", s.Header)
}

func checkSecurityScheme(c *checker, at *path, s SecurityScheme) {
	switch s := s.(type) {
	case nil:
		c.fail(at, "", "must have one of "+names(securitySchemeObject))
	case *APIKeyScheme:
		at = at.member("apiKeySecurityScheme")
		c.required(at, "name", s.Name)
		switch s.Location {
		case "query", "header", "cookie":
		default:
			c.fail(at, "location", "must be query, header or cookie")
		}
	case *HTTPAuthScheme:
		c.required(at.member("httpAuthSecurityScheme"), "scheme", s.Scheme)
	case *OAuth2Scheme:
		checkOAuthFlow(c, at.member("oauth2SecurityScheme").member("flows"), s.Flow)
	case *OpenIDConnectScheme:
		c.required(at.member("openIdConnectSecurityScheme"), "openIdConnectUrl", s.URL)
	}
}

func checkOAuthFlow(c *checker, at *path, f OAuthFlow) {
	switch f := f.(type) {
	case nil:
		c.fail(at, "", "must have one of "+names(oauthFlowObject))
	case *AuthorizationCodeFlow:
		at = at.member("authorizationCode")
		c.required(at, "authorizationUrl", f.AuthorizationURL)
		c.required(at, "tokenUrl", f.TokenURL)
	case *ClientCredentialsFlow:
		c.required(at.member("clientCredentials"), "tokenUrl", f.TokenURL)
	case *DeviceCodeFlow:
		at = at.member("deviceCode")
		c.required(at, "deviceAuthorizationUrl", f.DeviceAuthorizationURL)
		c.required(at, "tokenUrl", f.TokenURL)
	}
}
