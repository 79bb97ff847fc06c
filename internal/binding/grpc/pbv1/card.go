// SPDX-License-Identifier: Apache-2.0

package pbv1

import (
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

func fromCard(c *pbvalue.Converter, card *a2a.AgentCard) *pb.AgentCard {
	out := new(pb.AgentCard)
	c.ToJSON(card, out)
	return out
}

// card leaves out security schemes and OAuth flows of types that a later minor version brought.
func card(c *pbvalue.Converter, in *pb.AgentCard) *a2a.AgentCard {
	for name, scheme := range in.GetSecuritySchemes() {
		if scheme.GetScheme() == nil {
			delete(in.GetSecuritySchemes(), name)
		}
		if oauth := scheme.GetOauth2SecurityScheme(); oauth != nil && oauth.GetFlows().GetFlow() == nil {
			oauth.Flows = nil
		}
	}
	out := new(a2a.AgentCard)
	c.FromJSON(in, out)
	return out
}
