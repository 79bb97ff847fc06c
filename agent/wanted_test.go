// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/turn"
)

func metadata(t *testing.T, text string) a2a.Metadata {
	t.Helper()
	if text == "" {
		return nil
	}
	var m a2a.Metadata
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWanted(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"array","items":{"type":"object","properties":{"ticketNumber":{"type":"string"},` +
		`"description":{"type":"string"}}}}`
	const ref = "https://schemas.example.com/supportTicketList_v1.json"
	for name, row := range map[string]struct {
		part, message, request string
		want                   agent.Wanted
		json                   bool
	}{
		"nothing": {},
		"schema in the part": {part: `{"mimeType":"application/json","schema":` + schema + `}`,
			want: agent.Wanted{MediaType: "application/json", Schema: jsontext.Value(schema)}, json: true},
		"name in the part": {part: `{"desiredOutputMimeType":"application/json","desiredOutputSchemaRef":"` + ref +
			`"}`,
			want: agent.Wanted{MediaType: "application/json", SchemaRef: ref}, json: true},
		"in the message": {message: `{"desiredOutputMimeType":"application/json","desiredOutputSchemaRef":"` + ref +
			`"}`,
			want: agent.Wanted{MediaType: "application/json", SchemaRef: ref}, json: true},
		"in the request": {request: `{"desiredOutputMimeType":"text/csv"}`, want: agent.Wanted{MediaType: "text/csv"}},
		"the part first": {part: `{"mimeType":"text/csv"}`, message: `{"mimeType":"text/html","schema":{}}`,
			request: `{"schema":{"not":{}}}`,
			want:    agent.Wanted{MediaType: "text/csv", Schema: jsontext.Value("{}")}, json: true},
		"a name before a schema further out": {part: `{"desiredOutputSchemaRef":"a"}`, message: `{"schema":{}}`,
			want: agent.Wanted{SchemaRef: "a"}, json: true},
		"a schema that is a name": {part: `{"schema":"` + ref + `"}`, want: agent.Wanted{SchemaRef: ref}, json: true},
		"of JSON": {part: `{"mimeType":"application/geo+json; charset=utf-8"}`,
			want: agent.Wanted{MediaType: "application/geo+json; charset=utf-8"}, json: true},
		"other kinds of value": {part: `{"mimeType":7,"schema":[1],"desiredOutputSchemaRef":null,` +
			`"desiredOutputMimeType":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := a2a.NewMessage(a2a.RoleUser, a2a.RawPart([]byte("x"), "text/plain", "x"),
				a2a.TextPart("List my tickets"))
			m.Parts[0].Metadata = metadata(t, `{"mimeType":"image/png","schema":{"of":"the file"}}`)
			m.Parts[1].Metadata, m.Metadata = metadata(t, row.part), metadata(t, row.message)
			got := turn.New(turn.Info{Message: m, Metadata: metadata(t, row.request)}, nil).(*agent.Turn).Wanted()
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if got.JSON() != row.json {
				t.Errorf("JSON: %t, want %t", got.JSON(), row.json)
			}
		})
	}
	if w := turn.New(turn.Info{Metadata: metadata(t, `{"mimeType":"text/csv"}`)},
		nil).(*agent.Turn).Wanted(); w.MediaType != "" {
		t.Errorf("a turn that a timer started wants %v", w)
	}
}

func TestWantedPart(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		wanted agent.Wanted
		media  string
		want   string
	}{
		"nothing": {agent.Wanted{}, "application/json", `{"mimeType":"application/json"}`},
		"name": {agent.Wanted{MediaType: "application/json", SchemaRef: "https://a.example/s"}, "application/json",
			`{"mimeType":"application/json","schemaRef":"https://a.example/s"}`},
		"schema": {agent.Wanted{Schema: jsontext.Value(`{"type":"object"}`)}, "application/json",
			`{"mimeType":"application/json"}`},
		"schema with an id": {agent.Wanted{Schema: jsontext.Value(`{"$id":"urn:s"}`)}, "application/json",
			`{"mimeType":"application/json","schemaRef":"urn:s"}`},
		"schema with no id": {agent.Wanted{Schema: jsontext.Value(`{"$id":7}`)}, "application/json",
			`{"mimeType":"application/json"}`},
		"other JSON": {agent.Wanted{MediaType: "application/geo+json"}, "application/geo+json",
			`{"mimeType":"application/geo+json"}`},
		"no JSON": {agent.Wanted{MediaType: "text/csv"}, "application/json",
			`{"mimeType":"application/json"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part, err := row.wanted.Part([]int{1})
			if err != nil || string(part.Content.(a2a.Data)) != "[1]" || part.MediaType != row.media {
				t.Fatalf("%+v, %v", part, err)
			}
			got, err := json.Marshal(part.Metadata, json.Deterministic(true))
			if err != nil || string(got) != row.want {
				t.Errorf("%s, %v, want %s", got, err, row.want)
			}
		})
	}
	if _, err := (agent.Wanted{}).Part(func() {}); err == nil {
		t.Error("a function is data")
	}
}

// The agent reads the same hint that the client wrote.
func TestWantedHint(t *testing.T) {
	t.Parallel()
	for _, want := range []agent.Wanted{
		{},
		{MediaType: "text/csv"},
		{MediaType: "application/json", Schema: jsontext.Value(`{"type":"array"}`)},
		{MediaType: "application/json", SchemaRef: "https://a.example/s"},
		{SchemaRef: "https://a.example/s"},
	} {
		part := a2a.TextPart("hi")
		if err := want.Hint(&part.Metadata); err != nil {
			t.Fatal(err)
		}
		got := turn.New(turn.Info{Message: a2a.NewMessage(a2a.RoleUser, part)}, nil).(*agent.Turn).Wanted()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	}
	if err := (agent.Wanted{Schema: jsontext.Value("{")}).Hint(new(a2a.Metadata)); err == nil {
		t.Error("a schema that is no JSON is sent")
	}
}
