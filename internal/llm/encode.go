// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// wireMessage is a message of a request.
type wireMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content,omitzero"` // a string, or parts
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitzero"`
}

type wirePart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitzero"`
	ImageURL *wireLink `json:"image_url,omitzero"`
}

type wireLink struct {
	URL string `json:"url"`
}

type wireCall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function wireFunction   `json:"function"`
	Extra    jsontext.Value `json:"extra_content,omitzero"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// encode makes the body of a request for an answer that streams.
func (c *client) encode(r *Request, inWords bool) ([]byte, error) {
	body := map[string]any{
		"model":          c.model,
		"messages":       c.signed(wireMessages(systemText(r, inWords), r.Messages)),
		"stream":         true,
		"stream_options": map[string]bool{"include_usage": true},
	}
	if len(r.Tools) > 0 {
		body["tools"] = wireTools(r.Tools)
	}
	if len(r.Schema) > 0 && !inWords {
		body["response_format"] = map[string]any{
			"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": r.Schema},
		}
	}
	if c.effort != "" {
		body["reasoning_effort"] = c.effort
	}
	raw, err := json.Marshal(body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Err: fmt.Errorf("encode the request: %w", err)}
	}
	return raw, nil
}

// systemText is the instructions, with the schema in words where the server knows no other way.
func systemText(r *Request, inWords bool) string {
	if len(r.Schema) == 0 || !inWords {
		return r.System
	}
	text := "Your final answer must be one JSON value and nothing else: no explanation, no Markdown. It must satisfy " +
		"this JSON Schema:\n" + string(r.Schema)
	if len(r.Tools) > 0 {
		text = "Use the tools first where you need them. " + text
	}
	if r.System == "" {
		return text
	}
	return r.System + "\n\n" + text
}

func wireTools(tools []Tool) []any {
	var list []any
	for _, t := range tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = jsontext.Value(`{"type":"object","properties":{}}`)
		}
		list = append(list, map[string]any{
			"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description,
				"parameters": schema},
		})
	}
	return list
}

// unsigned stands for the signature of a thought that there never was, in the words of Gemini's documents.
const unsigned = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// signed are the messages with a signature on the first call of each answer, where Gemini is asked: it refuses a
// conversation with a call that is without one, and calls that come from another model, or that a program has put
// there, have none.
func (c *client) signed(messages []wireMessage) []wireMessage {
	if c.provider != Gemini {
		return messages
	}
	for _, m := range messages {
		if len(m.ToolCalls) > 0 && len(m.ToolCalls[0].Extra) == 0 {
			m.ToolCalls[0].Extra = jsontext.Value(unsigned)
		}
	}
	return messages
}

// wireMessages are the messages of a request. Images of tools and of the model go in a message of the user, as these
// two cannot have any on the wire; it follows the results of all tools, which nothing may come between. A message of
// the model without anything in it is left out, as some servers refuse it.
func wireMessages(system string, messages []Message) []wireMessage {
	var list []wireMessage
	if system != "" {
		list = append(list, wireMessage{Role: "system", Content: system})
	}
	var images []Image
	flush := func() {
		if len(images) > 0 {
			list = append(list, wireMessage{Role: "user",
				Content: wireParts("The images of the message before:", images)})
			images = nil
		}
	}
	for _, m := range messages {
		if m.Role != RoleTool {
			flush()
		}
		if m.Role == RoleAssistant && strings.TrimSpace(m.Text) == "" && len(m.ToolCalls)+len(m.Images) == 0 {
			continue
		}
		w := wireMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
		switch {
		case m.Role == RoleUser && len(m.Images) > 0:
			w.Content = wireParts(m.Text, m.Images)
		case m.Role != RoleUser:
			images = append(images, m.Images...)
			w.ToolCalls = wireCalls(m.ToolCalls)
		}
		if len(w.ToolCalls) > 0 && m.Text == "" {
			w.Content = nil
		}
		list = append(list, w)
	}
	flush()
	return list
}

func wireParts(text string, images []Image) []wirePart {
	var parts []wirePart
	if text != "" {
		parts = append(parts, wirePart{Type: "text", Text: text})
	}
	for _, i := range images {
		parts = append(parts, wirePart{Type: "image_url", ImageURL: &wireLink{i.link()}})
	}
	return parts
}

// link is the URL of an image, a data URL if it has its bytes.
func (i Image) link() string {
	if len(i.Data) == 0 {
		return i.URL
	}
	return "data:" + i.MediaType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}

// wireCalls are the calls that the model has made before. Arguments that are no JSON object would make some servers
// refuse the whole conversation; what was wrong with them stands in the result.
func wireCalls(calls []ToolCall) []wireCall {
	var list []wireCall
	for _, c := range calls {
		if args := jsontext.Value(c.Arguments); !args.IsValid() || args.Kind() != '{' {
			c.Arguments = "{}"
		}
		list = append(list, wireCall{ID: c.ID, Type: "function", Function: wireFunction{c.Name, c.Arguments},
			Extra: c.Extra})
	}
	return list
}
