// SPDX-License-Identifier: Apache-2.0

package postgres_test

import (
	"context"
	"log"
	"log/slog"

	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/postgres"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	database "github.com/dragoman-a2a/dragoman/store/postgres"
)

// Each node of an agent runs an engine on the database that they share.
func ExampleNewWaker() {
	url := "postgres://localhost/dragoman"
	db, err := database.Open(context.Background(), url)
	if err != nil {
		log.Fatal(err)
	}
	tasks, err := sql.New(context.Background(), db, nil)
	if err != nil {
		log.Fatal(err)
	}
	waker, err := postgres.NewWaker(url, slog.Default())
	if err != nil {
		log.Fatal(err)
	}
	node, err := engine.New(&engine.Options{Journal: tasks, Waker: waker})
	if err != nil {
		log.Fatal(err)
	}
	_ = node // node.Agent makes a service of an agent
}
