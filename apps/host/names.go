// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// handle is the name at the end of the URL that the options name the agent by, whatever its card says of where it is.
func (r *remote) handle() string {
	if !r.given || !strings.Contains(r.ref.Card, "/") {
		return ""
	}
	u, err := url.Parse(r.ref.Card)
	if err != nil || u.Host == "" {
		return ""
	}
	at, _, _ := strings.Cut(u.Path, "/.well-known/")
	if name := path.Base(at); name != "/" && name != "." {
		return plan.Clean(strings.TrimSuffix(name, ".json"), plan.MaxName)
	}
	return ""
}

// name gives aliases to the agents that have none yet; an alias stays for as long as the directory lives, but one of
// the catalogue does not keep the name of one that the options name.
func (d *Directory) name() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.agents { // those of the options come first
		if r.card == nil || r.alias != "" {
			continue
		}
		base := cmp.Or(plan.Clean(cmp.Or(r.ref.Alias, r.card.Name), plan.MaxName), "agent")
		r.alias = base
		if r.given {
			d.displace(base)
		}
		for n := 2; d.taken(r); n++ {
			r.alias = fmt.Sprintf("%s#%d", base, n)
		}
	}
}

// displace takes a name from the agents of the catalogue that users could mean by it.
func (d *Directory) displace(name string) {
	for _, r := range d.agents {
		if !r.given && alike(r.alias, name) {
			r.alias = ""
		}
	}
}

func (d *Directory) taken(by *remote) bool {
	return !by.given && d.reserved(by.alias) || slices.ContainsFunc(d.agents, func(r *remote) bool {
		return r != by && (strings.EqualFold(r.alias, by.alias) ||
			r.given && by.ref.Alias == "" && strings.EqualFold(r.ref.Alias, by.alias))
	})
}

// reserved reports whether users could mean an agent of the options by a name, even one that is not there yet.
func (d *Directory) reserved(name string) bool {
	return slices.ContainsFunc(d.agents, func(r *remote) bool {
		return r.given && (alike(r.ref.Alias, name) || alike(r.alias, name) || alike(r.handle(), name))
	})
}

// alike reports whether users could mean the same by two names.
func alike(a, b string) bool {
	a, b = plan.Clean(a, plan.MaxName), plan.Clean(b, plan.MaxName)
	return a != "" && (strings.EqualFold(a, b) || plan.BareName(a) != "" && plan.BareName(a) == plan.BareName(b))
}

// shown is the card as planners see it. Agents are found by its name, too, so that of a stranger is not a reserved one.
func (d *Directory) shown(r *remote) *a2a.AgentCard {
	if r.given || !d.reserved(r.card.Name) {
		return r.card
	}
	if r.renamed == nil || r.renamedFrom != r.card || r.renamed.Name != r.alias {
		c := *r.card
		c.Name = r.alias
		r.renamed, r.renamedFrom = &c, r.card // the same one each time, as planners keep what they learnt of it
	}
	return r.renamed
}
