// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/store"
)

//go:embed migrations
var migrations embed.FS

// tables are the catalogue in a database. All that differs between engines is in textIndex and in the migrations.
type tables struct {
	db   *store.DB
	text textIndex
}

func openTables(ctx context.Context, db *store.DB) (*tables, error) {
	name := db.Dialect().Name
	index, known := textIndexes[name]
	files, err := fs.Sub(migrations, "migrations/"+name)
	if err != nil || !known {
		return nil, fmt.Errorf("registry: there are no tables for %s", name)
	}
	if err := db.Migrate(ctx, "registry", files); err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	return &tables{db, index}, nil
}

// A record is an agent as its row has it: an entry without its card, and what the next fetch starts with.
type record struct {
	Entry
	number   int64
	identity string
	address  string // of its interfaces, see places
	foundAt  string // URL of the card itself
	etag     string
	modified string
}

const recordColumns = `number, id, alias, identity, url, address, found_at, etag, modified, card_version,
	added_at, updated_at, health, health_since, checked_at, due_at, latency, failures, error,
	signature`

func scanRecord(scan func(...any) error) (*record, error) {
	var r record
	var added, updated, since, checked, due int64
	var signed string
	err := scan(&r.number, &r.ID, &r.Alias, &r.identity, &r.URL, &r.address, &r.foundAt, &r.etag, &r.modified,
		&r.CardVersion, &added, &updated, &r.Health.State, &since, &checked, &due, &r.Health.LatencyMS,
		&r.Health.Failures, &r.Health.Error, &signed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("registry: read an agent: %w", err)
	}
	if signed != "" {
		if err := json.Unmarshal([]byte(signed), &r.Signature); err != nil {
			return nil, fmt.Errorf("registry: the signature of an agent that was kept cannot be read: %w", err)
		}
	}
	r.AddedAt, r.UpdatedAt = timeOf(added), timeOf(updated)
	r.Health.Since, r.Health.CheckedAt, r.Health.NextAt = timeOf(since), timeOf(checked), timeOf(due)
	return &r, nil
}

func timeOf(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis).UTC()
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// find returns the record that a name means; nil when there is none. An id comes before an alias, an alias before a
// URL.
func find(ctx context.Context, q store.Querier, name string) (*record, error) {
	identity := name
	if u, err := location(name); err == nil {
		identity = u.String()
	}
	return one(ctx, q, `id = $1 OR alias_key = $2 OR identity = $3
		ORDER BY CASE WHEN id = $1 THEN 0 WHEN alias_key = $2 THEN 1 ELSE 2 END LIMIT
		1`, name, strings.ToLower(name), identity)
}

func one(ctx context.Context, q store.Querier, where string, args ...any) (*record, error) {
	return scanRecord(q.QueryRowContext(ctx, `SELECT `+recordColumns+` FROM registry_agents WHERE `+where,
		args...).Scan)
}

// entry completes a record with its card.
func (r *record) entry(ctx context.Context, q store.Querier) (*Entry, int, error) {
	v, size, err := readVersion(ctx, q, r.number, r.CardVersion)
	if err != nil {
		return nil, 0, err
	}
	if v == nil {
		return nil, 0, fmt.Errorf("registry: the card of agent %s is missing", r.ID)
	}
	e := r.Entry
	e.Card, e.Generations = v.Card, generationsOf(v.Card)
	return &e, size, nil
}

// readVersion returns a version with its card and how many bytes that has; nil when there is none.
func readVersion(ctx context.Context, q store.Querier, agent int64, number int) (*Version, int, error) {
	var body []byte
	var seen int64
	v := &Version{Number: number}
	err := q.QueryRowContext(ctx, `SELECT seen_at, digest, body FROM registry_cards WHERE agent = $1 AND version = $2`,
		agent, number).
		Scan(&seen, &v.Digest, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("registry: read a card: %w", err)
	}
	v.SeenAt = timeOf(seen)
	if v.Card, err = card.Decode(body); err != nil {
		return nil, 0, fmt.Errorf("registry: a card that was kept cannot be read: %w", err)
	}
	return v, len(body), nil
}

type where struct {
	text string
	args []any
}

// arg adds an argument and returns what stands for it.
func (w *where) arg(value any) string {
	w.args = append(w.args, value)
	return "$" + strconv.Itoa(len(w.args))
}

func (w *where) and(condition string) {
	w.text += " AND " + condition
}

// filter adds what a query asks for besides its text.
func (w *where) filter(q *Query) {
	for _, f := range []struct{ kind, value string }{
		{facetSkill, q.Skill}, {facetTag, q.Tag}, {facetCapability, q.Capability}, {facetProvider, q.Provider},
		{facetGeneration, string(q.Generation)}, {facetBinding, q.Binding},
	} {
		if f.value != "" {
			w.facet(f.kind, "value = "+w.arg(fold(f.value)))
		}
	}
	w.mode(facetInput, q.InputMode)
	w.mode(facetOutput, q.OutputMode)
	if q.Health != "" {
		w.and("a.health = " + w.arg(string(q.Health)))
	}
}

func (w *where) facet(kind, condition string) {
	w.and("a.number IN (SELECT agent FROM registry_facets WHERE kind = " + w.arg(kind) + " AND (" + condition + "))")
}

// mode adds a media type: agents may name ranges such as image/*, and so may those who ask.
func (w *where) mode(kind, asked string) {
	if asked == "" {
		return
	}
	asked = mediaType(asked)
	major, minor, _ := strings.Cut(asked, "/")
	switch {
	case asked == "*/*":
		w.facet(kind, "1 = 1")
	case minor == "*": // '0' comes after '/'
		w.facet(kind, "value >= "+w.arg(major+"/")+" AND value < "+w.arg(major+"0")+" OR value = '*/*'")
	default:
		w.facet(kind, "value IN ("+w.arg(asked)+", "+w.arg(major+"/*")+", '*/*')")
	}
}

// A hit is an agent on a page of a list.
type hit struct {
	number int64
	key    string
	score  float64
}

func (h hit) place() place { return place{score: h.score, number: h.number, alias: h.key} }

// hits returns the agents of a page, and one more if there is one.
func (t *tables) hits(ctx context.Context, q store.Querier, query *Query, after *place, limit int) ([]hit, error) {
	var w where
	from, score, order := `registry_agents a`, `0.0`, `a.alias_key`
	if query.Text != "" {
		expression := t.text.expression(query.Text)
		if expression == "" {
			return nil, nil
		}
		from = `(` + t.text.search(w.arg(expression)) + `) found JOIN registry_agents a ON a.number = found.number`
		score, order = `found.score`, `found.score DESC, a.number`
	}
	w.filter(query)
	switch {
	case after != nil && query.Text != "":
		at := w.arg(after.score)
		w.and("(found.score < " + at + " OR found.score = " + at + " AND a.number > " + w.arg(after.number) + ")")
	case after != nil:
		w.and("a.alias_key > " + w.arg(after.alias))
	}
	last := w.arg(limit)
	hits, err := store.All(ctx, q, func(scan func(...any) error) (h hit, err error) {
		return h, scan(&h.number, &h.key, &h.score)
	}, `SELECT a.number, a.alias_key, `+score+` FROM `+from+` WHERE 1 = 1`+w.text+` ORDER BY `+order+` LIMIT `+last,
		w.args...)
	if err != nil {
		return nil, fmt.Errorf("registry: list agents: %w", err)
	}
	return hits, nil
}

// page reads a page of a list: all of it in one state of the database.
func (t *tables) page(ctx context.Context, query *Query, after *place) (*Page, error) {
	page := &Page{Agents: []*Entry{}}
	size := pageSize(query.PageSize)
	err := t.db.Read(ctx, func(ctx context.Context, s *store.Snapshot) error {
		hits, err := t.hits(ctx, s, query, after, size+1)
		if err != nil {
			return err
		}
		total := 0
		for i, h := range hits {
			r, err := one(ctx, s, `number = $1`, h.number)
			if err != nil {
				return err
			}
			e, n, err := r.entry(ctx, s)
			if err != nil {
				return err
			}
			if total += n; i == size || i > 0 && total > maxPageBytes {
				page.NextPageToken = hits[i-1].place().token(query.mark())
				break
			}
			e.Score = h.score
			page.Agents = append(page.Agents, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// versions reads a page of a history, the newest first.
func (t *tables) versions(ctx context.Context, r *record, size int, after *place, mark uint64) (*VersionPage, error) {
	before := int64(1<<63 - 1)
	if after != nil {
		before = after.number
	}
	all, err := store.All(ctx, t.db, func(scan func(...any) error) (*Version, error) {
		v := new(Version)
		var seen int64
		err := scan(&v.Number, &seen, &v.Digest)
		v.SeenAt = timeOf(seen)
		return v, err
	}, `SELECT version, seen_at, digest FROM registry_cards
		WHERE agent = $1 AND version < $2 ORDER BY version DESC LIMIT $3`, r.number, before, size+1)
	if err != nil {
		return nil, fmt.Errorf("registry: read the history of %s: %w", r.ID, err)
	}
	page := &VersionPage{Versions: append([]*Version{}, all[:min(size, len(all))]...)}
	if len(all) > size {
		page.NextPageToken = place{number: int64(all[size-1].Number)}.token(mark)
	}
	return page, nil
}
