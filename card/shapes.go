// SPDX-License-Identifier: Apache-2.0

package card

import "github.com/dragoman-a2a/dragoman/internal/wire/cards"

// generations is a set of generations, by the forms of their cards.
type generations uint8

const (
	in01 generations = 1 << iota
	in02
	in03
	in10

	since02 = in02 | in03 | in10
	until03 = in01 | in02 | in03
	in02to3 = in02 | in03
	since03 = in03 | in10
	always  = until03 | in10
	never   = generations(0)
)

// generationOf returns what members a card in a form may have, and by which rules they are required.
func generationOf(form cards.Form) (allowed, required generations) {
	switch form {
	case cards.Form01:
		return in01, in01
	case cards.Form02:
		return in02, in02
	case cards.Form03:
		return in03, in03
	case cards.FormUnion:
		return always, in10
	}
	return in10, in10
}

// A checker looks at a value.
type checker func(v *validation, at string, value any)

// A member of an object of the card: in which generations it is, and in which it is required.
type member struct {
	name     string
	in, need generations
	check    checker
}

// The objects of cards of all generations. Where they differ in the type of a member the checker does, too.
var (
	cardShape = []member{
		{"name", always, always, text},
		{"description", always, since02, text},
		{"url", until03, until03, text}, // an address, see interfaces
		{"preferredTransport", in02to3, never, text},
		{"additionalInterfaces", in02to3, never, listOf(object(oldInterfaceShape))},
		{"protocolVersion", in02to3, in03, text},
		{"supportedInterfaces", in10, in10, listOf(object(interfaceShape))},
		{"iconUrl", since02, never, link},
		{"provider", always, never, object(providerShape)},
		{"version", always, always, text},
		{"documentationUrl", always, never, link},
		{"capabilities", always, always, object(capabilitiesShape)},
		{"authentication", in01, never, object(authenticationShape)},
		{"securitySchemes", since02, never, mapOf(scheme)},
		{"security", in02to3, never, listOf(mapOf(listOf(text)))},
		{"securityRequirements", in10, never, listOf(object(requirementShape))},
		{"defaultInputModes", always, since02, listOf(mode)},
		{"defaultOutputModes", always, since02, listOf(mode)},
		{"skills", always, always, listOf(object(skillShape))},
		{"supportsAuthenticatedExtendedCard", in02to3, never, flag},
		{"signatures", since03, never, listOf(signature)},
	}
	oldInterfaceShape = []member{
		{"url", in02to3, in02to3 | in10, text},
		{"transport", in02to3, in02to3 | in10, text},
	}
	interfaceShape = []member{
		{"url", in10, in10, text},
		{"protocolBinding", in10, in10, text},
		{"protocolVersion", in10, in10, text},
		{"tenant", in10, never, text},
	}
	providerShape = []member{
		{"organization", always, always, text},
		{"url", always, since02, link},
	}
	capabilitiesShape = []member{
		{"streaming", always, never, flag},
		{"pushNotifications", always, never, flag},
		{"stateTransitionHistory", until03, never, flag},
		{"extensions", since02, never, listOf(object(extensionShape))},
		{"extendedAgentCard", in10, never, flag},
	}
	extensionShape = []member{
		{"uri", since02, since02, text},
		{"description", since02, never, text},
		{"required", since02, never, flag},
		{"params", since02, never, anyObject},
	}
	authenticationShape = []member{
		{"schemes", in01, in01, schemes01},
		{"credentials", in01, never, credentials},
	}
	skillShape = []member{
		{"id", always, always, text},
		{"name", always, always, text},
		{"description", always, since02, text},
		{"tags", always, since02, listOf(text)},
		{"examples", always, never, listOf(text)},
		{"inputModes", always, never, listOf(mode)},
		{"outputModes", always, never, listOf(mode)},
		{"security", in03, never, listOf(mapOf(listOf(text)))},
		{"securityRequirements", in10, never, listOf(object(requirementShape))},
	}
	requirementShape = []member{{"schemes", in10, never, mapOf(object(scopesShape))}}
	scopesShape      = []member{{"list", in10, never, listOf(text)}}
	signatureShape   = []member{
		{"protected", since03, since03, text},
		{"signature", since03, since03, text},
		{"header", since03, never, anyObject},
	}

	// The members of schemes and flows are those of all generations; their names differ.
	apiKeyShape = []member{
		{"location", in10, in10, location},
		{"name", always, always, text},
		{"description", always, never, text},
	}
	oldAPIKeyShape = []member{
		{"in", always, always, location},
		{"name", always, always, text},
	}
	httpShape = []member{
		{"scheme", always, always, text},
		{"bearerFormat", always, never, text},
		{"description", always, never, text},
	}
	oauth2Shape = []member{
		{"flows", always, always, flows},
		{"oauth2MetadataUrl", since03, never, address},
		{"description", always, never, text},
	}
	openIDShape = []member{
		{"openIdConnectUrl", always, always, address},
		{"description", always, never, text},
	}
	describedShape = []member{{"description", always, never, text}}

	flowShapes = map[string][]member{
		"authorizationCode": {
			{"authorizationUrl", always, always, address},
			{"tokenUrl", always, always, address},
			{"refreshUrl", always, never, address},
			{"scopes", always, always, mapOf(text)},
			{"pkceRequired", in10, never, flag},
		},
		"clientCredentials": {
			{"tokenUrl", always, always, address},
			{"refreshUrl", always, never, address},
			{"scopes", always, always, mapOf(text)},
		},
		"deviceCode": {
			{"deviceAuthorizationUrl", always, always, address},
			{"tokenUrl", always, always, address},
			{"refreshUrl", always, never, address},
			{"scopes", always, always, mapOf(text)},
		},
		"implicit": {
			{"authorizationUrl", always, in02to3, address},
			{"refreshUrl", always, never, address},
			{"scopes", always, in02to3, mapOf(text)},
		},
		"password": {
			{"tokenUrl", always, in02to3, address},
			{"refreshUrl", always, never, address},
			{"scopes", always, in02to3, mapOf(text)},
		},
	}
)

// schemeShapes are the types of schemes: by the value of type, and by the member that holds one in 1.0.
var (
	schemeShapes = map[string][]member{
		"apiKey": oldAPIKeyShape, "http": httpShape, "oauth2": oauth2Shape, "openIdConnect": openIDShape,
		"mutualTLS": describedShape,
	}
	wrappedShapes = map[string][]member{
		"apiKeySecurityScheme": apiKeyShape, "httpAuthSecurityScheme": httpShape, "oauth2SecurityScheme": oauth2Shape,
		"openIdConnectSecurityScheme": openIDShape, "mtlsSecurityScheme": describedShape,
	}
)
