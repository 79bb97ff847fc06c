// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// markerKey is the key of metadata under which a marker stands.
const markerKey = "https://dragoman-a2a.dev/wire/v01"

// A marker is what the form has no place for. The package comment says where each of its members stands.
type marker struct {
	State            string       `json:"state,omitempty"`
	MediaType        string       `json:"mediaType,omitempty"`
	Filename         string       `json:"filename,omitempty"`
	Wrapped          bool         `json:"wrapped,omitzero"`
	File             bool         `json:"file,omitzero"`
	Extensions       []string     `json:"extensions,omitempty"`
	ReferenceTaskIDs []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

func (m *marker) empty() bool {
	return m.State == "" && m.MediaType == "" && m.Filename == "" && !m.Wrapped && !m.File &&
		len(m.Extensions) == 0 && len(m.ReferenceTaskIDs) == 0
}

// with returns metadata that hold the marker, and no other under its key.
func (m *marker) with(metadata a2a.Metadata) (a2a.Metadata, error) {
	if m.empty() {
		_, metadata = readMarker(metadata)
		return metadata, nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err // invalid UTF-8
	}
	marked := make(a2a.Metadata, len(metadata)+1)
	maps.Copy(marked, metadata)
	marked[markerKey] = jsontext.Value(text)
	return marked, nil
}

// readMarker returns the marker in metadata and what else they hold, nil for nothing. Metadata without a marker are
// returned as they are.
func readMarker(metadata a2a.Metadata) (marker, a2a.Metadata) {
	text, ok := metadata[markerKey]
	if !ok {
		return marker{}, metadata
	}
	var m marker
	if json.Unmarshal(text, &m) != nil {
		m = marker{} // the key is ours, but this is not
	}
	if len(metadata) == 1 {
		return m, nil
	}
	rest := maps.Clone(metadata)
	delete(rest, markerKey)
	return m, rest
}
