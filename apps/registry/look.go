// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// maxReason bounds the text that says why an agent is down, in bytes.
const maxReason = 500

type target struct {
	number   int64 // 0 for one that is not there yet
	id       string
	identity string
	url      string // where its card is; "" when it was given
	places   places // of its interfaces as far as is known
	known    card.Fetched
	given    *a2a.AgentCard // by who adds it
	alias    string         // for the log
}

func (r *record) target() target {
	return target{
		number: r.number, id: r.ID, identity: r.identity, url: r.URL, places: placesFrom(r.address), alias: r.Alias,
		known: card.Fetched{URL: r.foundAt, ETag: r.etag, LastModified: r.modified},
	}
}

// targetOf returns what a registration means.
func (g *Registry) targetOf(ctx context.Context, r *Registration) (*target, error) {
	if r.Alias != "" {
		if err := checkAlias(r.Alias); err != nil {
			return nil, err
		}
	}
	switch {
	case (r.URL == "") == (r.Card == nil):
		return nil, failf(ErrInvalid, "give either the url of an agent or its card")
	case r.Card != nil:
		return g.given(ctx, r.Card)
	}
	u, err := location(r.URL)
	if err != nil {
		return nil, err
	}
	return &target{identity: u.String(), url: u.String()}, nil
}

func (g *Registry) given(ctx context.Context, c *a2a.AgentCard) (*target, error) {
	raw, err := c.AppendJSON(nil)
	if err != nil {
		return nil, failf(ErrCardInvalid, "the card cannot be used: %v", err)
	}
	if int64(len(raw)) > g.opts.MaxCard {
		return nil, failf(ErrCardInvalid, "the card has %d bytes; it may have %d", len(raw), g.opts.MaxCard)
	}
	if raw, err = g.cards.Trusted(ctx, "given", raw); err != nil {
		return nil, cardError(err)
	}
	if c, err = card.Decode(raw); err != nil {
		return nil, failf(ErrCardInvalid, "the card cannot be used: %v", err)
	}
	return &target{identity: identityOf(c), given: c, known: card.Fetched{Raw: raw}}, nil
}

// host names an agent that has no other name.
func (t *target) host() string {
	ref := t.url
	if t.given != nil {
		ref = t.given.SupportedInterfaces[0].URL
	}
	if u, err := url.Parse(ref); err == nil && u.Host != "" {
		return u.Host
	}
	return ref
}

type sight struct {
	at     time.Time
	took   time.Duration
	card   *a2a.AgentCard // nil when it is what it was, or was not to be had
	raw    []byte
	digest string
	places places
	signed *Signature // of card; nil if none holds

	foundAt, etag, modified string // all empty when the card was not to be had

	err error // why the agent is down; nil when it is up
}

// lookFor is look for somebody who waits: only so many at a time, as strangers choose how long it takes.
func (g *Registry) lookFor(ctx context.Context, t *target) (*sight, error) {
	patience := time.NewTimer(g.opts.Timeout)
	defer patience.Stop()
	select {
	case g.slots <- struct{}{}:
	case <-patience.C:
		return nil, failf(ErrUnavailable, "too many agents are looked at just now; try again in a moment")
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-g.slots }()
	return g.look(ctx, t)
}

// look asks an agent for its card and whether it is there. Its error is that of ctx only.
func (g *Registry) look(ctx context.Context, t *target) (*sight, error) {
	start := time.Now()
	s := &sight{places: t.places}
	if t.url != "" {
		s.err = g.fetch(ctx, t, s)
	} else if t.given != nil {
		s.take(t.given, t.known.Raw)
	}
	if s.card != nil {
		s.signed = g.signatureOf(ctx, s.raw)
	}
	if s.err == nil {
		s.err = g.reach(ctx, s)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.at = time.Now().UTC().Truncate(time.Millisecond)
	s.took = time.Since(start)
	return s, nil
}

func (g *Registry) fetch(ctx context.Context, t *target, s *sight) error {
	known := &t.known
	if g.opts.Verify != nil {
		known = nil // a card that has not changed may be trusted no longer
	}
	found, err := g.cards.Fetch(ctx, t.url, known)
	if err != nil {
		return err
	}
	s.foundAt, s.etag, s.modified = found.URL, clip(found.ETag, 1000), clip(found.LastModified, 1000)
	if !found.Unchanged {
		s.take(found.Card, found.Raw)
	}
	return nil
}

func (g *Registry) signatureOf(ctx context.Context, raw []byte) *Signature {
	if g.opts.Verifier == nil {
		return nil
	}
	got, err := g.opts.Verifier.Verify(ctx, raw)
	if err != nil { // Verify has judged it
		return nil
	}
	return &Signature{KeyID: clip(got.KeyID, 1000), KeysURL: got.KeysURL, Form: string(got.Form)}
}

// take notes a card. Its digest does not depend on spaces and the order of members, which some servers vary.
func (s *sight) take(c *a2a.AgentCard, raw []byte) {
	canonical := jsontext.Value(raw).Clone()
	if canonical.Canonicalize() != nil {
		canonical = raw
	}
	sum := sha256.Sum256(canonical)
	s.card, s.raw, s.digest = c, raw, hex.EncodeToString(sum[:])
	s.places = placesOf(c)
}

// reach connects to the agent's first interface, unless the card has just come from there. None of its interfaces may
// be where the registry must not look: who takes the card from here would call them.
func (g *Registry) reach(ctx context.Context, s *sight) error {
	ctx, cancel := context.WithTimeoutCause(ctx, g.opts.Timeout, fmt.Errorf("no connection within %v", g.opts.Timeout))
	defer cancel()
	if err := g.allowed(ctx, s.places); err != nil {
		return err
	}
	if len(s.places) == 0 || s.places[0] == "" {
		return nil
	}
	if u, err := url.Parse(s.foundAt); err == nil && s.foundAt != "" &&
		strings.EqualFold(addressOfURL(u), s.places[0]) {
		return nil
	}
	conn, err := g.connect(ctx, "tcp", s.places[0])
	if err != nil {
		return fmt.Errorf("its first interface cannot be reached: %w", err)
	}
	return conn.Close()
}

// health returns that of an agent after a look, given what it was before.
func (s *sight) health(before Health, pause func(failures int) time.Duration) Health {
	h := Health{State: HealthUp, Since: before.Since, CheckedAt: s.at, LatencyMS: s.took.Milliseconds()}
	if s.err != nil {
		h.State, h.Failures, h.Error = HealthDown, before.Failures+1, reason(s.err)
	}
	if h.State != before.State {
		h.Since = s.at
	}
	h.NextAt = s.at.Add(pause(h.Failures)).Truncate(time.Millisecond)
	return h
}

// pause returns the time until the next check: longer and longer for an agent that is down, and never quite the same,
// so that agents which were added together are not checked together for ever.
func (g *Registry) pause(failures int) time.Duration {
	d := g.opts.Interval
	for i := 1; i < failures && d < g.opts.MaxInterval; i++ {
		d *= 2
	}
	d = min(d, g.opts.MaxInterval)
	return d - d/5 + rand.N(2*d/5+1)
}

// reason returns the text of an error that a stranger may have had a hand in: one short line that shows what it is.
func reason(err error) string {
	text := err.Error()
	if u, ok := errors.AsType[*url.Error](err); ok { // which names the URL once more
		text = strings.Replace(text, u.Error(), u.Err.Error(), 1)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok { // which names the addresses of both sides
		text = strings.Replace(text, op.Error(), op.Op+": "+op.Err.Error(), 1)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r != '\uFFFD' && unseen(r) }),
		" ")
	return clip(text, maxReason)
}

// A dialError says why there is no connection to an address, as the caller that added the agent wrote it. The address
// that the name resolves to is left out, and a name of a network that the registry does not look at reads like one that
// does not exist: callers could otherwise have the registry tell what is in the networks around it.
type dialError struct {
	addr     string // host and port
	networks guard.Networks
	err      error
}

func (e *dialError) Unwrap() error { return e.err }

func (e *dialError) Error() string {
	host, _, err := net.SplitHostPort(e.addr)
	if err != nil {
		host = e.addr
	}
	refused := errors.Is(e.err, guard.ErrRefused)
	if _, err := netip.ParseAddr(host); err == nil && refused {
		return fmt.Sprintf("the address %s is not in the networks that count as %s", host, e.networks)
	}
	dns, unresolved := errors.AsType[*net.DNSError](e.err)
	late, canTime := errors.AsType[net.Error](e.err)
	switch {
	case refused, unresolved && dns.IsNotFound:
		return fmt.Sprintf("no host is called %q in the networks that count as %s", host, e.networks)
	case unresolved:
		return fmt.Sprintf("the name %q cannot be resolved now", host)
	case errors.Is(e.err, syscall.ECONNREFUSED):
		return "nothing listens at " + e.addr
	case canTime && late.Timeout():
		return "no answer from " + e.addr + " in time"
	}
	return "no connection to " + e.addr
}

// connect is the dial function with errors for strangers.
func (g *Registry) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := g.dial(ctx, network, addr)
	if err != nil {
		return nil, &dialError{addr, guard.Networks(g.opts.Networks), err}
	}
	return conn, nil
}
