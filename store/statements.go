// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"strings"
	"sync"
)

// maxStatements bounds a statement cache. Statement texts are constants or built from few parts, so programs stay far
// below it; what comes beyond runs uncached.
const maxStatements = 1000

type statement struct {
	*sql.Stmt
	cached bool // stays for the next use
}

// used closes a statement that is not cached. database/sql keeps it until its rows are closed.
func (s statement) used() {
	if !s.cached {
		_ = s.Close()
	}
}

// runner runs statements: a pool, one connection, or a cache of prepared statements over either.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// connection is a pool or one connection of it.
type connection interface {
	runner
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// statements caches prepared statements by their text.
type statements struct {
	on connection

	mu     sync.RWMutex
	byText map[string]statement
}

// ExecContext implements [runner].
func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	defer st.used()
	return st.ExecContext(ctx, args...)
}

// QueryContext implements [runner].
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := s.get(ctx, query)
	if err != nil {
		return nil, err
	}
	defer st.used()
	return st.QueryContext(ctx, args...)
}

// QueryRowContext implements [runner].
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	st, err := s.get(ctx, query)
	if err != nil {
		return s.on.QueryRowContext(ctx, query, args...) // fails the same way, from Scan
	}
	defer st.used()
	return st.QueryRowContext(ctx, args...)
}

// get returns the statement for a text. The caller calls used after its use.
func (s *statements) get(ctx context.Context, text string) (statement, error) {
	if st, ok := s.known(text); ok {
		return st, nil
	}
	stmt, err := s.on.PrepareContext(ctx, text)
	if err != nil {
		return statement{}, err
	}
	return s.keep(text, statement{Stmt: stmt}), nil
}

func (s *statements) known(text string) (statement, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, ok := s.byText[text]
	return st, ok
}

// learn prepares statements for the next time that their texts are met. The failure of one that cannot be prepared was
// reported where it was used.
func (s *statements) learn(ctx context.Context, texts []string) {
	for _, text := range texts {
		if st, err := s.get(ctx, text); err == nil {
			st.used()
		}
	}
}

// keep puts a statement into the cache, unless that is full, and returns the one to use, which is another if there was
// one for the text.
func (s *statements) keep(text string, st statement) statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.byText[text]; ok {
		_ = st.Close()
		return other
	}
	if len(s.byText) >= maxStatements {
		return st
	}
	if s.byText == nil {
		s.byText = make(map[string]statement)
	}
	st.cached = true
	s.byText[strings.Clone(text)] = st // a clone, as texts may be cut out of larger strings
	return st
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.byText {
		_ = st.Close() // its connection is about to be closed as well
	}
	s.byText = nil
}

// isSelect reports whether a text can only read. Other forms that only read
// (WITH, VALUES) count as writes, which costs them a savepoint.
func isSelect(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n(")
	return len(text) >= 6 && strings.EqualFold(text[:6], "SELECT")
}
