// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// Messages, tasks and events are written by hand: by the tables, streams take half as long again (decision 58).

func writePart(w *writer, p *Part) {
	w.Begin()
	switch c := p.Content.(type) {
	case Text:
		w.Str("text", string(c))
	case Raw:
		w.Base64("raw", c)
	case URL:
		w.Str("url", string(c))
	case Data:
		w.Key("data")
		w.Raw(jsontext.Value(c))
	default:
		w.Key("content") // not on the wire: it names the field of Part in the error
		w.Fail("is missing: a part carries Text, Raw, URL or Data")
	}
	w.OptStr("mediaType", p.MediaType)
	w.OptStr("filename", p.Filename)
	w.OptMetadata("metadata", p.Metadata)
	w.End()
}

func writeMessage(w *writer, m *Message) {
	w.Begin()
	w.Str("messageId", string(m.ID))
	w.OptStr("contextId", string(m.ContextID))
	w.OptStr("taskId", string(m.TaskID))
	writeRole(w, "role", m.Role)
	jsonio.WriteEach(w, "parts", m.Parts, writePart)
	w.OptMetadata("metadata", m.Metadata)
	jsonio.WriteOptStrs(w, "extensions", m.Extensions)
	jsonio.WriteOptStrs(w, "referenceTaskIds", m.ReferenceTaskIDs)
	w.End()
}

func writeArtifact(w *writer, a *Artifact) {
	w.Begin()
	w.Str("artifactId", string(a.ID))
	w.OptStr("name", a.Name)
	w.OptStr("description", a.Description)
	jsonio.WriteEach(w, "parts", a.Parts, writePart)
	w.OptMetadata("metadata", a.Metadata)
	jsonio.WriteOptStrs(w, "extensions", a.Extensions)
	w.End()
}

func writeTaskStatus(w *writer, s *TaskStatus) {
	w.Begin()
	writeTaskState(w, "state", s.State)
	if s.Message != nil {
		w.Key("message")
		writeMessage(w, s.Message)
	}
	w.OptTime("timestamp", s.Timestamp)
	w.End()
}

func writeTask(w *writer, t *Task) {
	w.Begin()
	w.Str("id", string(t.ID))
	w.OptStr("contextId", string(t.ContextID))
	w.Key("status")
	writeTaskStatus(w, &t.Status)
	if t.Artifacts != nil { // an empty list is a list's answer to includeArtifacts (A2A 1.0 §3.1.4)
		jsonio.WritePointers(w, "artifacts", t.Artifacts, writeArtifact)
	}
	if len(t.History) > 0 {
		jsonio.WritePointers(w, "history", t.History, writeMessage)
	}
	w.OptMetadata("metadata", t.Metadata)
	w.End()
}

func writeStatusUpdate(w *writer, u *StatusUpdate) {
	w.Begin()
	w.Str("taskId", string(u.TaskID))
	w.Str("contextId", string(u.ContextID))
	w.Key("status")
	writeTaskStatus(w, &u.Status)
	w.OptMetadata("metadata", u.Metadata)
	w.End()
}

func writeArtifactUpdate(w *writer, u *ArtifactUpdate) {
	w.Begin()
	w.Str("taskId", string(u.TaskID))
	w.Str("contextId", string(u.ContextID))
	writePointer(w, "artifact", u.Artifact, writeArtifact)
	w.OptBool("append", u.Append)
	w.OptBool("lastChunk", u.LastChunk)
	w.OptMetadata("metadata", u.Metadata)
	w.End()
}

// writeEvent writes a StreamResponse, which is also a SendMessageResponse when the event is a task or a message.
func writeEvent(w *writer, e Event) {
	w.Begin()
	switch e := e.(type) {
	case *Task:
		writePointer(w, "task", e, writeTask)
	case *Message:
		writePointer(w, "message", e, writeMessage)
	case *StatusUpdate:
		writePointer(w, "statusUpdate", e, writeStatusUpdate)
	case *ArtifactUpdate:
		writePointer(w, "artifactUpdate", e, writeArtifactUpdate)
	default:
		w.Fail("holds no event")
	}
	w.End()
}

func writePointer[T any](w *writer, name string, v *T, write func(*writer, *T)) {
	w.Key(name)
	jsonio.WritePointer(w, v, write)
}
