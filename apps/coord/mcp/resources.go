// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// scheme begins the URI of each resource; the project and what it is of that project follow.
const scheme = "dragoman://"

type view struct {
	name        string // in the URI
	description string
	ofSession   bool // the URI goes on with the name of a session
	command     func(session string) coord.Command
	changedBy   []coord.Kind // events that change what it shows
}

// views are all there are. A resource says what the tool says that lists the same.
var views = []view{
	{
		name: "agents", description: "The agents of the project and what they do",
		command: func(string) coord.Command { return coord.ListAgents{} },
		changedBy: []coord.Kind{
			coord.KindJoined, coord.KindResumed, coord.KindLeft, coord.KindDied, coord.KindDeleted, coord.KindCompleted,
		},
	},
	{
		name: "todos", description: "The to-do lists of all agents",
		command: func(string) coord.Command { return coord.AllTodos{} },
		changedBy: []coord.Kind{
			coord.KindTodoAdded, coord.KindTodoUpdated, coord.KindJoined, coord.KindResumed, coord.KindLeft,
			coord.KindDied, coord.KindDeleted,
		},
	},
	{
		name: "leases", description: "What is locked, by whom, and who waits for it",
		command: func(string) coord.Command { return coord.ListLocks{} },
		changedBy: []coord.Kind{
			coord.KindLocked, coord.KindRenewed, coord.KindReleased, coord.KindExpired, coord.KindQueued,
			coord.KindUnqueued,
		},
	},
	{
		name: "interfaces", description: "The shared definitions",
		command:   func(string) coord.Command { return coord.ListInterfaces{} },
		changedBy: []coord.Kind{coord.KindDefined},
	},
	{
		name: "changes", description: "The changes that agents announced, newest first",
		command:   func(string) coord.Command { return coord.RecentChanges{Limit: 100} },
		changedBy: []coord.Kind{coord.KindLocked, coord.KindRenewed},
	},
	{
		name: "inbox", description: "The messages that wait for a session, which stay there; only for whoever " +
			"registered it", ofSession: true,
		command: func(session string) coord.Command { return coord.Check{Session: session, Peek: true} },
		changedBy: []coord.Kind{
			coord.KindBroadcast, coord.KindAsked, coord.KindAnswered, coord.KindUnawaited, coord.KindRead,
			coord.KindWithdrawn, coord.KindFailed,
			coord.KindJoined, coord.KindLeft, coord.KindDeleted,
		},
	},
}

type place struct {
	project string
	view    *view
	session string // "" unless the view is of one
}

func parse(uri string) (place, bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	segments := strings.Split(rest, "/")
	if !ok || len(segments) < 2 || len(segments) > 3 {
		return place{}, false
	}
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil || plain == "" {
			return place{}, false
		}
		segments[i] = plain
	}
	for i := range views {
		v := &views[i]
		if v.name != segments[1] || v.ofSession != (len(segments) == 3) {
			continue
		}
		p := place{project: segments[0], view: v}
		if v.ofSession {
			p.session = segments[2]
		}
		return p, true
	}
	return place{}, false
}

// uri returns the URI of a place as the templates have it, with all letters escaped that could mean something else.
func (p place) uri() string {
	escape := func(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "+", "%20") }
	uri := scheme + escape(p.project) + "/" + p.view.name
	if p.session != "" {
		uri += "/" + escape(p.session)
	}
	return uri
}

// SameResource reports whether two URIs name the same resource: letters may be percent-encoded or not.
func SameResource(a, b string) bool {
	p, ok := parse(a)
	q, same := parse(b)
	return ok && same && p == q
}

func (s *Server) addResources() {
	for _, v := range views {
		template := scheme + "{project}/" + v.name
		if v.ofSession {
			template += "/{session}"
		}
		s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{
			Name: v.name, URITemplate: template, Description: v.description, MIMEType: "application/json",
		}, s.read)
	}
	s.mcp.AddReceivingMiddleware(keepHeader, s.spell, s.list)
	s.mcp.AddSendingMiddleware(s.subs.toReaders)
}

// Resources returns the resources of a project, without those of its sessions.
func Resources(project string) []*sdk.Resource {
	var all []*sdk.Resource
	for i := range views {
		if v := &views[i]; !v.ofSession {
			uri := place{project: project, view: v}.uri()
			all = append(all, &sdk.Resource{Name: project + "/" + v.name, URI: uri, Description: v.description,
				MIMEType: "application/json"})
		}
	}
	return all
}

// maxListed is how many projects a page of a list of resources is about at most.
const maxListed = 20

// list answers with the resources of the projects that a caller may see; those that the SDK knows are the same for all.
// The cursor is the URI of the last one.
func (s *Server) list(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		r, ok := req.(*sdk.ListResourcesRequest)
		if !ok {
			return next(ctx, method, req)
		}
		last := place{}
		if r.Params != nil && r.Params.Cursor != "" {
			if last, ok = parse(r.Params.Cursor); !ok {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of this list"}
			}
		}
		projects, more, err := s.listed(ctx, headerOf(ctx, r.Extra), last.project)
		if err != nil {
			return nil, s.cannot(err)
		}
		result := &sdk.ListResourcesResult{Cacheable: sdk.Cacheable{CacheScope: "private"},
			Resources: []*sdk.Resource{}}
		for _, project := range projects {
			result.Resources = append(result.Resources, Resources(project)...)
		}
		if more {
			result.NextCursor = result.Resources[len(result.Resources)-1].URI
		}
		return result, nil
	}
}

// listed returns the next projects after one that a caller may see, and whether there may be more.
func (s *Server) listed(ctx context.Context, header http.Header, after string) (projects []string, more bool,
	err error) {
	names, err := s.hub.Projects(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, name := range names {
		if name <= after {
			continue
		}
		if len(projects) == maxListed {
			return projects, true, nil
		}
		sees, err := s.opts.Sees(ctx, header, name)
		if err != nil {
			return nil, false, err
		}
		if sees {
			projects = append(projects, name)
		}
	}
	return projects, false, nil
}

// spell makes the URI of a request one that the SDK knows: that of a template, or of the subscription to end. The
// answer has the client's.
func (s *Server) spell(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ReadResourceRequest:
			if p, ok := parse(r.Params.URI); ok {
				return readAs(ctx, next, method, r, p.uri())
			}
		case *sdk.UnsubscribeRequest:
			r.Params.URI = s.subs.asSubscribed(r.Session, r.Params.URI)
		}
		return next(ctx, method, req)
	}
}

// readAs reads a resource by another URI than that which the client has asked for.
func readAs(ctx context.Context, next sdk.MethodHandler, method string, req *sdk.ReadResourceRequest,
	uri string) (sdk.Result, error) {
	asked := req.Params.URI
	other, params := *req, *req.Params
	other.Params, params.URI = &params, uri
	result, err := next(ctx, method, &other)
	if read, ok := result.(*sdk.ReadResourceResult); ok && read != nil {
		for _, c := range read.Contents {
			c.URI = asked
		}
	}
	return result, err
}

func (s *Server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	_, _, text, err := s.show(ctx, headerOf(ctx, req.Extra), req.Params.URI)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{
		Contents:  []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}},
		Cacheable: sdk.Cacheable{CacheScope: "private"}, // what one may read another may not
	}, nil
}

// show returns what a resource holds, for a caller who may see it, and who that is.
func (s *Server) show(ctx context.Context, header http.Header, uri string) (p place, principal, text string,
	err error) {
	p, ok := parse(uri)
	if !ok {
		return p, "", "", sdk.ResourceNotFoundError(uri)
	}
	ctx = Describe(ctx, slog.String("resource", p.view.name), slog.String("session", p.session))
	principal, err = s.opts.Authorize(ctx, header, p.project, true)
	if err != nil {
		return p, "", "", s.cannot(err)
	}
	result, err := s.hub.Do(ctx, p.project, principal, p.view.command(p.session))
	if err != nil {
		return p, "", "", s.cannot(err)
	}
	if f, refused := result.(coord.Failure); refused {
		if f.Code == coord.CodeForbidden {
			s.opts.Audit.Refused(ctx, p.project, principal, f.Error)
		}
		return p, "", "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: f.Error}
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		return p, "", "", s.cannot(fmt.Errorf("encode %s: %w", uri, err))
	}
	return p, principal, string(encoded), nil
}

// cannot returns the error of the protocol for one that a caller may not know.
func (s *Server) cannot(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // nobody reads it
	}
	text, code := s.why(err)
	kind := int64(jsonrpc.CodeInternalError)
	switch code {
	case coord.CodeForbidden:
		kind = jsonrpc.CodeInvalidRequest
	case coord.CodeInvalid:
		kind = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: kind, Message: text}
}

type headerKey struct{}

// keepHeader keeps the HTTP header of a subscriptions/listen for its subscriptions, to which the SDK gives none.
func keepHeader(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if extra := req.GetExtra(); method == "subscriptions/listen" && extra != nil {
			ctx = context.WithValue(ctx, headerKey{}, extra.Header)
		}
		return next(ctx, method, req)
	}
}

// headerOf returns the HTTP header that a request came with, nil when it did not come over HTTP.
func headerOf(ctx context.Context, extra *sdk.RequestExtra) http.Header {
	if extra != nil {
		return extra.Header
	}
	header, _ := ctx.Value(headerKey{}).(http.Header)
	return header
}
