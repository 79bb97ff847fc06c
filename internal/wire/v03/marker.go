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
	// MarkerKey is the key of metadata under which a marker stands.
	MarkerKey = "https://dragoman-a2a.dev/wire/v03"
	// wrapperName is the one member of an object that stands for another value.
	wrapperName = "value"
)

// A Marker is what a part, or a message in protobuf, has no place for. The package comment says where it stands.
type Marker struct {
	MediaType, Filename string
	Wrapped             bool
	References          []a2a.TaskID // of a message
}

var markerObject = jsonio.Object[Marker]{Members: []jsonio.Member[Marker]{
	jsonio.OptStr("mediaType", func(m *Marker) *string { return &m.MediaType }),
	jsonio.OptStr("filename", func(m *Marker) *string { return &m.Filename }),
	jsonio.OptBool("wrapped", func(m *Marker) *bool { return &m.Wrapped }),
	jsonio.OptStrs("referenceTaskIds", a2a.MaxNames, func(m *Marker) *[]a2a.TaskID { return &m.References }),
}}

// Write writes metadata and the marker in them. Nothing is left out.
func (m Marker) Write(w *jsonio.Writer, metadata a2a.Metadata) {
	marked := m.MediaType != "" || m.Filename != "" || m.Wrapped || len(m.References) > 0
	if !marked && metadata == nil {
		return
	}
	if _, taken := metadata[MarkerKey]; taken {
		metadata = maps.Clone(metadata)
		delete(metadata, MarkerKey)
	}
	w.Key("metadata")
	w.Begin()
	w.Members(metadata)
	if marked {
		w.Key(MarkerKey)
		mark := m // so that only marked parts take memory
		markerObject.Write(w, &mark)
	}
	w.End()
}

// TakeMarker takes the marker out of metadata, which become nil if nothing else is in them. A value that is not a
// marker stays there.
func TakeMarker(metadata *a2a.Metadata) Marker {
	text, ok := (*metadata)[MarkerKey]
	if !ok {
		return Marker{}
	}
	var m Marker
	if wire.DecodeJSON(text, &m, markerObject.Read) != nil {
		return Marker{}
	}
	if delete(*metadata, MarkerKey); len(*metadata) == 0 {
		*metadata = nil
	}
	return m
}

// WriteData writes the value of a data part, which here is an object or is wrapped in one.
func WriteData(w *jsonio.Writer, data a2a.Data) (wrapped bool) {
	v := jsontext.Value(data)
	if v.Kind() == '{' {
		w.Raw(v)
		return false
	}
	w.Begin()
	w.Key(wrapperName)
	w.Raw(v)
	w.End()
	return true
}

// ReadData reads any value, which may have one level more than others: that of a wrapper.
func ReadData(d *jsonio.Reader, data *jsontext.Value) error {
	v, err := jsonio.RawOf(d, a2a.MaxDepth+1)
	*data = v.Clone()
	return err
}

// DataOf returns the value of a data part that has just been read. The name is that of its member, for errors.
func DataOf(d *jsonio.Reader, name string, v jsontext.Value, wrapped bool) (a2a.Data, error) {
	if wrapped {
		v = unwrap(v)
	}
	if jsonio.Depth(v) > a2a.MaxDepth {
		return nil, jsonio.InvalidMember(d, name, jsonio.TooDeep)
	}
	return a2a.Data(v), nil
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
