// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Decode reads a card in any form, see [FormOf]. The interfaces of a card of an older form get the version of the
// protocol that the card is of: of 0.2 and 0.3 as protocolVersion says; of a card that may be of 0.1 or 0.2 each
// interface has both versions, 0.2 first. A union is read as the card of 1.0 that it holds; what its older members list
// is added to the interfaces unless it is there already. An interface without a version speaks 1.0, which brought the
// list: the cards of Microsoft's agent framework leave it out. Default modes that an old card leaves out are
// text/plain, and text is read as text/plain.
//
// Signatures are kept where [SignedForm] can tell what they are for; so not those of a union to which interfaces were
// added, or of a 1.0 card that has only older interfaces.
//
// Errors are [*a2a.Error]: ErrParse when data is not JSON, ErrInvalidParams when a member has the wrong type. Members
// that are missing are no error here.
func Decode(data []byte) (*a2a.AgentCard, error) {
	e, err := examine(data)
	if err != nil {
		return nil, err
	}
	switch e.form() {
	case Form10:
		return decode10(data)
	case FormUnion:
		return decodeUnion(data, e)
	}
	return decodeOld(data, e)
}

func decode10(data []byte) (*a2a.AgentCard, error) {
	var card a2a.AgentCard
	if err := a2a.Unmarshal(data, &card); err != nil {
		return nil, err
	}
	for name, scheme := range card.SecuritySchemes {
		card.SecuritySchemes[name] = withFlow(scheme)
	}
	for i := range card.SupportedInterfaces {
		if iface := &card.SupportedInterfaces[i]; iface.ProtocolVersion == "" {
			iface.ProtocolVersion = string(a2a.Generation10)
		}
	}
	return unsigned(&card, Form10), nil
}

// decodeUnion leaves out the old members when they cannot be read: to 1.0 they are unknown ones, which do no harm.
func decodeUnion(data []byte, e *evidence) (*a2a.AgentCard, error) {
	card, err := decode10(data)
	if err != nil {
		return nil, err
	}
	var places oldPlaces
	if wire.DecodeJSON(data, &places, oldPlacesObject.Read) != nil {
		return card, nil
	}
	listed := make(map[place]bool)
	for _, iface := range card.SupportedInterfaces {
		if old(iface.ProtocolVersion) {
			listed[placeOf(iface)] = true
		}
	}
	for _, iface := range places.interfaces(versionOf(e)) {
		if !listed[placeOf(iface)] {
			card.SupportedInterfaces = append(card.SupportedInterfaces, iface)
			card.Signatures = nil // they do not cover it
		}
	}
	return card, nil
}

func decodeOld(data []byte, e *evidence) (*a2a.AgentCard, error) {
	var c oldCard
	if err := wire.DecodeJSON(data, &c, oldCardObject.Read); err != nil {
		return nil, err
	}
	card := &c.AgentCard
	if e.form() == Form01 {
		c.Additional, c.Transport = nil, "" // unknown members to 0.1
		card.SupportedInterfaces = c.interfaces(a2a.Generation01)
		card.Signatures = nil
		c.authenticate()
	} else {
		card.SupportedInterfaces = c.interfaces(versionOf(e))
	}
	if e.either() {
		card.SupportedInterfaces = append(card.SupportedInterfaces, c.interfaces(a2a.Generation01)...)
	}
	card.DefaultInputModes = modes(card.DefaultInputModes)
	card.DefaultOutputModes = modes(card.DefaultOutputModes)
	for i := range card.Skills {
		plain(&card.Skills[i].InputModes)
		plain(&card.Skills[i].OutputModes)
	}
	return card, nil
}

// versionOf returns the generation that the interfaces of a card of 0.2 or 0.3 speak.
func versionOf(e *evidence) a2a.Generation {
	gen := majorMinor(e.version)
	switch {
	case is02or03(gen):
		return gen
	case e.version == "" && !e.signatures:
		return a2a.Generation02 // 0.3 requires protocolVersion
	}
	return a2a.Generation03
}

const textPlain = "text/plain"

// modes completes the default modes of an old card.
func modes(list []string) []string {
	if len(list) == 0 {
		return []string{textPlain}
	}
	plain(&list)
	return list
}

// plain spells the mode text of April 2025 as the media type it means.
func plain(list *[]string) {
	if !slices.Contains(*list, "text") {
		return
	}
	var spelt []string
	for _, mode := range *list {
		if mode == "text" {
			mode = textPlain
		}
		if mode != textPlain || !slices.Contains(spelt, textPlain) {
			spelt = append(spelt, mode)
		}
	}
	*list = spelt
}

// oldPlaces is where old cards say that the agent is.
type oldPlaces struct {
	URL        string
	Transport  string
	Additional []a2a.AgentInterface
}

var oldPlacesObject = jsonio.Object[oldPlaces]{Members: []jsonio.Member[oldPlaces]{
	jsonio.Str("url", func(v *oldPlaces) *string { return &v.URL }),
	jsonio.Str("preferredTransport", func(v *oldPlaces) *string { return &v.Transport }),
	jsonio.Each("additionalInterfaces", 0, &oldInterfaceObject,
		func(v *oldPlaces) *[]a2a.AgentInterface { return &v.Additional }),
}}

var oldInterfaceObject = jsonio.Object[a2a.AgentInterface]{Members: []jsonio.Member[a2a.AgentInterface]{
	jsonio.Str("url", func(v *a2a.AgentInterface) *string { return &v.URL }),
	jsonio.Str("transport", func(v *a2a.AgentInterface) *string { return &v.Binding }),
}}

// interfaces returns the places as interfaces of a version, the preferred one first. Entries that lack their half are
// left out: the rest of the card is good without them.
func (p *oldPlaces) interfaces(gen a2a.Generation) []a2a.AgentInterface {
	transport := p.Transport
	if transport == "" {
		transport = a2a.BindingJSONRPC
	}
	all := append([]a2a.AgentInterface{{URL: p.URL, Binding: transport}}, p.Additional...)
	var list []a2a.AgentInterface
	for _, iface := range all {
		if iface.URL != "" && iface.Binding != "" {
			iface.Binding, iface.ProtocolVersion = bindingOf(iface.Binding), string(gen)
			list = append(list, iface)
		}
	}
	return distinct(list)
}

// oldCard is a card of 0.1 to 0.3 while it is read.
type oldCard struct {
	a2a.AgentCard
	oldPlaces
	Authentication authentication
}

func embedded(m jsonio.Member[oldPlaces]) jsonio.Member[oldCard] {
	return jsonio.Member[oldCard]{Name: m.Name,
		Read: func(d *jsonio.Reader, v *oldCard) error { return m.Read(d, &v.oldPlaces) }}
}

var oldCardObject = jsonio.Object[oldCard]{Members: []jsonio.Member[oldCard]{
	jsonio.Str("name", func(v *oldCard) *string { return &v.Name }),
	jsonio.Str("description", func(v *oldCard) *string { return &v.Description }),
	embedded(oldPlacesObject.Members[0]), embedded(oldPlacesObject.Members[1]), embedded(oldPlacesObject.Members[2]),
	jsonio.PtrStr("iconUrl", func(v *oldCard) **string { return &v.IconURL }),
	jsonio.Ptr("provider", &providerObject, func(v *oldCard) **a2a.AgentProvider { return &v.Provider }),
	jsonio.Str("version", func(v *oldCard) *string { return &v.Version }),
	jsonio.PtrStr("documentationUrl", func(v *oldCard) **string { return &v.DocumentationURL }),
	jsonio.Nested("capabilities", &capabilitiesObject,
		func(v *oldCard) *a2a.AgentCapabilities { return &v.Capabilities }),
	jsonio.Nested("authentication", &authenticationObject,
		func(v *oldCard) *authentication { return &v.Authentication }),
	{Name: "securitySchemes",
		Read: func(d *jsonio.Reader, v *oldCard) error { return readSchemes(d, &v.SecuritySchemes) }},
	{Name: "security", Read: func(d *jsonio.Reader, v *oldCard) error {
		return jsonio.List(d, &v.SecurityRequirements, 0, readRequirement)
	}},
	jsonio.Strs("defaultInputModes", 0, func(v *oldCard) *[]string { return &v.DefaultInputModes }),
	jsonio.Strs("defaultOutputModes", 0, func(v *oldCard) *[]string { return &v.DefaultOutputModes }),
	jsonio.Each("skills", 0, &skillObject, func(v *oldCard) *[]a2a.AgentSkill { return &v.Skills }),
	jsonio.PtrBool("supportsAuthenticatedExtendedCard",
		func(v *oldCard) **bool { return &v.Capabilities.ExtendedAgentCard }),
	jsonio.Each("signatures", 0, &signatureObject,
		func(v *oldCard) *[]a2a.AgentCardSignature { return &v.Signatures }),
}}

var providerObject = jsonio.Object[a2a.AgentProvider]{Members: []jsonio.Member[a2a.AgentProvider]{
	jsonio.Str("organization", func(v *a2a.AgentProvider) *string { return &v.Organization }),
	jsonio.Str("url", func(v *a2a.AgentProvider) *string { return &v.URL }),
}}

// stateTransitionHistory is not read: no generation says what an agent that has it does.
var capabilitiesObject = jsonio.Object[a2a.AgentCapabilities]{Members: []jsonio.Member[a2a.AgentCapabilities]{
	jsonio.PtrBool("streaming", func(v *a2a.AgentCapabilities) **bool { return &v.Streaming }),
	jsonio.PtrBool("pushNotifications", func(v *a2a.AgentCapabilities) **bool { return &v.PushNotifications }),
	jsonio.OptEach("extensions", 0, &extensionObject,
		func(v *a2a.AgentCapabilities) *[]a2a.AgentExtension { return &v.Extensions }),
}}

var extensionObject = jsonio.Object[a2a.AgentExtension]{Members: []jsonio.Member[a2a.AgentExtension]{
	jsonio.Str("uri", func(v *a2a.AgentExtension) *string { return &v.URI }),
	jsonio.OptStr("description", func(v *a2a.AgentExtension) *string { return &v.Description }),
	jsonio.OptBool("required", func(v *a2a.AgentExtension) *bool { return &v.Required }),
	jsonio.OptMetadata("params", func(v *a2a.AgentExtension) *a2a.Metadata { return &v.Params }),
}}

var skillObject = jsonio.Object[a2a.AgentSkill]{Members: []jsonio.Member[a2a.AgentSkill]{
	jsonio.Str("id", func(v *a2a.AgentSkill) *string { return &v.ID }),
	jsonio.Str("name", func(v *a2a.AgentSkill) *string { return &v.Name }),
	jsonio.Str("description", func(v *a2a.AgentSkill) *string { return &v.Description }),
	jsonio.Strs("tags", 0, func(v *a2a.AgentSkill) *[]string { return &v.Tags }),
	jsonio.Strs("examples", 0, func(v *a2a.AgentSkill) *[]string { return &v.Examples }),
	jsonio.Strs("inputModes", 0, func(v *a2a.AgentSkill) *[]string { return &v.InputModes }),
	jsonio.Strs("outputModes", 0, func(v *a2a.AgentSkill) *[]string { return &v.OutputModes }),
	{Name: "security", Read: func(d *jsonio.Reader, v *a2a.AgentSkill) error {
		return jsonio.List(d, &v.SecurityRequirements, 0, readRequirement)
	}},
}}

var signatureObject = jsonio.Object[a2a.AgentCardSignature]{Members: []jsonio.Member[a2a.AgentCardSignature]{
	jsonio.Str("protected", func(v *a2a.AgentCardSignature) *string { return &v.Protected }),
	jsonio.Str("signature", func(v *a2a.AgentCardSignature) *string { return &v.Signature }),
	jsonio.OptMetadata("header", func(v *a2a.AgentCardSignature) *a2a.Metadata { return &v.Header }),
}}

func readStrings(d *jsonio.Reader, p *[]string) error {
	return jsonio.List(d, p, 0, jsonio.String[string])
}

// readMap reads an object of values of one kind. A null value counts as absent. An empty object is an empty map.
func readMap[V any](d *jsonio.Reader, m *map[string]V, read func(*jsonio.Reader, *V) error) error {
	if d.PeekKind() != '{' {
		if err := skip(d); err != nil {
			return err
		}
		return jsonio.Invalid(d, "must be an object")
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	*m = make(map[string]V)
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if d.PeekKind() == 'n' {
			if err := skip(d); err != nil {
				return err
			}
			continue
		}
		var value V
		if err := read(d, &value); err != nil {
			return err
		}
		(*m)[key] = value
	}
	_, err := d.ReadToken()
	return err
}
