// SPDX-License-Identifier: Apache-2.0

package a2a

// The bindings that A2A 1.0 defines, as they stand in [AgentInterface.Binding]. A custom binding is a URI.
const (
	BindingJSONRPC  = "JSONRPC"
	BindingHTTPJSON = "HTTP+JSON"
	BindingGRPC     = "GRPC"
)

// AgentCard is what an agent says of itself (A2A 1.0 §4.4.1).
type AgentCard struct {
	Name                 string           // required
	Description          string           // required
	SupportedInterfaces  []AgentInterface // required; the preferred one first
	Provider             *AgentProvider
	Version              string  // required; the agent's own version
	DocumentationURL     *string // presence counts for signatures, so nil and "" differ
	Capabilities         AgentCapabilities
	SecuritySchemes      map[string]SecurityScheme
	SecurityRequirements []SecurityRequirement // any one of them suffices
	DefaultInputModes    []string              // required; media types; a server writes text/plain for none
	DefaultOutputModes   []string              // required; likewise
	Skills               []AgentSkill          // required
	Signatures           []AgentCardSignature
	IconURL              *string
}

// AgentInterface is one way to reach the agent (A2A 1.0 §4.4.6).
type AgentInterface struct {
	URL             string // required
	Binding         string // required; "protocolBinding": JSONRPC, HTTP+JSON, GRPC or a URI
	Tenant          string // to be repeated in every request to this interface
	ProtocolVersion string // required; "1.0"
}

// AgentProvider is who offers the agent.
type AgentProvider struct {
	URL          string // required
	Organization string // required
}

// AgentCapabilities says which optional parts of the protocol the agent has. Nil differs from false for signatures.
type AgentCapabilities struct {
	Streaming         *bool
	PushNotifications *bool
	Extensions        []AgentExtension
	ExtendedAgentCard *bool
}

// AgentExtension names an extension of the protocol that the agent speaks (A2A 1.0 §4.6).
type AgentExtension struct {
	URI         string
	Description string
	Required    bool // clients that do not declare it are refused
	Params      Metadata
}

// AgentSkill is one thing the agent can do.
type AgentSkill struct {
	ID                   string   // required
	Name                 string   // required
	Description          string   // required
	Tags                 []string // required
	Examples             []string
	InputModes           []string // empty means the card's default
	OutputModes          []string // empty means the card's default
	SecurityRequirements []SecurityRequirement
}

// AgentCardSignature is a JWS over the canonical card (A2A 1.0 §8.4).
type AgentCardSignature struct {
	Protected string // required; base64url of the protected header
	Signature string // required; base64url
	Header    Metadata
}

// SecurityRequirement maps names of security schemes to the scopes they must grant: all of them are needed.
type SecurityRequirement map[string][]string

// SecurityScheme is one of [*APIKeyScheme], [*HTTPAuthScheme], [*OAuth2Scheme], [*OpenIDConnectScheme] and
// [*MutualTLSScheme] (A2A 1.0 §4.5.1).
type SecurityScheme interface{ securityScheme() }

// APIKeyScheme expects a key in a query parameter, a header or a cookie.
type APIKeyScheme struct {
	Description string
	Location    string // required; "query", "header" or "cookie"
	Name        string // required
}

// HTTPAuthScheme is an HTTP authentication scheme, such as Bearer.
type HTTPAuthScheme struct {
	Description  string
	Scheme       string // required
	BearerFormat string
}

// OAuth2Scheme is OAuth 2.0 with one flow.
type OAuth2Scheme struct {
	Description string
	Flow        OAuthFlow // required; "flows", of which exactly one is set
	MetadataURL string    // "oauth2MetadataUrl"
}

// OpenIDConnectScheme is OpenID Connect with discovery.
type OpenIDConnectScheme struct {
	Description string
	URL         string // required; "openIdConnectUrl"
}

// MutualTLSScheme expects a client certificate.
type MutualTLSScheme struct {
	Description string
}

func (*APIKeyScheme) securityScheme()        {}
func (*HTTPAuthScheme) securityScheme()      {}
func (*OAuth2Scheme) securityScheme()        {}
func (*OpenIDConnectScheme) securityScheme() {}
func (*MutualTLSScheme) securityScheme()     {}

// OAuthFlow is one of [*AuthorizationCodeFlow], [*ClientCredentialsFlow], [*DeviceCodeFlow] and the deprecated
// [*ImplicitFlow] and [*PasswordFlow] (A2A 1.0 §4.5.7).
type OAuthFlow interface{ oauthFlow() }

// AuthorizationCodeFlow is the OAuth 2.0 authorization code flow.
type AuthorizationCodeFlow struct {
	AuthorizationURL string // required
	TokenURL         string // required
	RefreshURL       string
	Scopes           map[string]string // required; scope to description
	PKCERequired     bool
}

// ClientCredentialsFlow is the OAuth 2.0 client credentials flow.
type ClientCredentialsFlow struct {
	TokenURL   string // required
	RefreshURL string
	Scopes     map[string]string // required
}

// DeviceCodeFlow is the OAuth 2.0 device authorization flow (RFC 8628).
type DeviceCodeFlow struct {
	DeviceAuthorizationURL string // required
	TokenURL               string // required
	RefreshURL             string
	Scopes                 map[string]string // required
}

// ImplicitFlow is the OAuth 2.0 implicit flow, deprecated by A2A 1.0.
type ImplicitFlow struct {
	AuthorizationURL string
	RefreshURL       string
	Scopes           map[string]string
}

// PasswordFlow is the OAuth 2.0 resource owner password flow, deprecated by A2A 1.0.
type PasswordFlow struct {
	TokenURL   string
	RefreshURL string
	Scopes     map[string]string
}

func (*AuthorizationCodeFlow) oauthFlow() {}
func (*ClientCredentialsFlow) oauthFlow() {}
func (*DeviceCodeFlow) oauthFlow()        {}
func (*ImplicitFlow) oauthFlow()          {}
func (*PasswordFlow) oauthFlow()          {}
