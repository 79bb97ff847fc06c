// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/schema"
)

func compile(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(text))
	if err != nil {
		t.Fatalf("compile %s: %v", text, err)
	}
	return s
}

const tickets = `{"type":"array","items":{"type":"object","properties":{"ticketNumber":{"type":"string"},` +
	`"description":{"type":"string"}},"required":["ticketNumber"]}}`

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ schema, value, want string }{
		"fits":       {tickets, `[{"ticketNumber":"REQ12312","description":"VPN"}]`, ""},
		"empty":      {tickets, `[]`, ""},
		"wrong type": {tickets, `{"ticketNumber":"1"}`, "the value: got object, want array"},
		"deep": {tickets, `[{"ticketNumber":"1"},{"ticketNumber":7}]`,
			"/1/ticketNumber: got number, want string"},
		"missing": {tickets, `[{}]`, "/0: missing property 'ticketNumber'"},
		"each is said": {tickets, `[{},{}]`,
			"/0: missing property 'ticketNumber'; /1: missing property 'ticketNumber'"},
		"escaped pointer": {`{"properties":{"a/b~c":{"type":"string"}}}`, `{"a/b~c":1}`,
			"/a~1b~0c: got number, want string"},
		"any":  {`true`, `{"a":1}`, ""},
		"none": {`false`, `1`, "the value: false schema"},
		"reference": {`{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `"x"`,
			"the value: got string, want number"},
		"reference to list": {`{"allOf":[{"type":"number"}],"properties":{"a":{"$ref":"#/allOf/0"}},"not":{}}`, `1`,
			"the value: 'not' failed"},
		"recursive": {`{"type":"object","properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":{"next":1}}}`,
			"/next/next/next: got number, want object"},
		"id": {`{"$id":"https://example.com/s","$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}`, `1`,
			""},
		"old draft": {`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"number"}},` +
			`"items":{"$ref":"#/definitions/n"}}`, `["x"]`, "/0: got string, want number"},
		"big number": {`{"type":"integer"}`, `12345678901234567890123`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compile(t, row.schema).Check([]byte(row.value))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("%s against %s: %q, want %q", row.value, row.schema, got, row.want)
			}
			if _, ok := errors.AsType[*schema.Violations](err); err != nil && !ok {
				t.Errorf("the error is %T", err)
			}
		})
	}
}

func TestManyViolationsAreCounted(t *testing.T) {
	t.Parallel()
	err := compile(t, tickets).Check([]byte("[" + strings.Repeat("{},", 99) + "{}]"))
	if v, ok := errors.AsType[*schema.Violations](err); !ok || len(v.List) != 100 ||
		!strings.HasSuffix(v.Error(), "; and 90 more") {
		t.Errorf("%v", err)
	}
}

func TestBadSchemas(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ schema, want string }{
		"no JSON":        {`{`, "it is not JSON"},
		"trailing":       {`{} {}`, "it is not JSON"},
		"no schema":      {`{"type":"strin"}`, "it is no JSON Schema: /type"},
		"number":         {`7`, "it is no JSON Schema"},
		"elsewhere":      {`{"$ref":"https://example.com/s.json"}`, "only within the schema"},
		"file":           {`{"$ref":"file:///etc/passwd"}`, "only within the schema"},
		"by name":        {`{"$ref":"#node","$defs":{"n":{"$anchor":"node"}}}`, "only within the schema"},
		"nowhere":        {`{"$ref":"#/$defs/n"}`, "nothing is there"},
		"dynamic":        {`{"$dynamicRef":"#n"}`, "$dynamicRef"},
		"id within":      {`{"properties":{"a":{"$id":"https://example.com/a"}}}`, "$id"},
		"unknown draft":  {`{"$schema":"https://example.com/draft"}`, "is not loaded"},
		"too large":      {strings.Repeat(" ", schema.MaxBytes) + `{}`, "more than 262144 bytes"},
		"too deep":       {strings.Repeat(`{"not":`, 101) + `{}` + strings.Repeat(`}`, 101), "levels deep"},
		"bad expression": {`{"pattern":"("}`, "it is no JSON Schema"},
		"grows":          {growing(40, "allOf"), "its references make it too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile([]byte(row.schema))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
			if err != nil && strings.Contains(err.Error(), "urn:schema") {
				t.Errorf("the error shows where we keep the schema: %v", err)
			}
		})
	}
}

// growing is a schema in which each of n definitions refers to the next one twice.
func growing(n int, how string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, how, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	small := compile(t, growing(5, "anyOf"))
	if err := small.Check([]byte(`"x"`)); err != nil {
		t.Errorf("a schema that grows a little: %v", err)
	}
	// Each level of the value is looked at twice as often as the one above it.
	branching := compile(t, `{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`)
	if err := branching.Check([]byte(`{"a":{"a":{"a":1}}}`)); err != nil {
		t.Errorf("a flat value: %v", err)
	}
	began := time.Now()
	deep := strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60)
	if err := branching.Check([]byte(deep)); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a deep value: %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("refusing took %v", took)
	}
	list := compile(t, `{"type":"object","properties":{"next":{"$ref":"#"}}}`)
	if err := list.Check([]byte(strings.Repeat(`{"next":`, 90) + `{}` + strings.Repeat(`}`, 90))); err != nil {
		t.Errorf("a list of 90: %v", err)
	}
}

func TestBadValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "{", "1 2", strings.Repeat("[", 101) + strings.Repeat("]", 101)} {
		if err := compile(t, `{}`).Check([]byte(value)); err == nil {
			t.Errorf("%.20q passes", value)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{tickets, `true`, `{"$ref":"#"}`, `{"multipleOf":1e-999999,"minimum":1e999999}`,
		`{"pattern":"^(a+)+$"}`, growing(3, "oneOf"), `{"$schema":"http://json-schema.org/draft-04/schema#","id":"x"}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}`} {
		f.Add([]byte(s), []byte(`[{"ticketNumber":"1"},1e999999,"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"]`))
	}
	f.Fuzz(func(t *testing.T, text, value []byte) {
		s, err := schema.Compile(text)
		if err != nil {
			return
		}
		if v, ok := errors.AsType[*schema.Violations](s.Check(value)); ok && len(v.List) == 0 {
			t.Errorf("no violation is told: %s against %s", value, text)
		}
	})
}
