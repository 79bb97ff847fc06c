// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/store"
)

// put keeps what a look at an agent brought, and adds the agent if it is not there yet. It returns the agent's number.
func (g *Registry) put(ctx context.Context, tx *store.Tx, at *target, alias string, seen *sight) (number int64,
	created bool, err error) {
	r, err := one(ctx, tx, `identity = $1`, at.identity)
	if err != nil {
		return 0, false, err
	}
	if r != nil {
		if alias != "" && !strings.EqualFold(alias, r.Alias) {
			return 0, false, failf(ErrAliasTaken,
				"the agent is here already, as %q; remove it first to call it otherwise", r.Alias)
		}
		return r.number, false, g.update(ctx, tx, r, seen)
	}
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM registry_agents`).Scan(&n); err != nil {
		return 0, false, fmt.Errorf("registry: count the agents: %w", err)
	}
	if n >= g.opts.MaxAgents {
		return 0, false, failf(ErrFull, "the catalogue has %d agents and takes no more; remove some", n)
	}
	if alias, err = freeAlias(ctx, tx, alias, aliasFrom(seen.card.Name, at.host())); err != nil {
		return 0, false, err
	}
	number, err = g.insert(ctx, tx, at, alias, seen)
	return number, true, err
}

// freeAlias returns the alias that an agent gets: the one that was asked for, or else its name, numbered if need be.
func freeAlias(ctx context.Context, tx *store.Tx, asked, name string) (string, error) {
	taken := func(alias string) (is bool, err error) {
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM registry_agents WHERE alias_key = $1)`,
			strings.ToLower(alias)).Scan(&is)
		return is, err
	}
	if asked != "" {
		is, err := taken(asked)
		if err == nil && is {
			err = failf(ErrAliasTaken, "another agent is called %q; choose another alias", asked)
		}
		return asked, err
	}
	is, err := taken(name)
	if err != nil || !is {
		return name, err
	}
	// All that are numbered lie between # and the next character, so counting them finds the free number at once.
	var n int
	key := strings.ToLower(name)
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM registry_agents WHERE alias_key > $1 AND alias_key < $2`,
		key+"#", key+"$").Scan(&n); err != nil {
		return "", err
	}
	for n += 2; ; n++ {
		suffix := "#" + strconv.Itoa(n)
		alias := clipRunes(name, MaxAlias-len(suffix)) + suffix
		if is, err := taken(alias); err != nil || !is {
			return alias, err
		}
	}
}

func (g *Registry) insert(ctx context.Context, tx *store.Tx, at *target, alias string, seen *sight) (int64, error) {
	now := millis(seen.at)
	h := seen.health(Health{State: HealthUnknown}, g.pause)
	var number int64
	err := tx.QueryRowContext(ctx, `INSERT INTO registry_agents (id, alias, alias_key, identity, url, address,
		found_at, etag, modified,
		card_version, added_at, updated_at, health, health_since, checked_at, due_at, latency, failures, error,
		signature)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $10, $11, $12, $13, $14, $15, $16, $17, $18)
		RETURNING number`,
		string(a2a.NewContextID()), // a UUIDv7 like all ids here
		alias, strings.ToLower(alias), at.identity, at.url, seen.places.String(), seen.foundAt, seen.etag,
		seen.modified, now,
		string(h.State), millis(h.Since), millis(h.CheckedAt), millis(h.NextAt), h.LatencyMS, h.Failures,
		h.Error, seen.signed.text()).Scan(&number)
	if err != nil {
		return 0, fmt.Errorf("registry: add an agent: %w", err)
	}
	return number, g.putCard(ctx, tx, number, 1, seen)
}

// update notes what a look at an agent that is there brought. Only this write changes its row after the first.
func (g *Registry) update(ctx context.Context, tx *store.Tx, r *record, seen *sight) error {
	version, updated := r.CardVersion, millis(r.UpdatedAt)
	if seen.card != nil {
		r.Signature = seen.signed
		current, err := readDigest(ctx, tx, r.number, version)
		if err != nil {
			return err
		}
		if current != seen.digest {
			version, updated = version+1, millis(seen.at)
			if err := g.putCard(ctx, tx, r.number, version, seen); err != nil {
				return err
			}
		}
	}
	if seen.foundAt != "" {
		r.foundAt, r.etag, r.modified = seen.foundAt, seen.etag, seen.modified
	}
	h := seen.health(r.Health, g.pause)
	_, err := tx.ExecContext(ctx, `UPDATE registry_agents SET address = $2, found_at = $3, etag = $4, modified = $5,
		card_version = $6, updated_at = $7,
		health = $8, health_since = $9, checked_at = $10, due_at = $11, latency = $12, failures = $13, error = $14,
		signature = $15 WHERE number = $1`,
		r.number, seen.places.String(), r.foundAt, r.etag, r.modified, version, updated,
		string(h.State), millis(h.Since), millis(h.CheckedAt), millis(h.NextAt), h.LatencyMS, h.Failures, h.Error,
		r.Signature.text())
	if err != nil {
		return fmt.Errorf("registry: note the check of %s: %w", r.ID, err)
	}
	return nil
}

// text is how the tables keep a signature.
func (s *Signature) text() string {
	if s == nil {
		return ""
	}
	text, _ := json.Marshal(s) // of strings
	return string(text)
}

func readDigest(ctx context.Context, tx *store.Tx, agent int64, version int) (digest string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT digest FROM registry_cards WHERE agent = $1 AND version = $2`, agent,
		version).Scan(&digest)
	if err != nil {
		err = fmt.Errorf("registry: read a digest: %w", err)
	}
	return digest, err
}

// putCard makes a card the current one of an agent: it joins the history, and is what the agent is found by.
func (g *Registry) putCard(ctx context.Context, tx *store.Tx, agent int64, version int, seen *sight) error {
	statements := []statement{
		{`INSERT INTO registry_cards (agent, version, seen_at, digest, body) VALUES ($1, $2, $3, $4, $5)`,
			[]any{agent, version, millis(seen.at), seen.digest, seen.raw}},
		{`DELETE FROM registry_cards WHERE agent = $1 AND version <= $2`, []any{agent, version - g.opts.MaxVersions}},
		{`DELETE FROM registry_facets WHERE agent = $1`, []any{agent}},
	}
	for _, f := range facetsOf(seen.card) {
		statements = append(statements, statement{
			`INSERT INTO registry_facets (kind, value, agent) VALUES ($1, $2, $3)`, []any{f.kind, f.value, agent}})
	}
	err := execute(ctx, tx, statements...)
	if err == nil {
		err = g.tables.text.put(ctx, tx, agent, documentOf(seen.card))
	}
	if err != nil {
		return fmt.Errorf("registry: keep a card: %w", err)
	}
	return nil
}

type statement struct {
	text string
	args []any
}

func execute(ctx context.Context, tx *store.Tx, statements ...statement) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s.text, s.args...); err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) remove(ctx context.Context, tx *store.Tx, number int64) error {
	err := execute(ctx, tx,
		statement{`DELETE FROM registry_facets WHERE agent = $1`, []any{number}},
		statement{`DELETE FROM registry_cards WHERE agent = $1`, []any{number}},
		statement{`DELETE FROM registry_agents WHERE number = $1`, []any{number}})
	if err == nil {
		err = t.text.remove(ctx, tx, number)
	}
	if err != nil {
		return fmt.Errorf("registry: remove an agent: %w", err)
	}
	return nil
}

// claim returns the agents whose check is due, those that have waited longest first, and puts their next check off so
// that no other process takes them meanwhile. They are due again if this process ends.
func (t *tables) claim(ctx context.Context, now, until time.Time, limit int) ([]target, error) {
	var targets []target
	err := t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		targets, err = store.All(ctx, tx, func(scan func(...any) error) (target, error) {
			r, err := scanRecord(scan)
			if err != nil {
				return target{}, err
			}
			return r.target(), nil
		}, `UPDATE registry_agents SET due_at = $1
			WHERE number IN (SELECT number FROM registry_agents WHERE due_at <= $2 ORDER BY due_at LIMIT $3)
			RETURNING `+recordColumns, millis(until), millis(now), limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("registry: find what is due: %w", err)
	}
	return targets, nil
}

// nextDue returns when the next check is due; the zero time when there is no agent.
func (t *tables) nextDue(ctx context.Context) (time.Time, error) {
	var due int64
	if err := t.db.QueryRowContext(ctx, `SELECT coalesce(min(due_at), 0) FROM registry_agents`).Scan(&due); err != nil {
		return time.Time{}, fmt.Errorf("registry: find what is due: %w", err)
	}
	return timeOf(due), nil
}
