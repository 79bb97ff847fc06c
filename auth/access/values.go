// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/dragoman-a2a/dragoman/auth"
)

// badf returns an error at a node of the file.
func badf(node ast.Node, format string, args ...any) error {
	return &yaml.SyntaxError{Token: node.GetToken(), Message: fmt.Sprintf(format, args...)}
}

// text returns the text of a node.
func text(node ast.Node) (string, error) {
	scalar, ok := node.(ast.ScalarNode)
	if !ok {
		return "", badf(node, "a text is expected here")
	}
	return fmt.Sprint(scalar.GetValue()), nil
}

// inside decodes a node into a value of which it is the own method that reads the node.
func inside(ctx context.Context, node ast.Node, value any) error {
	return yaml.NewDecoder(strings.NewReader(""), yaml.DisallowUnknownField()).DecodeFromNodeContext(ctx, node, value)
}

// A secret is named in the file, but not in it: by an environment variable or another file.
type secret string

// UnmarshalYAML reads a secret from where the file says.
func (s *secret) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	from, err := text(node)
	if err != nil {
		return err
	}
	r := ctx.Value(readerKey{}).(*reader)
	kind, name, _ := strings.Cut(from, ":")
	switch kind {
	case "env":
		value, ok := r.lookup(name)
		if value = strings.TrimSpace(value); !ok || value == "" {
			return badf(node, "the environment variable %q is not set or empty", name)
		}
		*s = secret(value)
		return nil
	case "file":
		content, err := r.file(name)
		if err != nil {
			return badf(node, "%v", err)
		}
		if *s = secret(strings.TrimSpace(string(content))); *s == "" {
			return badf(node, "the file %q is empty", name)
		}
		return nil
	}
	return badf(node, "a secret does not stand in this file; write env:NAME for an environment variable, or file:PATH")
}

// A pemFile is the text of a file that the file names.
type pemFile []byte

// UnmarshalYAML reads the file.
func (p *pemFile) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	name, err := text(node)
	if err != nil {
		return err
	}
	if *p, err = ctx.Value(readerKey{}).(*reader).file(name); err != nil {
		return badf(node, "%v", err)
	}
	return nil
}

// An operation is one of auth.Operations, or * for all.
type operation string

// UnmarshalYAML refuses what is no operation.
func (o *operation) UnmarshalYAML(_ context.Context, node ast.Node) error {
	name, err := text(node)
	if err != nil {
		return err
	}
	if name != "*" && !slices.Contains(auth.Operations(), name) {
		return badf(node, "there is no operation %q; use some of %s, or *", name, strings.Join(auth.Operations(), ", "))
	}
	*o = operation(name)
	return nil
}
