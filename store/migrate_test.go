// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/store"
)

// migrations makes n migrations, each of which adds a table.
func migrations(component string, n int) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 1; i <= n; i++ {
		m[fmt.Sprintf("%05d_step.sql", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"-- +goose Up\nCREATE TABLE %s_%d (id INTEGER PRIMARY KEY);\n", component, i)}
	}
	return m
}

func tables(t *testing.T, db *store.DB) string {
	t.Helper()
	var names string
	if err := db.QueryRowContext(t.Context(), `SELECT group_concat(name, ' ') FROM
		(SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY
		name)`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	for _, step := range []struct {
		component string
		n         int
		want      string
	}{
		{"a", 1, "a_1 a_versions item"},
		{"b", 2, "a_1 a_versions b_1 b_2 b_versions item"},
		{"a", 1, "a_1 a_versions b_1 b_2 b_versions item"},
		{"a", 2, "a_1 a_2 a_versions b_1 b_2 b_versions item"},
	} {
		if err := db.Migrate(t.Context(), step.component, migrations(step.component, step.n)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, tables(t, db)); diff != "" {
			t.Errorf("after %s %d (-want +got):\n%s", step.component, step.n, diff)
		}
	}
}

func TestMigrateNewer(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	if err := db.Migrate(t.Context(), "journal", migrations("journal", 3)); err != nil {
		t.Fatal(err)
	}
	before := tables(t, db)
	err := db.Migrate(t.Context(), "journal", migrations("journal", 2))
	var newer *store.NewerError
	if !errors.As(err, &newer) {
		t.Fatalf("got %v, want a NewerError", err)
	}
	want := &store.NewerError{Path: db.Path(), Component: "journal", Have: 3, Known: 2}
	if diff := cmp.Diff(want, newer); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	for _, part := range []string{db.Path(), "journal", "version 3", "up to 2", "upgrade"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message %q does not say %q", err, part)
		}
	}
	if diff := cmp.Diff(before, tables(t, db)); diff != "" {
		t.Errorf("tables changed (-before +after):\n%s", diff)
	}
}

func TestMigrateFailureKeepsTheStepsBefore(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	m := migrations("a", 2)
	m["00003_bad.sql"] = &fstest.MapFile{Data: []byte(
		"-- +goose Up\nCREATE TABLE half (id INTEGER);\nCREATE TABLE a_1 (id INTEGER);\n")}
	if err := db.Migrate(t.Context(), "a", m); err == nil || !strings.Contains(err.Error(), "version:3") {
		t.Errorf("got %v, want an error that names the step", err)
	}
	if diff := cmp.Diff("a_1 a_2 a_versions item", tables(t, db)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	mustWrite(t, db, insert, "the writer goes on")
}

func TestMigrateBesideWrites(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 100 {
			if err := write(t.Context(), db, insert, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		}
	})
	for _, c := range []string{"a", "b", "c"} {
		wg.Go(func() {
			if err := db.Migrate(t.Context(), c, migrations(c, 3)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestMigrateBadComponent(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	for _, name := range []string{"", "Journal", "a-b", "x; DROP TABLE item", strings.Repeat("a", 41)} {
		if err := db.Migrate(t.Context(), name, migrations("a", 1)); err == nil {
			t.Errorf("component %q was accepted", name)
		}
	}
}
