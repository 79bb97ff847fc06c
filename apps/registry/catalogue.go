// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/store"
)

// Where agents may be.
const (
	NetworksPublic   = string(guard.Public)   // on the internet only
	NetworksLoopback = string(guard.Loopback) // and on this machine
	NetworksPrivate  = string(guard.Private)  // and in private networks
)

// Options tunes a [Registry]. The zero value of each field means its default.
type Options struct {
	// Networks says where cards are fetched and agents probed: NetworksPublic, NetworksLoopback or NetworksPrivate. ""
	// means NetworksPublic, as anybody who may add agents could look around in the others through the registry.
	Networks string
	// Dial, unless nil, makes the connections to agents, in place of what Networks says.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Verify judges each card that is added or fetched, see card.Options. Nil takes all. Cards that were kept before
	// are judged when they are fetched the next time.
	Verify func(ctx context.Context, ref string, document []byte) ([]byte, error)
	// Verifier says which signature of a card holds, for Entry.Signature. Nil says that none does.
	Verifier *signature.Verifier

	Timeout     time.Duration // of one fetch of a card and of one connection; 0 means 10 s
	MaxCard     int64         // bytes of a card; 0 means 1 MiB
	MaxAgents   int           // that are kept; 0 means 10,000
	MaxVersions int           // of each agent's card that are kept, the newest ones; 0 means 20
	Interval    time.Duration // between two checks of an agent, give or take a fifth; 0 means 1 min
	MaxInterval time.Duration // to which that doubles for an agent that stays down; 0 means 1 h
	Concurrency int           // checks at a time, and as many again that callers wait for; 0 means 8
	Logger      *slog.Logger  // nil means slog.Default()
}

// Defaults returns the options with every zero value replaced by what it means, but for Dial.
func (o Options) Defaults() Options {
	o.Networks = cmp.Or(o.Networks, NetworksPublic)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.MaxCard = cmp.Or(o.MaxCard, 1<<20)
	o.MaxAgents = cmp.Or(o.MaxAgents, 10_000)
	o.MaxVersions = cmp.Or(o.MaxVersions, 20)
	o.Interval = cmp.Or(o.Interval, time.Minute)
	o.MaxInterval = max(o.Interval, cmp.Or(o.MaxInterval, time.Hour))
	o.Concurrency = cmp.Or(o.Concurrency, 8)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// A Registry is a [Catalog] in a database. It must be made by [New] and closed. Agents are checked by themselves only
// while [Registry.Run] runs.
type Registry struct {
	opts      Options
	tables    *tables
	cards     *card.Resolver
	dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	transport *http.Transport
	slots     chan struct{} // looks that callers wait for
}

var _ Catalog = (*Registry)(nil)

// New brings the registry's tables in db up to date and returns the registry. opts may be nil.
func New(ctx context.Context, db *store.DB, opts *Options) (*Registry, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o = o.Defaults()
	if !guard.Networks(o.Networks).Valid() {
		return nil, fmt.Errorf("registry: Options.Networks is %q; use %s, %s or %s", o.Networks, NetworksPublic,
			NetworksLoopback, NetworksPrivate)
	}
	for name, n := range map[string]int64{
		"Timeout": int64(o.Timeout), "MaxCard": o.MaxCard, "MaxAgents": int64(o.MaxAgents),
		"MaxVersions": int64(o.MaxVersions), "Interval": int64(o.Interval), "Concurrency": int64(o.Concurrency),
	} {
		if n < 0 {
			return nil, fmt.Errorf("registry: Options.%s must not be negative", name)
		}
	}
	t, err := openTables(ctx, db)
	if err != nil {
		return nil, err
	}
	g := &Registry{opts: o, tables: t, dial: o.Dial, slots: make(chan struct{}, o.Concurrency)}
	if g.dial == nil {
		g.dial = guard.Dial(guard.Networks(o.Networks))
	}
	g.transport = guard.Transport(g.connect)
	g.cards = card.NewResolver(&card.Options{
		HTTPClient: &http.Client{Transport: g.transport}, Timeout: o.Timeout, MaxBytes: o.MaxCard, MaxCached: -1,
		Retries: -1, Verify: o.Verify,
	})
	return g, nil
}

// Close gives up the connections to agents. The database stays open.
func (g *Registry) Close() error {
	g.transport.CloseIdleConnections()
	return nil
}

// List implements [Catalog].
func (g *Registry) List(ctx context.Context, q Query) (*Page, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	after, err := placeIn(q.PageToken, q.mark())
	if err != nil {
		return nil, err
	}
	return g.tables.page(ctx, &q, after)
}

// Get implements [Catalog].
func (g *Registry) Get(ctx context.Context, name string) (*Entry, error) {
	return g.read(ctx, func(ctx context.Context, s *store.Snapshot) (*record, error) { return mustFind(ctx, s, name) })
}

// read returns the entry of a record, both of one moment.
func (g *Registry) read(ctx context.Context, find func(context.Context, *store.Snapshot) (*record, error)) (e *Entry,
	err error) {
	err = g.tables.db.Read(ctx, func(ctx context.Context, s *store.Snapshot) error {
		r, err := find(ctx, s)
		if err != nil {
			return err
		}
		e, _, err = r.entry(ctx, s)
		return err
	})
	return e, err
}

func mustFind(ctx context.Context, q store.Querier, name string) (*record, error) {
	r, err := find(ctx, q, name)
	if err == nil && r == nil {
		err = failf(ErrNotFound, "there is no agent %q here", clip(name, 200))
	}
	return r, err
}

// Add implements [Catalog].
func (g *Registry) Add(ctx context.Context, r Registration) (*Entry, bool, error) {
	at, err := g.targetOf(ctx, &r)
	if err != nil {
		return nil, false, err
	}
	seen, err := g.lookFor(ctx, at)
	if err != nil {
		return nil, false, err
	}
	if seen.card == nil || at.given != nil && errors.Is(seen.err, guard.ErrRefused) {
		return nil, false, cardError(seen.err)
	}
	var number int64
	var created bool
	err = g.tables.db.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		number, created, err = g.put(ctx, tx, at, r.Alias, seen)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	e, err := g.byNumber(ctx, number)
	return e, created, err
}

func (g *Registry) byNumber(ctx context.Context, number int64) (*Entry, error) {
	return g.read(ctx, func(ctx context.Context, s *store.Snapshot) (*record, error) {
		return present(one(ctx, s, `number = $1`, number))
	})
}

// present refuses the absence of a record that was there before.
func present(r *record, err error) (*record, error) {
	if err == nil && r == nil {
		err = errGone
	}
	return r, err
}

// errGone is returned for an agent that was removed while something was done with it.
var errGone = failf(ErrNotFound, "the agent was removed just now")

// Check implements [Catalog].
func (g *Registry) Check(ctx context.Context, name string) (*Entry, error) {
	r, err := mustFind(ctx, g.tables.db, name)
	if err != nil {
		return nil, err
	}
	at := r.target()
	seen, err := g.lookFor(ctx, &at)
	if err != nil {
		return nil, err
	}
	if err := g.note(ctx, &at, seen); err != nil {
		return nil, err
	}
	return g.byNumber(ctx, at.number)
}

// note keeps what a look at an agent that is there brought.
func (g *Registry) note(ctx context.Context, at *target, seen *sight) error {
	return g.tables.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := present(one(ctx, tx, `number = $1 AND id = $2`, at.number, at.id))
		if err != nil {
			return err
		}
		return g.update(ctx, tx, r, seen)
	})
}

// Remove implements [Catalog].
func (g *Registry) Remove(ctx context.Context, name string) error {
	return g.tables.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := mustFind(ctx, tx, name)
		if err != nil {
			return err
		}
		return g.tables.remove(ctx, tx, r.number)
	})
}

// Versions implements [Catalog].
func (g *Registry) Versions(ctx context.Context, name string, size int, pageToken string) (*VersionPage, error) {
	r, err := mustFind(ctx, g.tables.db, name)
	if err != nil {
		return nil, err
	}
	mark := markOf("versions", r.ID)
	after, err := placeIn(pageToken, mark)
	if err != nil {
		return nil, err
	}
	return g.tables.versions(ctx, r, pageSize(size), after, mark)
}

// Version implements [Catalog].
func (g *Registry) Version(ctx context.Context, name string, number int) (*Version, error) {
	r, err := mustFind(ctx, g.tables.db, name)
	if err != nil {
		return nil, err
	}
	v, _, err := readVersion(ctx, g.tables.db, r.number, number)
	if err == nil && v == nil {
		err = failf(ErrNotFound, "agent %q has no version %s of its card; the last %d are kept", r.Alias,
			strconv.Itoa(number), g.opts.MaxVersions)
	}
	return v, err
}

// cardError says why an agent without a card cannot be added.
func cardError(err error) error {
	kind := ErrCardUnreachable
	if errors.Is(err, card.ErrInvalid) || errors.Is(err, card.ErrNotFound) ||
		errors.Is(err, card.ErrUntrusted) {
		kind = ErrCardInvalid
	}
	return &Error{Kind: kind, Detail: reason(err), Err: err}
}
