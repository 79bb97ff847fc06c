// SPDX-License-Identifier: Apache-2.0

package a2a

import "github.com/go-json-experiment/json/jsontext"

func (w *writer) part(p *Part) {
	w.begin()
	switch c := p.Content.(type) {
	case Text:
		w.str("text", string(c))
	case Raw:
		w.key("raw")
		w.base64(c)
	case URL:
		w.str("url", string(c))
	case Data:
		w.key("data")
		w.raw(jsontext.Value(c))
	default:
		w.key("content") // not on the wire: it names the field of Part in the error
		w.fail("is missing: a part carries Text, Raw, URL or Data")
	}
	w.optStr("mediaType", p.MediaType)
	w.optStr("filename", p.Filename)
	w.metadata("metadata", p.Metadata)
	w.end()
}

func (w *writer) message(m *Message) {
	w.begin()
	w.str("messageId", string(m.ID))
	w.optStr("contextId", string(m.ContextID))
	w.optStr("taskId", string(m.TaskID))
	w.key("role")
	w.enum(roleNames, int32(m.Role))
	writeList(w, "parts", m.Parts, (*writer).part)
	w.metadata("metadata", m.Metadata)
	w.optStrs("extensions", m.Extensions)
	if len(m.ReferenceTaskIDs) > 0 {
		writeStrings(w, "referenceTaskIds", m.ReferenceTaskIDs)
	}
	w.end()
}

func (w *writer) artifact(a *Artifact) {
	w.begin()
	w.str("artifactId", string(a.ID))
	w.optStr("name", a.Name)
	w.optStr("description", a.Description)
	writeList(w, "parts", a.Parts, (*writer).part)
	w.metadata("metadata", a.Metadata)
	w.optStrs("extensions", a.Extensions)
	w.end()
}

func (w *writer) taskStatus(s *TaskStatus) {
	w.begin()
	w.key("state")
	w.enum(taskStateNames, int32(s.State))
	writeOptMember(w, "message", s.Message, (*writer).message)
	w.optTime("timestamp", s.Timestamp)
	w.end()
}

func (w *writer) task(t *Task) {
	w.begin()
	w.str("id", string(t.ID))
	w.optStr("contextId", string(t.ContextID))
	w.key("status")
	w.taskStatus(&t.Status)
	if t.Artifacts != nil { // an empty list is a list's answer to includeArtifacts (A2A 1.0 §3.1.4)
		writePointers(w, "artifacts", t.Artifacts, (*writer).artifact)
	}
	writeOptPointers(w, "history", t.History, (*writer).message)
	w.metadata("metadata", t.Metadata)
	w.end()
}

func (w *writer) statusUpdate(u *StatusUpdate) {
	w.begin()
	w.str("taskId", string(u.TaskID))
	w.str("contextId", string(u.ContextID))
	w.key("status")
	w.taskStatus(&u.Status)
	w.metadata("metadata", u.Metadata)
	w.end()
}

func (w *writer) artifactUpdate(u *ArtifactUpdate) {
	w.begin()
	w.str("taskId", string(u.TaskID))
	w.str("contextId", string(u.ContextID))
	writeMember(w, "artifact", u.Artifact, (*writer).artifact)
	w.optBool("append", u.Append)
	w.optBool("lastChunk", u.LastChunk)
	w.metadata("metadata", u.Metadata)
	w.end()
}

// event writes a StreamResponse, which is also a SendMessageResponse when the event is a task or a message.
func (w *writer) event(e Event) {
	w.begin()
	switch e := e.(type) {
	case *Task:
		writeMember(w, "task", e, (*writer).task)
	case *Message:
		writeMember(w, "message", e, (*writer).message)
	case *StatusUpdate:
		writeMember(w, "statusUpdate", e, (*writer).statusUpdate)
	case *ArtifactUpdate:
		writeMember(w, "artifactUpdate", e, (*writer).artifactUpdate)
	default:
		w.fail("holds no event")
	}
	w.end()
}

// AppendStreamResponse appends the StreamResponse that carries event to dst: {"task":...}, {"message":...},
// {"statusUpdate":...} or {"artifactUpdate":...} (A2A 1.0 §3.2.3). It is one line. After an error dst is as it was.
func AppendStreamResponse(dst []byte, event Event) ([]byte, error) {
	w := newWriter(Grow(dst, event))
	w.event(event)
	return w.result()
}

// AppendSendResponse appends the SendMessageResponse that carries result to dst: {"task":...} or {"message":...}
// (A2A 1.0 §3.2.1). It is one line. After an error dst is as it was.
func AppendSendResponse(dst []byte, result SendResult) ([]byte, error) {
	return AppendStreamResponse(dst, result)
}
