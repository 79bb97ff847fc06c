// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"cmp"
	"slices"
	"strings"

	pb "github.com/a2aproject/a2a-go/a2apb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// A card of 0.3 has most of its members where one of 1.0 has them, by the same names in JSON. The functions of this
// file convert the others: interfaces, security requirements, and flags that are always there.

// fromCard returns a card in the form of 0.3, which has one protocol version for all interfaces: those of the card that
// speak it come along, all if none does.
func fromCard(c *pbvalue.Converter, card *a2a.AgentCard) *pb.AgentCard {
	out := new(pb.AgentCard)
	c.ToJSON(card, out)
	dropUnknown(out)
	out.Signatures = nil // they hold for the form of 1.0 only
	out.SupportsAuthenticatedExtendedCard = isTrue(card.Capabilities.ExtendedAgentCard)
	out.Security = fromRequirements(card.SecurityRequirements)
	for i, skill := range out.GetSkills() {
		skill.Security = fromRequirements(card.Skills[i].SecurityRequirements)
	}
	fromInterfaces(out, card.SupportedInterfaces)
	return out
}

// dropUnknown drops schemes and flows of types that 0.3 does not have. Clients find the device code flow of 1.0 by the
// metadata URL.
func dropUnknown(card *pb.AgentCard) {
	for name, scheme := range card.GetSecuritySchemes() {
		if scheme.GetScheme() == nil {
			delete(card.GetSecuritySchemes(), name)
		}
		if oauth := scheme.GetOauth2SecurityScheme(); oauth != nil && oauth.GetFlows().GetFlow() == nil {
			oauth.Flows = nil
		}
	}
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

func isTrue(b *bool) bool { return b != nil && *b }

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

func card(c *pbvalue.Converter, in *pb.AgentCard) *a2a.AgentCard {
	dropUnknown(in)
	in.Signatures = nil
	card := new(a2a.AgentCard)
	c.FromJSON(in, card)
	card.SupportedInterfaces = interfaces(in)
	card.SecurityRequirements = requirements(in.GetSecurity())
	for i, skill := range in.GetSkills() {
		card.Skills[i].SecurityRequirements = requirements(skill.GetSecurity())
	}
	card.Capabilities.Streaming = new(in.GetCapabilities().GetStreaming())
	card.Capabilities.PushNotifications = new(in.GetCapabilities().GetPushNotifications())
	card.Capabilities.ExtendedAgentCard = new(in.GetSupportsAuthenticatedExtendedCard())
	return card
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
