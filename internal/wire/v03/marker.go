// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"bytes"
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

const (
	// markerKey is the key of a part's metadata under which its marker stands.
	markerKey = "https://dragoman-a2a.dev/wire/v03"
	// wrapperName is the one member of an object that stands for another value.
	wrapperName = "value"
)

// A marker is what the form has no place for in a part. The package comment says where its members stand.
type marker struct {
	mediaType, filename string
	wrapped             bool
}

// write writes the metadata of a part and the marker in them. Nothing is left out.
func (m marker) write(w *jsonio.Writer, metadata a2a.Metadata) {
	if m == (marker{}) && metadata == nil {
		return
	}
	if _, taken := metadata[markerKey]; taken {
		metadata = maps.Clone(metadata)
		delete(metadata, markerKey)
	}
	w.Key("metadata")
	w.Begin()
	w.Members(metadata)
	if m != (marker{}) {
		w.Key(markerKey)
		w.Begin()
		w.OptStr("mediaType", m.mediaType)
		w.OptStr("filename", m.filename)
		w.OptBool("wrapped", m.wrapped)
		w.End()
	}
	w.End()
}

var markerObject = jsonio.Object[marker]{Members: []jsonio.Member[marker]{
	{Name: "mediaType", Read: func(d *jsonio.Reader, m *marker) error { return jsonio.String(d, &m.mediaType) }},
	{Name: "filename", Read: func(d *jsonio.Reader, m *marker) error { return jsonio.String(d, &m.filename) }},
	{Name: "wrapped", Read: func(d *jsonio.Reader, m *marker) error { return jsonio.Bool(d, &m.wrapped) }},
}}

// takeMarker takes the marker out of the metadata of a part. The metadata become nil if nothing else is in them. A
// value that is not a marker stays in the metadata.
func takeMarker(metadata *a2a.Metadata) marker {
	text, ok := (*metadata)[markerKey]
	if !ok {
		return marker{}
	}
	var m marker
	if wire.DecodeJSON(text, &m, markerObject.Read) != nil {
		return marker{}
	}
	if delete(*metadata, markerKey); len(*metadata) == 0 {
		*metadata = nil
	}
	return m
}

// unwrap returns the value in an object that wraps one, or the object itself when it does not.
func unwrap(data jsontext.Value) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(data)) // data are valid
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return data
	}
	if name, err := d.ReadToken(); err != nil || name.Kind() != '"' || name.String() != wrapperName {
		return data
	}
	value, err := d.ReadValue()
	if err != nil {
		return data
	}
	value = value.Clone()
	if d.PeekKind() != '}' {
		return data
	}
	return value
}
