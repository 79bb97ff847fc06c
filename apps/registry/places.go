// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// places are the TCP addresses of a card's interfaces, each once, the first interface's first; that is "" when it has
// none. They are kept in one column, so that the agent of a card that has not changed is judged again.
type places []string

// maxPlaces is at how many addresses an agent may be: each has its name resolved at every check.
const maxPlaces = 32

func placesOf(c *a2a.AgentCard) places {
	var p places
	for i := range c.SupportedInterfaces {
		addr, ok := addressOf(&c.SupportedInterfaces[i])
		if !ok || strings.Contains(addr, " ") {
			addr = ""
		}
		if (i == 0 || addr != "") && !slices.Contains(p, addr) && len(p) <= maxPlaces {
			p = append(p, addr)
		}
	}
	return p
}

func placesFrom(column string) places { return strings.Split(column, " ") }

// String returns the places as they are kept.
func (p places) String() string { return strings.Join(p, " ") }

// allowed refuses places in networks that are none of the registry's.
func (g *Registry) allowed(ctx context.Context, p places) error {
	if len(p) > maxPlaces {
		return fmt.Errorf("%w: it names more than %d places where it can be called, which are not all looked at",
			guard.ErrRefused, maxPlaces)
	}
	if g.opts.Dial != nil {
		return nil
	}
	for _, addr := range p {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			continue
		}
		networks := guard.Networks(g.opts.Networks)
		if err := guard.Check(ctx, networks, host); err != nil {
			return fmt.Errorf("one of its interfaces may not be called: %w", &dialError{addr, networks, err})
		}
	}
	return nil
}
