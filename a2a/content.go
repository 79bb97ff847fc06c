// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// RawPart returns a part that carries the bytes of a file. The media type and the file name may be empty.
func RawPart(content []byte, mediaType, filename string) Part {
	return Part{Content: Raw(content), MediaType: mediaType, Filename: filename}
}

// URLPart returns a part that points at a file. The media type and the file name may be empty.
func URLPart(url, mediaType, filename string) Part {
	return Part{Content: URL(url), MediaType: mediaType, Filename: filename}
}

// DataPart returns a part that carries v as JSON, encoded by json/v2. To send JSON text as it is, make the content a
// [Data] of it.
func DataPart(v any) (Part, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return Part{}, fmt.Errorf("a2a: the value of a data part has no JSON: %w", err)
	}
	return Part{Content: Data(b)}, nil
}

// Text returns the text of the message's text parts, joined without anything between. A nil message has none.
func (m *Message) Text() string {
	if m == nil {
		return ""
	}
	return text(m.Parts)
}

// Text returns the text of the artifact's text parts, joined without anything between: an artifact that came in chunks
// has a part for each. A nil artifact has none.
func (a *Artifact) Text() string {
	if a == nil {
		return ""
	}
	return text(a.Parts)
}

func text(parts []Part) string {
	var s strings.Builder
	for i := range parts {
		if t, ok := parts[i].Content.(Text); ok {
			s.WriteString(string(t))
		}
	}
	return s.String()
}

// Get decodes the value of key into v, a pointer, by json/v2. It reports whether there is one; the error says that it
// does not fit v.
func (m Metadata) Get(key string, v any) (bool, error) {
	raw, ok := m[key]
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return true, fmt.Errorf("a2a: metadata %q: %w", key, err)
	}
	return true, nil
}

// Set makes v, encoded by json/v2, the value of key. The map is made when it is nil. On an error nothing changes.
func (m *Metadata) Set(key string, v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("a2a: metadata %q: %w", key, err)
	}
	if *m == nil {
		*m = make(Metadata)
	}
	(*m)[key] = jsontext.Value(b)
	return nil
}
