// SPDX-License-Identifier: Apache-2.0

package cards_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

const schemaBase = "https://a2a.example/"

// schemaOf says where the published schemas have the card; those of 1.0 refer to each other by names of their own.
var schemaOf = map[string]struct{ file, card string }{
	"2025-04-08": {"../v01/testdata/pre-0.1-2025-04-08-47b436f3.json", "#/$defs/AgentCard"},
	"2025-04-30": {"../v01/testdata/pre-0.1-2025-04-30-16d9fe15.json", "#/$defs/AgentCard"},
	"0.1.0":      {"../v01/testdata/v0.1.0.json", "#/$defs/AgentCard"},
	"0.2.0":      {"../v03/testdata/v0.2.0.json", "#/definitions/AgentCard"},
	"0.2.1":      {"../v03/testdata/v0.2.1.json", "#/definitions/AgentCard"},
	"0.2.2":      {"../v03/testdata/v0.2.2.json", "#/definitions/AgentCard"},
	"0.2.4":      {"../v03/testdata/v0.2.4.json", "#/definitions/AgentCard"},
	"0.2.5":      {"../v03/testdata/v0.2.5.json", "#/definitions/AgentCard"},
	"0.2.6":      {"../v03/testdata/v0.2.6.json", "#/definitions/AgentCard"},
	"0.3.0":      {"../v03/testdata/v0.3.0.json", "#/definitions/AgentCard"},
	"1.0.1":      {"../../../a2a/testdata/v1.0.1.published.json", ""},
}

// schemasOf names the schemas that a card in a form has to satisfy.
func schemasOf(form cards.Form, card *a2a.AgentCard) []string {
	april := []string{"2025-04-08", "2025-04-30", "0.1.0"}
	switch form {
	case cards.Form01:
		return april
	case cards.Form02:
		return []string{"0.2.0", "0.2.1", "0.2.2", "0.2.4", "0.2.5", "0.2.6", "0.3.0"}
	case cards.Form03:
		return []string{"0.3.0"}
	case cards.Form10:
		return []string{"1.0.1"}
	}
	all := []string{"open 1.0.1"}
	if speaks(card, "0.3") || speaks(card, "0.2") {
		all = append(all, "0.3.0")
	}
	if speaks(card, "0.1", a2a.BindingJSONRPC) {
		all = append(all, april...)
	}
	return all
}

func speaks(card *a2a.AgentCard, version string, bindings ...string) bool {
	return slices.ContainsFunc(card.SupportedInterfaces, func(i a2a.AgentInterface) bool {
		return (i.ProtocolVersion == version || strings.HasPrefix(i.ProtocolVersion, version+".")) &&
			(bindings == nil || slices.Contains(bindings, i.Binding))
	})
}

var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	compiled := make(map[string]*jsonschema.Schema)
	for name, at := range schemaOf {
		if name == "1.0.1" {
			continue
		}
		schema, err := compile(at.file, schemaBase+name+at.card, func(c *jsonschema.Compiler, doc any) error {
			return c.AddResource(schemaBase+name, doc)
		})
		if err != nil {
			return nil, err
		}
		compiled[name] = schema
	}
	for name, open := range map[string]bool{"1.0.1": false, "open 1.0.1": true} {
		schema, err := compile(schemaOf["1.0.1"].file, schemaBase+"lf.a2a.v1.AgentCard.jsonschema.json",
			func(c *jsonschema.Compiler, doc any) error {
				return add10(c, doc, open)
			})
		if err != nil {
			return nil, err
		}
		compiled[name] = schema
	}
	return compiled, nil
})

func compile(file, card string, add func(*jsonschema.Compiler, any) error) (*jsonschema.Schema, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := add(c, doc); err != nil {
		return nil, err
	}
	return c.Compile(card)
}

// add10 adds the definitions of 1.0 under the names by which they refer to each other. An open one allows members that
// are unknown, as the text of 1.0 does and its published schema does not.
func add10(c *jsonschema.Compiler, doc any, open bool) error {
	for title, def := range doc.(map[string]any)["definitions"].(map[string]any) {
		name := "lf.a2a.v1." + strings.ReplaceAll(title, " ", "")
		if wellKnown := strings.TrimPrefix(name,
			"lf.a2a.v1."); slices.Contains([]string{"Struct", "Value", "Timestamp"}, wellKnown) {
			name = "google.protobuf." + wellKnown
		}
		if schema := maps.Clone(def.(map[string]any)); open && schema["additionalProperties"] == false {
			delete(schema, "additionalProperties")
			def = schema
		}
		if err := c.AddResource(schemaBase+name+".jsonschema.json", def); err != nil {
			return err
		}
	}
	return nil
}

func fits(t rapid.TB, form cards.Form, text []byte, card *a2a.AgentCard) {
	t.Helper()
	compiled, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range schemasOf(form, card) {
		if err := compiled[name].Validate(value); err != nil {
			t.Fatalf("%s does not fit the schema of %s: %v\n%s", form, name, err, text)
		}
	}
}

func TestFullCardFitsTheSchemas(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		fits(t, form, written(t, full(), form), full())
	}
	if len(schemasOf(cards.FormUnion, full())) != 5 {
		t.Error("the union of the full card is not held against all schemas")
	}
}
