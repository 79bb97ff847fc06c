// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"

	"github.com/dragoman-a2a/dragoman/store"
)

// postgres is the name of the dialect in which transactions note what they change in counts and bytes, so that none
// waits for another one's. In SQLite triggers keep the sums.
const postgres = "postgres"

// addUpEvery is after how many changes a handle adds up the notes of all handles. It bounds the notes that a reader of
// a count adds: this many for each handle.
const addUpEvery = 256

// addUp moves the notes to the sums, as one of DB.Write, so that no two do it at a time.
func addUp(ctx context.Context, tx *store.Tx) error {
	for _, text := range []string{
		`WITH gone AS (DELETE FROM changes RETURNING scope, context, state, n, owner, bytes),
		counted AS (INSERT INTO count_sums (scope, context, state, n)
			SELECT scope, context, state, sum(n) FROM gone WHERE n <> 0 GROUP BY scope, context, state
			UNION ALL SELECT scope, '', state, sum(n) FROM gone WHERE n <> 0 GROUP BY scope, state
			ON CONFLICT (scope, context, state) DO UPDATE SET n = count_sums.n + excluded.n)
		INSERT INTO byte_sums (owner, bytes) SELECT owner, sum(bytes) FROM gone GROUP BY owner
			ON CONFLICT (owner) DO UPDATE SET bytes = byte_sums.bytes + excluded.bytes`,
		`DELETE FROM count_sums WHERE n = 0`,
		`DELETE FROM byte_sums WHERE bytes = 0`,
	} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
