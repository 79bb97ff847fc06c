// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema checks values against a JSON Schema. The zero value allows everything.
type schema struct{ compiled *jsonschema.Schema }

// compile reads a schema. It reads no other documents: a $ref to a file or to the network is an error.
func compile(raw jsontext.Value) (schema, error) {
	if len(raw) == 0 {
		return schema{}, nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return schema{}, fmt.Errorf("read the schema: %w", err)
	}
	const name = "schema.json"
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(name, doc); err != nil {
		return schema{}, fmt.Errorf("read the schema: %w", err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return schema{}, fmt.Errorf("read the schema: %w", err)
	}
	return schema{compiled}, nil
}

// check reports what is wrong with a value, one violation a line, in words for a model.
func (s schema) check(raw jsontext.Value) error {
	if !raw.IsValid() {
		return errors.New("it is not valid JSON")
	}
	if s.compiled == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return errors.New("it is not valid JSON")
	}
	err = s.compiled.Validate(value)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var lines []string
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil {
			continue
		}
		at := unit.InstanceLocation
		if at == "" {
			at = "the whole"
		}
		lines = append(lines, fmt.Sprintf("%s: %s", at, unit.Error))
	}
	if len(lines) == 0 {
		return errors.New("it does not fit the schema")
	}
	return errors.New(strings.Join(lines, "\n"))
}

// jsonIn finds the JSON text in a model's answer: the whole, or what a fence of Markdown encloses, which models write
// when nothing but instructions holds them to JSON.
func jsonIn(text string) jsontext.Value {
	text = strings.TrimSpace(text)
	if value := jsontext.Value(text); value.IsValid() {
		return value
	}
	_, inside, found := strings.Cut(text, "```")
	if !found {
		return jsontext.Value(text)
	}
	if _, rest, ok := strings.Cut(inside, "\n"); ok {
		inside, _, _ = strings.Cut(rest, "```")
	}
	return jsontext.Value(strings.TrimSpace(inside))
}
