// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "dragoman")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	db, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		panic(err)
	}
	defer db.Close()

	// A component embeds its migrations; this one makes them up.
	migrations := fstest.MapFS{"00001_notes.sql": {Data: []byte("-- +goose Up\nCREATE TABLE note (text TEXT);\n")}}
	if err := db.Migrate(ctx, "notes", migrations); err != nil {
		panic(err)
	}
	err = db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO note (text) VALUES ($1)`, "on disk when Write returns")
		return err
	})
	if err != nil {
		panic(err)
	}
	var text string
	if err := db.QueryRowContext(ctx, `SELECT text FROM note`).Scan(&text); err != nil {
		panic(err)
	}
	fmt.Println(text)
	// Output: on disk when Write returns
}
