// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

func writeCard01(w *jsonio.Writer, c *a2a.AgentCard) {
	w.Begin()
	w.Str("name", c.Name)
	w.OptStr("description", c.Description)
	place := interface01(c)
	if place == nil {
		place = &a2a.AgentInterface{}
	}
	w.Str("url", place.URL)
	if c.Provider != nil {
		w.Key("provider")
		w.Begin()
		w.Str("organization", c.Provider.Organization)
		w.OptStr("url", c.Provider.URL)
		w.End()
	}
	w.Str("version", c.Version)
	w.PtrStr("documentationUrl", c.DocumentationURL)
	writeCapabilities(w, &c.Capabilities, Form01)
	writeAuthentication(w, c)
	jsonio.WriteOptStrs(w, "defaultInputModes", c.DefaultInputModes)
	jsonio.WriteOptStrs(w, "defaultOutputModes", c.DefaultOutputModes)
	writeSkills(w, c.Skills, Form01)
	w.End()
}

// writeAuthentication writes it even when there are no schemes: nothing else tells the card from one of 0.2, and the
// text of April 2025 requires it.
func writeAuthentication(w *jsonio.Writer, c *a2a.AgentCard) {
	w.Key("authentication")
	w.Begin()
	jsonio.WriteStrs(w, "schemes", names01(c))
	w.End()
}

// writeCard03 writes a card of form 0.2 or 0.3 that lists these interfaces.
func writeCard03(w *jsonio.Writer, c *a2a.AgentCard, form Form, places []a2a.AgentInterface) {
	w.Begin()
	w.Const("protocolVersion", releases[form])
	w.Str("name", c.Name)
	w.Str("description", c.Description)
	writePlaces(w, places)
	w.PtrStr("iconUrl", c.IconURL)
	if c.Provider != nil {
		w.Key("provider")
		providerObject.Write(w, c.Provider)
	}
	w.Str("version", c.Version)
	w.PtrStr("documentationUrl", c.DocumentationURL)
	writeCapabilities(w, &c.Capabilities, form)
	writeSchemes(w, c.SecuritySchemes, form)
	writeRequirements(w, c.SecurityRequirements)
	jsonio.WriteStrs(w, "defaultInputModes", c.DefaultInputModes)
	jsonio.WriteStrs(w, "defaultOutputModes", c.DefaultOutputModes)
	writeSkills(w, c.Skills, form)
	w.PtrBool("supportsAuthenticatedExtendedCard", c.Capabilities.ExtendedAgentCard)
	if signed := unsigned(c, form).Signatures; len(signed) > 0 {
		jsonio.WriteEach(w, "signatures", signed, signatureObject.Write)
	}
	w.End()
}

func writePlaces(w *jsonio.Writer, places []a2a.AgentInterface) {
	if len(places) == 0 {
		w.Str("url", "")
		return
	}
	w.Str("url", places[0].URL)
	w.Str("preferredTransport", places[0].Binding)
	jsonio.WriteEach(w, "additionalInterfaces", places, oldInterfaceObject.Write)
}

func writeCapabilities(w *jsonio.Writer, c *a2a.AgentCapabilities, form Form) {
	w.Key("capabilities")
	w.Begin()
	w.PtrBool("streaming", c.Streaming)
	w.PtrBool("pushNotifications", c.PushNotifications)
	if form != Form01 && len(c.Extensions) > 0 {
		jsonio.WriteEach(w, "extensions", c.Extensions, extensionObject.Write)
	}
	w.End()
}

func writeSkills(w *jsonio.Writer, skills []a2a.AgentSkill, form Form) {
	jsonio.WriteEach(w, "skills", skills, func(w *jsonio.Writer, s *a2a.AgentSkill) {
		w.Begin()
		w.Str("id", s.ID)
		w.Str("name", s.Name)
		if form == Form01 {
			w.OptStr("description", s.Description)
			jsonio.WriteOptStrs(w, "tags", s.Tags)
		} else {
			w.Str("description", s.Description)
			jsonio.WriteStrs(w, "tags", s.Tags)
		}
		jsonio.WriteOptStrs(w, "examples", s.Examples)
		jsonio.WriteOptStrs(w, "inputModes", s.InputModes)
		jsonio.WriteOptStrs(w, "outputModes", s.OutputModes)
		if form == Form03 {
			writeRequirements(w, s.SecurityRequirements)
		}
		w.End()
	})
}

func writeSchemes(w *jsonio.Writer, schemes map[string]a2a.SecurityScheme, form Form) {
	if len(schemes) == 0 {
		return
	}
	w.Key("securitySchemes")
	jsonio.WriteMap(w, schemes, func(w *jsonio.Writer, s a2a.SecurityScheme) { writeScheme(w, s, form) })
}

func writeScheme(w *jsonio.Writer, scheme a2a.SecurityScheme, form Form) {
	w.Begin()
	switch s := scheme.(type) {
	case *a2a.APIKeyScheme:
		w.Const("type", "apiKey")
		w.OptStr("description", s.Description)
		w.Str("in", s.Location)
		w.Str("name", s.Name)
	case *a2a.HTTPAuthScheme:
		w.Const("type", "http")
		w.OptStr("description", s.Description)
		w.Str("scheme", s.Scheme)
		w.OptStr("bearerFormat", s.BearerFormat)
	case *a2a.OAuth2Scheme:
		if _, device := s.Flow.(*a2a.DeviceCodeFlow); device { // unknown to the old forms; its token is not
			w.Const("type", "http")
			w.OptStr("description", s.Description)
			w.Const("scheme", "Bearer")
			break
		}
		w.Const("type", "oauth2")
		w.OptStr("description", s.Description)
		w.Key("flows")
		writeFlow(w, s.Flow)
		if form == Form03 {
			w.OptStr("oauth2MetadataUrl", s.MetadataURL)
		}
	case *a2a.OpenIDConnectScheme:
		w.Const("type", "openIdConnect")
		w.OptStr("description", s.Description)
		w.Str("openIdConnectUrl", s.URL)
	case *a2a.MutualTLSScheme:
		if form == Form02 { // does not know it, and parsers refuse a card with a type that they do not know
			w.Const("type", "http")
			w.OptStr("description", s.Description)
			w.Const("scheme", nameMutualTLS)
			break
		}
		w.Const("type", "mutualTLS")
		w.OptStr("description", s.Description)
	default:
		w.Fail("holds no security scheme")
	}
	w.End()
}

// writeFlow writes flows with the one there is.
func writeFlow(w *jsonio.Writer, flow a2a.OAuthFlow) {
	w.Begin()
	switch f := flow.(type) {
	case *a2a.AuthorizationCodeFlow:
		w.Key("authorizationCode")
		writeURLs(w, &f.AuthorizationURL, &f.TokenURL, f.RefreshURL, f.Scopes)
	case *a2a.ClientCredentialsFlow:
		w.Key("clientCredentials")
		writeURLs(w, nil, &f.TokenURL, f.RefreshURL, f.Scopes)
	case *a2a.ImplicitFlow:
		w.Key("implicit")
		writeURLs(w, &f.AuthorizationURL, nil, f.RefreshURL, f.Scopes)
	case *a2a.PasswordFlow:
		w.Key("password")
		writeURLs(w, nil, &f.TokenURL, f.RefreshURL, f.Scopes)
	default:
		w.Fail("holds no OAuth flow")
	}
	w.End()
}

func writeURLs(w *jsonio.Writer, authorization, token *string, refresh string, scopes map[string]string) {
	w.Begin()
	w.PtrStr("authorizationUrl", authorization)
	w.PtrStr("tokenUrl", token)
	w.OptStr("refreshUrl", refresh)
	w.Key("scopes")
	jsonio.WriteMap(w, scopes, (*jsonio.Writer).Text)
	w.End()
}

func writeRequirements(w *jsonio.Writer, list []a2a.SecurityRequirement) {
	if len(list) == 0 {
		return
	}
	jsonio.WriteList(w, "security", list, func(w *jsonio.Writer, need a2a.SecurityRequirement) {
		jsonio.WriteMap(w, need, func(w *jsonio.Writer, scopes []string) {
			jsonio.WriteList(w, "", scopes, (*jsonio.Writer).Text)
		})
	})
}
