// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"maps"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// readSchemes reads securitySchemes. A type that is not known is left out: nobody could use it, and a requirement that
// names it stays, so that the agent does not look open.
func readSchemes(d *jsonio.Reader, m *map[string]a2a.SecurityScheme) error {
	if err := readMap(d, m, readScheme); err != nil {
		return err
	}
	maps.DeleteFunc(*m, func(_ string, s a2a.SecurityScheme) bool { return s == nil })
	return nil
}

// readScheme reads one scheme in the form of OpenAPI, or in that of the Protobuf JSON of 0.3, which is that of 1.0.
func readScheme(d *jsonio.Reader, p *a2a.SecurityScheme) error {
	var s flatScheme
	if err := flatSchemeObject.Read(d, &s); err != nil {
		return err
	}
	*p = s.scheme()
	return nil
}

// flatScheme has the members of all types of schemes.
type flatScheme struct {
	Type, Description, Name, In, Scheme, BearerFormat, OpenIDConnectURL, MetadataURL string

	Flow    a2a.OAuthFlow
	Wrapped a2a.SecurityScheme
}

var flatSchemeObject = jsonio.Object[flatScheme]{Members: []jsonio.Member[flatScheme]{
	jsonio.Str("type", func(v *flatScheme) *string { return &v.Type }),
	jsonio.Str("description", func(v *flatScheme) *string { return &v.Description }),
	jsonio.Str("name", func(v *flatScheme) *string { return &v.Name }),
	jsonio.Str("in", func(v *flatScheme) *string { return &v.In }),
	jsonio.Str("scheme", func(v *flatScheme) *string { return &v.Scheme }),
	jsonio.Str("bearerFormat", func(v *flatScheme) *string { return &v.BearerFormat }),
	jsonio.Str("openIdConnectUrl", func(v *flatScheme) *string { return &v.OpenIDConnectURL }),
	jsonio.Str("oauth2MetadataUrl", func(v *flatScheme) *string { return &v.MetadataURL }),
	{Name: "flows", Read: func(d *jsonio.Reader, v *flatScheme) error {
		var f flows
		err := flowsObject.Read(d, &f)
		v.Flow = f.best()
		return err
	}},
	wrapped[*a2a.APIKeyScheme]("apiKeySecurityScheme"),
	wrapped[*a2a.HTTPAuthScheme]("httpAuthSecurityScheme"),
	wrapped[*a2a.OAuth2Scheme]("oauth2SecurityScheme"),
	wrapped[*a2a.OpenIDConnectScheme]("openIdConnectSecurityScheme"),
	wrapped[*a2a.MutualTLSScheme]("mtlsSecurityScheme"),
}}

// decodable is a pointer to a type of the model.
type decodable[T any] interface {
	*T
	UnmarshalJSONFrom(*jsonio.Reader) error
}

// wrapped is a member whose value is a scheme in the form of 1.0.
func wrapped[P interface {
	decodable[T]
	a2a.SecurityScheme
}, T any](name string) jsonio.Member[flatScheme] {
	return jsonio.Member[flatScheme]{Name: name, Read: func(d *jsonio.Reader, v *flatScheme) error {
		scheme := P(new(T))
		v.Wrapped = scheme
		return scheme.UnmarshalJSONFrom(d)
	}}
}

// scheme returns what the members stand for, or nil.
func (s *flatScheme) scheme() a2a.SecurityScheme {
	switch s.Type {
	case "":
		return withFlow(s.Wrapped)
	case "apiKey":
		return &a2a.APIKeyScheme{Description: s.Description, Location: s.In, Name: s.Name}
	case "http":
		return &a2a.HTTPAuthScheme{Description: s.Description, Scheme: s.Scheme, BearerFormat: s.BearerFormat}
	case "oauth2":
		return withFlow(&a2a.OAuth2Scheme{Description: s.Description, Flow: s.Flow, MetadataURL: s.MetadataURL})
	case "openIdConnect":
		return &a2a.OpenIDConnectScheme{Description: s.Description, URL: s.OpenIDConnectURL}
	case "mutualTLS":
		return &a2a.MutualTLSScheme{Description: s.Description}
	}
	return nil
}

// withFlow returns a scheme that can be written: there is no OAuth2Scheme without a flow, so one is taken for what its
// metadata, or a person, may know how to get.
func withFlow(scheme a2a.SecurityScheme) a2a.SecurityScheme {
	if s, ok := scheme.(*a2a.OAuth2Scheme); ok && s.Flow == nil {
		return &a2a.HTTPAuthScheme{Description: s.Description, Scheme: "Bearer"}
	}
	return scheme
}

// flows are those of one scheme. The old forms may have several, the model has one.
type flows struct {
	AuthorizationCode *a2a.AuthorizationCodeFlow
	DeviceCode        *a2a.DeviceCodeFlow
	ClientCredentials *a2a.ClientCredentialsFlow
	Implicit          *a2a.ImplicitFlow
	Password          *a2a.PasswordFlow
}

var flowsObject = jsonio.Object[flows]{Members: []jsonio.Member[flows]{
	flow("authorizationCode", func(v *flows) **a2a.AuthorizationCodeFlow { return &v.AuthorizationCode }),
	flow("deviceCode", func(v *flows) **a2a.DeviceCodeFlow { return &v.DeviceCode }),
	flow("clientCredentials", func(v *flows) **a2a.ClientCredentialsFlow { return &v.ClientCredentials }),
	flow("implicit", func(v *flows) **a2a.ImplicitFlow { return &v.Implicit }),
	flow("password", func(v *flows) **a2a.PasswordFlow { return &v.Password }),
}}

// flow is a member whose value is a flow as in 1.0.
func flow[T any, P decodable[T]](name string, of func(*flows) *P) jsonio.Member[flows] {
	return jsonio.Member[flows]{Name: name, Read: func(d *jsonio.Reader, v *flows) error {
		*of(v) = P(new(T))
		return (*of(v)).UnmarshalJSONFrom(d)
	}}
}

// best returns the flow to keep: those that OAuth 2.1 still has, a person's before a program's, then the rest.
func (f *flows) best() a2a.OAuthFlow {
	switch {
	case f.AuthorizationCode != nil:
		return f.AuthorizationCode
	case f.DeviceCode != nil:
		return f.DeviceCode
	case f.ClientCredentials != nil:
		return f.ClientCredentials
	case f.Implicit != nil:
		return f.Implicit
	case f.Password != nil:
		return f.Password
	}
	return nil
}

// readRequirement reads {"name":["scope"]}, or the Protobuf JSON {"schemes":{"name":{"list":["scope"]}}}.
func readRequirement(d *jsonio.Reader, p *a2a.SecurityRequirement) error {
	var m map[string][]string
	err := readMap(d, &m, func(d *jsonio.Reader, scopes *[]string) error {
		if d.PeekKind() != '{' {
			return readStrings(d, scopes)
		}
		return readMap(d, (*map[string][]string)(p), func(d *jsonio.Reader, scopes *[]string) error {
			return listObject.Read(d, scopes)
		})
	})
	if *p == nil {
		*p = m
	}
	return err
}

var listObject = jsonio.Object[[]string]{Members: []jsonio.Member[[]string]{
	{Name: "list", Read: func(d *jsonio.Reader, v *[]string) error { return readStrings(d, v) }},
}}

// authentication is what 0.1 says of security. Its credentials are not read: they may be secret, and no text says how
// to use them.
type authentication struct{ Schemes []string }

var authenticationObject = jsonio.Object[authentication]{Members: []jsonio.Member[authentication]{
	{Name: "schemes", Read: func(d *jsonio.Reader, v *authentication) error {
		if d.PeekKind() != '"' { // an example of April 2025 has one string
			return readStrings(d, &v.Schemes)
		}
		var one string
		err := jsonio.String(d, &one)
		v.Schemes = []string{one}
		return err
	}},
}}

// authenticate makes schemes of the names that 0.1 has, any one of which suffices.
func (c *oldCard) authenticate() {
	c.SecuritySchemes, c.SecurityRequirements = nil, nil // unknown members to 0.1
	for _, name := range c.Authentication.Schemes {
		if name == "" || c.SecuritySchemes[name] != nil {
			continue
		}
		if c.SecuritySchemes == nil {
			c.SecuritySchemes = make(map[string]a2a.SecurityScheme)
		}
		c.SecuritySchemes[name] = schemeOf01(name)
		c.SecurityRequirements = append(c.SecurityRequirements, a2a.SecurityRequirement{name: {}})
	}
}

// schemeOf01 returns what a name of 0.1 stands for. Tokens of OAuth and OpenID Connect travel as Bearer; where they
// come from 0.1 does not say, so they cannot be more here. All other names are taken for HTTP schemes.
func schemeOf01(name string) a2a.SecurityScheme {
	if strings.EqualFold(name, nameMutualTLS) {
		return &a2a.MutualTLSScheme{}
	}
	return &a2a.HTTPAuthScheme{Scheme: httpSchemeOf01(name)}
}

func httpSchemeOf01(name string) string {
	switch strings.ToLower(name) {
	case "oauth2", "oauth", "openidconnect", "oidc":
		return "Bearer"
	}
	return name
}

// Names of schemes in 0.1. Its text wants names like those of OpenAPI; these are how its examples spell them.
const (
	nameOAuth2    = "OAuth2"
	nameOpenID    = "OpenIdConnect"
	nameAPIKey    = "ApiKey"
	nameMutualTLS = "MutualTLS"
)

// names01 returns the names of schemes for a card of 0.1: those that the requirements name, in their order, or all.
func names01(card *a2a.AgentCard) []string {
	var keys []string
	for _, need := range card.SecurityRequirements {
		keys = append(keys, slices.Sorted(maps.Keys(need))...)
	}
	if len(card.SecurityRequirements) == 0 {
		keys = slices.Sorted(maps.Keys(card.SecuritySchemes))
	}
	var names []string
	seen := map[string]bool{"": true}
	for _, key := range keys {
		name := name01(key, card.SecuritySchemes[key])
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	return names
}

func name01(key string, scheme a2a.SecurityScheme) string {
	switch s := scheme.(type) {
	case *a2a.HTTPAuthScheme:
		if httpSchemeOf01(key) == s.Scheme {
			return key // it came from 0.1
		}
		return s.Scheme
	case *a2a.OAuth2Scheme:
		return nameOAuth2
	case *a2a.OpenIDConnectScheme:
		return nameOpenID
	case *a2a.APIKeyScheme:
		return nameAPIKey
	case *a2a.MutualTLSScheme:
		return nameMutualTLS
	}
	return ""
}
