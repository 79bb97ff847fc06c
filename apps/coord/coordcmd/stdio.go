// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/mcpstdio"
)

const coordStdioLong = `stdio serves the coordinator's tools over standard input and output, for harnesses that start one
MCP server for each agent. It forwards calls to the coordinator. If none runs on this machine, it
starts one. While the harness runs, stdio sends heartbeats for its sessions.

Tools need no project_id: the default is --project. With --session they need no session name
either. Absolute paths of files in the repository become paths of the project. --embedded runs the
coordinator inside this process, for one harness. If another coordinator runs, it needs its own
--data-dir.`

func (c *commands) stdioCommand(o *coordOptions) *cobra.Command {
	var embedded bool
	cmd := &cobra.Command{
		Use:     "stdio",
		Short:   "Serve the coordinator's tools to one harness over stdio",
		Long:    coordStdioLong,
		Example: "  dragoman coord stdio\n  dragoman coord stdio --project shop\n  dragoman coord stdio --embedded --data-dir :memory:",
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.stdio(cmd.Context(), o, embedded) },
	}
	cmd.Flags().BoolVar(&embedded, "embedded", false, "run the coordinator inside this process")
	return cmd
}

func (c *commands) stdio(ctx context.Context, o *coordOptions, embedded bool) (err error) {
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	p := newProxy(o, repo)
	if embedded {
		end, err := c.embed(ctx, o, p)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	} else {
		if err := c.ensureRunning(ctx, o); err != nil {
			return err
		}
		if p.up, err = c.dial(ctx, o, p.options()); err != nil {
			return err
		}
		p.redial = func(ctx context.Context) (*sdk.ClientSession, error) {
			if err := c.ensureRunning(ctx, o); err != nil {
				return nil, err
			}
			return c.dial(ctx, o, p.options())
		}
		p.start = func(ctx context.Context) error { return c.ensureRunning(ctx, o) }
		p.openConnection = func(ctx context.Context) (*sdk.ClientSession, error) {
			return c.dialConnection(ctx, o, p.connectionOptions())
		}
	}
	defer func() { p.upstream().Close() }() // nobody is left who could be told
	return p.serve(ctx, mcpstdio.Transport(c.Stdin, c.Stdout))
}

// embed runs a coordinator in this process and connects the proxy with it.
func (c *commands) embed(ctx context.Context, o *coordOptions, p *proxy) (end func() error, err error) {
	kept, err := c.openData(ctx, o.data, nil)
	if err != nil {
		return nil, err
	}
	hub := coord.NewHub(&coord.HubOptions{Store: kept.tables})
	d := daemon.New(daemon.Options{Hub: hub, MCP: coordmcp.Options{Version: cmdline.Version()}})
	end = func() error { return errors.Join(hub.Close(), kept.close()) }
	dial := func(ctx context.Context, options *sdk.ClientOptions, revision string) (*sdk.ClientSession, error) {
		here, there := sdk.NewInMemoryTransports()
		if _, err := d.MCP().MCP().Connect(ctx, there, nil); err != nil {
			return nil, err
		}
		return sdk.NewClient(&sdk.Implementation{Name: "dragoman", Version: cmdline.Version()}, options).Connect(ctx, here, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	}
	p.openConnection = func(ctx context.Context) (*sdk.ClientSession, error) {
		return dial(ctx, p.connectionOptions(), connectionVersion)
	}
	if p.up, err = dial(ctx, p.options(), ""); err != nil {
		return nil, errors.Join(err, end())
	}
	return end, nil
}

// A proxy passes on what one client of MCP asks for.
type proxy struct {
	coord          *coordOptions                                     // what calls are about that do not say it
	repo           *repository                                       // that the harness works in; nil when there is none
	redial         func(context.Context) (*sdk.ClientSession, error) // to a coordinator that was gone; nil when there is no such thing
	start          func(context.Context) error                       // a coordinator, when none runs; nil when there is no such thing
	openConnection func(context.Context) (*sdk.ClientSession, error)
	server         *sdk.Server
	dialling       chan struct{} // has room for the one call that dials
	opening        chan struct{} // has room for the one who opens a connection
	wake           chan struct{} // says that a connection is needed, or for more than it was

	mu       sync.Mutex // never held while the coordinator is called
	up       *sdk.ClientSession
	conn     *sdk.ClientSession            // nil when there is none
	present  map[[2]string]*presence       // by project and name, the sessions of this side
	watching map[string]*sdk.ClientSession // by the URIs of resources that are subscribed to, the connection on which they are
}

// A presence is that of a session, and the connection that it is bound to, nil as long as it is none. Who registers again has
// another one, as that frees from the connection.
type presence struct{ conn *sdk.ClientSession }

func newProxy(o *coordOptions, repo *repository) *proxy {
	return &proxy{
		coord: o, repo: repo, dialling: make(chan struct{}, 1), opening: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		present: make(map[[2]string]*presence), watching: make(map[string]*sdk.ClientSession),
	}
}

// upstream returns the session with the coordinator.
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

// options returns those of the client that calls the coordinator: what comes from there goes to the other side.
func (p *proxy) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		ProgressNotificationHandler: func(ctx context.Context, req *sdk.ProgressNotificationClientRequest) {
			for session := range p.server.Sessions() {
				session.NotifyProgress(ctx, req.Params) // one that is lost is no harm
			}
		},
	}
}

// connectionOptions returns those of the client that listens to the coordinator.
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

// pass passes requests on. What they do not name is about this side alone, such as how a session begins. Lists may be asked
// for without params.
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
			return revived(ctx, p, func(ctx context.Context, up *sdk.ClientSession) (*sdk.ListResourceTemplatesResult, error) {
				return up.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cmp.Or(r.Params, &sdk.ListResourceTemplatesParams{}).Cursor})
			})
		case *sdk.ReadResourceRequest:
			if !inHeader(r.Params.URI) {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			return revived(ctx, p, func(ctx context.Context, up *sdk.ClientSession) (*sdk.ReadResourceResult, error) {
				return up.ReadResource(ctx, &sdk.ReadResourceParams{URI: r.Params.URI})
			})
		case *sdk.UnsubscribeRequest:
			r.Params.URI = p.asWatched(r.Params.URI)
		case *sdk.ListPromptsRequest:
			return p.listPrompts(ctx, cmp.Or(r.Params, &sdk.ListPromptsParams{}))
		case *sdk.GetPromptRequest:
			if !inHeader(r.Params.Name) {
				return nil, invalidParams("unknown prompt", r.Params.Name)
			}
			return revived(ctx, p, func(ctx context.Context, up *sdk.ClientSession) (*sdk.GetPromptResult, error) {
				return up.GetPrompt(ctx, &sdk.GetPromptParams{Name: r.Params.Name, Arguments: p.completePrompt(r.Params.Arguments)})
			})
		}
		return next(ctx, method, req)
	}
}

// inHeader reports whether the name of something can be in the header of HTTP in which the coordinator wants it. What cannot
// is the name of nothing.
func inHeader(name string) bool {
	return name != "" && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, unicode.IsControl)
}

func invalidParams(what, name string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("%s %q", what, name)}
}

// try calls f, and once more when the coordinator was gone and is there again. A call that did not reach it has done
// nothing.
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

// revived asks the coordinator for what it has at once.
func revived[T sdk.Result](ctx context.Context, p *proxy, f func(context.Context, *sdk.ClientSession) (T, error)) (sdk.Result, error) {
	var result T
	err := p.try(ctx, func(up *sdk.ClientSession) (err error) {
		ctx, cancel := context.WithTimeout(ctx, coordPatience)
		defer cancel()
		result, err = f(ctx, up)
		return err
	})
	if err != nil {
		return nil, plainError(err) // not a typed nil
	}
	return result, nil
}

// plainError returns an error as a client of MCP is told of it: what the coordinator said, or else that it is not there.
// How this program and the coordinator speak with each other is nothing to the client.
func plainError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if said := saidBy(err); said != nil {
		return said
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: unavailable(err)}
}

// rejected is the code of an error that the SDK makes itself, around one of the other side.
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

// codeUnavailable is the code of an answer that the proxy gives when the coordinator gives none.
const codeUnavailable = "unavailable"

// callPatience is how long a call may take: some wait.
const callPatience = coord.MaxWait + coordPatience

// listTools lists the tools, with arguments optional that have a value here.
func (p *proxy) listTools(ctx context.Context, params *sdk.ListToolsParams) (sdk.Result, error) {
	result, err := revived(ctx, p, func(ctx context.Context, up *sdk.ClientSession) (*sdk.ListToolsResult, error) {
		return up.ListTools(ctx, &sdk.ListToolsParams{Cursor: params.Cursor})
	})
	if err != nil {
		return nil, err
	}
	list := *result.(*sdk.ListToolsResult)
	list.Tools = slices.Clone(list.Tools)
	for i, tool := range list.Tools {
		relaxed := *tool
		if relaxed.InputSchema, err = p.relax(tool.InputSchema); err != nil {
			return nil, fmt.Errorf("schema of %s: %w", tool.Name, err)
		}
		list.Tools[i] = &relaxed
	}
	return &list, nil
}

// listResources lists the resources of this side's project first, also while nothing has happened in it, and then those of
// others.
func (p *proxy) listResources(ctx context.Context, params *sdk.ListResourcesParams) (sdk.Result, error) {
	result, err := revived(ctx, p, func(ctx context.Context, up *sdk.ClientSession) (*sdk.ListResourcesResult, error) {
		return up.ListResources(ctx, &sdk.ListResourcesParams{Cursor: params.Cursor})
	})
	if err != nil {
		return nil, err
	}
	list, own := *result.(*sdk.ListResourcesResult), coordmcp.Resources(p.coord.project)
	list.Resources = slices.DeleteFunc(slices.Clone(list.Resources), func(r *sdk.Resource) bool {
		return slices.ContainsFunc(own, func(o *sdk.Resource) bool { return o.URI == r.URI })
	})
	if params.Cursor == "" {
		list.Resources = append(own, list.Resources...)
	}
	return &list, nil
}

// listPrompts lists the prompts, with arguments optional that have a value here.
func (p *proxy) listPrompts(ctx context.Context, params *sdk.ListPromptsParams) (sdk.Result, error) {
	result, err := revived(ctx, p, func(ctx context.Context, up *sdk.ClientSession) (*sdk.ListPromptsResult, error) {
		return up.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: params.Cursor})
	})
	if err != nil {
		return nil, err
	}
	list := *result.(*sdk.ListPromptsResult)
	list.Prompts = slices.Clone(list.Prompts)
	for i, prompt := range list.Prompts {
		relaxed := *prompt
		relaxed.Arguments = slices.Clone(prompt.Arguments)
		for j, argument := range relaxed.Arguments {
			if argument.Name == "project_id" {
				optional := *argument
				optional.Required = false
				relaxed.Arguments[j] = &optional
			}
		}
		list.Prompts[i] = &relaxed
	}
	return &list, nil
}

// relax takes out of the required arguments of a schema those that have a value here.
func (p *proxy) relax(schema any) (any, error) {
	text, err := json.Marshal(schema, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	var required []string
	if list := members["required"]; list != nil {
		if err := json.Unmarshal(list, &required); err != nil {
			return nil, err
		}
	}
	required = slices.DeleteFunc(required, func(name string) bool {
		return name == "project_id" || p.coord.session != "" && (name == "session_name" || name == "from_session")
	})
	if members["required"], err = json.Marshal(required); err != nil {
		return nil, err
	}
	return members, nil
}

// call passes on the call of a tool.
func (p *proxy) call(ctx context.Context, req *sdk.CallToolRequest) (sdk.Result, error) {
	args := map[string]jsontext.Value{}
	if text := jsontext.Value(req.Params.Arguments); len(text) > 0 && text.Kind() != 'n' && json.Unmarshal(text, &args) != nil {
		args = nil // the coordinator says what is wrong with it
	}
	params := &sdk.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments}
	if token := req.Params.GetProgressToken(); token != nil {
		params.Meta = sdk.Meta{"progressToken": token}
	}
	if args != nil {
		params.Arguments = p.complete(ctx, args)
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	var result *sdk.CallToolResult
	err := p.try(ctx, func(up *sdk.ClientSession) (err error) {
		result, err = up.CallTool(ctx, params)
		return err
	})
	switch {
	case err == nil:
		p.note(req.Params.Name, args, result)
		return inOrder(result), nil
	case errors.Is(err, context.Canceled) || saidBy(err) != nil:
		return nil, plainError(err)
	}
	return notDone(err)
}

// notDone is the answer to a call that the coordinator did not answer, in the form of its answers.
func notDone(err error) (*sdk.CallToolResult, error) {
	why := unavailable(err)
	if _, ok := errors.AsType[*cmdline.Failure](err); !ok {
		why += ", and may have done what was asked or not: look before you ask again"
	}
	text, err := json.Marshal(coord.Failure{Status: "error", Error: why, Code: codeUnavailable})
	if err != nil {
		return nil, err
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: jsontext.Value(text)}, nil
}

// complete adds arguments that are left out, and makes paths of files in this work tree those of the project.
func (p *proxy) complete(ctx context.Context, args map[string]jsontext.Value) map[string]jsontext.Value {
	missing := func(name string) bool { return len(args[name]) == 0 || args[name].Kind() == 'n' }
	if missing("project_id") {
		args["project_id"] = quoted(p.coord.project)
	}
	if p.coord.session != "" && missing("session_name") && missing("from_session") {
		args["session_name"] = quoted(p.coord.session)
	}
	for _, name := range []string{"file_path", "path"} {
		if args[name].Kind() == '"' {
			args[name] = quoted(p.shorten(ctx, unquoted(args[name])))
		}
	}
	var paths []string
	if args["paths"].Kind() == '[' && json.Unmarshal(args["paths"], &paths) == nil {
		for i, path := range paths {
			paths[i] = p.shorten(ctx, path)
		}
		if list, err := json.Marshal(paths); err == nil {
			args["paths"] = list
		}
	}
	return args
}

// shorten returns the path in the project of an absolute one, as harnesses know files by that, and of one that leads into
// another work tree. What is no file of the repository is left to the coordinator, which may know its folder.
func (p *proxy) shorten(ctx context.Context, path string) string {
	if p.repo == nil || path == "" {
		return path
	}
	var short string
	if filepath.IsAbs(path) {
		var err error
		if short, err = p.repo.relative(ctx, path); err != nil {
			return path
		}
	} else if short = p.repo.renamed(ctx, path); short == path {
		return path
	}
	if strings.HasSuffix(path, "/") {
		short += "/"
	}
	return short
}

// completePrompt adds arguments of a prompt that are left out.
func (p *proxy) completePrompt(args map[string]string) map[string]string {
	args = maps.Clone(args)
	if args == nil {
		args = make(map[string]string)
	}
	if args["project_id"] == "" {
		args["project_id"] = p.coord.project
	}
	if args["session_name"] == "" && p.coord.session != "" {
		args["session_name"] = p.coord.session
	}
	return args
}

func quoted(s string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return jsontext.Value(`""`) // which the coordinator refuses
	}
	return b
}

// looks are the tools that say nothing of whether the session lives that they are about: who calls them may be another.
var looks = []string{"get_my_todos", "check_lock"}

// note keeps in mind which sessions are of this side: those that did something here.
func (p *proxy) note(tool string, args map[string]jsontext.Value, result *sdk.CallToolResult) {
	key := [2]string{unquoted(args["project_id"]), unquoted(args["session_name"])}
	if from := unquoted(args["from_session"]); from != "" {
		key[1] = from
	}
	if key[1] == "" || result.IsError || slices.Contains(looks, tool) || tool == "check_messages" && args["peek"].Kind() == 't' {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.present[key] != nil
	switch {
	case tool == "unregister_agent":
		delete(p.present, key)
	case known && tool != "register_agent":
	case known || len(p.present) < maxPresent:
		p.present[key] = &presence{}
		p.awake()
	}
}

// maxPresent is how many sessions one proxy says that they are alive.
const maxPresent = 100

func unquoted(v jsontext.Value) string {
	b, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(b)
}

// inOrder gives the structured content of an answer the order of its text, which decoding has lost.
func inOrder(result *sdk.CallToolResult) *sdk.CallToolResult {
	if len(result.Content) != 1 {
		return result
	}
	if text, ok := result.Content[0].(*sdk.TextContent); ok && jsontext.Value(text.Text).Kind() == '{' {
		ordered := *result
		ordered.StructuredContent = jsontext.Value(text.Text)
		return &ordered
	}
	return result
}

func (p *proxy) sessions() [][2]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all [][2]string
	for key := range p.present {
		all = append(all, key)
	}
	return all
}
