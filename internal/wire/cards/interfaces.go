// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// ofVersion returns the interfaces of one generation.
func ofVersion(card *a2a.AgentCard, gen a2a.Generation) []a2a.AgentInterface {
	var list []a2a.AgentInterface
	for _, iface := range card.SupportedInterfaces {
		if majorMinor(iface.ProtocolVersion) == gen {
			list = append(list, iface)
		}
	}
	return list
}

// candidates returns the interfaces that a card of form 0.2 or 0.3 lists.
func candidates(card *a2a.AgentCard, form Form) []a2a.AgentInterface {
	own, other := a2a.Generation03, a2a.Generation02
	if form == Form02 {
		own, other = other, own
	}
	for _, gen := range []a2a.Generation{own, other} {
		if list := ofVersion(card, gen); list != nil {
			return distinct(list)
		}
	}
	return distinct(card.SupportedInterfaces)
}

// A place is what the old forms say of an interface.
type place struct{ url, binding string }

func placeOf(iface a2a.AgentInterface) place { return place{iface.URL, iface.Binding} }

// distinct drops interfaces whose address and binding came before. Cards may be hostile, so it does not compare each to
// each.
func distinct(list []a2a.AgentInterface) []a2a.AgentInterface {
	var kept []a2a.AgentInterface
	seen := make(map[place]bool, len(list))
	for _, iface := range list {
		if !seen[placeOf(iface)] {
			kept = append(kept, iface)
		}
		seen[placeOf(iface)] = true
	}
	return kept
}

// releases are what cards of a form say as protocolVersion: the last release that had it.
var releases = map[Form]string{Form02: "0.2.6", Form03: "0.3.0"}

// interface01 returns the interface whose address a card of 0.1 has, or nil when the card has none at all.
func interface01(card *a2a.AgentCard) *a2a.AgentInterface {
	all := card.SupportedInterfaces
	best, rank := -1, 0
	for i := range all {
		r := 1
		if all[i].Binding == a2a.BindingJSONRPC {
			r = 2
			if majorMinor(all[i].ProtocolVersion) == a2a.Generation01 {
				r = 3
			}
		}
		if r > rank {
			best, rank = i, r
		}
	}
	if best < 0 {
		return nil
	}
	return &all[best]
}

func is02or03(gen a2a.Generation) bool { return gen == a2a.Generation02 || gen == a2a.Generation03 }

// speaks reports whether an interface is what readers of a form before 1.0 take it for.
func speaks(form Form, iface a2a.AgentInterface) bool {
	gen := majorMinor(iface.ProtocolVersion)
	if form == Form01 {
		return gen == a2a.Generation01 && iface.Binding == a2a.BindingJSONRPC
	}
	return is02or03(gen)
}

// jsonRPCFirst returns the list with its first JSON-RPC interface at the front.
func jsonRPCFirst(list []a2a.AgentInterface) []a2a.AgentInterface {
	i := slices.IndexFunc(list, func(iface a2a.AgentInterface) bool { return iface.Binding == a2a.BindingJSONRPC })
	if i <= 0 {
		return list
	}
	first := list[i]
	return slices.Insert(slices.Delete(slices.Clone(list), i, i+1), 0, first)
}

// bindingOf returns the binding that a transport of 0.3 names; case is a matter of taste there.
func bindingOf(transport string) string {
	for _, known := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC} {
		if strings.EqualFold(known, transport) {
			return known
		}
	}
	return transport
}
