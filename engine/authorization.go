// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// A Grant is an authorization that came to an agent out of band.
type Grant struct {
	ID   string      // tells the turn that it begins what was granted, see agent.Turn.Grant
	Task journal.Key // the task that waits for it, whose Owner must be who granted it
}

// Granted lets a task go on that waits for an authorization (A2A 1.0 §7.6.1). The agent's own callback calls it with
// what agent.Turn.NewGrant made, usually the parameter "state" of OAuth 2.
//
// Before the task goes on, keep stores what was granted under the ID of the grant. It must make sure that the person
// who came to the callback is the owner of the task, or else a user could be talked into an authorization for the task
// of another user. If it fails, Granted returns its error, and the secret stays good.
//
// A secret is good once, and as long as the task asks for just this authorization, also after a restart. Otherwise
// Granted returns an a2a.ErrInvalidParams that does not tell why. If callbacks come to two nodes at once, both may call
// keep, and one turn begins.
func (e *Engine) Granted(ctx context.Context, secret string, keep func(context.Context, Grant) error) error {
	refused := a2a.InvalidParams("state", "is unknown, or was used already; start the request again")
	token, _, _ := strings.Cut(secret, ".")
	key, err := parseWakeToken(token)
	if err != nil {
		return refused
	}
	id := turn.GrantID(secret)
	if _, twice := e.granting.LoadOrStore(id, true); twice {
		return refused
	}
	defer e.granting.Delete(id)
	asked, err := asksFor(ctx, e.journal, key, id)
	if err != nil {
		return wireError(err)
	}
	if !asked {
		return refused
	}
	if err := keep(ctx, Grant{ID: id, Task: key}); err != nil {
		return err
	}
	_, err = e.journal.Enqueue(ctx, key, journal.Input{Kind: journal.InputWake, Time: now(),
		Call: journal.InputCall{Grant: id}, IdempotencyKey: "engine/grant@" + id}, 0)
	if errors.Is(err, journal.ErrFinished) || errors.Is(err, journal.ErrNotFound) {
		return refused
	}
	if err != nil {
		return wireError(err)
	}
	e.ensureRunnerNow(ctx, key)
	return nil
}

// asksFor reports whether a task waits for the authorization whose grant has an ID, and none has come.
func asksFor(ctx context.Context, j journal.Journal, key journal.Key, grant string) (bool, error) {
	head, err := j.Head(ctx, key)
	if errors.Is(err, journal.ErrNotFound) {
		return false, nil
	}
	if err != nil || head.Status.State != a2a.TaskStateAuthRequired || head.Status.Message == nil {
		return false, err
	}
	waiting, err := j.Inputs(ctx, key, head.Taken)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(head.Status.Message.Parts, func(p a2a.Part) bool {
		var id string
		found, err := p.Metadata.Get(turn.MetaGrant, &id)
		return found && err == nil && id == grant
	}) && !slices.ContainsFunc(waiting, func(in journal.Input) bool { return in.Call.Grant == grant }), nil
}

// hiddenCredentials stands for credentials in history and journal.
var hiddenCredentials = a2a.Data(`{"` + a2a.CredentialsExtension + `":"[redacted]"}`)

// withoutCredentials returns a request without the credentials that its message brings, which are kept in memory for
// the turn that takes the message.
func (s *service) withoutCredentials(ctx context.Context, scope journal.Scope,
	req *a2a.SendMessageRequest) (*a2a.SendMessageRequest, error) {
	at := slices.IndexFunc(req.Message.Parts, func(p a2a.Part) bool { _, ok := a2a.FindCredentials(p); return ok })
	if at < 0 {
		return req, nil
	}
	refuse := func(why string) error { return a2a.InvalidParams("message.parts", why) }
	c, _ := a2a.FindCredentials(req.Message.Parts[at])
	key := journal.Key{Scope: scope, ID: cmp.Or(req.Message.TaskID, req.NewTaskID)}
	switch active := slices.Contains(a2a.CallFrom(ctx).Extensions, a2a.CredentialsExtension); {
	case !s.credentials:
		return nil, refuse("have credentials, which this agent does not take in messages; give them as it says")
	case !active && a2a.CallFrom(ctx).Generation != "":
		return nil, refuse("have credentials; activate the extension " + a2a.CredentialsExtension + " to send any")
	case c.Value == "":
		return nil, refuse("have credentials without a value; send {scheme, credentials}, two texts")
	case key.ID == "":
		return nil, refuse("have credentials, and no task waits for them; name its id")
	}
	head, err := s.e.journal.Head(ctx, key)
	if err != nil {
		return nil, wireError(err)
	}
	if head.Status.State != a2a.TaskStateAuthRequired {
		return nil, refuse("have credentials, and the task does not wait for an authorization")
	}
	hidden, m := *req, *req.Message
	m.Parts = slices.Clone(m.Parts)
	for i, p := range m.Parts {
		if _, secret := a2a.FindCredentials(p); secret {
			m.Parts[i].Content = hiddenCredentials
		}
	}
	hidden.Message = &m
	return &hidden, s.e.secrets.put(secretKey{key, m.ID}, c, s.e.opts.TurnLimit)
}

// learn gives the turn the credentials that one of its messages brought; the runner's mu is held.
func (t *openTurn) learn(m *a2a.Message) {
	if m == nil {
		return
	}
	if c, ok := t.r.e.secrets.take(secretKey{t.r.key, m.ID}); ok {
		if t.learned == nil {
			t.learned = map[a2a.MessageID]a2a.Credentials{}
		}
		t.learned[m.ID] = c
	}
}

// secrets are the credentials of messages that no turn has taken, for a while.
type secrets struct {
	mu   sync.Mutex
	held map[secretKey]a2a.Credentials
}

type secretKey struct {
	task    journal.Key
	message a2a.MessageID
}

const (
	maxSecrets      = 1000
	maxSecretLength = 16 << 10
)

func (s *secrets) put(key secretKey, c a2a.Credentials, lifetime time.Duration) error {
	if len(c.Scheme)+len(c.Value) > maxSecretLength {
		return a2a.InvalidParams("message.parts", "have credentials of more than 16 KiB, which is the limit")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.held) >= maxSecrets {
		return &a2a.Error{Kind: a2a.ErrUnavailable,
			Message:    "too many credentials wait for their turns; try again later",
			RetryAfter: time.Second}
	}
	if s.held == nil {
		s.held = map[secretKey]a2a.Credentials{}
	}
	s.held[key] = c
	time.AfterFunc(lifetime, func() { s.take(key) })
	return nil
}

func (s *secrets) take(key secretKey) (a2a.Credentials, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.held[key]
	delete(s.held, key)
	return c, ok
}
