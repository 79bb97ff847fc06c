// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// markerKey is the key of metadata under which a marker stands.
const markerKey = "https://dragoman-a2a.dev/wire/v01"

// A marker is what the form has no place for. The package comment says where each of its members stands.
type marker struct {
	state               string
	mediaType, filename string
	wrapped             bool
	file                bool
	extensions          []string
	referenceTaskIDs    []a2a.TaskID
}

func (m *marker) empty() bool {
	return m.state == "" && m.mediaType == "" && m.filename == "" && !m.wrapped && !m.file &&
		len(m.extensions) == 0 && len(m.referenceTaskIDs) == 0
}

var markerObject = jsonio.Object[marker]{Members: []jsonio.Member[marker]{
	jsonio.OptStr("state", func(m *marker) *string { return &m.state }),
	jsonio.OptStr("mediaType", func(m *marker) *string { return &m.mediaType }),
	jsonio.OptStr("filename", func(m *marker) *string { return &m.filename }),
	jsonio.OptBool("wrapped", func(m *marker) *bool { return &m.wrapped }),
	jsonio.OptBool("file", func(m *marker) *bool { return &m.file }),
	jsonio.OptStrs("extensions", a2a.MaxNames, func(m *marker) *[]string { return &m.extensions }),
	jsonio.OptStrs("referenceTaskIds", a2a.MaxNames, func(m *marker) *[]a2a.TaskID { return &m.referenceTaskIDs }),
}}

// readMarker returns the marker in metadata and what else they hold, nil for nothing. Metadata without a marker are
// returned as they are.
func readMarker(metadata a2a.Metadata) (marker, a2a.Metadata) {
	text, ok := metadata[markerKey]
	if !ok {
		return marker{}, metadata
	}
	var m marker
	if wire.DecodeJSON(text, &m, markerObject.Read) != nil {
		m = marker{} // the key is ours, but this is not
	}
	if len(metadata) == 1 {
		return m, nil
	}
	rest := maps.Clone(metadata)
	delete(rest, markerKey)
	return m, rest
}

// marked returns metadata that hold the marker, and no other under its key.
func marked(metadata a2a.Metadata, m marker) (a2a.Metadata, error) {
	_, rest := readMarker(metadata)
	if m.empty() {
		return rest, nil
	}
	text, err := wire.AppendJSON(nil, &m, markerObject.Write)
	if err != nil {
		return nil, err
	}
	all := make(a2a.Metadata, len(rest)+1)
	maps.Copy(all, rest)
	all[markerKey] = jsontext.Value(text)
	return all, nil
}

// writeMarked writes the member metadata with a marker in it.
func writeMarked(w *jsonio.Writer, metadata a2a.Metadata, m marker) {
	all, err := marked(metadata, m)
	if err != nil {
		w.Key("metadata")
		w.Fail("would hold invalid UTF-8")
		return
	}
	w.OptMetadata("metadata", all)
}
