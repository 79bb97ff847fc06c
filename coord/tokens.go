// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/store"
)

// Roles of tokens.
const (
	RoleAgent    = "agent"    // may do what agents do
	RoleObserver = "observer" // may look, and change nothing
	RoleAdmin    = "admin"    // may also change settings, and free what others hold
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

// CreateToken makes a token for a name that has none in the project, and keeps what it allows. The token itself is kept
// nowhere: it is shown once.
func (s *Tables) CreateToken(ctx context.Context, g Grant) (token string, err error) {
	if f := badName("the token's name", g.Name); f != nil {
		return "", errors.New(f.Error)
	}
	if !slices.Contains([]string{RoleAgent, RoleObserver, RoleAdmin}, g.Role) {
		return "", fmt.Errorf("the role must be %s, %s or %s", RoleAgent, RoleObserver, RoleAdmin)
	}
	token = "coord_" + rand.Text()
	hash := sha256.Sum256([]byte(token))
	err = s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		result, err := tx.ExecContext(ctx, "INSERT INTO coord_tokens (hash, project, name, role, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
			hash[:], g.Project, g.Name, g.Role, time.Now().UnixMilli())
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, fmt.Errorf("%s has a token for this project already; revoke it first", g.Name))
		}
		return nil
	})
	return token, err
}

// RevokeToken takes back the token of a name in a project. It returns ErrNoToken when there is none.
func (s *Tables) RevokeToken(ctx context.Context, project, name string) error {
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
	rows, err := s.db.QueryContext(ctx, "SELECT project, name, role, created_at FROM coord_tokens ORDER BY project, name")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var g Grant
		var created int64
		if err := rows.Scan(&g.Project, &g.Name, &g.Role, &created); err != nil {
			return nil, err
		}
		g.CreatedAt = time.UnixMilli(created)
		all = append(all, g)
	}
	return all, rows.Err()
}

// Token returns what a token allows, or ErrNoToken. Only its hash is compared, so the time it takes says nothing.
func (s *Tables) Token(ctx context.Context, token string) (Grant, error) {
	hash := sha256.Sum256([]byte(token))
	var g Grant
	var created int64
	err := s.db.QueryRowContext(ctx, "SELECT project, name, role, created_at FROM coord_tokens WHERE hash = $1", hash[:]).Scan(&g.Project, &g.Name, &g.Role, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return Grant{}, ErrNoToken
	}
	g.CreatedAt = time.UnixMilli(created)
	return g, err
}

// NeedsToken reports whether calls of a project need a token: once there is one for it, or for all.
func (s *Tables) NeedsToken(ctx context.Context, project string) (bool, error) {
	var n int
	err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM coord_tokens WHERE project = $1 OR project = ''", project).Scan(&n)
	return n > 0, err
}
