// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

func (w *writer) task(t *a2a.Task) {
	if t == nil {
		w.fail("the task is missing")
		return
	}
	w.begin()
	w.str("id", string(t.ID))
	w.optStr("sessionId", string(t.ContextID))
	w.status(&t.Status)
	if len(t.Artifacts) > 0 {
		var x indexes
		list(w, "artifacts", t.Artifacts, func(w *writer, a *a2a.Artifact) { w.artifact(a, &x, false, false) })
	}
	if len(t.History) > 0 {
		list(w, "history", t.History, (*writer).message)
	}
	w.marked(t.Metadata, marker{State: trueNames[t.Status.State]})
	w.end()
}

// status writes the member status; the true state, if it is another than the one shown, belongs into the metadata
// beside it.
func (w *writer) status(s *a2a.TaskStatus) {
	w.key("status")
	w.begin()
	if s.State < 0 || int(s.State) >= len(stateNames) {
		w.fail("the state of a task is " + s.State.String() + ", which no name stands for")
		s = &a2a.TaskStatus{}
	}
	w.str("state", stateNames[s.State])
	if s.Message != nil {
		w.key("message")
		w.message(s.Message)
	}
	w.optTime("timestamp", s.Timestamp)
	w.end()
}

func (w *writer) message(m *a2a.Message) {
	if m == nil {
		w.fail("a message is missing")
		return
	}
	role := "agent"
	if m.Role == a2a.RoleUser {
		role = "user"
	}
	w.begin()
	w.str("role", role)
	w.parts(m.Parts)
	w.marked(m.Metadata, marker{Extensions: m.Extensions, ReferenceTaskIDs: m.ReferenceTaskIDs})
	w.end()
}

// artifact writes an artifact, or a chunk of one. The index is always there: its default is that of another artifact.
func (w *writer) artifact(a *a2a.Artifact, x *indexes, appends, last bool) {
	if a == nil {
		w.fail("an artifact is missing")
		return
	}
	w.begin()
	w.optStr("name", a.Name)
	w.optStr("description", a.Description)
	w.parts(a.Parts)
	w.int("index", x.of(a.ID))
	w.optBool("append", appends)
	w.optBool("lastChunk", last)
	w.marked(a.Metadata, marker{Extensions: a.Extensions})
	w.end()
}

func (w *writer) parts(parts []a2a.Part) { list(w, "parts", parts, (*writer).part) }

func (w *writer) part(p a2a.Part) {
	w.begin()
	metadata, mark := p.Metadata, marker{}
	switch c := p.Content.(type) {
	case a2a.Text:
		w.str("type", "text")
		w.str("text", string(c))
		mark = marker{MediaType: p.MediaType, Filename: p.Filename}
	case a2a.Raw:
		w.beginFile(p.Filename, p.MediaType)
		w.base64("bytes", c)
		w.end()
	case a2a.URL:
		w.beginFile(p.Filename, p.MediaType)
		w.str("uri", string(c))
		w.end()
	case a2a.Data:
		if f, rest, ok := reference(&p, c); ok {
			metadata = rest
			w.beginFile(f.Name, f.MimeType)
			w.end()
			break
		}
		w.str("type", "data")
		mark = marker{MediaType: p.MediaType, Filename: p.Filename, Wrapped: w.data(jsontext.Value(c))}
	default:
		w.fail("a part has no content: it carries Text, Raw, URL or Data")
	}
	w.marked(metadata, mark)
	w.end()
}

// beginFile starts the member file, which has a place for a name and a type.
func (w *writer) beginFile(name, mimeType string) {
	w.str("type", "file")
	w.key("file")
	w.begin()
	w.optStr("name", name)
	w.optStr("mimeType", mimeType)
}

// reference returns the file without content that a data part came as, and the metadata that it came with.
func reference(p *a2a.Part, c a2a.Data) (f file, rest a2a.Metadata, ok bool) {
	m, rest := readMarker(p.Metadata)
	if !m.File || json.Unmarshal(c, &f) != nil {
		return file{}, nil, false
	}
	return f, rest, true
}

// data writes the member data and reports whether the value had to be wrapped.
func (w *writer) data(v jsontext.Value) (wrapped bool) {
	w.key("data")
	if v.Kind() == '{' {
		w.raw(v, a2a.MaxDepth)
		return false
	}
	w.begin()
	w.key("value")
	w.raw(v, a2a.MaxDepth)
	w.end()
	return true
}

// A statusEvent is a status as it goes onto a stream.
type statusEvent struct {
	task     a2a.TaskID
	status   *a2a.TaskStatus
	final    bool
	metadata a2a.Metadata
}

func (w *writer) statusEvent(e *statusEvent) {
	w.begin()
	w.str("id", string(e.task))
	w.status(e.status)
	w.bool("final", e.final)
	w.marked(e.metadata, marker{State: trueNames[e.status.State]})
	w.end()
}

func (w *writer) artifactEvent(u *a2a.ArtifactUpdate, x *indexes) {
	w.begin()
	w.str("id", string(u.TaskID))
	w.key("artifact")
	w.artifact(u.Artifact, x, u.Append, u.LastChunk)
	w.marked(u.Metadata, marker{})
	w.end()
}

// pushConfig writes the config itself; the task it belongs to stands around it.
func (w *writer) pushConfig(name string, p *a2a.PushConfig) {
	w.key(name)
	w.begin()
	w.str("url", p.URL)
	w.optStr("token", p.Token)
	if a := p.Authentication; a != nil {
		w.key("authentication")
		w.begin()
		list(w, "schemes", []string{a.Scheme}, (*writer).text)
		w.optStr("credentials", a.Credentials)
		w.end()
	}
	w.end()
}

func (w *writer) taskPushConfig(p *a2a.PushConfig) {
	w.begin()
	w.str("id", string(p.TaskID))
	w.pushConfig("pushNotificationConfig", p)
	w.end()
}
