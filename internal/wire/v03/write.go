// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func writeEvent(w *jsonio.Writer, e a2a.Event) {
	switch e := e.(type) {
	case *a2a.Task:
		writeTask(w, e)
	case *a2a.Message:
		writeMessage(w, e)
	case *a2a.StatusUpdate:
		writeStatusUpdate(w, e)
	case *a2a.ArtifactUpdate:
		writeArtifactUpdate(w, e)
	default:
		w.Fail("holds no event")
	}
}

// The members that the schemas require are written even when they are empty.

func writeTask(w *jsonio.Writer, t *a2a.Task) {
	if t == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Const("kind", kindTask)
	w.Str("id", string(t.ID))
	w.Str("contextId", string(t.ContextID))
	w.Key("status")
	writeStatus(w, &t.Status)
	if t.Artifacts != nil {
		jsonio.WriteList(w, "artifacts", t.Artifacts, writeArtifact)
	}
	if len(t.History) > 0 {
		jsonio.WriteList(w, "history", t.History, writeMessage)
	}
	w.OptMetadata("metadata", t.Metadata)
	w.End()
}

func writeStatus(w *jsonio.Writer, s *a2a.TaskStatus) {
	w.Begin()
	writeState(w, "state", s.State)
	if s.Message != nil {
		w.Key("message")
		writeMessage(w, s.Message)
	}
	w.OptTime("timestamp", s.Timestamp)
	w.End()
}

func writeMessage(w *jsonio.Writer, m *a2a.Message) {
	if m == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Const("kind", kindMessage)
	w.Str("messageId", string(m.ID))
	w.OptStr("contextId", string(m.ContextID))
	w.OptStr("taskId", string(m.TaskID))
	w.Const("role", roleName(m.Role))
	jsonio.WriteEach(w, "parts", m.Parts, writePart)
	w.OptMetadata("metadata", m.Metadata)
	jsonio.WriteOptStrs(w, "extensions", m.Extensions)
	jsonio.WriteOptStrs(w, "referenceTaskIds", m.ReferenceTaskIDs)
	w.End()
}

func writeArtifact(w *jsonio.Writer, a *a2a.Artifact) {
	if a == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Str("artifactId", string(a.ID))
	w.OptStr("name", a.Name)
	w.OptStr("description", a.Description)
	jsonio.WriteEach(w, "parts", a.Parts, writePart)
	w.OptMetadata("metadata", a.Metadata)
	jsonio.WriteOptStrs(w, "extensions", a.Extensions)
	w.End()
}

func writeStatusUpdate(w *jsonio.Writer, u *a2a.StatusUpdate) {
	w.Begin()
	w.Const("kind", kindStatusUpdate)
	w.Str("taskId", string(u.TaskID))
	w.Str("contextId", string(u.ContextID))
	w.Key("status")
	writeStatus(w, &u.Status)
	w.Bool("final", wire.EndsStream03(u))
	w.OptMetadata("metadata", u.Metadata)
	w.End()
}

func writeArtifactUpdate(w *jsonio.Writer, u *a2a.ArtifactUpdate) {
	w.Begin()
	w.Const("kind", kindArtifactUpdate)
	w.Str("taskId", string(u.TaskID))
	w.Str("contextId", string(u.ContextID))
	w.Key("artifact")
	writeArtifact(w, u.Artifact)
	w.OptBool("append", u.Append)
	w.OptBool("lastChunk", u.LastChunk)
	w.OptMetadata("metadata", u.Metadata)
	w.End()
}

func writePart(w *jsonio.Writer, p *a2a.Part) {
	w.Begin()
	mark := Marker{MediaType: p.MediaType, Filename: p.Filename}
	switch c := p.Content.(type) {
	case a2a.Text:
		w.Const("kind", kindText)
		w.Str("text", string(c))
	case a2a.Raw:
		beginFile(w, p)
		w.Base64("bytes", c)
		w.End()
		mark = Marker{}
	case a2a.URL:
		beginFile(w, p)
		w.Str("uri", string(c))
		w.End()
		mark = Marker{}
	case a2a.Data:
		w.Const("kind", kindData)
		w.Key("data")
		mark.Wrapped = WriteData(w, c)
	default:
		w.Key("content") // not on the wire: it names the field of Part in the error
		w.Fail("is missing: a part carries Text, Raw, URL or Data")
	}
	mark.Write(w, p.Metadata)
	w.End()
}

// beginFile starts a part that is a file, which has places for its name and its type.
func beginFile(w *jsonio.Writer, p *a2a.Part) {
	w.Const("kind", kindFile)
	w.Key("file")
	w.Begin()
	w.OptStr("mimeType", p.MediaType)
	w.OptStr("name", p.Filename)
}
