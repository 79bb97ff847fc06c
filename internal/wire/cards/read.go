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
	{Name: "url", Read: func(d *jsonio.Reader, v *oldPlaces) error { return jsonio.String(d, &v.URL) }},
	{Name: "preferredTransport", Read: func(d *jsonio.Reader,
		v *oldPlaces) error {
		return jsonio.String(d, &v.Transport)
	}},
	{Name: "additionalInterfaces", Read: func(d *jsonio.Reader, v *oldPlaces) error {
		return jsonio.List(d, &v.Additional, 0, oldInterfaceObject.Read)
	}},
}}

var oldInterfaceObject = jsonio.Object[a2a.AgentInterface]{Members: []jsonio.Member[a2a.AgentInterface]{
	{Name: "url", Read: func(d *jsonio.Reader, v *a2a.AgentInterface) error { return jsonio.String(d, &v.URL) }},
	{Name: "transport", Read: func(d *jsonio.Reader,
		v *a2a.AgentInterface) error {
		return jsonio.String(d, &v.Binding)
	}},
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
	{Name: "name", Read: func(d *jsonio.Reader, v *oldCard) error { return jsonio.String(d, &v.Name) }},
	{Name: "description", Read: func(d *jsonio.Reader, v *oldCard) error { return jsonio.String(d, &v.Description) }},
	embedded(oldPlacesObject.Members[0]), embedded(oldPlacesObject.Members[1]), embedded(oldPlacesObject.Members[2]),
	{Name: "iconUrl", Read: func(d *jsonio.Reader, v *oldCard) error { return stringPtr(d, &v.IconURL) }},
	{Name: "provider", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return providerObject.ReadNew(d, &v.Provider)
	}},
	{Name: "version", Read: func(d *jsonio.Reader, v *oldCard) error { return jsonio.String(d, &v.Version) }},
	{Name: "documentationUrl", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return stringPtr(d, &v.DocumentationURL)
	}},
	{Name: "capabilities", Read: func(d *jsonio.Reader, v *oldCard) error {
		return capabilitiesObject.Read(d, &v.Capabilities)
	}},
	{Name: "authentication", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return authenticationObject.Read(d, &v.Authentication)
	}},
	{Name: "securitySchemes", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return readSchemes(d, &v.SecuritySchemes)
	}},
	{Name: "security", Read: func(d *jsonio.Reader, v *oldCard) error {
		return jsonio.List(d, &v.SecurityRequirements, 0, readRequirement)
	}},
	{Name: "defaultInputModes", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return readStrings(d, &v.DefaultInputModes)
	}},
	{Name: "defaultOutputModes", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return readStrings(d, &v.DefaultOutputModes)
	}},
	{Name: "skills", Read: func(d *jsonio.Reader,
		v *oldCard) error {
		return jsonio.List(d, &v.Skills, 0, skillObject.Read)
	}},
	{Name: "supportsAuthenticatedExtendedCard", Read: func(d *jsonio.Reader, v *oldCard) error {
		return boolPtr(d, &v.Capabilities.ExtendedAgentCard)
	}},
	{Name: "signatures", Read: func(d *jsonio.Reader, v *oldCard) error {
		return jsonio.List(d, &v.Signatures, 0, signatureObject.Read)
	}},
}}

var providerObject = jsonio.Object[a2a.AgentProvider]{Members: []jsonio.Member[a2a.AgentProvider]{
	{Name: "url", Read: func(d *jsonio.Reader, v *a2a.AgentProvider) error { return jsonio.String(d, &v.URL) }},
	{Name: "organization", Read: func(d *jsonio.Reader,
		v *a2a.AgentProvider) error {
		return jsonio.String(d, &v.Organization)
	}},
}}

// stateTransitionHistory is not read: no generation says what an agent that has it does.
var capabilitiesObject = jsonio.Object[a2a.AgentCapabilities]{Members: []jsonio.Member[a2a.AgentCapabilities]{
	{Name: "streaming", Read: func(d *jsonio.Reader,
		v *a2a.AgentCapabilities) error {
		return boolPtr(d, &v.Streaming)
	}},
	{Name: "pushNotifications", Read: func(d *jsonio.Reader,
		v *a2a.AgentCapabilities) error {
		return boolPtr(d, &v.PushNotifications)
	}},
	{Name: "extensions", Read: func(d *jsonio.Reader, v *a2a.AgentCapabilities) error {
		return jsonio.List(d, &v.Extensions, 0, extensionObject.Read)
	}},
}}

var extensionObject = jsonio.Object[a2a.AgentExtension]{Members: []jsonio.Member[a2a.AgentExtension]{
	{Name: "uri", Read: func(d *jsonio.Reader, v *a2a.AgentExtension) error { return jsonio.String(d, &v.URI) }},
	{Name: "description", Read: func(d *jsonio.Reader,
		v *a2a.AgentExtension) error {
		return jsonio.String(d, &v.Description)
	}},
	{Name: "required", Read: func(d *jsonio.Reader,
		v *a2a.AgentExtension) error {
		return jsonio.Bool(d, &v.Required)
	}},
	{Name: "params", Read: func(d *jsonio.Reader,
		v *a2a.AgentExtension) error {
		return jsonio.Metadata(d, &v.Params)
	}},
}}

var skillObject = jsonio.Object[a2a.AgentSkill]{Members: []jsonio.Member[a2a.AgentSkill]{
	{Name: "id", Read: func(d *jsonio.Reader, v *a2a.AgentSkill) error { return jsonio.String(d, &v.ID) }},
	{Name: "name", Read: func(d *jsonio.Reader, v *a2a.AgentSkill) error { return jsonio.String(d, &v.Name) }},
	{Name: "description", Read: func(d *jsonio.Reader,
		v *a2a.AgentSkill) error {
		return jsonio.String(d, &v.Description)
	}},
	{Name: "tags", Read: func(d *jsonio.Reader, v *a2a.AgentSkill) error { return readStrings(d, &v.Tags) }},
	{Name: "examples", Read: func(d *jsonio.Reader, v *a2a.AgentSkill) error { return readStrings(d, &v.Examples) }},
	{Name: "inputModes", Read: func(d *jsonio.Reader,
		v *a2a.AgentSkill) error {
		return readStrings(d, &v.InputModes)
	}},
	{Name: "outputModes", Read: func(d *jsonio.Reader,
		v *a2a.AgentSkill) error {
		return readStrings(d, &v.OutputModes)
	}},
	{Name: "security", Read: func(d *jsonio.Reader, v *a2a.AgentSkill) error {
		return jsonio.List(d, &v.SecurityRequirements, 0, readRequirement)
	}},
}}

var signatureObject = jsonio.Object[a2a.AgentCardSignature]{Members: []jsonio.Member[a2a.AgentCardSignature]{
	{Name: "protected", Read: func(d *jsonio.Reader,
		v *a2a.AgentCardSignature) error {
		return jsonio.String(d, &v.Protected)
	}},
	{Name: "signature", Read: func(d *jsonio.Reader,
		v *a2a.AgentCardSignature) error {
		return jsonio.String(d, &v.Signature)
	}},
	{Name: "header", Read: func(d *jsonio.Reader,
		v *a2a.AgentCardSignature) error {
		return jsonio.Metadata(d, &v.Header)
	}},
}}

func readStrings(d *jsonio.Reader, p *[]string) error {
	return jsonio.List(d, p, 0, jsonio.String[string])
}

func stringPtr(d *jsonio.Reader, p **string) error {
	*p = new(string)
	return jsonio.String(d, *p)
}

func boolPtr(d *jsonio.Reader, p **bool) error {
	*p = new(bool)
	return jsonio.Bool(d, *p)
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
