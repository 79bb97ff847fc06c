// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
)

// readCatalog takes over what the catalogue lists. When it cannot be read, what it listed before stays.
func (d *Directory) readCatalog(ctx context.Context) {
	d.mu.Lock()
	due := d.opts.Catalog != nil && time.Since(d.listed) >= d.opts.RefreshEvery
	d.mu.Unlock()
	if !due {
		return
	}
	entries, err := d.list(ctx)
	var refused []plan.Unreachable
	entries = slices.DeleteFunc(entries, func(e *registry.Entry) bool {
		err := d.trust(ctx, e)
		if err != nil {
			refused = append(refused, plan.Unreachable{Agent: e.Alias,
				Reason: cmp.Or(plainWords(err), wordsIn(err.Error()))})
		}
		return err != nil
	})
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.problem = cmp.Or(plainWords(err), wordsIn(err.Error()), "it cannot be read")
		return
	}
	d.listed, d.problem, d.refused = time.Now(), "", refused
	d.drop(func(r *remote) bool {
		return !slices.ContainsFunc(entries, func(e *registry.Entry) bool { return catalogKey(e) == r.key })
	})
	for _, e := range entries {
		d.adopt(e)
	}
}

// trust says why the card of an entry may not be used, and leaves in it what may be read.
func (d *Directory) trust(ctx context.Context, e *registry.Entry) error {
	if d.opts.Verify == nil || e.Card == nil {
		return nil
	}
	raw, err := e.Card.AppendJSON(nil)
	if err == nil {
		raw, err = d.resolver.Trusted(ctx, e.Alias, raw)
	}
	if err == nil {
		e.Card, err = card.Decode(raw)
	}
	return err
}

func catalogKey(e *registry.Entry) string { return "registry\x00" + e.ID }

func (d *Directory) list(ctx context.Context) ([]*registry.Entry, error) {
	var entries []*registry.Entry
	for q := (registry.Query{PageSize: registry.MaxPageSize}); len(entries) < d.opts.MaxAgents; {
		page, err := d.opts.Catalog.List(ctx, q)
		if err != nil {
			return nil, err
		}
		entries = append(entries, page.Agents...)
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			break
		}
	}
	return entries[:min(len(entries), d.opts.MaxAgents)], nil
}

// adopt takes over an entry of the catalogue; mu is held. An agent that the options name already is that one.
func (d *Directory) adopt(e *registry.Entry) {
	if e.Card == nil || d.hasGiven(e.URL, e.Card) {
		return
	}
	at := slices.IndexFunc(d.agents, func(r *remote) bool { return r.key == catalogKey(e) })
	if at < 0 {
		d.agents = append(d.agents, d.newRemote(catalogKey(e), AgentRef{}, false))
		at = len(d.agents) - 1
	}
	r := d.agents[at]
	r.ref.Alias, r.listed = e.Alias, e.Health
	if r.card != nil && r.version == e.CardVersion {
		return
	}
	r.version = e.CardVersion
	if err := d.connect(r, e.Card); err != nil {
		r.breaker.ended(err)
	}
}

// hasGiven reports whether the options name this agent, by its URL or by an interface of its card; mu is held.
func (d *Directory) hasGiven(url string, card *a2a.AgentCard) bool {
	return slices.ContainsFunc(d.agents, func(r *remote) bool {
		return r.given && (sameURL(r.ref.Card, url) || r.card != nil && sameInterface(r.card, card))
	})
}

// dropTwins removes the agents of the catalogue that, as their cards tell, the options name too.
func (d *Directory) dropTwins() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop(func(r *remote) bool { return r.card != nil && d.hasGiven("", r.card) })
}

// drop removes agents of the catalogue; mu is held.
func (d *Directory) drop(gone func(*remote) bool) {
	d.agents = slices.DeleteFunc(d.agents, func(r *remote) bool {
		if r.given || !gone(r) {
			return false
		}
		r.conn.retire() // its error is that of a connection nobody needs
		return true
	})
}

func sameInterface(a, b *a2a.AgentCard) bool {
	return slices.ContainsFunc(a.SupportedInterfaces, func(x a2a.AgentInterface) bool {
		return slices.ContainsFunc(b.SupportedInterfaces, func(y a2a.AgentInterface) bool {
			return x.Tenant == y.Tenant && sameURL(x.URL, y.URL)
		})
	})
}

func sameURL(a, b string) bool {
	return a != "" && strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}
