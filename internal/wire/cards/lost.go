// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Lost names what of a card a form cannot carry: each the path of a member of the model, as 1.0 spells it, and after a
// colon why. The list is in the order of the card, and empty when nothing is lost.
func Lost(card *a2a.AgentCard, form Form) []string {
	l := losses{card: card, form: form}
	switch form {
	case Form01:
		l.interfaces(l.place01())
		l.schemes01()
		l.members01()
	case Form02, Form03:
		l.interfaces(candidates(card, form))
		l.schemes03()
	case FormUnion:
		l.union()
	}
	if len(card.Signatures) > 0 && (form == FormUnion || SignedForm(card) != form) {
		l.add("signatures", "they cover the form of %s alone", SignedForm(card))
	}
	return l.list
}

type losses struct {
	card *a2a.AgentCard
	form Form
	list []string
}

func (l *losses) add(path, why string, args ...any) {
	l.list = append(l.list, path+": "+fmt.Sprintf(why, args...))
}

func (l *losses) place01() []a2a.AgentInterface {
	if place := interface01(l.card); place != nil {
		return []a2a.AgentInterface{*place}
	}
	return nil
}

// interfaces names those that are not listed, and what is not said of those that are.
func (l *losses) interfaces(listed []a2a.AgentInterface) {
	type spoken struct {
		place
		gen a2a.Generation
	}
	known := make(map[spoken]bool, len(listed))
	for _, iface := range listed {
		known[spoken{placeOf(iface), dialectOf(iface)}] = true
	}
	for i, iface := range l.card.SupportedInterfaces {
		at := fmt.Sprintf("supportedInterfaces[%d]", i)
		if !known[spoken{placeOf(iface), dialectOf(iface)}] {
			l.add(at, "a card of %s does not list the %s interface of version %s", l.form, iface.Binding,
				iface.ProtocolVersion)
			continue
		}
		l.listed(at, iface)
	}
}

// dialectOf returns the generation that an interface speaks like: that of 0.2 is that of 0.3.
func dialectOf(iface a2a.AgentInterface) a2a.Generation {
	gen := majorMinor(iface.ProtocolVersion)
	if gen == a2a.Generation02 {
		return a2a.Generation03
	}
	return gen
}

func (l *losses) listed(at string, iface a2a.AgentInterface) {
	if iface.Tenant != "" {
		l.add(at+".tenant", "before 1.0 there are no tenants")
	}
	if !speaks(l.form, iface) {
		l.add(at, "readers of %s take it for an interface of their own generation, and this is %s of version %s",
			l.form, iface.Binding, iface.ProtocolVersion)
	}
}

func (l *losses) schemes01() {
	named := make(map[string]bool)
	for i, need := range l.card.SecurityRequirements {
		for name, scopes := range need {
			named[name] = true
			if len(scopes) > 0 {
				l.add(fmt.Sprintf("securityRequirements[%d].schemes.%s", i, name), "0.1 has no scopes")
			}
		}
		if len(need) > 1 {
			l.add(fmt.Sprintf("securityRequirements[%d]", i),
				"0.1 cannot ask for several schemes at once: any of them suffices there")
		}
		if len(need) == 0 {
			l.add(fmt.Sprintf("securityRequirements[%d]", i), "0.1 cannot say that authentication is optional")
		}
	}
	all := len(l.card.SecurityRequirements) == 0
	for _, name := range slices.Sorted(maps.Keys(l.card.SecuritySchemes)) {
		if !all && !named[name] {
			l.add("securitySchemes."+name, "0.1 has the schemes only that are required")
		} else if !bare(l.card.SecuritySchemes[name]) {
			l.add("securitySchemes."+name, "0.1 has only its name, %s", name01(name, l.card.SecuritySchemes[name]))
		}
	}
}

// bare reports whether a scheme is no more than its name.
func bare(scheme a2a.SecurityScheme) bool {
	switch s := scheme.(type) {
	case *a2a.HTTPAuthScheme:
		return s.Description == "" && s.BearerFormat == ""
	case *a2a.MutualTLSScheme:
		return s.Description == ""
	}
	return false
}

func (l *losses) members01() {
	can := &l.card.Capabilities
	for i, ext := range can.Extensions {
		what := "0.1 has no extensions"
		if ext.Required {
			what += ", and this one is required"
		}
		l.add(fmt.Sprintf("capabilities.extensions[%d]", i), "%s", what)
	}
	if can.ExtendedAgentCard != nil && *can.ExtendedAgentCard {
		l.add("capabilities.extendedAgentCard", "0.1 has no extended card")
	}
	if l.card.IconURL != nil {
		l.add("iconUrl", "0.1 has no icons")
	}
	for i := range l.card.Skills {
		l.skill(i)
	}
}

func (l *losses) skill(i int) {
	if len(l.card.Skills[i].SecurityRequirements) > 0 {
		l.add(fmt.Sprintf("skills[%d].securityRequirements", i), "skills have none before 0.3")
	}
}

func (l *losses) schemes03() {
	for _, name := range slices.Sorted(maps.Keys(l.card.SecuritySchemes)) {
		l.scheme03("securitySchemes."+name, l.card.SecuritySchemes[name])
	}
	if l.form != Form02 {
		return
	}
	for i := range l.card.Skills {
		l.skill(i)
	}
}

func (l *losses) scheme03(at string, scheme a2a.SecurityScheme) {
	if _, mutual := scheme.(*a2a.MutualTLSScheme); mutual && l.form == Form02 {
		l.add(at, "0.2 has no mutual TLS; the scheme is http there, by the name %s", nameMutualTLS)
	}
	s, ok := scheme.(*a2a.OAuth2Scheme)
	if !ok {
		return
	}
	if l.form == Form02 && s.MetadataURL != "" {
		l.add(at+".oauth2MetadataUrl", "0.2 does not have it")
	}
	switch flow := s.Flow.(type) {
	case *a2a.DeviceCodeFlow:
		l.add(at+".flows.deviceCode", "before 1.0 there is no such flow; the scheme is http there, with a bearer token")
	case *a2a.AuthorizationCodeFlow:
		if flow.PKCERequired {
			l.add(at+".flows.authorizationCode.pkceRequired", "before 1.0 it cannot be said")
		}
	}
}

// union names what readers of an old form do not find, all of them or those of 0.1.
func (l *losses) union() {
	if len(l.card.SupportedInterfaces) > 0 && oldMembers(l.card) == nil {
		l.add("supportedInterfaces", "none is of a version before 1.0, so that older readers find no url")
	}
	places, place := unionPlaces(l.card), interface01(l.card)
	if len(places) == 0 || !speaks(Form01, *place) {
		return
	}
	if place.URL != places[0].URL {
		i := slices.Index(l.card.SupportedInterfaces, *place)
		l.add(fmt.Sprintf("supportedInterfaces[%d]", i), "readers of 0.1 find %s at the top, which is for 0.3",
			places[0].URL)
	}
}
