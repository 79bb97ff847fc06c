// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"
	"slices"
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

// Text returns the text of a part that carries text, else "".
func (p Part) Text() string {
	text, _ := p.Content.(Text)
	return string(text)
}

// Raw returns the bytes of a part that carries a file, else nil.
func (p Part) Raw() []byte {
	raw, _ := p.Content.(Raw)
	return raw
}

// URL returns where the content of a part is that points at a file, else "".
func (p Part) URL() string {
	url, _ := p.Content.(URL)
	return string(url)
}

// Data returns the JSON of a part that carries data, else nil.
func (p Part) Data() jsontext.Value {
	data, _ := p.Content.(Data)
	return jsontext.Value(data)
}

// Decode reads the data of a part into v, a pointer, by json/v2. It is an error if the part carries no data, or data
// that does not fit v.
func (p Part) Decode(v any) error {
	data := p.Data()
	if data == nil {
		return errNoData
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("a2a: data of a part: %w", err)
	}
	return nil
}

var errNoData = errors.New("a2a: there is no data part")

// Text returns the text of the message's text parts, joined without anything between. A nil message has none.
func (m *Message) Text() string {
	if m == nil {
		return ""
	}
	return text(m.Parts)
}

// Decode reads the message's first data part into v, as [Part.Decode] does.
func (m *Message) Decode(v any) error {
	if m == nil {
		return errNoData
	}
	return decode(m.Parts, v)
}

// Text returns the text of the artifact's text parts, joined without anything between: an artifact that came in chunks
// has a part for each. A nil artifact has none.
func (a *Artifact) Text() string {
	if a == nil {
		return ""
	}
	return text(a.Parts)
}

// Decode reads the artifact's first data part into v, as [Part.Decode] does. A nil artifact has none.
func (a *Artifact) Decode(v any) error {
	if a == nil {
		return errNoData
	}
	return decode(a.Parts, v)
}

// Artifact returns the task's artifact with a name, the last one if there are several, and nil if there is none.
func (t *Task) Artifact(name string) *Artifact {
	for _, a := range slices.Backward(t.Artifacts) {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Text returns what the task has come to as text: that of its artifacts, one after the other on lines of their own, or
// of its last message if the artifacts have none, see [Task.LastMessage].
func (t *Task) Text() string {
	var texts []string
	for _, a := range t.Artifacts {
		if text := a.Text(); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return t.LastMessage().Text()
	}
	return strings.Join(texts, "\n")
}

// LastMessage returns what the agent said last: the message of the status, or else the last one of the history if it is
// the agent's, as a message goes there when a status without one follows. It returns nil if there is none.
func (t *Task) LastMessage() *Message {
	if t.Status.Message != nil || len(t.History) == 0 {
		return t.Status.Message
	}
	if last := t.History[len(t.History)-1]; last.Role == RoleAgent {
		return last
	}
	return nil
}

func text(parts []Part) string {
	var s strings.Builder
	for _, p := range parts {
		s.WriteString(p.Text())
	}
	return s.String()
}

func decode(parts []Part, v any) error {
	for _, p := range parts {
		if p.Data() != nil {
			return p.Decode(v)
		}
	}
	return errNoData
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
