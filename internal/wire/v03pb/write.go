// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

// writeResponse writes an event under the name of what it is: a StreamResponse, of which a SendMessageResponse is one.
func writeResponse(w *jsonio.Writer, ev a2a.Event) {
	w.Begin()
	switch e := ev.(type) {
	case *a2a.Task:
		w.Key("task")
		writeTask(w, e)
	case *a2a.Message:
		w.Key("message")
		writeMessage(w, e)
	case *a2a.StatusUpdate:
		w.Key("statusUpdate")
		writeStatusUpdate(w, e)
	case *a2a.ArtifactUpdate:
		w.Key("artifactUpdate")
		writeArtifactUpdate(w, e)
	default:
		w.Fail("holds no event")
	}
	w.End()
}

func writeTask(w *jsonio.Writer, t *a2a.Task) {
	if t == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Str("id", string(t.ID))
	w.OptStr("contextId", string(t.ContextID))
	w.Key("status")
	writeStatus(w, &t.Status)
	if len(t.Artifacts) > 0 {
		jsonio.WriteList(w, "artifacts", t.Artifacts, writeArtifact)
	}
	if len(t.History) > 0 {
		jsonio.WriteList(w, "history", t.History, writeMessage)
	}
	writeMetadata(w, t.Metadata)
	w.End()
}

func writeStatus(w *jsonio.Writer, s *a2a.TaskStatus) {
	w.Begin()
	writeEnum(w, "state", stateNames[:], s.State)
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
	w.Str("messageId", string(m.ID))
	w.OptStr("contextId", string(m.ContextID))
	w.OptStr("taskId", string(m.TaskID))
	writeEnum(w, "role", roleNames[:], m.Role)
	jsonio.WriteEach(w, "content", m.Parts, writePart)
	v03.Marker{References: m.ReferenceTaskIDs}.Write(w, m.Metadata)
	jsonio.WriteOptStrs(w, "extensions", m.Extensions)
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
	writeMetadata(w, a.Metadata)
	jsonio.WriteOptStrs(w, "extensions", a.Extensions)
	w.End()
}

func writeStatusUpdate(w *jsonio.Writer, u *a2a.StatusUpdate) {
	w.Begin()
	w.Str("taskId", string(u.TaskID))
	w.Str("contextId", string(u.ContextID))
	w.Key("status")
	writeStatus(w, &u.Status)
	w.OptBool("final", wire.EndsStream03(u))
	writeMetadata(w, u.Metadata)
	w.End()
}

func writeArtifactUpdate(w *jsonio.Writer, u *a2a.ArtifactUpdate) {
	w.Begin()
	w.Str("taskId", string(u.TaskID))
	w.Str("contextId", string(u.ContextID))
	w.Key("artifact")
	writeArtifact(w, u.Artifact)
	w.OptBool("append", u.Append)
	w.OptBool("lastChunk", u.LastChunk)
	writeMetadata(w, u.Metadata)
	w.End()
}

func writePart(w *jsonio.Writer, p *a2a.Part) {
	w.Begin()
	mark := v03.Marker{MediaType: p.MediaType, Filename: p.Filename}
	switch c := p.Content.(type) {
	case a2a.Text:
		w.Str("text", string(c))
	case a2a.Raw:
		w.Key("file")
		w.Begin()
		w.Base64("fileWithBytes", c)
		endFile(w, p)
		mark = v03.Marker{}
	case a2a.URL:
		w.Key("file")
		w.Begin()
		w.Str("fileWithUri", string(c))
		endFile(w, p)
		mark = v03.Marker{}
	case a2a.Data:
		w.Key("data")
		w.Begin()
		w.Key("data")
		mark.Wrapped = v03.WriteData(w, c)
		w.End()
	default:
		w.Key("content") // not on the wire: it names the field of Part in the error
		w.Fail("is missing: a part carries Text, Raw, URL or Data")
	}
	mark.Write(w, p.Metadata)
	w.End()
}

// endFile writes what else is known of a file.
func endFile(w *jsonio.Writer, p *a2a.Part) {
	w.OptStr("mimeType", p.MediaType)
	w.OptStr("name", p.Filename)
	w.End()
}

// writeMetadata writes metadata without a marker; none are left out.
func writeMetadata(w *jsonio.Writer, m a2a.Metadata) { v03.Marker{}.Write(w, m) }
