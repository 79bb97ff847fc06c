// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
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
	writeEnum(w, "state", stateNames[:], int(s.State))
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
	writeEnum(w, "role", roleNames[:], int(m.Role))
	jsonio.WriteEach(w, "content", m.Parts, writePart)
	marker{references: m.ReferenceTaskIDs}.write(w, m.Metadata)
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
	w.OptBool("final", final(u))
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
	mark := marker{mediaType: p.MediaType, filename: p.Filename}
	switch c := p.Content.(type) {
	case a2a.Text:
		w.Str("text", string(c))
	case a2a.Raw:
		w.Key("file")
		w.Begin()
		w.Base64("fileWithBytes", c)
		endFile(w, p)
		mark = marker{}
	case a2a.URL:
		w.Key("file")
		w.Begin()
		w.Str("fileWithUri", string(c))
		endFile(w, p)
		mark = marker{}
	case a2a.Data:
		mark.wrapped = jsontext.Value(c).Kind() != '{'
		w.Key("data")
		w.Begin()
		w.Key("data")
		writeData(w, jsontext.Value(c), mark.wrapped)
		w.End()
	default:
		w.Key("content") // not on the wire: it names the field of Part in the error
		w.Fail("is missing: a part carries Text, Raw, URL or Data")
	}
	mark.write(w, p.Metadata)
	w.End()
}

// endFile writes what else is known of a file.
func endFile(w *jsonio.Writer, p *a2a.Part) {
	w.OptStr("mimeType", p.MediaType)
	w.OptStr("name", p.Filename)
	w.End()
}

func writeData(w *jsonio.Writer, v jsontext.Value, wrapped bool) {
	if !wrapped {
		w.Raw(v)
		return
	}
	w.Begin()
	w.Key(wrapperName)
	w.Raw(v)
	w.End()
}

// writeMetadata writes metadata without a marker; none are left out.
func writeMetadata(w *jsonio.Writer, m a2a.Metadata) { marker{}.write(w, m) }

// write writes metadata and the marker in them. Nothing is left out.
func (m marker) write(w *jsonio.Writer, metadata a2a.Metadata) {
	marked := m.mediaType != "" || m.filename != "" || m.wrapped || len(m.references) > 0
	if !marked && metadata == nil {
		return
	}
	if _, taken := metadata[markerKey]; taken {
		metadata = maps.Clone(metadata)
		delete(metadata, markerKey)
	}
	w.Key("metadata")
	w.Begin()
	w.Members(metadata)
	if marked {
		w.Key(markerKey)
		w.Begin()
		w.OptStr("mediaType", m.mediaType)
		w.OptStr("filename", m.filename)
		w.OptBool("wrapped", m.wrapped)
		jsonio.WriteOptStrs(w, "referenceTaskIds", m.references)
		w.End()
	}
	w.End()
}

// writeSend writes a send that says whether to wait, because the default is the other way round than in the model.
func writeSend(w *jsonio.Writer, r *a2a.SendMessageRequest) {
	w.Begin()
	w.Key("message")
	writeMessage(w, r.Message)
	c := r.Configuration
	if c == nil {
		c = new(a2a.SendConfiguration)
	}
	w.Key("configuration")
	w.Begin()
	jsonio.WriteOptStrs(w, "acceptedOutputModes", c.AcceptedOutputModes)
	if c.PushConfig != nil {
		w.Key("pushNotification")
		writePush(w, c.PushConfig)
	}
	if c.HistoryLength != nil {
		w.Int("historyLength", int64(max(1, *c.HistoryLength))) // 0 would be all of it
	}
	w.Bool("blocking", !c.ReturnImmediately)
	w.End()
	writeMetadata(w, r.Metadata)
	w.End()
}

func writeName(w *jsonio.Writer, task string) {
	w.Begin()
	w.Str("name", "tasks/"+task)
	w.End()
}

func writePush(w *jsonio.Writer, c *a2a.PushConfig) {
	w.Begin()
	w.OptStr("id", c.ID)
	w.Str("url", c.URL)
	w.OptStr("token", c.Token)
	if c.Authentication != nil {
		w.Key("authentication")
		w.Begin()
		jsonio.WriteStrs(w, "schemes", []string{c.Authentication.Scheme})
		w.OptStr("credentials", c.Authentication.Credentials)
		w.End()
	}
	w.End()
}

func writeNamedPush(w *jsonio.Writer, c *a2a.PushConfig) {
	if c == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Str("name", "tasks/"+string(c.TaskID)+"/pushNotificationConfigs/"+c.ID)
	w.Key("pushNotificationConfig")
	writePush(w, c)
	w.End()
}

func writeCreatePush(w *jsonio.Writer, c *a2a.PushConfig) {
	w.Begin()
	w.Str("parent", "tasks/"+string(c.TaskID))
	w.OptStr("configId", c.ID)
	w.Key("config")
	writeNamedPush(w, c)
	w.End()
}

func writePushConfigs(w *jsonio.Writer, r *a2a.ListPushConfigsResponse) {
	w.Begin()
	jsonio.WriteList(w, "configs", r.Configs, writeNamedPush)
	w.OptStr("nextPageToken", r.NextPageToken)
	w.End()
}

func writeTasks(w *jsonio.Writer, r *a2a.ListTasksResponse) {
	w.Begin()
	jsonio.WriteList(w, "tasks", r.Tasks, writeTask)
	w.Str("nextPageToken", r.NextPageToken)
	w.Int("totalSize", int64(r.TotalSize))
	w.End()
}
