// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

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
	writeEnum(w, "role", roleNames, int32(m.Role))
	jsonio.WriteEach(w, "parts", m.Parts, writePart)
	w.OptMetadata("metadata", m.Metadata)
	jsonio.OptStrs(w, "extensions", m.Extensions)
	jsonio.OptStrs(w, "referenceTaskIds", m.ReferenceTaskIDs)
	w.End()
}

func writeArtifact(w *writer, a *Artifact) {
	w.Begin()
	w.Str("artifactId", string(a.ID))
	w.OptStr("name", a.Name)
	w.OptStr("description", a.Description)
	jsonio.WriteEach(w, "parts", a.Parts, writePart)
	w.OptMetadata("metadata", a.Metadata)
	jsonio.OptStrs(w, "extensions", a.Extensions)
	w.End()
}

func writeTaskStatus(w *writer, s *TaskStatus) {
	w.Begin()
	writeEnum(w, "state", taskStateNames, int32(s.State))
	writeOptMember(w, "message", s.Message, writeMessage)
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
	writeOptPointers(w, "history", t.History, writeMessage)
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
	writeMember(w, "artifact", u.Artifact, writeArtifact)
	w.OptBool("append", u.Append)
	w.OptBool("lastChunk", u.LastChunk)
	w.OptMetadata("metadata", u.Metadata)
	w.End()
}

// event writes a StreamResponse, which is also a SendMessageResponse when the event is a task or a message.
func writeEvent(w *writer, e Event) {
	w.Begin()
	switch e := e.(type) {
	case *Task:
		writeMember(w, "task", e, writeTask)
	case *Message:
		writeMember(w, "message", e, writeMessage)
	case *StatusUpdate:
		writeMember(w, "statusUpdate", e, writeStatusUpdate)
	case *ArtifactUpdate:
		writeMember(w, "artifactUpdate", e, writeArtifactUpdate)
	default:
		w.Fail("holds no event")
	}
	w.End()
}

// AppendStreamResponse appends the StreamResponse that carries event to dst: {"task":...}, {"message":...},
// {"statusUpdate":...} or {"artifactUpdate":...} (A2A 1.0 §3.2.3). It is one line. After an error dst is as it was.
func AppendStreamResponse(dst []byte, event Event) ([]byte, error) {
	b, err := jsonio.Append(Grow(dst, event), event, writeEvent)
	if err != nil {
		return b, fmt.Errorf("a2a: %w", err)
	}
	return b, nil
}

// AppendSendResponse appends the SendMessageResponse that carries result to dst: {"task":...} or {"message":...}
// (A2A 1.0 §3.2.1). It is one line. After an error dst is as it was.
func AppendSendResponse(dst []byte, result SendResult) ([]byte, error) {
	return AppendStreamResponse(dst, result)
}
