// SPDX-License-Identifier: Apache-2.0

package push

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/journal"
)

// maxText bounds each text of a config, in bytes.
const maxText = 4096

// A record is what the cursor of a config holds.
type record struct {
	URL         string         `json:"url"`
	Scheme      string         `json:"scheme,omitempty"`
	Token       []byte         `json:"token,omitempty"`       // sealed
	Credentials []byte         `json:"credentials,omitempty"` // sealed
	Generation  a2a.Generation `json:"generation"`            // of the caller that made the config
	Base        string         `json:"base,omitempty"`        // URL at which it was made
	Failing     time.Time      `json:"failing,omitzero"`      // since when
	Failure     string         `json:"failure,omitempty"`     // of the last try
	Parked      time.Time      `json:"parked,omitzero"`       // since when nothing is tried
	Reached     uint64         `json:"reached,omitzero"`      // by a parked config: the last event that was delivered
}

func (r *record) encode() []byte {
	data, _ := json.Marshal(r) // has no value that fails
	return data
}

func decode(data []byte) (*record, error) {
	r := new(record)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("push: a stored config cannot be read: %w", err)
	}
	return r, nil
}

// sealFor encrypts a secret for one config; the text cannot be used for another one.
func (s *Sender) sealFor(key journal.Key, id, secret string) []byte {
	if secret == "" {
		return nil
	}
	nonce := make([]byte, s.seal.NonceSize())
	rand.Read(nonce)
	return s.seal.Seal(nonce, nonce, []byte(secret), place(key, id))
}

func (s *Sender) open(key journal.Key, id string, sealed []byte) (string, error) {
	if sealed == nil {
		return "", nil
	}
	n := s.seal.NonceSize()
	if len(sealed) < n {
		return "", errKey
	}
	secret, err := s.seal.Open(nil, sealed[:n], sealed[n:], place(key, id))
	if err != nil {
		return "", errKey
	}
	return string(secret), nil
}

var errKey = errors.New("the secrets of the config are encrypted with another key")

// place names a config unambiguously.
func place(key journal.Key, id string) []byte {
	name, _ := json.Marshal([]string{key.Agent, key.Tenant, key.Owner, string(key.ID), id})
	return name
}

// Prepare checks a config that comes with the first message of a task, and returns the cursor to create the task with.
func (s *Sender) Prepare(ctx context.Context, key journal.Key, c *a2a.PushConfig) (journal.Cursor, error) {
	call := a2a.CallFrom(ctx)
	gen := cmp.Or(call.Generation, a2a.Generation10)
	if err := s.check(c); err != nil {
		return journal.Cursor{}, err
	}
	if gen == a2a.Generation01 {
		if err := s.challenge(ctx, c.URL); err != nil {
			return journal.Cursor{}, err
		}
	}
	id := c.ID
	switch {
	case id != "":
	case gen == a2a.Generation10:
		id = rand.Text()
	default: // one without an id replaces the last one without an id, as in the SDKs of these versions
		id = string(key.ID)
	}
	rec := record{URL: c.URL, Token: s.sealFor(key, id, c.Token), Generation: gen, Base: call.BaseURL}
	if c.Authentication != nil {
		rec.Scheme = c.Authentication.Scheme
		rec.Credentials = s.sealFor(key, id, c.Authentication.Credentials)
	}
	return journal.Cursor{Name: id, Data: rec.encode()}, nil
}

// Create makes or replaces a config of a task that exists. The events from now on are delivered to it. A task that has
// ended has none; its last event is delivered instead, for callers that missed the end.
func (s *Sender) Create(ctx context.Context, key journal.Key, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	head, err := s.journal.Head(ctx, key)
	if err != nil {
		return nil, err
	}
	cursor, err := s.Prepare(ctx, key, c)
	if err != nil {
		return nil, err
	}
	cursors, err := s.journal.Cursors(ctx, key)
	if err != nil {
		return nil, err
	}
	cursor.Delivered = head.Seq
	if head.Status.State.Terminal() && head.Seq > 0 {
		cursor.Delivered--
	}
	i := slices.IndexFunc(cursors, func(c journal.Cursor) bool { return c.Name == cursor.Name })
	switch {
	case i >= 0:
		cursor.Delivered = min(cursor.Delivered, reached(&cursors[i]))
	case len(cursors) >= MaxConfigs:
		return nil, a2a.InvalidParams("taskId",
			fmt.Sprintf("has %d push notification configs, which is the limit; delete one", len(cursors)))
	}
	if err := s.journal.PutCursor(ctx, key, cursor); err != nil {
		return nil, err
	}
	s.Notify()
	return shown(key, &cursor)
}

// reached returns the last event that was delivered to a config, which may be parked.
func reached(c *journal.Cursor) uint64 {
	if c.Delivered == journal.Parked {
		if rec, err := decode(c.Data); err == nil {
			return rec.Reached
		}
	}
	return c.Delivered
}

// Get returns a config of a task, its secrets masked.
func (s *Sender) Get(ctx context.Context, key journal.Key, id string) (*a2a.PushConfig, error) {
	cursors, err := s.journal.Cursors(ctx, key)
	if err != nil {
		return nil, err
	}
	for i := range cursors {
		if cursors[i].Name == id {
			return shown(key, &cursors[i])
		}
	}
	return nil, a2a.NewError(a2a.ErrTaskNotFound, "the task has no push notification config with this id")
}

// List returns a page of a task's configs, ordered by their ids, with their secrets masked. A size of 0 means all.
func (s *Sender) List(ctx context.Context, key journal.Key, size int, token string) (*a2a.ListPushConfigsResponse,
	error) {
	after, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return nil, journal.ErrBadPageToken
	}
	cursors, err := s.journal.Cursors(ctx, key)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		size = MaxConfigs
	}
	page := new(a2a.ListPushConfigsResponse)
	for i := range cursors {
		if cursors[i].Name <= string(after) {
			continue
		}
		if len(page.Configs) == size {
			last := page.Configs[size-1].ID
			page.NextPageToken = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		c, err := shown(key, &cursors[i])
		if err != nil {
			return nil, err
		}
		page.Configs = append(page.Configs, c)
	}
	return page, nil
}

// Delete removes a config. Removing one that is not there is not an error, unless the task is not there either.
func (s *Sender) Delete(ctx context.Context, key journal.Key, id string) error {
	if _, err := s.journal.Head(ctx, key); err != nil {
		return err
	}
	return s.journal.DeleteCursor(ctx, key, id)
}

// shown returns a config as callers see it.
func shown(key journal.Key, c *journal.Cursor) (*a2a.PushConfig, error) {
	rec, err := decode(c.Data)
	if err != nil {
		return nil, err
	}
	config := &a2a.PushConfig{Tenant: key.Tenant, ID: c.Name, TaskID: key.ID, URL: rec.URL, Token: masked(rec.Token)}
	if rec.Scheme != "" || rec.Credentials != nil {
		config.Authentication = &a2a.PushAuthentication{Scheme: rec.Scheme, Credentials: masked(rec.Credentials)}
	}
	return config, nil
}

func masked(sealed []byte) string {
	if sealed == nil {
		return ""
	}
	return redact.Mark
}

// check refuses what cannot be delivered to. A name that does not resolve may do so later.
func (s *Sender) check(c *a2a.PushConfig) error {
	if err := c.Validate(); err != nil {
		return err
	}
	scheme, credentials := "", ""
	if c.Authentication != nil {
		scheme, credentials = c.Authentication.Scheme, c.Authentication.Credentials
	}
	for _, field := range []struct{ name, value string }{{"url", c.URL}, {"token", c.Token},
		{"authentication.scheme", scheme}, {"authentication.credentials", credentials}} {
		if len(field.value) > maxText {
			return a2a.InvalidParams(field.name, fmt.Sprintf("must not be longer than %d bytes", maxText))
		}
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return a2a.InvalidParams("url", "is not a URL")
	case u.User != nil:
		return a2a.InvalidParams("url", "must not hold credentials; put them in authentication.credentials")
	case u.Scheme != "https" && !s.opts.AllowPrivate:
		return a2a.InvalidParams("url", "must be an https URL")
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
		if guard.Check(s.ctx, s.opts.networks(), addr.String(), s.permit.Prefixes...) != nil {
			return a2a.InvalidParams("url", "is in a network that this server does not call")
		}
	}
	return checkScheme(strings.ToLower(scheme), credentials, s.opts.Signer != nil)
}
