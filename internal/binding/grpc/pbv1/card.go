// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 cards may still have the flows that 1.0 deprecates

package pbv1

import (
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

func fromCard(c *a2a.AgentCard) (*pb.AgentCard, error) {
	card := &pb.AgentCard{
		Name: c.Name, Description: c.Description, Version: c.Version,
		DocumentationUrl: c.DocumentationURL, IconUrl: c.IconURL,
		SecurityRequirements: fromRequirements(c.SecurityRequirements),
		DefaultInputModes:    c.DefaultInputModes, DefaultOutputModes: c.DefaultOutputModes,
	}
	for _, i := range c.SupportedInterfaces {
		card.SupportedInterfaces = append(card.SupportedInterfaces, &pb.AgentInterface{
			Url: i.URL, ProtocolBinding: i.Binding, Tenant: i.Tenant, ProtocolVersion: i.ProtocolVersion,
		})
	}
	if c.Provider != nil {
		card.Provider = &pb.AgentProvider{Url: c.Provider.URL, Organization: c.Provider.Organization}
	}
	for _, s := range c.Skills {
		card.Skills = append(card.Skills, &pb.AgentSkill{
			Id: s.ID, Name: s.Name, Description: s.Description, Tags: s.Tags, Examples: s.Examples,
			InputModes: s.InputModes, OutputModes: s.OutputModes,
			SecurityRequirements: fromRequirements(s.SecurityRequirements),
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
	for _, s := range c.Signatures {
		header, err := pbvalue.FromMetadata(s.Header)
		if err != nil {
			return nil, fmt.Errorf("signatures: %w", err)
		}
		card.Signatures = append(card.Signatures,
			&pb.AgentCardSignature{Protected: s.Protected, Signature: s.Signature, Header: header})
	}
	var err error
	card.Capabilities, err = fromCapabilities(&c.Capabilities)
	return card, err
}

func fromCapabilities(c *a2a.AgentCapabilities) (*pb.AgentCapabilities, error) {
	capabilities := &pb.AgentCapabilities{
		Streaming: c.Streaming, PushNotifications: c.PushNotifications, ExtendedAgentCard: c.ExtendedAgentCard,
	}
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

func fromRequirements(all []a2a.SecurityRequirement) []*pb.SecurityRequirement {
	var out []*pb.SecurityRequirement
	for _, r := range all {
		schemes := make(map[string]*pb.StringList, len(r))
		for name, scopes := range r {
			schemes[name] = &pb.StringList{List: scopes}
		}
		out = append(out, &pb.SecurityRequirement{Schemes: schemes})
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
			PkceRequired: f.PKCERequired,
		}}}, nil
	case *a2a.ClientCredentialsFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_ClientCredentials{ClientCredentials: &pb.ClientCredentialsOAuthFlow{
			TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}, nil
	case *a2a.DeviceCodeFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_DeviceCode{DeviceCode: &pb.DeviceCodeOAuthFlow{
			DeviceAuthorizationUrl: f.DeviceAuthorizationURL, TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL,
			Scopes: f.Scopes,
		}}}, nil
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
		DocumentationURL: c.DocumentationUrl, IconURL: c.IconUrl,
		SecurityRequirements: requirements(c.GetSecurityRequirements()),
		DefaultInputModes:    c.GetDefaultInputModes(), DefaultOutputModes: c.GetDefaultOutputModes(),
	}
	for _, i := range c.GetSupportedInterfaces() {
		card.SupportedInterfaces = append(card.SupportedInterfaces, a2a.AgentInterface{
			URL: i.GetUrl(), Binding: i.GetProtocolBinding(), Tenant: i.GetTenant(),
			ProtocolVersion: i.GetProtocolVersion(),
		})
	}
	if p := c.GetProvider(); p != nil {
		card.Provider = &a2a.AgentProvider{URL: p.GetUrl(), Organization: p.GetOrganization()}
	}
	for _, s := range c.GetSkills() {
		card.Skills = append(card.Skills, a2a.AgentSkill{
			ID: s.GetId(), Name: s.GetName(), Description: s.GetDescription(), Tags: s.GetTags(),
			Examples:   s.GetExamples(),
			InputModes: s.GetInputModes(), OutputModes: s.GetOutputModes(),
			SecurityRequirements: requirements(s.GetSecurityRequirements()),
		})
	}
	for name, s := range c.GetSecuritySchemes() {
		scheme := securityScheme(s)
		if scheme == nil {
			continue // one that a later minor version brought
		}
		if card.SecuritySchemes == nil {
			card.SecuritySchemes = map[string]a2a.SecurityScheme{}
		}
		card.SecuritySchemes[name] = scheme
	}
	signatures, failed := pbvalue.List(c.GetSignatures(), d.signature)
	err := set(nil, &card.Signatures, "signatures", signatures, failed)
	capabilities, failed := d.capabilities(c.GetCapabilities())
	return card, set(err, &card.Capabilities, "capabilities", capabilities, failed)
}

func (d decoder) signature(s *pb.AgentCardSignature) (a2a.AgentCardSignature, error) {
	header, err := d.values.Metadata(s.GetHeader())
	return a2a.AgentCardSignature{Protected: s.GetProtected(), Signature: s.GetSignature(), Header: header},
		within("header", err)
}

func (d decoder) capabilities(c *pb.AgentCapabilities) (a2a.AgentCapabilities, error) {
	if c == nil {
		return a2a.AgentCapabilities{}, nil
	}
	extensions, err := pbvalue.List(c.GetExtensions(), d.extension)
	return a2a.AgentCapabilities{
		Streaming: c.Streaming, PushNotifications: c.PushNotifications, ExtendedAgentCard: c.ExtendedAgentCard,
		Extensions: extensions,
	}, within("extensions", err)
}

func (d decoder) extension(e *pb.AgentExtension) (a2a.AgentExtension, error) {
	params, err := d.values.Metadata(e.GetParams())
	return a2a.AgentExtension{
		URI: e.GetUri(), Description: e.GetDescription(), Required: e.GetRequired(), Params: params,
	}, within("params", err)
}

func requirements(all []*pb.SecurityRequirement) []a2a.SecurityRequirement {
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
			Scopes: a.GetScopes(), PKCERequired: a.GetPkceRequired(),
		}
	case *pb.OAuthFlows_ClientCredentials:
		c := f.ClientCredentials
		return &a2a.ClientCredentialsFlow{TokenURL: c.GetTokenUrl(), RefreshURL: c.GetRefreshUrl(),
			Scopes: c.GetScopes()}
	case *pb.OAuthFlows_DeviceCode:
		c := f.DeviceCode
		return &a2a.DeviceCodeFlow{
			DeviceAuthorizationURL: c.GetDeviceAuthorizationUrl(), TokenURL: c.GetTokenUrl(),
			RefreshURL: c.GetRefreshUrl(), Scopes: c.GetScopes(),
		}
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
