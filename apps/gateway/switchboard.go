// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/bytenant"
)

// A switchboard is the Service at the root of a gateway to several upstreams, which tenants name.
type switchboard struct{ bytenant.Pick }

// pick returns the upstream that a tenant names.
func (g *Gateway) pick(tenant string) (a2a.Service, error) {
	names := make([]string, len(g.routes))
	for i, r := range g.routes {
		if r.name == tenant {
			return r, nil
		}
		names[i] = r.name
	}
	return nil, a2a.InvalidParams("tenant",
		fmt.Sprintf("must name one of the agents behind this gateway: %s", strings.Join(names, ", ")))
}

// card is the one at the root: it lists what is behind the gateway.
func (g *Gateway) card(context.Context, *http.Request) (*a2a.AgentCard, error) {
	c := &a2a.AgentCard{
		Name: "Dragoman gateway",
		Description: "Several agents behind one address. Each has a card below its name, and takes requests " +
			"whose tenant is that name.",
		Version:            "1",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
	}
	for _, r := range g.routes {
		c.Skills = append(c.Skills, a2a.AgentSkill{
			ID: r.name, Name: r.name, Tags: []string{"agent"},
			Description: fmt.Sprintf("The agent %s; its card is at /%s/.well-known/agent-card.json", r.name, r.name),
		})
	}
	return c, nil
}

// Capabilities says what passes; an upstream that lacks one answers so itself. Extended cards are below the upstreams'
// names only, whose addresses are on them.
func (s switchboard) Capabilities() a2a.AgentCapabilities {
	caps := (*upstream)(nil).Capabilities()
	caps.ExtendedAgentCard = new(false)
	return caps
}
