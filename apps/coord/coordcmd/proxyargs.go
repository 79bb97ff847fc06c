// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// listTools lists the tools, with arguments optional that have a value here.
func (p *proxy) listTools(ctx context.Context, params *sdk.ListToolsParams) (sdk.Result, error) {
	result, err := revived(ctx, p, (*sdk.ClientSession).ListTools, &sdk.ListToolsParams{Cursor: params.Cursor})
	if err != nil {
		return nil, err
	}
	list := *result.(*sdk.ListToolsResult)
	list.Tools = slices.Clone(list.Tools)
	for i, tool := range list.Tools {
		relaxed := *tool
		relaxed.InputSchema = p.relax(tool.InputSchema)
		list.Tools[i] = &relaxed
	}
	return &list, nil
}

// listResources lists the resources of this side's project first, also of an empty one, and then those of others.
func (p *proxy) listResources(ctx context.Context, params *sdk.ListResourcesParams) (sdk.Result, error) {
	result, err := revived(ctx, p, (*sdk.ClientSession).ListResources, &sdk.ListResourcesParams{Cursor: params.Cursor})
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
	result, err := revived(ctx, p, (*sdk.ClientSession).ListPrompts, &sdk.ListPromptsParams{Cursor: params.Cursor})
	if err != nil {
		return nil, err
	}
	for _, prompt := range result.(*sdk.ListPromptsResult).Prompts {
		for _, argument := range prompt.Arguments {
			argument.Required = argument.Required && argument.Name != "project_id"
		}
	}
	return result, nil
}

// relax takes out of the required arguments of a schema those that have a value here.
func (p *proxy) relax(schema any) any {
	members, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	required := []any{}
	list, _ := members["required"].([]any)
	for _, name := range list {
		if name != "project_id" && (p.coord.session == "" || name != "session_name" && name != "from_session") {
			required = append(required, name)
		}
	}
	members = maps.Clone(members)
	members["required"] = required
	return members
}

func (p *proxy) call(ctx context.Context, req *sdk.CallToolRequest) (sdk.Result, error) {
	args := map[string]jsontext.Value{}
	if text := jsontext.Value(req.Params.Arguments); len(text) > 0 && text.Kind() != 'n' &&
		json.Unmarshal(text, &args) != nil {
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
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}},
		StructuredContent: jsontext.Value(text)}, nil
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

// shorten returns the path in the project of an absolute path, or one into another work tree. The coordinator decides
// on paths outside of the repository.
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

func (p *proxy) completePrompt(args map[string]string) map[string]string {
	all := map[string]string{"project_id": p.coord.project}
	if p.coord.session != "" {
		all["session_name"] = p.coord.session
	}
	maps.DeleteFunc(args, func(_, value string) bool { return value == "" })
	maps.Copy(all, args)
	return all
}

func quoted(s string) jsontext.Value {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return jsontext.Value(`""`) // which the coordinator refuses
	}
	return b
}

// looks are the tools that are no heartbeat of their session: others may call them.
var looks = []string{"get_my_todos", "check_lock"}

// note remembers the sessions of this side: those that did something here.
func (p *proxy) note(tool string, args map[string]jsontext.Value, result *sdk.CallToolResult) {
	key := [2]string{unquoted(args["project_id"]), unquoted(args["session_name"])}
	if from := unquoted(args["from_session"]); from != "" {
		key[1] = from
	}
	if key[1] == "" || result.IsError || slices.Contains(looks, tool) ||
		tool == "check_messages" && args["peek"].Kind() == 't' {
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
		p.present[key] = &binding{}
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
	return slices.Collect(maps.Keys(p.present))
}
