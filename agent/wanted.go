// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Wanted is the form that a client wants the answer in, as far as the client says so. It is a metadata convention
// that the documents from April 2025 to 0.2 show and none defines: agents may follow it, and clients check the
// answer. The zero value wants nothing in particular.
type Wanted struct {
	MediaType string // such as "application/json"; "" when the client does not say
	// the JSON Schema that the data must match; nil if there is none. Its author may be hostile
	Schema    jsontext.Value
	SchemaRef string // the URL of a schema that the client does not send; "" if there is none
}

// The members of metadata, in the spellings of the documents.
const (
	wantMimeType  = "mimeType" // with wantSchema, of a text part
	wantSchema    = "schema"
	wantOutput    = "desiredOutputMimeType" // with wantSchemaRef, of a text part or a message
	wantSchemaRef = "desiredOutputSchemaRef"
	markSchemaRef = "schemaRef" // of the data part that answers
)

// Wanted returns the form that the client wants the answer in. The metadata of the message's text parts comes first,
// then that of the message, then that of the request.
func (t *Turn) Wanted() Wanted {
	if t.info.Message == nil {
		return Wanted{}
	}
	var w Wanted
	for _, p := range t.info.Message.Parts {
		if _, isText := p.Content.(a2a.Text); isText { // other parts say there what they are themselves
			w.read(p.Metadata)
		}
	}
	w.read(t.info.Message.Metadata)
	w.read(t.info.Metadata)
	return w
}

// read takes what is not known yet from metadata. Values of a wrong kind are no hints.
func (w *Wanted) read(m a2a.Metadata) {
	if len(m) == 0 {
		return
	}
	w.MediaType = cmp.Or(w.MediaType, text(m[wantMimeType]), text(m[wantOutput]))
	if w.Schema != nil || w.SchemaRef != "" {
		return // one schema counts, by either name
	}
	if s := m[wantSchema]; s.Kind() == '{' {
		w.Schema = s
		return
	}
	w.SchemaRef = cmp.Or(text(m[wantSchemaRef]), text(m[wantSchema]))
}

func text(raw jsontext.Value) string {
	var s string
	if raw.Kind() != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// JSON reports whether the answer is to be data: the client names a schema, or a media type of JSON.
func (w Wanted) JSON() bool {
	base := baseType(w.MediaType)
	return w.Schema != nil || w.SchemaRef != "" || base == "application/json" || strings.HasSuffix(base, "+json")
}

// Part returns a data part with v. The part's metadata says which form it has: the media type and, if there is one,
// the name of the schema. Part does not check v against the schema; check it first.
func (w Wanted) Part(v any) (a2a.Part, error) {
	part, err := a2a.DataPart(v)
	if err != nil {
		return a2a.Part{}, err
	}
	part.MediaType = "application/json"
	if w.MediaType != "" && w.JSON() && MatchMode("application/*", w.MediaType) {
		part.MediaType = w.MediaType
	}
	if err := part.Metadata.Set(wantMimeType, part.MediaType); err != nil {
		return a2a.Part{}, err
	}
	if ref := cmp.Or(w.SchemaRef, w.schemaID()); ref != "" {
		err = part.Metadata.Set(markSchemaRef, ref)
	}
	return part, err
}

// schemaID returns the name that the schema gives itself.
func (w Wanted) schemaID() string {
	var named struct {
		ID jsontext.Value `json:"$id"`
	}
	if w.Schema == nil || json.Unmarshal(w.Schema, &named) != nil {
		return ""
	}
	return text(named.ID)
}

// Hint writes w into the metadata of a text part, for a client to send. A schema goes by itself, a name without it by
// the other spelling, as in the documents.
func (w Wanted) Hint(m *a2a.Metadata) error {
	mediaType, schema := wantMimeType, wantSchema
	var value any = w.Schema
	if w.Schema == nil && w.SchemaRef != "" {
		mediaType, schema, value = wantOutput, wantSchemaRef, w.SchemaRef
	}
	if w.MediaType != "" {
		if err := m.Set(mediaType, w.MediaType); err != nil {
			return err
		}
	}
	if w.Schema == nil && w.SchemaRef == "" {
		return nil
	}
	if err := m.Set(schema, value); err != nil {
		return fmt.Errorf("agent: the schema is not JSON: %w", err)
	}
	return nil
}
