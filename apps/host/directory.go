// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// An AgentRef names an agent that a host knows from the start.
type AgentRef struct {
	Card   string          // its URL, its host, or the file of its card, see [card.Resolver.Resolve]
	Alias  string          // how users call it; "" means its card's name
	Client *client.Options // how it is called, such as with credentials; nil means DirectoryOptions.Client
}

// A Catalog lists agents; a registry.Catalog is one.
type Catalog interface {
	List(ctx context.Context, q registry.Query) (*registry.Page, error)
}

// DirectoryOptions tune a [Directory]. The zero value of each member means its default.
type DirectoryOptions struct {
	Agents  []AgentRef
	Catalog Catalog        // further agents; nil means none
	Client  client.Options // how agents are called

	RefreshEvery time.Duration // how old a card may be before its server is asked again; 0 means 1 min
	CardTimeout  time.Duration // how long a request waits for cards; 0 means 5 s
	// Verify judges the cards of all agents, see card.Options. Nil takes all.
	Verify    func(ctx context.Context, ref string, document []byte) ([]byte, error)
	MaxAgents int // how many agents are taken from the catalogue; 0 means 500

	// Networks says where agents of the catalogue may be: registry.NetworksPublic, NetworksLoopback or NetworksPrivate,
	// each with those before it. "" means NetworksPublic, as their cards are the words of strangers. Those agents are
	// called by JSON-RPC and HTTP+JSON only, and neither through Client.HTTPClient nor through a proxy.
	Networks string

	FailureLimit int           // failures in a row after which an agent rests; 0 means 3
	Rest         time.Duration // how long it rests; 0 means 30 s
}

// Defaults returns the options with every zero value replaced by what it means.
func (o DirectoryOptions) Defaults() DirectoryOptions {
	o.RefreshEvery = cmp.Or(o.RefreshEvery, time.Minute)
	o.CardTimeout = cmp.Or(o.CardTimeout, 5*time.Second)
	o.MaxAgents = cmp.Or(o.MaxAgents, 500)
	o.Networks = cmp.Or(o.Networks, registry.NetworksPublic)
	o.FailureLimit = cmp.Or(o.FailureLimit, 3)
	o.Rest = cmp.Or(o.Rest, 30*time.Second)
	return o
}

// A Directory knows the agents of a host: those that it was given, and those of a catalogue. Agents of one name get
// aliases: the second one is called "name#2". It is safe for concurrent use. Close it.
type Directory struct {
	opts     DirectoryOptions
	resolver *card.Resolver
	ownHTTP  *http.Client // nil when the caller brought one
	guarded  *http.Client // for the agents of the catalogue

	refreshing chan struct{} // holds a token while nobody refreshes

	late   sync.WaitGroup  // refreshes that nobody waits for
	open   context.Context // of those; ends with Close
	hangUp context.CancelFunc

	mu      sync.Mutex
	agents  []*remote          // in the order of the options, then of the catalogue
	listed  time.Time          // when the catalogue was read last
	problem string             // why it could not be
	refused []plan.Unreachable // those in it whose cards are not trusted
	closed  bool
}

type remote struct {
	key     string // names it for good: in the options, or in the catalogue
	ref     AgentRef
	alias   string // "" as long as there is no card
	card    *a2a.AgentCard
	conn    *conn // nil without a card
	looked  time.Time
	version int             // of the card, in the catalogue
	listed  registry.Health // what the catalogue says of it
	breaker *breaker
	given   bool // by the options; else by the catalogue

	renamed, renamedFrom *a2a.AgentCard // see shown
}

// conn is a client that is closed when nobody uses it any more.
type conn struct {
	client  *client.Client
	users   int
	retired bool
}

// NewDirectory returns a directory. No agent is called yet. opts may be nil.
func NewDirectory(opts *DirectoryOptions) (*Directory, error) {
	var o DirectoryOptions
	if opts != nil {
		o = *opts
	}
	if o = o.Defaults(); !guard.Networks(o.Networks).Valid() {
		return nil, fmt.Errorf("host: DirectoryOptions.Networks is %q; use %s, %s or %s", o.Networks,
			registry.NetworksPublic, registry.NetworksLoopback, registry.NetworksPrivate)
	}
	d := &Directory{opts: o, refreshing: make(chan struct{}, 1)}
	d.refreshing <- struct{}{}
	d.open, d.hangUp = context.WithCancel(context.Background())
	if d.opts.Client.HTTPClient == nil {
		d.ownHTTP = &http.Client{Transport: client.NewHTTPTransport()}
		d.opts.Client.HTTPClient = d.ownHTTP
	}
	transport := client.NewHTTPTransport() // for calls to agents, which may take long
	transport.Proxy = nil                  // it would make the connections itself, out of sight
	transport.DialContext = guard.Dial(guard.Networks(o.Networks))
	d.guarded = &http.Client{Transport: transport}
	d.resolver = card.NewResolver(&card.Options{
		HTTPClient: d.opts.Client.HTTPClient, Timeout: d.opts.CardTimeout, Retries: -1, Lifetime: d.opts.RefreshEvery,
		Verify: o.Verify,
	})
	for i, ref := range d.opts.Agents {
		if ref.Card == "" {
			return nil, fmt.Errorf("host: agent %d has no card; give the agent's URL", i+1)
		}
		d.agents = append(d.agents, d.newRemote(withoutUser(ref.Card)+"\x00"+ref.Alias, ref, true))
	}
	return d, nil
}

// withoutUser leaves out the name and the password in a URL: tasks keep the key of an agent.
func withoutUser(ref string) string {
	u, err := url.Parse(ref)
	if err != nil || u.User == nil {
		return ref
	}
	u.User = nil
	return u.String()
}

func (d *Directory) newRemote(key string, ref AgentRef, given bool) *remote {
	return &remote{
		key: key, ref: ref, given: given,
		breaker: &breaker{limit: d.opts.FailureLimit, rest: d.opts.Rest},
	}
}

// Close gives up the connections to all agents. The directory must not be used any more then.
func (d *Directory) Close() error {
	d.hangUp()
	d.late.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, r := range d.agents {
		errs = append(errs, r.conn.retire())
	}
	d.agents, d.closed = nil, true
	if d.ownHTTP != nil {
		d.ownHTTP.CloseIdleConnections()
	}
	d.guarded.CloseIdleConnections()
	return errors.Join(errs...)
}

// retire closes a connection once it has no users; the directory's mutex is held.
func (c *conn) retire() error {
	if c == nil || c.retired {
		return nil
	}
	c.retired = true
	if c.users > 0 {
		return nil
	}
	return c.client.Close()
}

// Agents returns the agents whose cards are known. It waits for the cards of agents that nobody has looked for yet;
// those that are too old or could not be had are fetched beside it, for the next time, unless there is no agent at all.
// Agents that cannot be reached keep the card that they had; those without one, and a catalogue that cannot be read,
// are missing.
func (d *Directory) Agents(ctx context.Context) (agents []plan.Agent, missing []plan.Unreachable) {
	switch stale, urgent := d.stale(); {
	case urgent:
		d.Refresh(ctx)
	case stale:
		d.late.Go(func() { d.Refresh(d.open) })
	}
	d.name() // those of a refresh that takes longer than ctx
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.agents {
		if r.card == nil {
			missing = append(missing, plan.Unreachable{Agent: r.ref.called(), Reason: r.whyMissing()})
			continue
		}
		agents = append(agents, plan.Agent{Alias: r.alias, Card: d.shown(r), Health: r.health(), Given: r.given,
			Handle: r.handle()})
	}
	if d.problem != "" {
		missing = append(missing, plan.Unreachable{Agent: "the registry", Reason: d.problem})
	}
	return agents, append(missing, d.refused...)
}

func (r *remote) whyMissing() string {
	h, _ := r.breaker.look()
	return cmp.Or(h.Problem, "its card did not come in time")
}

// health is what was seen of the agent last, from here or by the catalogue.
func (r *remote) health() plan.Health {
	h, seen := r.breaker.look()
	if r.given || !seen.IsZero() && !r.listed.CheckedAt.After(seen) {
		return h
	}
	switch r.listed.State {
	case registry.HealthUp:
		h.State, h.Problem = plan.Up, ""
	case registry.HealthDown:
		h.State, h.Problem = plan.Down, cmp.Or(wordsIn(r.listed.Error), "the registry could not reach it")
	}
	return h
}

// Refresh fetches the cards that are missing or older than DirectoryOptions.RefreshEvery, by ETag where the server has
// them, and reads the catalogue. It takes CardTimeout at most; one refresh runs at a time.
func (d *Directory) Refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.opts.CardTimeout)
	defer cancel()
	select {
	case <-d.refreshing:
		defer func() { d.refreshing <- struct{}{} }()
	case <-ctx.Done():
		return
	}
	d.readCatalog(ctx)
	var group sync.WaitGroup
	slots := make(chan struct{}, maxFetches)
	for _, r := range d.due() {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done(): // the rest are the first ones next time
		}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			leave := sync.OnceFunc(func() { <-slots })
			defer leave()
			defer time.AfterFunc(d.opts.CardTimeout/10, leave).Stop()
			d.fetch(ctx, r)
		})
	}
	group.Wait()
	d.dropTwins()
	d.name()
}

// maxFetches is how many fetches begin at once. Beside one that takes long, another one begins.
const maxFetches = 16

// Watch refreshes the directory now and then until ctx ends, so that requests need not wait for cards.
func (d *Directory) Watch(ctx context.Context) {
	tick := time.NewTicker(d.opts.RefreshEvery)
	defer tick.Stop()
	for {
		d.Refresh(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// stale reports whether there is something to refresh, and whether requests have to wait for that.
func (d *Directory) stale() (stale, urgent bool) {
	due := d.due()
	d.mu.Lock()
	defer d.mu.Unlock()
	catalog := d.opts.Catalog != nil && time.Since(d.listed) >= d.opts.RefreshEvery
	stale = (catalog || len(due) > 0) && len(d.refreshing) > 0 && !d.closed
	known := func(r *remote) bool { return r.card != nil }
	urgent = catalog && d.listed.IsZero() && d.problem == "" ||
		slices.ContainsFunc(due, func(r *remote) bool { return r.looked.IsZero() }) ||
		slices.ContainsFunc(d.agents, func(r *remote) bool { return known(r) && r.alias == "" }) ||
		stale && !slices.ContainsFunc(d.agents, known)
	return stale, urgent
}

// due returns the agents whose cards should be asked for, those first that have waited longest.
func (d *Directory) due() []*remote {
	d.mu.Lock()
	defer d.mu.Unlock()
	var due []*remote
	for _, r := range d.agents {
		wait := d.opts.RefreshEvery
		if r.card == nil {
			wait = min(wait, retryMissing)
		}
		if r.ref.Card != "" && (r.looked.IsZero() || time.Since(r.looked) >= wait) {
			due = append(due, r)
		}
	}
	slices.SortStableFunc(due, func(a, b *remote) int { return a.looked.Compare(b.looked) })
	return due
}

const retryMissing = 5 * time.Second

// fetch asks an agent for its card. That it did not answer counts only if it had some time to.
func (d *Directory) fetch(ctx context.Context, r *remote) {
	start := time.Now()
	c, err := d.resolver.Resolve(ctx, r.ref.Card)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		if ctx.Err() != nil {
			err = &unreached{noAnswer}
		}
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) &&
			time.Since(start) >= d.opts.CardTimeout/2 {
			r.looked = time.Now()
			r.breaker.ended(err)
		}
		return
	}
	r.looked = time.Now()
	r.breaker.ended(d.connect(r, c))
}

// connect gives an agent the client for a card; mu is held.
func (d *Directory) connect(r *remote, c *a2a.AgentCard) error {
	if r.card == c || d.closed {
		return nil
	}
	opts := d.opts.Client
	if !r.given {
		opts.HTTPClient, opts.Bindings = d.guarded, overHTTP(opts.Bindings, c)
	}
	if r.ref.Client != nil {
		opts = *r.ref.Client
		opts.HTTPClient = cmp.Or(opts.HTTPClient, d.opts.Client.HTTPClient)
		if len(opts.Generations) == 0 {
			opts.Generations = d.opts.Client.Generations
		}
		opts.MaxAnswer, opts.MaxEvent = cmp.Or(opts.MaxAnswer, d.opts.Client.MaxAnswer),
			cmp.Or(opts.MaxEvent, d.opts.Client.MaxEvent)
	}
	opts.CardURL = fromCatalog
	if r.given {
		opts.CardURL = card.URLOf(r.ref.Card)
	}
	cl, err := client.New(c, &opts)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoInterface, err)
	}
	if err := r.conn.retire(); err != nil {
		return errors.Join(err, cl.Close())
	}
	r.card, r.conn = c, &conn{client: cl}
	return nil
}

// fromCatalog stands for the place of a card of the catalogue. It is no URL, so that no credentials go by the card.
const fromCatalog = "a registry"

// overHTTP returns the bindings for agents of the catalogue: those whose connections an HTTP client makes.
func overHTTP(wanted []string, c *a2a.AgentCard) []string {
	if len(wanted) == 0 {
		for _, i := range c.SupportedInterfaces {
			wanted = append(wanted, i.Binding)
		}
	}
	all := slices.DeleteFunc(slices.Clone(wanted), func(binding string) bool {
		return binding != a2a.BindingJSONRPC && binding != a2a.BindingHTTPJSON
	})
	if len(all) == 0 {
		return []string{a2a.BindingJSONRPC} // none would mean each
	}
	return all
}

// A link is the use of an agent for a while.
type link struct {
	*client.Client
	name, key string
	breaker   *breaker
	release   func()
}

// link returns the agent of a key or, without one, of an alias. Release it.
func (d *Directory) link(alias, key string) (*link, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.agents, func(r *remote) bool { return r.key == key })
	if at < 0 {
		at = slices.IndexFunc(d.agents, func(r *remote) bool { return r.alias != "" && r.alias == alias })
	}
	if at < 0 {
		return nil, &unreached{"it is no longer among the agents"}
	}
	if d.agents[at].conn == nil {
		return nil, &unreached{d.agents[at].whyMissing()}
	}
	r, c := d.agents[at], d.agents[at].conn
	c.users++
	return &link{
		Client: c.client, name: plan.Clean(r.card.Name, plan.MaxName), key: r.key, breaker: r.breaker,
		release: sync.OnceFunc(func() { d.unlink(c) }),
	}, nil
}

func (d *Directory) unlink(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.users--; c.users == 0 && c.retired {
		c.client.Close() // nobody waits for what it says
	}
}
