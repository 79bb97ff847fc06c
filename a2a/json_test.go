// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	stdjson "encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Every type, full and empty, comes back as it went, by each of the ways to JSON, and fits the published schema.
func TestEveryTypeComesBack(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		t.Run(e.schema, func(t *testing.T) {
			t.Parallel()
			comesBack(t, e.schema, e.value)
		})
	}
	for _, event := range []Event{exampleTask(), exampleMessage(), exampleStatusUpdate(), exampleArtifactUpdate()} {
		comesBack(t, "StreamResponse", &StreamResponse{event})
	}
	comesBack(t, "SendMessageResponse", &SendResponse{exampleMessage()})
	for _, part := range exampleParts() {
		comesBack(t, "Part", &part)
	}
}

// The schema is really held against what we write: it refuses what is wrong.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"Message": `{"parts":[{"text":5}]}`, "Task": `{"status":{"state":"working"}}`,
		"AgentCard":  `{"skills":[{"tags":[1]}]}`,
		"TaskStatus": `{"timestamp":"yesterday"}`, "StreamResponse": `{"status_update":{"final":true}}`,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if compiledSchema(t, name).Validate(value) == nil {
			t.Errorf("%s may be %s", name, text)
		}
	}
}

// Empty values stay empty when they are encoded and decoded.
func TestZeroValuesComeBack(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		zero := reflect.New(reflect.TypeOf(e.value).Elem()).Interface().(codec)
		switch v := zero.(type) {
		case *Part:
			v.Content = Text("")
		case *ArtifactUpdate:
			v.Artifact = &Artifact{}
		case *SendMessageRequest:
			v.Message = &Message{}
		case *StreamResponse:
			v.Event = &Task{}
		case *SendResponse:
			v.Result = &Message{}
		case *OAuth2Scheme:
			v.Flow = &ClientCredentialsFlow{}
		}
		comesBack(t, e.schema, zero)
	}
}

func comesBack(t *testing.T, schema string, value codec) {
	t.Helper()
	text, err := value.AppendJSON([]byte("data: "))
	if err != nil {
		t.Fatal(err)
	}
	text, prefixed := bytes.CutPrefix(text, []byte("data: "))
	if !prefixed || bytes.ContainsAny(text, "\r\n") {
		t.Fatalf("AppendJSON wrote over what was there, or more than one line: %s", text)
	}
	fitsSchema(t, schema, text)

	for name, decode := range map[string]func([]byte, any) error{
		"Unmarshal": func(b []byte, v any) error { return Unmarshal(b, v.(codec)) },
		"json/v1":   stdjson.Unmarshal,
		"json/v2":   func(b []byte, v any) error { return json.Unmarshal(b, v) },
	} {
		got := reflect.New(reflect.TypeOf(value).Elem()).Interface()
		if err := decode(text, got); err != nil {
			t.Fatalf("%s of %s: %v", name, text, err)
		}
		if diff := cmp.Diff(value, got, canonical); diff != "" {
			t.Errorf("%s: -sent +decoded\n%s", name, diff)
		}
	}

	byValue := reflect.ValueOf(value).Elem().Interface() // not addressable: only methods of values count
	for name, encode := range map[string]func(any) ([]byte, error){
		"json/v1": stdjson.Marshal,
		"json/v2": func(v any) ([]byte, error) { return json.Marshal(v) },
	} {
		for _, v := range []any{value, byValue} {
			got, err := encode(v)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !sameJSON(got, text) {
				t.Errorf("%s of %T wrote\n%s\nAppendJSON wrote\n%s", name, v, got, text)
			}
		}
	}
}

func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// canonical compares as the wire does: it knows no difference between an absent and an empty list or map, except that a
// Struct is present when it is empty, and values of free form keep their tokens, but not the space between them.
var canonical = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		switch p.Last().Type() {
		case reflect.TypeFor[Metadata](), reflect.TypeFor[jsontext.Value](), reflect.TypeFor[Raw](),
			reflect.TypeFor[Data]():
			return false
		}
		return true
	}, cmpopts.EquateEmpty()),
	cmp.Comparer(func(a, b Raw) bool { return bytes.Equal(a, b) }),
	cmp.Comparer(func(a, b Data) bool { return bytes.Equal(compact(jsontext.Value(a)), compact(jsontext.Value(b))) }),
	cmp.Comparer(func(a, b jsontext.Value) bool { return bytes.Equal(compact(a), compact(b)) }),
}

// The examples leave no member out, or the tests above would not see it.
func TestExamplesAreFull(t *testing.T) {
	t.Parallel()
	offWire := []string{"Task.Origin", "SendMessageRequest.NewTaskID", "SendMessageRequest.IdempotencyKey",
		"SubscribeRequest.After"}
	for _, e := range examples() {
		v := reflect.ValueOf(e.value).Elem()
		if v.Kind() != reflect.Struct {
			continue
		}
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if v.Field(i).IsZero() && !slices.Contains(offWire, name) {
				t.Errorf("the example has no %s", name)
			}
		}
	}
}

// The decoders know the members of the published schema, all of them and no others.
func TestDecodersKnowTheMembersOfTheSchema(t *testing.T) {
	t.Parallel()
	defs := schemaDefinitions(t)
	tables := map[string][]string{"SecurityScheme": list(securitySchemeObject), "OAuthFlows": list(oauthFlowObject),
		"StringList": list(stringListObject)}
	for _, e := range examples() {
		tables[e.schema] = e.members
	}
	for name, def := range defs {
		if strings.HasPrefix(name, "google.") {
			continue
		}
		members, ok := tables[strings.TrimPrefix(name, "lf.a2a.v1.")]
		if !ok {
			t.Errorf("nothing decodes %s", name)
			continue
		}
		properties, _ := def.(map[string]any)["properties"].(map[string]any)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(properties)), slices.Sorted(slices.Values(members))); diff != "" {
			t.Errorf("%s: -schema +decoder\n%s", name, diff)
		}
	}
	if len(tables) != len(defs)-3 {
		t.Errorf("%d tables for %d messages", len(tables), len(defs)-3)
	}
}

// schemaDefinitions returns the definitions of the published schema by the names under which they refer to each other,
// without the ending. The bundle has them by their titles, which are the names broken into words.
func schemaDefinitions(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/v1.0.1.published.json")
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defs := make(map[string]any)
	for title, def := range bundle.(map[string]any)["definitions"].(map[string]any) {
		name := strings.ReplaceAll(title, " ", "")
		switch name {
		case "Struct", "Value", "Timestamp":
			defs["google.protobuf."+name] = def
		default:
			defs["lf.a2a.v1."+name] = def
		}
	}
	return defs
}

const (
	schemaBase   = "https://a2a.example/"
	schemaEnding = ".jsonschema.json"
)

// schemas holds the published schema ready for use, shared by the tests.
var schemas struct {
	sync.Mutex
	compiler *jsonschema.Compiler
}

func fitsSchema(t *testing.T, name string, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiledSchema(t, name).Validate(value); err != nil {
		t.Errorf("%s does not fit the schema: %v\n%s", name, err, text)
	}
}

func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schemas.Lock()
	defer schemas.Unlock()
	if schemas.compiler == nil {
		schemas.compiler = jsonschema.NewCompiler()
		schemas.compiler.AssertFormat()
		for name, def := range schemaDefinitions(t) {
			if err := schemas.compiler.AddResource(schemaBase+name+schemaEnding, def); err != nil {
				t.Fatal(err)
			}
		}
	}
	schema, err := schemas.compiler.Compile(schemaBase + "lf.a2a.v1." + name + schemaEnding)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
