// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"bytes"
	"maps"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Values of a part for which 0.3 has no place travel in the part's metadata, as an object under markerKey. The other
// side takes them out again. The JSON of 0.3 does the same, under the same key.
const (
	markerKey = "https://dragoman-a2a.dev/wire/v03"
	// compatKey is the key that the official SDKs write in place of the flag "wrapped". This package only reads it.
	compatKey = "data_part_compat"
	// wrapperName is the one member of an object that stands for another value.
	wrapperName = "value"
)

// A marker is what a text or data part has no place for.
type marker struct {
	MediaType string `json:"mediaType,omitzero"`
	Filename  string `json:"filename,omitzero"`
	Wrapped   bool   `json:"wrapped,omitzero"` // the data are not an object, and so are a member of one
}

// mark returns metadata with a marker in them.
func (m marker) mark(metadata a2a.Metadata) (a2a.Metadata, error) {
	if m == (marker{}) {
		return metadata, nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	c := make(a2a.Metadata, len(metadata)+1)
	maps.Copy(c, metadata)
	c[markerKey] = text
	return c, nil
}

// takeMarker takes the marker of a text or data part out of its metadata, which become nil if nothing else is in them,
// and reports whether it says that data are wrapped. A value that is not a marker stays in the metadata.
func takeMarker(p *a2a.Part) (wrapped bool) {
	var m marker
	if text, ok := p.Metadata[markerKey]; ok && json.Unmarshal(text, &m) == nil {
		drop(&p.Metadata, markerKey)
	} else {
		m = marker{}
	}
	if bytes.Equal(p.Metadata[compatKey], []byte("true")) {
		m.Wrapped = true
		drop(&p.Metadata, compatKey)
	}
	p.MediaType, p.Filename = m.MediaType, m.Filename
	return m.Wrapped
}

func drop(m *a2a.Metadata, name string) {
	delete(*m, name)
	if len(*m) == 0 {
		*m = nil
	}
}
