// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"strings"
	"sync"
)

// maxStatements bounds a statement cache. Statement texts are constants or
// built from few parts, so programs stay far below it; what comes beyond runs
// uncached.
const maxStatements = 1000

// statement is a prepared statement and what its text tells.
type statement struct {
	*sql.Stmt
	reads bool // certainly changes nothing
}

// statements caches prepared statements by their text.
type statements struct {
	prepare func(context.Context, string) (*sql.Stmt, error)

	mu     sync.RWMutex
	byText map[string]statement
}

// get returns the statement for a text. Where the cache is full, the second
// result is false and the caller closes the statement after use.
func (s *statements) get(ctx context.Context, text string) (st statement, cached bool, err error) {
	if st, ok := s.cached(text); ok {
		return st, true, nil
	}
	return s.add(ctx, text)
}

func (s *statements) cached(text string) (statement, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, ok := s.byText[text]
	return st, ok
}

// learn prepares statements for the next time that their texts are met. One
// that cannot be prepared has told so to whoever used it.
func (s *statements) learn(ctx context.Context, texts []string) {
	for _, text := range texts {
		if st, cached, err := s.get(ctx, text); err == nil && !cached {
			_ = st.Close()
		}
	}
}

func (s *statements) add(ctx context.Context, text string) (statement, bool, error) {
	stmt, err := s.prepare(ctx, text)
	if err != nil {
		return statement{}, false, err
	}
	st := statement{Stmt: stmt, reads: isSelect(text)}
	if other, ok := s.keep(text, st); ok {
		if other != st {
			_ = stmt.Close() // somebody else was quicker
		}
		return other, true, nil
	}
	return st, false, nil
}

// keep puts a statement into the cache and returns what the cache then has for
// the text, which is another if there was one. It reports false if the cache is
// full.
func (s *statements) keep(text string, st statement) (statement, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.byText[text]; ok {
		return other, true
	}
	if len(s.byText) >= maxStatements {
		return statement{}, false
	}
	if s.byText == nil {
		s.byText = make(map[string]statement)
	}
	// Texts may be cut out of larger strings; a clone keeps those collectable.
	s.byText[strings.Clone(text)] = st
	return st, true
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
