// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/base64"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// The field for the bytes of a file in the protobuf of 0.2 and 0.3 (file_with_bytes) holds bytes. The SDKs for Python
// and Go put the base64 text of their JSON into it, and so does the compatibility layer of Python's SDK for 1.0; that
// for JavaScript puts the bytes. By default the text is written and both are read: a file that is good base64 by
// itself, which a short word can be, is taken for such text. An option takes and writes bytes alone.

// FilesAsText returns v, a value of the model, with base64 text in place of the bytes of files. A value without such
// bytes is returned as it is, others are copied.
func FilesAsText(v any) any {
	switch v := v.(type) {
	case *a2a.Task:
		return asText(v)
	case *a2a.Message:
		return asText(v)
	case *a2a.StatusUpdate:
		return asText(v)
	case *a2a.ArtifactUpdate:
		return asText(v)
	case *a2a.ListTasksResponse:
		page := *v
		page.Tasks = slices.Clone(v.Tasks)
		for i, t := range page.Tasks {
			page.Tasks[i] = asText(t)
		}
		return &page
	case *a2a.SendMessageRequest:
		request := *v
		request.Message = asText(v.Message)
		return &request
	}
	return v
}

func asText[T interface {
	comparable
	Clone() T
}](v T) T {
	var none T
	if v == none || !slices.ContainsFunc(partsOf(v),
		func(p *a2a.Part) bool { _, raw := p.Content.(a2a.Raw); return raw }) {
		return v
	}
	c := v.Clone()
	for _, p := range partsOf(c) {
		if raw, ok := p.Content.(a2a.Raw); ok {
			p.Content = a2a.Raw(base64.StdEncoding.AppendEncode(nil, raw))
		}
	}
	return c
}

// ReadFiles puts the bytes of files in place of their base64 text, in a value that was just read.
func ReadFiles(v any) {
	for _, p := range partsOf(v) {
		if raw, ok := p.Content.(a2a.Raw); ok {
			p.Content = a2a.Raw(fileBytes(raw))
		}
	}
}

// fileBytes returns what a field for bytes means: what its base64 text stands for, else the bytes themselves.
func fileBytes(b []byte) []byte {
	decoded, err := base64.StdEncoding.Strict().AppendDecode(nil, b)
	if err != nil || bytes.ContainsAny(b, "\r\n") { // which are skipped, though no SDK writes them
		return b
	}
	return decoded
}

// partsOf returns the parts in a value of the model.
func partsOf(v any) []*a2a.Part {
	var all []*a2a.Part
	add := func(parts []a2a.Part) {
		for i := range parts {
			all = append(all, &parts[i])
		}
	}
	message := func(m *a2a.Message) {
		if m != nil {
			add(m.Parts)
		}
	}
	artifact := func(a *a2a.Artifact) {
		if a != nil {
			add(a.Parts)
		}
	}
	switch v := v.(type) {
	case *a2a.Task:
		if v == nil {
			break
		}
		message(v.Status.Message)
		for _, m := range v.History {
			message(m)
		}
		for _, a := range v.Artifacts {
			artifact(a)
		}
	case *a2a.Message:
		message(v)
	case *a2a.StatusUpdate:
		message(v.Status.Message)
	case *a2a.ArtifactUpdate:
		artifact(v.Artifact)
	case *a2a.ListTasksResponse:
		for _, t := range v.Tasks {
			all = append(all, partsOf(t)...)
		}
	case *a2a.SendMessageRequest:
		message(v.Message)
	}
	return all
}
