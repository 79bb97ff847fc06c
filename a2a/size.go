// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"encoding/base64"
	"slices"
	"strings"
)

// SizeOf returns about how many bytes the JSON of v takes: a task, a message, an update or a page of tasks; anything
// else counts as none. Names of members count by a rough sum, and what has to be escaped in a short text counts once,
// so it is good for limits and for making room, not for lengths.
func SizeOf(v any) int {
	switch v := v.(type) {
	case *Task:
		return v.size()
	case *Message:
		return v.size()
	case *StatusUpdate:
		if v != nil {
			return 128 + v.Status.size() + v.Metadata.size()
		}
	case *ArtifactUpdate:
		if v != nil {
			return 192 + v.Artifact.size() + v.Metadata.size()
		}
	case *ListTasksResponse:
		return v.size()
	}
	return 0
}

func (r *ListTasksResponse) size() int {
	if r == nil {
		return 0
	}
	n := 0
	for _, t := range r.Tasks {
		n += t.size()
	}
	return n
}

func (t *Task) size() int {
	if t == nil {
		return 0
	}
	n := 192 + t.Status.size() + t.Metadata.size()
	for _, a := range t.Artifacts {
		n += a.size()
	}
	for _, m := range t.History {
		n += m.size()
	}
	return n
}

func (s *TaskStatus) size() int { return 96 + s.Message.size() }

func (m *Message) size() int {
	if m == nil {
		return 0
	}
	n := 192 + sizeOfParts(m.Parts) + m.Metadata.size()
	for _, id := range m.ReferenceTaskIDs {
		n += len(id) + 3
	}
	return n + sizeOfStrings(m.Extensions)
}

func (a *Artifact) size() int {
	if a == nil {
		return 0
	}
	return 128 + len(a.Name) + len(a.Description) + sizeOfParts(a.Parts) + a.Metadata.size() + sizeOfStrings(
		a.Extensions)
}

func (m Metadata) size() int {
	n := 0
	for k, v := range m {
		n += len(k) + len(v) + 4
	}
	return n
}

func sizeOfStrings(list []string) int {
	n := 0
	for _, s := range list {
		n += len(s) + 3
	}
	return n
}

func sizeOfParts(parts []Part) int {
	n := 0
	for i := range parts {
		p := &parts[i]
		n += 32 + len(p.MediaType) + len(p.Filename) + p.Metadata.size()
		switch c := p.Content.(type) {
		case Text:
			n += len(c)
			if len(c) >= large {
				for _, escaped := range []string{`"`, `\`, "\n"} {
					n += strings.Count(string(c), escaped)
				}
			}
		case Raw:
			n += base64.StdEncoding.EncodedLen(len(c))
		case URL:
			n += len(c)
		case Data:
			n += len(c)
		}
	}
	return n
}

// Grow returns dst with room for the JSON of v where that is large: a buffer that grows as it is appended to copies
// what is in it, and holds it twice, several times over. v is as for [SizeOf].
func Grow(dst []byte, v any) []byte {
	if n := SizeOf(v); n >= large {
		return slices.Grow(dst, n+n/256+1<<10)
	}
	return dst
}

// large is from how many bytes on it is worth while to make room: a buffer that grows by itself costs less below that.
const large = 16 << 10
