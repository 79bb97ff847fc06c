// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

func writeTask(w *jsonio.Writer, t *a2a.Task) {
	if t == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Str("id", string(t.ID))
	w.OptStr("sessionId", string(t.ContextID))
	writeStatus(w, &t.Status)
	if len(t.Artifacts) > 0 {
		var x indexes
		jsonio.WriteList(w, "artifacts", t.Artifacts,
			func(w *jsonio.Writer, a *a2a.Artifact) { writeArtifact(w, a, &x, nil) })
	}
	if len(t.History) > 0 {
		jsonio.WriteList(w, "history", t.History, writeMessage)
	}
	writeMarked(w, t.Metadata, marker{state: trueNames[t.Status.State]})
	w.End()
}

// writeStatus writes the member status; the true state, if it is another than the one shown, belongs into the metadata
// beside it.
func writeStatus(w *jsonio.Writer, s *a2a.TaskStatus) {
	w.Key("status")
	w.Begin()
	w.Key("state")
	if s.State < 0 || int(s.State) >= len(stateNames) {
		w.Fail("is " + s.State.String() + ", which no name stands for")
		return
	}
	w.Text(stateNames[s.State])
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
	role := "agent"
	if m.Role == a2a.RoleUser {
		role = "user"
	}
	w.Begin()
	w.Const("role", role)
	writeParts(w, m.Parts)
	writeMarked(w, m.Metadata, marker{extensions: m.Extensions, referenceTaskIDs: m.ReferenceTaskIDs})
	w.End()
}

// writeArtifact writes an artifact or, with an update, what that has of one. The index is always there: its default is
// that of another artifact. So are the flags of an update: clients of April 2025 take a chunk without lastChunk for the
// whole artifact, and fail on the next one.
func writeArtifact(w *jsonio.Writer, a *a2a.Artifact, x *indexes, u *a2a.ArtifactUpdate) {
	if a == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.OptStr("name", a.Name)
	w.OptStr("description", a.Description)
	writeParts(w, a.Parts)
	w.Int("index", int64(x.of(a.ID)))
	if u != nil {
		w.Bool("append", u.Append)
		w.Bool("lastChunk", u.LastChunk)
	}
	writeMarked(w, a.Metadata, marker{extensions: a.Extensions})
	w.End()
}

func writeParts(w *jsonio.Writer, parts []a2a.Part) {
	jsonio.WriteList(w, "parts", parts, writePart)
}

func writePart(w *jsonio.Writer, p a2a.Part) {
	w.Begin()
	metadata, mark := p.Metadata, marker{}
	switch c := p.Content.(type) {
	case a2a.Text:
		w.Const("type", "text")
		w.Str("text", string(c))
		mark = marker{mediaType: p.MediaType, filename: p.Filename}
	case a2a.Raw:
		beginFile(w, p.Filename, p.MediaType)
		w.Base64("bytes", c)
		w.End()
	case a2a.URL:
		beginFile(w, p.Filename, p.MediaType)
		w.Str("uri", string(c))
		w.End()
	case a2a.Data:
		if f, ok := referenceOf(&p, c); ok {
			beginFile(w, f.name, f.mimeType)
			w.End()
			break
		}
		w.Const("type", "data")
		w.Key("data")
		mark = marker{mediaType: p.MediaType, filename: p.Filename, wrapped: v03.WriteData(w, c)}
	default:
		w.Key("type")
		w.Fail("is that of no content: a part carries Text, Raw, URL or Data")
		return
	}
	writeMarked(w, metadata, mark)
	w.End()
}

// beginFile starts the member file, which has a place for a name and a type.
func beginFile(w *jsonio.Writer, name, mimeType string) {
	w.Const("type", "file")
	w.Key("file")
	w.Begin()
	w.OptStr("name", name)
	w.OptStr("mimeType", mimeType)
}

// A statusEvent is a status as it goes onto a stream.
type statusEvent struct {
	task     a2a.TaskID
	status   *a2a.TaskStatus
	final    bool
	metadata a2a.Metadata
}

func writeStatusEvent(w *jsonio.Writer, e *statusEvent) {
	w.Begin()
	w.Str("id", string(e.task))
	writeStatus(w, e.status)
	w.Bool("final", e.final)
	writeMarked(w, e.metadata, marker{state: trueNames[e.status.State]})
	w.End()
}

func writeArtifactEvent(w *jsonio.Writer, u *a2a.ArtifactUpdate, x *indexes) {
	w.Begin()
	w.Str("id", string(u.TaskID))
	w.Key("artifact")
	writeArtifact(w, u.Artifact, x, u)
	writeMarked(w, u.Metadata, marker{})
	w.End()
}
