// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// The kinds of facets.
const (
	facetSkill      = "skill"
	facetTag        = "tag"
	facetInput      = "input"
	facetOutput     = "output"
	facetCapability = "capability"
	facetProvider   = "provider"
	facetGeneration = "generation"
	facetBinding    = "binding"
)

// maxFacets bounds what one card puts into the table; a card of 1 MiB could have a hundred thousand tags.
const maxFacets = 2000

// A facet is something that an agent is, has or does, in lower case.
type facet struct{ kind, value string }

// facetsOf returns the different facets of a card.
func facetsOf(card *a2a.AgentCard) []facet {
	f := facets{seen: make(map[facet]bool)}
	for _, gen := range generationsOf(card) {
		f.add(facetGeneration, string(gen))
	}
	for i := range card.SupportedInterfaces {
		f.add(facetBinding, card.SupportedInterfaces[i].Binding)
	}
	if card.Provider != nil {
		f.add(facetProvider, card.Provider.Organization)
	}
	f.capabilities(&card.Capabilities)
	f.modes(facetInput, card.DefaultInputModes)
	f.modes(facetOutput, card.DefaultOutputModes)
	for i := range card.Skills {
		s := &card.Skills[i]
		f.add(facetSkill, s.ID, s.Name)
		f.add(facetTag, s.Tags...)
		f.modes(facetInput, s.InputModes)
		f.modes(facetOutput, s.OutputModes)
	}
	return f.list
}

type facets struct {
	list []facet
	seen map[facet]bool
}

func (f *facets) add(kind string, values ...string) {
	for _, value := range values {
		it := facet{kind, fold(value)}
		if it.value == "" || len(it.value) > MaxFilter || f.seen[it] || len(f.list) >= maxFacets {
			continue
		}
		f.seen[it] = true
		f.list = append(f.list, it)
	}
}

func (f *facets) capabilities(can *a2a.AgentCapabilities) {
	for name, has := range map[string]*bool{
		"streaming": can.Streaming, "pushNotifications": can.PushNotifications,
		"extendedAgentCard": can.ExtendedAgentCard,
	} {
		if has != nil && *has {
			f.add(facetCapability, name)
		}
	}
	for i := range can.Extensions {
		f.add(facetCapability, can.Extensions[i].URI)
	}
}

func (f *facets) modes(kind string, modes []string) {
	for _, mode := range modes {
		f.add(kind, mediaType(mode))
	}
}

// fold makes values comparable that differ in the case of their letters or in spaces around them.
func fold(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// mediaType returns a media type without parameters. Cards before 1.0 say text for text/plain.
func mediaType(mode string) string {
	mode, _, _ = strings.Cut(mode, ";")
	mode = fold(mode)
	if mode == "text" {
		return "text/plain"
	}
	return mode
}

// generationsOf returns the generations that the interfaces of a card speak, the newest first. An interface of a later
// version than this program knows counts as none.
func generationsOf(card *a2a.AgentCard) []a2a.Generation {
	list := []a2a.Generation{}
	for _, gen := range generations {
		if slices.ContainsFunc(card.SupportedInterfaces,
			func(i a2a.AgentInterface) bool { return speaks(i.ProtocolVersion, gen) }) {
			list = append(list, gen)
		}
	}
	return list
}

// speaks reports whether a version such as 0.2.5 is one of a generation. An interface without a version is of 1.0,
// whose cards have versions.
func speaks(version string, gen a2a.Generation) bool {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	if version == "" {
		return gen == a2a.Generation10
	}
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return string(gen) == major+"."+cmp.Or(minor, "0")
}
