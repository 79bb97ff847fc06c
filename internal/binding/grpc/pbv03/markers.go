// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// What 0.3 has no place for travels in the metadata of the part, under these names, and is taken out again on the other
// side. The first one is what the official SDKs write, too.
const (
	// markWrapped says that a data part holds {"value": V} because its value V is not an object.
	markWrapped = "data_part_compat"
	// markMediaType and markFilename hold those of a text or a data part.
	markMediaType = "dragoman.mediaType"
	markFilename  = "dragoman.filename"
)

// marked returns a copy of metadata with a text marker, or metadata itself when there is nothing to mark.
func marked(m a2a.Metadata, name, text string) (a2a.Metadata, error) {
	if text == "" {
		return m, nil
	}
	value, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return nil, err
	}
	return with(m, name, value), nil
}

func with(m a2a.Metadata, name string, value jsontext.Value) a2a.Metadata {
	copied := make(a2a.Metadata, len(m)+1)
	maps.Copy(copied, m)
	copied[name] = value
	return copied
}

// takeText returns a text marker and deletes it.
func takeText(m *a2a.Metadata, name string) string {
	value, ok := (*m)[name]
	if !ok || value.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	drop(m, name)
	return string(text)
}

// takeFlag returns whether a flag is marked, and deletes it.
func takeFlag(m *a2a.Metadata, name string) bool {
	if string((*m)[name]) != "true" {
		return false
	}
	drop(m, name)
	return true
}

// drop deletes a marker, and the metadata that was made for it.
func drop(m *a2a.Metadata, name string) {
	delete(*m, name)
	if len(*m) == 0 {
		*m = nil
	}
}
