// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A proxy passes on the requests of one client of MCP.
type proxy struct {
	coord *coordOptions // the project and session of calls that name none
	repo  *repository   // that the harness works in; nil for none
	// redial connects with a coordinator that was gone, and start starts one; both are nil if it runs in this process
	redial         func(context.Context) (*sdk.ClientSession, error)
	start          func(context.Context) error
	openConnection func(context.Context) (*sdk.ClientSession, error)
	server         *sdk.Server
	dialling       chan struct{} // has room for the one call that dials
	opening        chan struct{} // has room for the one call that opens a connection
	wake           chan struct{} // says that a connection is needed, or for more than it was

	mu       sync.Mutex // never held while the coordinator is called
	up       *sdk.ClientSession
	conn     *sdk.ClientSession     // nil when there is none
	present  map[[2]string]*binding // the sessions of this side, by project and name
	watching map[string]*binding    // the subscriptions, by URI
}

// A binding is the connection that a session or a subscription is bound to; nil for none. A session that registers
// again gets a new one, as that frees it from the connection.
type binding struct{ conn *sdk.ClientSession }

func newProxy(o *coordOptions, repo *repository) *proxy {
	return &proxy{
		coord: o, repo: repo, dialling: make(chan struct{}, 1), opening: make(chan struct{}, 1),
		wake:    make(chan struct{}, 1),
		present: make(map[[2]string]*binding), watching: make(map[string]*binding),
	}
}

func (p *proxy) upstream() *sdk.ClientSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up
}

// redialPatience is how long it may take to start a coordinator and to connect with it.
const redialPatience = startPatience + coordPatience

// reconnect replaces a session that is of no use any more, unless somebody has done so already.
func (p *proxy) reconnect(ctx context.Context, old *sdk.ClientSession) (*sdk.ClientSession, error) {
	select {
	case p.dialling <- struct{}{}:
		defer func() { <-p.dialling }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if up := p.upstream(); up != old {
		return up, nil
	}
	dialling, cancel := context.WithTimeout(ctx, redialPatience)
	defer cancel()
	up, err := p.redial(dialling)
	if err != nil {
		return nil, err
	}
	go old.Close() // there is nothing on the other side, which may take time to be noticed
	p.mu.Lock()
	defer p.mu.Unlock()
	p.up = up
	return up, nil
}

// options returns those of the client that calls the coordinator. It passes on progress.
func (p *proxy) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		ProgressNotificationHandler: func(ctx context.Context, req *sdk.ProgressNotificationClientRequest) {
			for session := range p.server.Sessions() {
				session.NotifyProgress(ctx, req.Params) // one that is lost is no harm
			}
		},
	}
}

// connectionOptions returns those of the client that listens to the coordinator. It passes on updates of resources.
func (p *proxy) connectionOptions() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		ResourceUpdatedHandler: func(ctx context.Context, req *sdk.ResourceUpdatedNotificationRequest) {
			p.server.ResourceUpdated(ctx, req.Params) // who wants to know looks again anyway
		},
	}
}

// serve serves one client until it goes or ctx ends.
func (p *proxy) serve(ctx context.Context, t sdk.Transport) error {
	about := p.upstream().InitializeResult()
	options := &sdk.ServerOptions{
		Instructions: about.Instructions + fmt.Sprintf("\nproject_id may be left out; it is %q.", p.coord.project),
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	}
	if about.Capabilities != nil {
		options.Capabilities = about.Capabilities
	}
	if r := options.Capabilities.Resources; r != nil && r.Subscribe {
		options.SubscribeHandler, options.UnsubscribeHandler = p.subscribe, p.unsubscribe
	}
	p.server = sdk.NewServer(&sdk.Implementation{Name: "dragoman-coord", Version: cmdline.Version()}, options)
	p.server.AddReceivingMiddleware(p.pass)
	ctx, cancel := context.WithCancel(ctx)
	var presence sync.WaitGroup
	presence.Go(func() { p.stay(ctx, presentEvery, os.Getppid()) })
	defer presence.Wait()
	defer cancel()
	err := p.server.Run(ctx, t)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pass passes requests on, but for those that are about this side alone, such as the begin of a session. Requests for
// lists may have no params.
func (p *proxy) pass(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			return p.listTools(ctx, cmp.Or(r.Params, &sdk.ListToolsParams{}))
		case *sdk.CallToolRequest:
			if !inHeader(r.Params.Name) {
				return nil, invalidParams("unknown tool", r.Params.Name)
			}
			return p.call(ctx, r)
		case *sdk.ListResourcesRequest:
			return p.listResources(ctx, cmp.Or(r.Params, &sdk.ListResourcesParams{}))
		case *sdk.ListResourceTemplatesRequest:
			params := cmp.Or(r.Params, &sdk.ListResourceTemplatesParams{})
			return revived(ctx, p, (*sdk.ClientSession).ListResourceTemplates,
				&sdk.ListResourceTemplatesParams{Cursor: params.Cursor})
		case *sdk.ReadResourceRequest:
			if !inHeader(r.Params.URI) {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			return revived(ctx, p, (*sdk.ClientSession).ReadResource, &sdk.ReadResourceParams{URI: r.Params.URI})
		case *sdk.UnsubscribeRequest:
			r.Params.URI = p.asWatched(r.Params.URI)
		case *sdk.ListPromptsRequest:
			return p.listPrompts(ctx, cmp.Or(r.Params, &sdk.ListPromptsParams{}))
		case *sdk.GetPromptRequest:
			if !inHeader(r.Params.Name) {
				return nil, invalidParams("unknown prompt", r.Params.Name)
			}
			return revived(ctx, p, (*sdk.ClientSession).GetPrompt,
				&sdk.GetPromptParams{Name: r.Params.Name, Arguments: p.completePrompt(r.Params.Arguments)})
		}
		return next(ctx, method, req)
	}
}

// inHeader reports whether a name can be in the HTTP header in which the coordinator wants it.
func inHeader(name string) bool {
	return name != "" && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, unicode.IsControl)
}

func invalidParams(what, name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("%s %q", what, name)}
}

// try calls f, and once more if the call did not reach the coordinator and a new one is there.
func (p *proxy) try(ctx context.Context, f func(*sdk.ClientSession) error) error {
	up := p.upstream()
	err := f(up)
	if p.redial == nil || !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, sdk.ErrConnectionClosed) {
		return err
	}
	if up, err = p.reconnect(ctx, up); err != nil {
		return err
	}
	return f(up)
}

// revived makes a request that the coordinator answers at once.
func revived[P any, T sdk.Result](ctx context.Context, p *proxy,
	request func(*sdk.ClientSession, context.Context, P) (T, error), params P) (sdk.Result, error) {
	var result T
	err := p.try(ctx, func(up *sdk.ClientSession) (err error) {
		ctx, cancel := context.WithTimeout(ctx, coordPatience)
		defer cancel()
		result, err = request(up, ctx, params)
		return err
	})
	if err != nil {
		return nil, plainError(err) // not a typed nil
	}
	return result, nil
}

// plainError returns an error for a client of MCP: the coordinator's own, or that the coordinator did not answer.
func plainError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if said := saidBy(err); said != nil {
		return said
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: unavailable(err)}
}

const rejected = -32005

// saidBy returns the error that the other side answered with; nil when it did not.
func saidBy(err error) *jsonrpc.Error {
	if said, ok := err.(*jsonrpc.Error); ok && said.Code != rejected {
		return said
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return saidBy(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if said := saidBy(one); said != nil {
				return said
			}
		}
	}
	return nil
}

// unavailable says that a coordinator did not answer.
func unavailable(err error) string {
	if f, ok := errors.AsType[*cmdline.Failure](err); ok { // it could not be started or reached again
		return strings.TrimSuffix(f.Message+". "+f.Hint, ". ")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "The coordinator did not answer in time"
	}
	return "The coordinator was gone before it answered"
}

const codeUnavailable = "unavailable"

// callPatience is how long a call may take: some wait.
const callPatience = coord.MaxWait + coordPatience
