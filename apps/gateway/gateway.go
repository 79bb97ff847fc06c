// SPDX-License-Identifier: Apache-2.0

// Package gateway puts every generation and every binding of the protocol in front of agents that speak one: an old
// agent for new clients, a new agent for old clients. A [Gateway] is a server over a client. It keeps no tasks; all it
// remembers are the ids that clients of 0.1 made, and the webhooks it stands for, both bounded and for a while.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/server"
)

// An Upstream is an agent behind the gateway.
type Upstream struct {
	// Name is the first segment of the path under which the agent is reached, and the tenant that stands for it at the
	// root. Empty, which only a single upstream may be, means the root itself.
	Name string
	// Card is what client.Dial takes: the agent's URL, that of its card, a host or a file.
	Card string
}

// Options tune a gateway. Every zero value is a safe default.
type Options struct {
	// Server is how the gateway is served. Its Card, CardFunc and Path are the gateway's own business: it shows the
	// cards of its upstreams. Its Authenticator judges callers before the gateway calls an upstream; nil leaves that to
	// the upstreams. On a port of its own gRPC gets no credentials through: let it share that of HTTP.
	Server server.Options
	// Client is how upstreams are called.
	Client client.Options
	// HideCallers keeps the credentials of callers at the gateway, which is then the only caller that upstreams see:
	// with the credentials that Client sends, or none. All callers share the tasks of that one. By default the gateway
	// passes on the credentials that the upstream's card names, and the upstream keeps callers apart.
	HideCallers bool

	MaxTasks    int           // ids made by clients of 0.1 that are remembered; 0 means 100,000. The oldest make room
	MaxWebhooks int           // webhooks that are remembered; 0 means 100,000. Beyond it no more are taken
	Lifetime    time.Duration // how long an id or a webhook is remembered after its last use; 0 means 30 days
	// AllowPrivateWebhooks lets clients name webhooks in private networks and on this machine.
	// Link-local addresses and those of metadata services of clouds are refused all the same.
	AllowPrivateWebhooks bool

	Logger *slog.Logger // nil means slog.Default()
}

// Defaults returns the options with every limit that is zero replaced by what it means.
func (o Options) Defaults() Options {
	o.MaxTasks = cmp.Or(o.MaxTasks, 100_000)
	o.MaxWebhooks = cmp.Or(o.MaxWebhooks, 100_000)
	o.Lifetime = cmp.Or(o.Lifetime, 30*24*time.Hour)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// A Gateway is an http.Handler. It must be made by [New] and closed.
type Gateway struct {
	server    *server.Server // at the root
	routes    []*upstream
	hooks     *webhooks
	transport *http.Transport // nil when it is not the gateway's own
}

// nameForm is what an upstream may be called, as a segment of a path that is no tenant's nor the server's.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// New returns a gateway to one upstream or several. It does not call them yet. opts may be nil.
func New(upstreams []Upstream, opts *Options) (*Gateway, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	o = o.Defaults()
	if err := check(upstreams); err != nil {
		return nil, err
	}
	g := &Gateway{hooks: newWebhooks(&o)}
	if o.Client.HTTPClient == nil { // one for all upstreams and all their cards
		g.transport = client.NewHTTPTransport()
		o.Client.HTTPClient = &http.Client{Transport: g.transport}
	}
	o.Server.Handler = g
	o.Server.OnReady = func(addr net.Addr, url string) {
		g.hooks.bound(url)
		if opts != nil && opts.Server.OnReady != nil {
			opts.Server.OnReady(addr, url)
		}
	}
	for _, u := range upstreams {
		r := newUpstream(u, &o, g.hooks)
		var err error
		if r.server, err = newServer(r, &o, r.card, u.Name, r); err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.routes = append(g.routes, r)
	}
	if upstreams[0].Name == "" {
		g.server = g.routes[0].server
		return g, nil
	}
	o.Server.Generations = []a2a.Generation{a2a.Generation10} // the only one with tenants
	var err error
	if g.server, err = newServer(switchboard{g.pick}, &o, g.card, "", g.routes...); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func check(upstreams []Upstream) error {
	if len(upstreams) == 0 {
		return errors.New("gateway: there must be an upstream")
	}
	seen := map[string]bool{}
	for _, u := range upstreams {
		switch {
		case u.Card == "":
			return fmt.Errorf("gateway: upstream %q has no card", u.Name)
		case u.Name == "" && len(upstreams) > 1:
			return errors.New("gateway: each of several upstreams needs a name")
		case u.Name != "" && (!nameForm.MatchString(u.Name) || binding.ReservedTenant(u.Name) || u.Name == webhookName):
			return fmt.Errorf("gateway: an upstream cannot be called %q: use letters, digits, _ and -, and no name "+
				"that has a meaning in paths", u.Name)
		case seen[u.Name]:
			return fmt.Errorf("gateway: two upstreams are called %q", u.Name)
		}
		seen[u.Name] = true
	}
	return nil
}

type cardFunc = func(context.Context, *http.Request) (*a2a.AgentCard, error)

func newServer(svc a2a.Service, o *Options, card cardFunc, name string, callers ...*upstream) (*server.Server, error) {
	so := o.Server
	so.Card, so.CardFunc, so.LeaveScopes = nil, card, true
	if so.Authenticator == nil && !o.HideCallers {
		so.Authenticator = credentials(callers)
	}
	so.Logger = cmp.Or(so.Logger, o.Logger)
	if name != "" {
		so.Path, so.GRPC = "/"+name, nil // gRPC has no paths: it is served at the root, where tenants name agents
	}
	return server.New(svc, &so)
}

// ServeHTTP answers one request: of an upstream, or of the webhook that the gateway is for its upstreams.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if first == webhookName {
		g.hooks.ServeHTTP(w, r)
		return
	}
	if r.URL.Path == "/" && r.Method == http.MethodGet && g.routes[0].name != "" {
		g.servePage(w)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Header))
	for _, route := range g.routes {
		if first != "" && first == route.name {
			http.StripPrefix("/"+first, route.server).ServeHTTP(w, r)
			return
		}
	}
	g.server.ServeHTTP(w, r)
}

// ListenAndServe serves the gateway on a TCP address, as [server.Server.ListenAndServe] does.
func (g *Gateway) ListenAndServe(ctx context.Context, addr string) error {
	return g.server.ListenAndServe(ctx, addr)
}

// Serve serves the gateway on ln, as [server.Server.Serve] does.
func (g *Gateway) Serve(ctx context.Context, ln net.Listener) error { return g.server.Serve(ctx, ln) }

// Check calls every upstream once, and returns what keeps those that fail from being reached.
func (g *Gateway) Check(ctx context.Context) error {
	var errs []error
	for _, r := range g.routes {
		if _, err := r.client(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Close gives up the connections to the upstreams.
func (g *Gateway) Close() error {
	var errs []error
	for _, r := range g.routes {
		errs = append(errs, r.close())
	}
	g.hooks.http.CloseIdleConnections()
	if g.transport != nil {
		g.transport.CloseIdleConnections()
	}
	return errors.Join(errs...)
}
