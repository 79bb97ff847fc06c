// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// NewTool makes a tool of a function whose arguments are the members of A. The schema is JSON and has to fit A;
// members of A that it does not require may be missing.
func NewTool[A any](name, description, schema string, call func(ctx context.Context, args A) (any, error)) Tool {
	return Tool{
		Name: name, Description: description, Schema: jsontext.Value(schema),
		Call: func(ctx context.Context, raw jsontext.Value) (any, error) {
			var args A
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, fmt.Errorf("the arguments cannot be read: %w", err)
			}
			return call(ctx, args)
		},
	}
}

// A Choice is what a model chooses by calling one of several tools. The first value counts, and ends the [Run].
type Choice[T any] struct {
	Value *T // nil: nothing was chosen

	mu sync.Mutex // calls come at the same time
}

// Make makes the choice, and returns what a tool returns. A second choice is an error.
func (c *Choice[T]) Make(value T) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Value != nil {
		return nil, errors.New("one choice is enough")
	}
	c.Value = &value
	return "the user sees the outcome", ErrStop
}

// maxResult is the most of a tool's result that a model gets, in bytes. A longer result is cut, with a note to the
// model: one tool that returns a book must not use up the conversation.
const maxResult = 64 << 10

// resultMessage tells the model what a tool returned.
func resultMessage(call ToolCall, value any, err error) Message {
	m := Message{Role: RoleTool, CallID: call.ID}
	if err != nil {
		m.Text = cut("error: " + err.Error())
		return m
	}
	switch v := value.(type) {
	case nil:
		m.Text = "done"
	case string:
		m.Text = v
	case Result:
		m.Text, m.Images = v.Text, v.Images
	default:
		raw, err := json.Marshal(v, json.Deterministic(true))
		if err != nil {
			m.Text = "error: the result cannot be told: " + err.Error()
			break
		}
		m.Text = string(raw)
	}
	m.Text = cut(m.Text)
	return m
}

// cut shortens what is longer than maxResult. It may cut a character in two, which the wire replaces.
func cut(s string) string {
	if len(s) <= maxResult {
		return s
	}
	return fmt.Sprintf("%s\n[cut here: %d more bytes]", s[:maxResult], len(s)-maxResult)
}
