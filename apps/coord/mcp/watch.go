// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// maxSubscriptions is how many resources one connection can subscribe to, and maxSubscribed how many all can.
const (
	maxSubscriptions = 100
	maxSubscribed    = 10_000
)

// pause is between two rounds of notifications about a project: many events are one notification.
const pause = 100 * time.Millisecond

type watches struct {
	server *Server

	mu       sync.Mutex
	count    int
	sessions map[*sdk.ServerSession]map[string]*subscription // by URI
	projects map[string]*watch
}

// A watch follows the events of a project as long as somebody has subscribed to a resource of it.
type watch struct {
	uris    map[string]*watched // guarded by watches.mu
	changed map[string]bool     // URIs of which subscribers have not been told yet; also guarded
	some    chan struct{}       // has one element when there are any
	stop    context.CancelFunc
}

// watched is a resource as subscribers spell it.
type watched struct {
	place
	readers int
}

func newWatches(s *Server) *watches {
	return &watches{server: s, sessions: make(map[*sdk.ServerSession]map[string]*subscription),
		projects: make(map[string]*watch)}
}

// subscribe admits a subscription of a caller who may read the resource.
func (w *watches) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	header := headerOf(ctx, req.Extra)
	p, principal, _, err := w.server.show(ctx, header, uri)
	if err != nil {
		return err
	}
	follower := w.server.hub.Follow(p.project)
	from, err := w.server.hub.Last(ctx, p.project)
	if err != nil {
		return w.server.cannot(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	mine, known := w.sessions[req.Session]
	switch {
	case mine[uri] != nil:
		return nil
	case len(mine) >= maxSubscriptions, w.count >= maxSubscribed:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: fmt.Sprintf("there are too many subscriptions: a connection can have %d", maxSubscriptions)}
	}
	if !known {
		mine = make(map[string]*subscription)
		w.sessions[req.Session] = mine
		go w.leaveWith(req.Session)
	}
	mine[uri] = &subscription{place: p, header: header, principal: principal, leave: w.present(req, p, principal)}
	w.count++
	w.add(p, uri, from, follower)
	return nil
}

// present takes listening to an inbox, without a session of MCP, for a heartbeat of its session if that is the
// caller's.
func (w *watches) present(req *sdk.SubscribeRequest, p place, principal string) (leave func()) {
	if p.session == "" || req.ProtocolVersion() < mcphttp.Stateless {
		return func() {}
	}
	return w.server.hub.Listen(p.project, p.session, principal)
}

// add counts a reader of a resource; the caller holds the lock.
func (w *watches) add(p place, uri string, from int64, follower coord.Follower) {
	of := w.projects[p.project]
	if of == nil {
		ctx, stop := context.WithCancel(context.Background())
		of = &watch{uris: make(map[string]*watched), changed: make(map[string]bool), some: make(chan struct{}, 1),
			stop: stop}
		w.projects[p.project] = of
		go w.follow(ctx, of, p.project, from, follower.Events(ctx, from))
	}
	if of.uris[uri] == nil {
		of.uris[uri] = &watched{place: p}
	}
	of.uris[uri].readers++
}

// asSubscribed returns the URI that a connection has used for a resource when it subscribed.
func (w *watches) asSubscribed(session *sdk.ServerSession, uri string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	mine := w.sessions[session]
	if mine[uri] != nil {
		return uri
	}
	for other := range mine {
		if SameResource(uri, other) {
			return other
		}
	}
	return uri
}

func (w *watches) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(req.Session, req.Params.URI)
	return nil
}

// drop ends a subscription, if there is one; the caller holds the lock.
func (w *watches) drop(session *sdk.ServerSession, uri string) {
	p, ok := parse(uri)
	mine := w.sessions[session][uri]
	if !ok || mine == nil {
		return
	}
	mine.leave()
	delete(w.sessions[session], uri)
	w.count--
	of := w.projects[p.project]
	if of.uris[uri].readers--; of.uris[uri].readers == 0 {
		delete(of.uris, uri)
	}
	if len(of.uris) == 0 {
		of.stop()
		delete(w.projects, p.project)
	}
}

// leaveWith ends the subscriptions of a connection when that ends, however it does.
func (w *watches) leaveWith(session *sdk.ServerSession) {
	session.Wait() // why it ended is nothing to us
	w.dropAll(session)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, session)
}

// follow tells subscribers of a project's events after a number, as long as they may see it, until ctx or the hub ends.
func (w *watches) follow(ctx context.Context, of *watch, project string, from int64,
	events iter.Seq2[coord.Event, error]) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		w.collect(ctx, of, project, from, events)
	}()
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		select {
		case <-of.some:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		w.mu.Lock() // before the rights are checked: a later change is for the next round
		uris := of.changed
		of.changed = make(map[string]bool)
		w.mu.Unlock()
		w.expel(ctx, project)
		for uri := range uris {
			w.server.mcp.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}) // it never fails
		}
		if !sleep(ctx, pause) {
			return
		}
	}
}

// collect notes which resources the events after a number change. If events cannot be read it tries again.
func (w *watches) collect(ctx context.Context, of *watch, project string, from int64,
	events iter.Seq2[coord.Event, error]) {
	for {
		var failed error
		for e, err := range events {
			if failed = err; err != nil {
				break
			}
			if from = e.Seq; e.Kind == coord.KindEnded {
				from = 0 // what comes is of the next project of the name
			}
			w.note(of, &e)
		}
		if failed == nil || errors.Is(failed, coord.ErrClosed) {
			return
		}
		w.server.opts.Logger.Warn("events of a project cannot be read for those who watch it",
			slog.String("project", project), slog.String("error", failed.Error()))
		if !sleep(ctx, time.Second) {
			return
		}
		events = w.server.hub.Events(ctx, project, from)
	}
}

// note notes the resources, as subscribers spell them, that an event changes.
func (w *watches) note(of *watch, e *coord.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri, p := range of.uris {
		if e.Kind == coord.KindEnded || slices.Contains(p.view.changedBy, e.Kind) &&
			(p.session == "" || concerns(e, p.session)) {
			of.changed[uri] = true
		}
	}
	if len(of.changed) > 0 {
		select {
		case of.some <- struct{}{}:
		default:
		}
	}
}

// sleep reports whether ctx outlives a time.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func concerns(e *coord.Event, session string) bool {
	switch e.Kind {
	case coord.KindBroadcast, coord.KindAnswered, coord.KindUnawaited:
		return slices.Contains(e.To, session)
	case coord.KindAsked:
		return e.Query.To == session
	}
	return e.Session == session
}
