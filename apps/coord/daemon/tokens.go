// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// A TokenEntry is a token in the API.
type TokenEntry struct {
	Project   string     `json:"project"` // "" for all
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	CreatedAt coord.Time `json:"created_at,omitzero"`
}

// EntryOf returns the entry of a token.
func EntryOf(g coord.Grant) TokenEntry {
	return TokenEntry{g.Project, g.Name, g.Role, coord.Time(g.CreatedAt)}
}

// owner admits callers that know the key of the owner.
func (d *Daemon) owner(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if subtle.ConstantTimeCompare([]byte(key), []byte(d.opts.OwnerKey)) != 1 {
			refuse(w, http.StatusForbidden, errors.New("tokens are the business of who runs the coordinator; its key "+
				"is in the data folder"))
			return
		}
		h(w, r)
	}
}

func (d *Daemon) serveTokens(w http.ResponseWriter, r *http.Request) {
	all, err := d.opts.Tokens.Tokens(r.Context())
	if err != nil {
		d.fail(w, err)
		return
	}
	entries := make([]TokenEntry, len(all))
	for i, g := range all {
		entries[i] = EntryOf(g)
	}
	answer(w, map[string]any{"tokens": entries})
}

func (d *Daemon) createToken(w http.ResponseWriter, r *http.Request) {
	var e TokenEntry
	if !read(w, r, &e) {
		return
	}
	token, err := d.opts.Tokens.CreateToken(r.Context(), coord.Grant{Project: e.Project, Name: e.Name, Role: e.Role})
	if bad, ok := errors.AsType[*coord.BadTokenError](err); ok {
		refuse(w, http.StatusBadRequest, bad)
		return
	}
	if err != nil {
		d.fail(w, err)
		return
	}
	d.opts.Logger.Info("a token was made", slog.String("project", e.Project), slog.String("name", e.Name),
		slog.String("role", e.Role))
	answer(w, map[string]string{"token": token})
}

func (d *Daemon) revokeToken(w http.ResponseWriter, r *http.Request) {
	var e TokenEntry
	if !read(w, r, &e) {
		return
	}
	switch err := d.opts.Tokens.RevokeToken(r.Context(), e.Project, e.Name); {
	case errors.Is(err, coord.ErrNoToken):
		refuse(w, http.StatusNotFound, err)
	case err != nil:
		d.fail(w, err)
	default:
		d.opts.Logger.Info("a token was revoked", slog.String("project", e.Project), slog.String("name", e.Name))
		answer(w, map[string]string{"status": "revoked"})
	}
}
