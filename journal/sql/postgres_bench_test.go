// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dragoman-a2a/dragoman/internal/pgtest"
)

func BenchmarkCreateAndEndOnPostgres(b *testing.B) {
	j := newJournal(b, openPostgres(b, pgtest.New(b)))
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := j.Append(b.Context(), ended()); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkTwoRowsOnPostgres is what a program does that was written by hand for nothing else: all that waits is one
// pipelined batch of two rows each.
func BenchmarkTwoRowsOnPostgres(b *testing.B) {
	pool, err := pgxpool.New(b.Context(), pgtest.New(b))
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(b.Context(), `CREATE TABLE t (id TEXT PRIMARY KEY, body BYTEA NOT NULL);
		CREATE TABLE e (id TEXT, seq BIGINT, body BYTEA NOT NULL, PRIMARY KEY (id, seq))`); err != nil {
		b.Fatal(err)
	}
	type op struct {
		id         string
		head, body []byte
		done       chan error
	}
	queue := make(chan *op, 1000)
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for first := range queue {
				all := []*op{first}
				for len(all) < 256 && len(queue) > 0 {
					if next, ok := <-queue; ok {
						all = append(all, next)
					}
				}
				batch := &pgx.Batch{}
				for _, o := range all {
					batch.Queue(`INSERT INTO t VALUES ($1, $2)`, o.id, o.head)
					batch.Queue(`INSERT INTO e VALUES ($1, 2, $2)`, o.id, o.body)
				}
				err := pool.SendBatch(context.Background(), batch).Close()
				for _, o := range all {
					o.done <- err
				}
			}
		})
	}
	b.ReportAllocs()
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		done := make(chan error, 1)
		for pb.Next() {
			c := ended()
			queue <- &op{string(c.Key.ID), make([]byte, 200), make([]byte, 500), done}
			if err := <-done; err != nil {
				b.Error(err)
			}
		}
	})
	close(queue)
	writers.Wait()
}
