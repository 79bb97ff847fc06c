// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// The tools beside those of skills.
const (
	toolGetTask    = "get_task"
	toolCancelTask = "cancel_task"
)

const maxDescription = 1024

const skillSchema = `{"type":"object","properties":{` +
	`"text":{"type":"string","description":"What you want, or the answer to what the agent asked"},` +
	`"data":{"description":"Data for the agent: any JSON value"},` +
	`"files":{"type":"array","description":"Files for the agent","items":{"type":"object","properties":{` +
	`"name":{"type":"string"},"media_type":{"type":"string","description":"such as image/png"},` +
	`"text":{"type":"string","description":"The content, of a text file"},"content":{"type":"string",` +
	`"description":"The content in base64, of any other file"},` +
	`"url":{"type":"string","description":"Where the agent can fetch the content"}}}},` +
	`"task_id":{"type":"string","description":"Go on with this task, which an earlier answer names"},` +
	`"context_id":{"type":"string","description":"Go on in this conversation, which an earlier answer names"}}}`

// addTools makes the server know a tool for each skill of each agent, and those that are about tasks.
func (b *Bridge) addTools() error {
	names := map[string]bool{toolGetTask: true, toolCancelTask: true}
	for _, r := range b.agents {
		skills := r.card.Skills
		if len(skills) == 0 {
			skills = []a2a.AgentSkill{{Name: r.card.Name, Description: r.card.Description}}
		}
		for i := range skills {
			if len(names) >= maxTools {
				return fmt.Errorf("mcpbridge: the agents have more than %d skills: put fewer agents behind one bridge",
					maxTools)
			}
			s := &skills[i]
			want := slug(s.ID)
			if want == "" && s.ID != "" {
				want = slug(s.Name)
			}
			if len(b.agents) > 1 {
				want = slug(strings.TrimSuffix(r.name+"_"+want, "_"))
			}
			b.addSkill(r, s, unique(names, want, r.name))
		}
	}
	b.addTaskTools()
	return nil
}

func (b *Bridge) addSkill(r *remote, s *a2a.AgentSkill, name string) {
	world, no := true, false
	tool := &sdk.Tool{
		Name: name, Title: line(s.Name, 100), Description: describe(r.card, s),
		InputSchema: jsontext.Value(skillSchema),
		Annotations: &sdk.ToolAnnotations{Title: line(s.Name, 100), OpenWorldHint: &world, DestructiveHint: &no},
	}
	id := s.ID
	b.mcp.AddTool(tool, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		access := auth.Access{Agent: r.name, Operation: "SendMessage", Skill: id}
		if refusal := decide(ctx, req, access); refusal != "" {
			return refuse(refusal), nil
		}
		return b.limited(func() (*sdk.CallToolResult, error) { return b.use(ctx, r, id, req) })
	})
}

func describe(c *a2a.AgentCard, s *a2a.AgentSkill) string {
	var d strings.Builder
	d.WriteString(clean(cut(s.Description, maxDescription)))
	if len(s.Examples) > 0 {
		d.WriteString("\nExamples:")
		for _, example := range s.Examples[:min(3, len(s.Examples))] {
			d.WriteString("\n- " + line(example, 200))
		}
	}
	fmt.Fprintf(&d, "\nA skill of the agent %s.", line(c.Name, 100))
	modes := s.InputModes
	if len(modes) == 0 {
		modes = c.DefaultInputModes
	}
	if len(modes) > 0 {
		fmt.Fprintf(&d, " It takes %s.", line(strings.Join(modes, ", "), 200))
	}
	return strings.TrimSpace(d.String())
}

func (b *Bridge) addTaskTools() {
	var agents, required string
	if len(b.agents) > 1 { // names have letters, digits, - and _
		agents = `,"agent":{"type":"string","description":"Whose task it is, as an answer named it","enum":["` +
			strings.Join(b.names(), `","`) + `"]}`
		required = `,"agent"`
	}
	schema := jsontext.Value(
		`{"type":"object","properties":{"task_id":{"type":"string","description":"As an answer named it"}` + agents +
			`},"required":["task_id"` + required + `]}`)
	no := false
	b.mcp.AddTool(&sdk.Tool{
		Name: toolGetTask, Description: "Look how far a task is that an earlier call left, and get its result.",
		InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no},
	}, b.onTask("GetTask", (*Bridge).getTask))
	b.mcp.AddTool(&sdk.Tool{
		Name: toolCancelTask, Description: "Cancel a task.", InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{IdempotentHint: true},
	}, b.onTask("CancelTask", (*Bridge).cancelTask))
}

func (b *Bridge) names() []string {
	var names []string
	for _, r := range b.agents {
		names = append(names, r.name)
	}
	return names
}

func (b *Bridge) onTask(operation string, do func(*Bridge, context.Context, *remote, a2a.TaskID) (*sdk.CallToolResult,
	error)) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		in, err := readInput(req.Params.Arguments)
		if err != nil {
			return refuse(err.Error()), nil
		}
		if in.TaskID == "" {
			return refuse("task_id is missing"), nil
		}
		for _, r := range b.agents {
			if in.Agent == r.name || in.Agent == "" && len(b.agents) == 1 {
				access := auth.Access{Agent: r.name, Operation: operation}
				if refusal := decide(ctx, req, access); refusal != "" {
					return refuse(refusal), nil
				}
				if !b.owners.let(callerOf(req), r.name, in.TaskID) {
					return refuse(notTheirs), nil
				}
				return b.limited(func() (*sdk.CallToolResult, error) { return do(b, ctx, r, a2a.TaskID(in.TaskID)) })
			}
		}
		return refuse("agent must be one of " + strings.Join(b.names(), ", ")), nil
	}
}

func (b *Bridge) limited(call func() (*sdk.CallToolResult, error)) (*sdk.CallToolResult, error) {
	select {
	case b.calls <- struct{}{}:
		defer func() { <-b.calls }()
		return call()
	default:
		return refuse(fmt.Sprintf("%d calls are running, which is the limit; try again later", b.opts.MaxCalls)), nil
	}
}

// addCard makes the server know an agent's card as a resource.
func (b *Bridge) addCard(r *remote) error {
	text, err := r.card.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("mcpbridge: write the card of %s: %w", r.name, err)
	}
	uri := "a2a://" + r.name + "/agent-card"
	b.mcp.AddResource(&sdk.Resource{
		URI: uri, Name: r.name, Title: line(r.card.Name, 100),
		Description: "The agent card: what the agent is and can do", MIMEType: "application/json",
	}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "application/json",
			Text: string(text)}}}, nil
	})
	return nil
}
