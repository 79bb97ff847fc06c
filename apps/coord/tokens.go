// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/store"
)

// Roles of tokens.
const (
	RoleAgent    = "agent"    // may do what agents do
	RoleObserver = "observer" // may look, and change nothing
	RoleAdmin    = "admin"    // may also change settings, free what others hold, and retire agents
)

// A Grant is what a token allows.
type Grant struct {
	Project   string // "" for all projects
	Name      string // of whoever has the token; it is the principal of its calls
	Role      string
	CreatedAt time.Time
}

// ErrNoToken is returned for a token that is not known.
var ErrNoToken = errors.New("the token is not known")

// A BadTokenError says why a token cannot be made.
type BadTokenError struct{ Why string }

func (e *BadTokenError) Error() string { return e.Why }

// CreateToken makes a token for a name that has none in the project. It stores a hash only. The error is a
// [*BadTokenError] for a bad or taken name.
func (s *Tables) CreateToken(ctx context.Context, g Grant) (token string, err error) {
	if f := badName("the token's name", g.Name); f != nil {
		return "", &BadTokenError{f.Error}
	}
	if !slices.Contains([]string{RoleAgent, RoleObserver, RoleAdmin}, g.Role) {
		return "", &BadTokenError{fmt.Sprintf("the role must be %s, %s or %s", RoleAgent, RoleObserver, RoleAdmin)}
	}
	token = "coord_" + rand.Text()
	hash := sha256.Sum256([]byte(token))
	defer s.tokens.change()
	err = s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		result, err := tx.ExecContext(ctx, "INSERT INTO coord_tokens (hash, project, name, role, created_at) VALUES "+
			"($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
			hash[:], g.Project, g.Name, g.Role, time.Now().UnixMilli())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err == nil && n == 0 {
			err = &BadTokenError{g.Name + " has a token for this project already; revoke it first"}
		}
		return err
	})
	return token, err
}

// RevokeToken takes back the token of a name in a project. It returns ErrNoToken when there is none.
func (s *Tables) RevokeToken(ctx context.Context, project, name string) error {
	defer s.tokens.change()
	return s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM coord_tokens WHERE project = $1 AND name = $2", project, name)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrNoToken)
		}
		return nil
	})
}

// Tokens lists what tokens allow, by project and name.
func (s *Tables) Tokens(ctx context.Context) (all []Grant, err error) {
	err = s.eachToken(ctx, func(_ []byte, g Grant) { all = append(all, g) })
	return all, err
}

func (s *Tables) eachToken(ctx context.Context, f func(hash []byte, g Grant)) (err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT hash, project, name, role, created_at FROM coord_tokens ORDER BY "+
		"project, name")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var hash []byte
		var g Grant
		var created int64
		if err := rows.Scan(&hash, &g.Project, &g.Name, &g.Role, &created); err != nil {
			return err
		}
		g.CreatedAt = time.UnixMilli(created)
		f(hash, g)
	}
	return rows.Err()
}

// tokensAge is how long tokens are cached. Changes by this process count at once.
const tokensAge = time.Second

// tokens are those that were read last.
type tokens struct {
	mu       sync.Mutex
	read     time.Time
	grants   map[[sha256.Size]byte]Grant
	projects map[string]bool // that have a token; "" is all
	changed  chan struct{}   // closed at the next change by this process; nil when nobody waits for it
}

func (t *tokens) invalidate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read = time.Time{}
}

// change has tokens read again, and tells those who wait for it.
func (t *tokens) change() {
	t.invalidate()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// TokensChange returns a channel that is closed once this process makes or revokes a token; not when a project is
// deleted.
func (s *Tables) TokensChange() <-chan struct{} {
	t := &s.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.changed
}

func (s *Tables) current(ctx context.Context) (grants map[[sha256.Size]byte]Grant, projects map[string]bool,
	err error) {
	t := &s.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.read) < tokensAge {
		return t.grants, t.projects, nil
	}
	now := time.Now()
	grants, projects = make(map[[sha256.Size]byte]Grant), make(map[string]bool)
	err = s.eachToken(ctx, func(hash []byte, g Grant) {
		grants[[sha256.Size]byte(hash)] = g
		projects[g.Project] = true
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read tokens: %w", err)
	}
	t.read, t.grants, t.projects = now, grants, projects
	return grants, projects, nil
}

// Token returns what a token allows, or ErrNoToken. Only its hash is compared, so the time it takes says nothing.
func (s *Tables) Token(ctx context.Context, token string) (Grant, error) {
	grants, _, err := s.current(ctx)
	if err != nil {
		return Grant{}, err
	}
	g, known := grants[sha256.Sum256([]byte(token))]
	if !known {
		return Grant{}, ErrNoToken
	}
	return g, nil
}

// NeedsToken reports whether calls of a project need a token: once there is one for it, or for all.
func (s *Tables) NeedsToken(ctx context.Context, project string) (bool, error) {
	_, projects, err := s.current(ctx)
	return projects[project] || projects[""], err
}
