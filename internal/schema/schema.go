// SPDX-License-Identifier: Apache-2.0

// Package schema checks JSON against a JSON Schema that somebody else may have written: the one that a client wants an
// answer to fit (agent.Wanted), or that a user gives to a command. Violations are said in words, by the place of the
// value. Nothing is ever loaded from elsewhere: a schema refers to itself or not at all. Schemas whose check would take
// too long are refused before it begins.
package schema

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MaxBytes is how large a schema may be.
const MaxBytes = 256 << 10

// maxDepth is how deeply schemas and values may be nested, as a2a.MaxDepth is for requests.
const maxDepth = 100

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
	size     size
}

// place is the address under which the schema is known to the compiler; nobody sees it.
const place = "urn:schema"

// Compile reads a schema. One that does not say which draft it is written in is of 2020-12. Errors say what is wrong
// with the schema: it is no JSON, no schema, over a limit, or refers to something outside of itself.
func Compile(text []byte) (*Schema, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("schema: it has more than %d bytes", MaxBytes)
	}
	doc, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("schema: it is not JSON: %w", err)
	}
	measured, err := measure(doc)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(place, doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := compiler.Compile(place)
	if err != nil {
		return nil, compileError(err)
	}
	return &Schema{compiled: compiled, size: measured}, nil
}

// Check reports how value, a JSON text, does not fit. Errors: [*Violations]; others say that value is no JSON, or that
// the check would take too long.
func (s *Schema) Check(value []byte) error {
	doc, err := parse(value)
	if err != nil {
		return fmt.Errorf("schema: the value is not JSON: %w", err)
	}
	if !s.size.allows(doc) {
		return errors.New("schema: checking this value would take too long; use a schema with fewer references, or " +
			"check parts of the value")
	}
	err = s.compiled.Validate(doc)
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return violations(e)
	}
	return err
}

// parse decodes JSON whose nesting is bounded: what walks through it does so by recursion.
func parse(text []byte) (any, error) {
	if tooDeep(text) {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// tooDeep looks at brackets outside of strings only; whether they match is for the parser to say.
func tooDeep(text []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// noLoader keeps the compiler from reading files and addresses. It knows the published drafts without it.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is not loaded: references stay within the schema",
		strings.TrimPrefix(url, place))
}

// compileError says what is wrong with a schema without the place that only we know.
func compileError(err error) error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](e.Err); ok {
			return fmt.Errorf("schema: it is no JSON Schema: %w", violations(v))
		}
	}
	return fmt.Errorf("schema: %s", strings.ReplaceAll(err.Error(), place, ""))
}
