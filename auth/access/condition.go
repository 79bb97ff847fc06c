// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/dragoman-a2a/dragoman/auth"
)

// A Condition reports whether a rule fits an access. If that cannot be found out, it returns an error.
type Condition func(ctx context.Context, access *auth.Access) (bool, error)

// A ConditionError says what is wrong with the text of a condition, and where: Line and Column count from 1.
type ConditionError struct {
	Line, Column int
	Message      string
}

// Error returns the message with its place in the text of the condition.
func (e *ConditionError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

var conditions atomic.Pointer[func(text string) (Condition, error)]

// RegisterConditions says how the member "when" of rules is compiled. It is for the init function of a package with a
// language of conditions, such as auth/access/cel; a later call replaces an earlier one.
func RegisterConditions(compile func(text string) (Condition, error)) { conditions.Store(&compile) }

// when is the condition of a rule.
type when struct{ Condition }

// UnmarshalYAML compiles the condition.
func (w *when) UnmarshalYAML(_ context.Context, node ast.Node) error {
	text, at, err := block(node)
	if err != nil {
		return err
	}
	compile := conditions.Load()
	if compile == nil {
		return badf(node, "the program has no language for conditions; "+
			`add import _ "github.com/dragoman-a2a/dragoman/auth/access/cel"`)
	}
	w.Condition, err = (*compile)(text)
	if wrong, ok := errors.AsType[*ConditionError](err); ok {
		return &yaml.SyntaxError{Message: wrong.Message, Token: &token.Token{Position: at(wrong.Line, wrong.Column)}}
	}
	if err != nil {
		return badf(node, "%v", err)
	}
	return nil
}

// block returns the text of a node, and where in the file the place at a line and column of that text is.
func block(node ast.Node) (string, func(line, column int) *token.Position, error) {
	begin := node.GetToken().Position
	switch node := node.(type) {
	case *ast.StringNode:
		quote := 0
		if node.Token.Type != token.StringType {
			quote = 1
		}
		return node.Value, func(line, column int) *token.Position {
			if line > 1 { // a text without a mark, over several lines, is one line to its reader
				line, column = 1, 1
			}
			return &token.Position{Line: begin.Line, Column: begin.Column + quote + column - 1}
		}, nil
	case *ast.LiteralNode:
		lines := node.Value.GetToken()
		indent := len(lines.Origin) - len(strings.TrimLeft(lines.Origin, " "))
		return lines.Value, func(line, column int) *token.Position {
			return &token.Position{Line: begin.Line + line, Column: indent + column}
		}, nil
	}
	return "", nil, badf(node, "a condition is a text; put it in quotes")
}

// holds reports whether the condition is met. onError is the answer if that cannot be found out.
func (w *when) holds(ctx context.Context, access *auth.Access, onError bool) bool {
	if w.Condition == nil {
		return true
	}
	met, err := w.Condition(ctx, access)
	if err != nil {
		return onError
	}
	return met
}
