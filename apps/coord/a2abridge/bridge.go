// SPDX-License-Identifier: Apache-2.0

// Package a2abridge joins a coordinator and A2A, both ways. Each registered session is an A2A agent: a message to it is
// a query. And sessions ask those A2A agents that the operator lists, by the name a2a:ALIAS or a2a:URL.
package a2abridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/server"
)

// Prefix begins the path of each agent; the names of project and session follow, escaped.
const Prefix = "/a2a/"

// Options are what a Bridge is made of.
type Options struct {
	Hub *coord.Hub // required
	// Journal keeps the tasks of sessions, in the database of the Hub's Store. Nil keeps them in memory, and ended ones
	// for an hour. Close leaves it open.
	Journal journal.Journal
	// Authorize returns the principal of a call, from its HTTP header; its error refuses the call. With reads the call
	// changes nothing. Nil means that callers are not told apart.
	Authorize func(ctx context.Context, header http.Header, project string, reads bool) (principal string, err error)
	// Look is Authorize for reading, where an error refuses nothing: a card says less to callers that may not look at
	// the project. Nil means Authorize.
	Look func(ctx context.Context, header http.Header, project string) (principal string, err error)
	// Timeout is how long a message waits for the session's answer; 0 means 10 min, which is also the most.
	Timeout time.Duration

	// Agents are the A2A agents that sessions may ask: URL, host or file of the card, by alias. Sessions may use a URL
	// in it, too.
	Agents map[string]string
	// MaxAsked is how many of their answers are waited for at once; 0 means 100.
	MaxAsked int

	Version string       // of the program, for the cards
	Logger  *slog.Logger // nil means slog.Default()
}

// Defaults returns the options with every zero value replaced by what it means.
func (o Options) Defaults() Options {
	o.Timeout = min(cmp.Or(o.Timeout, coord.MaxWait), coord.MaxWait)
	o.MaxAsked = cmp.Or(o.MaxAsked, 100)
	o.Version = cmp.Or(o.Version, "unknown")
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Authorize == nil {
		o.Authorize = func(context.Context, http.Header, string, bool) (string, error) { return "", nil }
	}
	if o.Look == nil {
		o.Look = func(ctx context.Context, header http.Header, project string) (string, error) {
			return o.Authorize(ctx, header, project, true)
		}
	}
	return o
}

const agentName = "session"

// deleteWithin is how long DeleteProject waits for tasks that are to be dropped.
const deleteWithin = 5 * time.Second

// retention is how long ended tasks are kept that are only in memory.
const retention = time.Hour

// A Bridge is an http.Handler for what is below [Prefix]. It must be made by [New] and closed.
type Bridge struct {
	opts    Options
	engine  *engine.Engine
	service a2a.Service
	outside *outside
	ctx     context.Context // ends with the Bridge
	stop    context.CancelFunc
	drops   sync.WaitGroup

	mu      sync.Mutex
	servers map[place]*server.Server
}

type place struct{ project, session string }

func (p place) path() string { return url.PathEscape(p.project) + "/" + url.PathEscape(p.session) }

// maxServers is how many sessions are served without being set up again.
const maxServers = 1000

// New returns a Bridge.
func New(opts Options) (*Bridge, error) {
	if opts.Hub == nil {
		return nil, errors.New("a2abridge: Options.Hub is missing")
	}
	b := &Bridge{opts: opts.Defaults(), servers: make(map[place]*server.Server)}
	var err error
	options := &engine.Options{
		Journal: b.opts.Journal, Authorizer: auth.AuthorizerFunc(scope), Logger: b.opts.Logger,
		TurnLimit: coord.MaxWait + time.Minute,
	}
	if options.Journal == nil {
		options.Retention = retention
	}
	b.engine, err = engine.New(options)
	if err != nil {
		return nil, err
	}
	b.service = b.engine.Agent(agentName, asSession{b}, &engine.AgentOptions{AnyInput: true})
	b.outside = newOutside(&b.opts)
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b, nil
}

// Close ends the turns that wait for answers, which withdraws their queries, and gives up connections. Close the Hub
// after it.
func (b *Bridge) Close() error {
	b.mu.Lock()
	b.stop()
	b.mu.Unlock()
	b.drops.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the answers of sessions are not waited for
	err := b.engine.Shutdown(ctx)
	b.outside.close()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// A dropper is a Journal that drops the tasks of tenants, as that of journal/sql.
type dropper interface {
	DropTenants(ctx context.Context, agent, prefix string, before time.Time) (left int, err error)
}

// DeleteProject drops the tasks of a deleted project that were made before a time. It waits for running ones, 5 s here
// and then in the background until the Bridge is closed.
func (b *Bridge) DeleteProject(ctx context.Context, project string, before time.Time) error {
	j, ok := b.opts.Journal.(dropper)
	if !ok {
		return nil
	}
	timer := time.NewTimer(deleteWithin)
	defer timer.Stop()
	done := make(chan error, 1)
	b.mu.Lock()
	if err := b.ctx.Err(); err != nil {
		b.mu.Unlock()
		return fmt.Errorf("drop the A2A tasks of project %q: %w", project, err)
	}
	b.drops.Go(func() {
		err := b.drop(j, project, before)
		if err != nil {
			b.opts.Logger.Error("A2A tasks of a project that was forgotten are left", slog.String("error", err.Error()))
		}
		done <- err
	})
	b.mu.Unlock()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	case <-ctx.Done():
	}
	b.opts.Logger.Warn("A2A tasks of a deleted project still run; they are deleted when they end",
		slog.String("project", project))
	return nil
}

// drop drops the tasks of a project that were made before a time, until none is left.
func (b *Bridge) drop(j dropper, project string, before time.Time) error {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		left, err := j.DropTenants(b.ctx, agentName, url.PathEscape(project)+"/", before)
		if err != nil {
			return fmt.Errorf("drop the A2A tasks of project %q: %w", project, err)
		}
		if left == 0 {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-b.ctx.Done():
			return fmt.Errorf("drop the A2A tasks of project %q, of which %d are at work: %w", project, left,
				context.Cause(b.ctx))
		}
	}
}

type placeKey struct{}

// scope keeps the tasks of each session and of each caller apart, whatever tenant a caller names.
func scope(ctx context.Context, access auth.Access) (auth.Grant, error) {
	p, ok := ctx.Value(placeKey{}).(place)
	if !ok {
		return auth.Grant{}, a2a.NewError(a2a.ErrPermissionDenied, "the request names no session")
	}
	return auth.Grant{Owner: auth.Owner(access.Call.Identity), Tenant: p.path()}, nil
}

// ServeHTTP answers one request, of a path below [Prefix].
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, rest, ok := split(r.URL.EscapedPath())
	if !ok {
		http.NotFound(w, r)
		return
	}
	r = r.Clone(context.WithValue(r.Context(), placeKey{}, p))
	// who the agent is; tasks outlive it
	says := strings.HasPrefix(rest, "/.well-known/") || rest == "/" && r.Method == http.MethodGet
	if says && b.gone(r, p) {
		http.Error(w, notThere(p), http.StatusNotFound)
		return
	}
	s, err := b.server(p)
	if err != nil {
		b.opts.Logger.Error("a session cannot be served as an agent", slog.String("error", err.Error()))
		http.Error(w, "internal error; the log has more", http.StatusInternalServerError)
		return
	}
	r.URL.RawPath = rest
	if r.URL.Path, err = url.PathUnescape(rest); err != nil {
		http.NotFound(w, r)
		return
	}
	s.ServeHTTP(w, r)
}

// split takes the session from a path as it came, and returns what follows.
func split(path string) (p place, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, Prefix)
	segments := strings.SplitN(path, "/", 3)
	if !ok || len(segments) < 2 {
		return p, "", false
	}
	project, err := url.PathUnescape(segments[0])
	session, err2 := url.PathUnescape(segments[1])
	if err != nil || err2 != nil || project == "" || session == "" {
		return p, "", false
	}
	if len(segments) == 3 {
		rest = segments[2]
	}
	return place{project, session}, "/" + rest, true
}

// server returns the server of a session, registered or not: tasks outlive the session.
func (b *Bridge) server(p place) (*server.Server, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.servers[p]; s != nil {
		return s, nil
	}
	options := &server.Options{
		CardFunc: b.card, Path: Prefix + p.path(), Authenticator: auth.AuthenticatorFunc(b.authenticate),
		Logger: b.opts.Logger,
	}
	s, err := server.New(b.service, options)
	if err != nil {
		return nil, err
	}
	if len(b.servers) >= maxServers {
		clear(b.servers) // they hold nothing but settings
	}
	b.servers[p] = s
	return s, nil
}

func (b *Bridge) authenticate(r *http.Request) (a2a.Identity, error) {
	p, _ := r.Context().Value(placeKey{}).(place)
	principal, err := b.opts.Authorize(r.Context(), r.Header, p.project, false)
	if err != nil {
		return a2a.Identity{}, &a2a.Error{Kind: a2a.ErrUnauthenticated,
			Message: "the project needs a token that allows this", Cause: err}
	}
	return a2a.Identity{Subject: principal}, nil
}

func (b *Bridge) allowed(ctx context.Context, header http.Header, project string) bool {
	_, err := b.opts.Look(ctx, header, project)
	return err == nil
}

// gone reports whether a caller that may know asks for a session that is not registered, and has no tasks with it. To
// other callers all names are alike.
func (b *Bridge) gone(r *http.Request, p place) bool {
	principal, err := b.opts.Look(r.Context(), r.Header, p.project)
	if err != nil {
		return false
	}
	if _, there, err := b.info(r.Context(), p); err == nil && there {
		return false
	}
	ctx := a2a.WithCall(r.Context(), &a2a.Call{Identity: a2a.Identity{Subject: principal}})
	tasks, err := b.service.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: new(1)})
	return err != nil || len(tasks.Tasks) == 0
}

func (b *Bridge) info(ctx context.Context, p place) (info coord.AgentInfo, there bool, err error) {
	result, err := b.opts.Hub.Do(ctx, p.project, "", coord.ListAgents{})
	if err != nil {
		return info, false, err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return info, false, err
	}
	var all map[string]coord.AgentInfo
	if err := json.Unmarshal(text, &all); err != nil {
		return info, false, err
	}
	info, there = all[p.session]
	return info, there, nil
}
