// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"

	"github.com/dragoman-a2a/dragoman/store"
)

// A textIndex is what an engine finds text with. SQLite has FTS5 and ranks by BM25; PostgreSQL would have a column of
// type tsvector with setweight for each field, a GIN index, websearch_to_tsquery, and ts_rank_cd.
type textIndex struct {
	// expression makes what the engine looks for of what people type; "" when that has no word in it.
	expression func(text string) string
	// search returns a query for number and score of the agents that match the expression in an argument; more is
	// better.
	search func(arg string) string
	put    func(ctx context.Context, tx *store.Tx, number int64, d document) error
	remove func(ctx context.Context, tx *store.Tx, number int64) error
}

// textIndexes has those of the engines, by the name of their dialect.
var textIndexes = map[string]textIndex{"sqlite": {
	expression: fts5,
	search: func(arg string) string {
		// Materialized, because bm25 works only where the match is. Weights are in the order of the columns.
		return `WITH ranked AS MATERIALIZED (
			SELECT rowid AS number, -bm25(registry_text, 10, 6, 4, 2, 1) AS score FROM registry_text WHERE
			registry_text MATCH ` + arg + `
		) SELECT number, score FROM ranked`
	},
	put: func(ctx context.Context, tx *store.Tx, number int64, d document) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO registry_text (rowid, name, skills, tags, description,
			examples)
			VALUES ($1, $2, $3, $4, $5, $6)`, number, d.name, d.skills, d.tags, d.description, d.examples)
		return err
	},
	remove: func(ctx context.Context, tx *store.Tx, number int64) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM registry_text WHERE rowid = $1`, number)
		return err
	},
}}
