// SPDX-License-Identifier: Apache-2.0

package a2a

// Validate reports everything that is wrong with the card as one ErrInvalidParams. Required strings must not be empty
// (A2A 1.0 proto, REQUIRED); at least one interface, input mode and output mode is needed for anybody to talk to the agent.
// Skills, tags and scopes may be empty lists: the standard's own example of a card has no skills (A2A 1.0 §8.4.1).
func (c *AgentCard) Validate() error { return validate(c, (*checker).agentCard) }

func (c *checker) agentCard(at *path, card *AgentCard) {
	c.required(at.member("name"), card.Name)
	c.required(at.member("description"), card.Description)
	c.required(at.member("version"), card.Version)
	c.atLeastOne(at.member("supportedInterfaces"), len(card.SupportedInterfaces))
	checkList(c, at.member("supportedInterfaces"), card.SupportedInterfaces, (*checker).agentInterface)
	if p := card.Provider; p != nil {
		c.required(at.member("provider").member("url"), p.URL)
		c.required(at.member("provider").member("organization"), p.Organization)
	}
	checkList(c, at.member("capabilities").member("extensions"), card.Capabilities.Extensions, (*checker).agentExtension)
	checkMap(c, at.member("securitySchemes"), card.SecuritySchemes, (*checker).securityScheme)
	c.atLeastOne(at.member("defaultInputModes"), len(card.DefaultInputModes))
	c.atLeastOne(at.member("defaultOutputModes"), len(card.DefaultOutputModes))
	checkList(c, at.member("skills"), card.Skills, (*checker).agentSkill)
	checkList(c, at.member("signatures"), card.Signatures, (*checker).agentCardSignature)
}

func (c *checker) atLeastOne(at *path, n int) {
	if n == 0 {
		c.fail(at, "must have at least one element")
	}
}

func (c *checker) agentInterface(at *path, i *AgentInterface) {
	c.required(at.member("url"), i.URL)
	c.required(at.member("protocolBinding"), i.Binding)
	c.required(at.member("protocolVersion"), i.ProtocolVersion)
	c.id(at.member("tenant"), i.Tenant)
}

func (c *checker) agentExtension(at *path, e *AgentExtension) {
	c.required(at.member("uri"), e.URI) // without it the entry says nothing
	c.metadata(at.member("params"), e.Params)
}

func (c *checker) agentSkill(at *path, s *AgentSkill) {
	c.required(at.member("id"), s.ID)
	c.required(at.member("name"), s.Name)
	c.required(at.member("description"), s.Description)
}

func (c *checker) agentCardSignature(at *path, s *AgentCardSignature) {
	c.required(at.member("protected"), s.Protected)
	c.required(at.member("signature"), s.Signature)
	c.metadata(at.member("header"), s.Header)
}

func (c *checker) securityScheme(at *path, s SecurityScheme) {
	switch s := s.(type) {
	case nil:
		c.fail(at, "must have one of "+names(securitySchemeObject))
	case *APIKeyScheme:
		at = at.member("apiKeySecurityScheme")
		c.required(at.member("name"), s.Name)
		switch s.Location {
		case "query", "header", "cookie":
		default:
			c.fail(at.member("location"), "must be query, header or cookie")
		}
	case *HTTPAuthScheme:
		c.required(at.member("httpAuthSecurityScheme").member("scheme"), s.Scheme)
	case *OAuth2Scheme:
		c.oauthFlow(at.member("oauth2SecurityScheme").member("flows"), s.Flow)
	case *OpenIDConnectScheme:
		c.required(at.member("openIdConnectSecurityScheme").member("openIdConnectUrl"), s.URL)
	}
}

func (c *checker) oauthFlow(at *path, f OAuthFlow) {
	switch f := f.(type) {
	case nil:
		c.fail(at, "must have one of "+names(oauthFlowObject))
	case *AuthorizationCodeFlow:
		at = at.member("authorizationCode")
		c.required(at.member("authorizationUrl"), f.AuthorizationURL)
		c.required(at.member("tokenUrl"), f.TokenURL)
	case *ClientCredentialsFlow:
		c.required(at.member("clientCredentials").member("tokenUrl"), f.TokenURL)
	case *DeviceCodeFlow:
		at = at.member("deviceCode")
		c.required(at.member("deviceAuthorizationUrl"), f.DeviceAuthorizationURL)
		c.required(at.member("tokenUrl"), f.TokenURL)
	}
}
