// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/a2apb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// fromCard returns a card in the form of 0.3, which has one protocol version for all interfaces: those of the card that
// speak it come along, all if none does.
func fromCard(c *a2a.AgentCard) (*pb.AgentCard, error) {
	card := &pb.AgentCard{
		Name: c.Name, Description: c.Description, Version: c.Version,
		DocumentationUrl: text(c.DocumentationURL), IconUrl: text(c.IconURL),
		Security:          fromRequirements(c.SecurityRequirements),
		DefaultInputModes: c.DefaultInputModes, DefaultOutputModes: c.DefaultOutputModes,
		SupportsAuthenticatedExtendedCard: isTrue(c.Capabilities.ExtendedAgentCard),
	}
	fromInterfaces(card, c.SupportedInterfaces)
	if c.Provider != nil {
		card.Provider = &pb.AgentProvider{Url: c.Provider.URL, Organization: c.Provider.Organization}
	}
	for _, s := range c.Skills {
		card.Skills = append(card.Skills, &pb.AgentSkill{
			Id: s.ID, Name: s.Name, Description: s.Description, Tags: s.Tags, Examples: s.Examples,
			InputModes: s.InputModes, OutputModes: s.OutputModes, Security: fromRequirements(s.SecurityRequirements),
		})
	}
	for name, s := range c.SecuritySchemes {
		scheme, err := fromScheme(s)
		if err != nil {
			return nil, fmt.Errorf("securitySchemes[%q]: %w", name, err)
		}
		if card.SecuritySchemes == nil {
			card.SecuritySchemes = map[string]*pb.SecurityScheme{}
		}
		card.SecuritySchemes[name] = scheme
	}
	var err error // signatures hold for the form of 1.0 only, so they stay behind
	card.Capabilities, err = fromCapabilities(&c.Capabilities)
	return card, err
}

// version03 is how cards of 0.3 name their version.
const version03 = "0.3.0"

func fromInterfaces(card *pb.AgentCard, all []a2a.AgentInterface) {
	var fit []a2a.AgentInterface
	for _, i := range all {
		if strings.HasPrefix(i.ProtocolVersion, string(a2a.Generation03)) {
			fit = append(fit, i)
		}
	}
	if fit == nil {
		fit = all
	}
	card.ProtocolVersion = version03
	for n, i := range fit {
		if n == 0 {
			card.Url, card.PreferredTransport = i.URL, i.Binding
		}
		card.AdditionalInterfaces = append(card.AdditionalInterfaces,
			&pb.AgentInterface{Url: i.URL, Transport: i.Binding})
	}
}

func fromCapabilities(c *a2a.AgentCapabilities) (*pb.AgentCapabilities, error) {
	capabilities := &pb.AgentCapabilities{Streaming: isTrue(c.Streaming),
		PushNotifications: isTrue(c.PushNotifications)}
	for _, e := range c.Extensions {
		params, err := pbvalue.FromMetadata(e.Params)
		if err != nil {
			return nil, fmt.Errorf("capabilities.extensions: %w", err)
		}
		capabilities.Extensions = append(capabilities.Extensions, &pb.AgentExtension{
			Uri: e.URI, Description: e.Description, Required: e.Required, Params: params,
		})
	}
	return capabilities, nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func fromRequirements(all []a2a.SecurityRequirement) []*pb.Security {
	var out []*pb.Security
	for _, r := range all {
		schemes := make(map[string]*pb.StringList, len(r))
		for name, scopes := range r {
			schemes[name] = &pb.StringList{List: scopes}
		}
		out = append(out, &pb.Security{Schemes: schemes})
	}
	return out
}

func fromScheme(s a2a.SecurityScheme) (*pb.SecurityScheme, error) {
	switch s := s.(type) {
	case *a2a.APIKeyScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_ApiKeySecurityScheme{
			ApiKeySecurityScheme: &pb.APIKeySecurityScheme{
				Description: s.Description, Location: s.Location, Name: s.Name,
			}}}, nil
	case *a2a.HTTPAuthScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_HttpAuthSecurityScheme{
			HttpAuthSecurityScheme: &pb.HTTPAuthSecurityScheme{
				Description: s.Description, Scheme: s.Scheme, BearerFormat: s.BearerFormat,
			}}}, nil
	case *a2a.OAuth2Scheme:
		flows, err := fromFlow(s.Flow)
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_Oauth2SecurityScheme{
			Oauth2SecurityScheme: &pb.OAuth2SecurityScheme{
				Description: s.Description, Flows: flows, Oauth2MetadataUrl: s.MetadataURL,
			}}}, err
	case *a2a.OpenIDConnectScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_OpenIdConnectSecurityScheme{
			OpenIdConnectSecurityScheme: &pb.OpenIdConnectSecurityScheme{
				Description: s.Description, OpenIdConnectUrl: s.URL,
			}}}, nil
	case *a2a.MutualTLSScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_MtlsSecurityScheme{
			MtlsSecurityScheme: &pb.MutualTlsSecurityScheme{
				Description: s.Description,
			}}}, nil
	}
	return nil, fmt.Errorf("no scheme is a %T", s)
}

func fromFlow(f a2a.OAuthFlow) (*pb.OAuthFlows, error) {
	switch f := f.(type) {
	case *a2a.AuthorizationCodeFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_AuthorizationCode{AuthorizationCode: &pb.AuthorizationCodeOAuthFlow{
			AuthorizationUrl: f.AuthorizationURL, TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}, nil
	case *a2a.ClientCredentialsFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_ClientCredentials{ClientCredentials: &pb.ClientCredentialsOAuthFlow{
			TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}, nil
	case *a2a.DeviceCodeFlow:
		return nil, nil // came with 1.0; clients find it by the metadata URL
	case *a2a.ImplicitFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_Implicit{Implicit: &pb.ImplicitOAuthFlow{
			AuthorizationUrl: f.AuthorizationURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}, nil
	case *a2a.PasswordFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_Password{Password: &pb.PasswordOAuthFlow{
			TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}, nil
	}
	return nil, fmt.Errorf("no OAuth flow is a %T", f)
}

func (d decoder) card(c *pb.AgentCard) (*a2a.AgentCard, error) {
	card := &a2a.AgentCard{
		Name: c.GetName(), Description: c.GetDescription(), Version: c.GetVersion(),
		DocumentationURL: optional(c.GetDocumentationUrl()), IconURL: optional(c.GetIconUrl()),
		SupportedInterfaces:  interfaces(c),
		SecurityRequirements: requirements(c.GetSecurity()),
		DefaultInputModes:    c.GetDefaultInputModes(), DefaultOutputModes: c.GetDefaultOutputModes(),
	}
	if p := c.GetProvider(); p != nil {
		card.Provider = &a2a.AgentProvider{URL: p.GetUrl(), Organization: p.GetOrganization()}
	}
	for _, s := range c.GetSkills() {
		card.Skills = append(card.Skills, a2a.AgentSkill{
			ID: s.GetId(), Name: s.GetName(), Description: s.GetDescription(), Tags: s.GetTags(),
			Examples:   s.GetExamples(),
			InputModes: s.GetInputModes(), OutputModes: s.GetOutputModes(),
			SecurityRequirements: requirements(s.GetSecurity()),
		})
	}
	for name, s := range c.GetSecuritySchemes() {
		scheme := securityScheme(s)
		if scheme == nil {
			continue // one that a later version brought
		}
		if card.SecuritySchemes == nil {
			card.SecuritySchemes = map[string]a2a.SecurityScheme{}
		}
		card.SecuritySchemes[name] = scheme
	}
	capabilities, failed := d.capabilities(c.GetCapabilities())
	capabilities.ExtendedAgentCard = new(c.GetSupportsAuthenticatedExtendedCard())
	return card, set(nil, &card.Capabilities, "capabilities", capabilities, failed)
}

// interfaces returns the main interface and the others, of which one may repeat it.
func interfaces(c *pb.AgentCard) []a2a.AgentInterface {
	binding := cmp.Or(c.GetPreferredTransport(), a2a.BindingJSONRPC)
	all := []a2a.AgentInterface{{URL: c.GetUrl(), Binding: binding, ProtocolVersion: c.GetProtocolVersion()}}
	for _, i := range c.GetAdditionalInterfaces() {
		other := a2a.AgentInterface{URL: i.GetUrl(), Binding: i.GetTransport(), ProtocolVersion: c.GetProtocolVersion()}
		if !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (d decoder) capabilities(c *pb.AgentCapabilities) (a2a.AgentCapabilities, error) {
	extensions, err := pbvalue.List(c.GetExtensions(), d.extension)
	return a2a.AgentCapabilities{
		Streaming: new(c.GetStreaming()), PushNotifications: new(c.GetPushNotifications()), Extensions: extensions,
	}, within("extensions", err)
}

func (d decoder) extension(e *pb.AgentExtension) (a2a.AgentExtension, error) {
	params, err := d.values.Metadata(e.GetParams())
	return a2a.AgentExtension{
		URI: e.GetUri(), Description: e.GetDescription(), Required: e.GetRequired(), Params: params,
	}, within("params", err)
}

func requirements(all []*pb.Security) []a2a.SecurityRequirement {
	var out []a2a.SecurityRequirement
	for _, r := range all {
		requirement := make(a2a.SecurityRequirement, len(r.GetSchemes()))
		for name, scopes := range r.GetSchemes() {
			requirement[name] = scopes.GetList()
		}
		out = append(out, requirement)
	}
	return out
}

// securityScheme returns nil for a scheme that is not known.
func securityScheme(s *pb.SecurityScheme) a2a.SecurityScheme {
	switch s := s.GetScheme().(type) {
	case *pb.SecurityScheme_ApiKeySecurityScheme:
		k := s.ApiKeySecurityScheme
		return &a2a.APIKeyScheme{Description: k.GetDescription(), Location: k.GetLocation(), Name: k.GetName()}
	case *pb.SecurityScheme_HttpAuthSecurityScheme:
		h := s.HttpAuthSecurityScheme
		return &a2a.HTTPAuthScheme{Description: h.GetDescription(), Scheme: h.GetScheme(),
			BearerFormat: h.GetBearerFormat()}
	case *pb.SecurityScheme_Oauth2SecurityScheme:
		o := s.Oauth2SecurityScheme
		return &a2a.OAuth2Scheme{Description: o.GetDescription(), Flow: flow(o.GetFlows()),
			MetadataURL: o.GetOauth2MetadataUrl()}
	case *pb.SecurityScheme_OpenIdConnectSecurityScheme:
		o := s.OpenIdConnectSecurityScheme
		return &a2a.OpenIDConnectScheme{Description: o.GetDescription(), URL: o.GetOpenIdConnectUrl()}
	case *pb.SecurityScheme_MtlsSecurityScheme:
		return &a2a.MutualTLSScheme{Description: s.MtlsSecurityScheme.GetDescription()}
	}
	return nil
}

// flow returns nil for a flow that is not known.
func flow(f *pb.OAuthFlows) a2a.OAuthFlow {
	switch f := f.GetFlow().(type) {
	case *pb.OAuthFlows_AuthorizationCode:
		a := f.AuthorizationCode
		return &a2a.AuthorizationCodeFlow{
			AuthorizationURL: a.GetAuthorizationUrl(), TokenURL: a.GetTokenUrl(), RefreshURL: a.GetRefreshUrl(),
			Scopes: a.GetScopes(),
		}
	case *pb.OAuthFlows_ClientCredentials:
		c := f.ClientCredentials
		return &a2a.ClientCredentialsFlow{TokenURL: c.GetTokenUrl(), RefreshURL: c.GetRefreshUrl(),
			Scopes: c.GetScopes()}
	case *pb.OAuthFlows_Implicit:
		i := f.Implicit
		return &a2a.ImplicitFlow{AuthorizationURL: i.GetAuthorizationUrl(), RefreshURL: i.GetRefreshUrl(),
			Scopes: i.GetScopes()}
	case *pb.OAuthFlows_Password:
		p := f.Password
		return &a2a.PasswordFlow{TokenURL: p.GetTokenUrl(), RefreshURL: p.GetRefreshUrl(), Scopes: p.GetScopes()}
	}
	return nil
}
