// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// A message is what a JSON object that is a message says.
type message struct {
	discriminator
	a2a.Message
}

// messageMembers are the members of a message. Its lists are bounded where anybody can send one; those of tasks are as
// large as agents make them, which is a limit of 0.
func messageMembers(maxParts, maxNames int) []jsonio.Member[message] {
	return append(
		discriminatorMembers(func(v *message) *discriminator { return &v.discriminator }),
		jsonio.Member[message]{Name: "messageId",
			Read: func(d *jsonio.Reader, v *message) error { return jsonio.String(d, &v.ID) }},
		jsonio.Member[message]{Name: "contextId",
			Read: func(d *jsonio.Reader, v *message) error { return jsonio.String(d, &v.ContextID) }},
		jsonio.Member[message]{Name: "taskId",
			Read: func(d *jsonio.Reader, v *message) error { return jsonio.String(d, &v.TaskID) }},
		jsonio.Member[message]{Name: "role",
			Read: func(d *jsonio.Reader, v *message) error { return readRole(d, &v.Role) }},
		jsonio.Member[message]{Name: "parts", Read: func(d *jsonio.Reader, v *message) error {
			return jsonio.List(d, &v.Parts, maxParts, readPart)
		}},
		jsonio.Member[message]{Name: "metadata",
			Read: func(d *jsonio.Reader, v *message) error { return jsonio.Metadata(d, &v.Metadata) }},
		jsonio.Member[message]{Name: "extensions", Read: func(d *jsonio.Reader, v *message) error {
			return jsonio.List(d, &v.Extensions, maxNames, jsonio.String)
		}},
		jsonio.Member[message]{Name: "referenceTaskIds", Read: func(d *jsonio.Reader, v *message) error {
			return jsonio.List(d, &v.ReferenceTaskIDs, maxNames, jsonio.String)
		}},
	)
}

// checkKind refuses an object that says that it is something else than a message.
func (v *message) checkKind(d *jsonio.Reader) error {
	_, err := v.value(d, kindMessage)
	return err
}

// toldMessage reads the message of an answer.
var toldMessage = jsonio.Object[message]{Members: messageMembers(0, 0),
	Finish: func(d *jsonio.Reader, v *message) error {
		complete(&v.Message)
		return v.checkKind(d)
	}}

// complete makes up what agents leave out of messages.
func complete(m *a2a.Message) {
	if m.ID == "" {
		m.ID = a2a.NewMessageID()
	}
	if m.Role == a2a.RoleUnspecified {
		m.Role = a2a.RoleAgent
	}
}

func readToldMessage(d *jsonio.Reader, p **a2a.Message) error {
	var v message
	err := toldMessage.Read(d, &v)
	*p = &v.Message
	return err
}

var artifactObject = jsonio.Object[a2a.Artifact]{Members: []jsonio.Member[a2a.Artifact]{
	{Name: "artifactId", Read: func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.String(d, &v.ID) }},
	{Name: "name", Read: func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.String(d, &v.Name) }},
	{Name: "description", Read: func(d *jsonio.Reader,
		v *a2a.Artifact) error {
		return jsonio.String(d, &v.Description)
	}},
	{Name: "parts", Read: func(d *jsonio.Reader,
		v *a2a.Artifact) error {
		return jsonio.List(d, &v.Parts, 0, readPart)
	}},
	{Name: "metadata", Read: func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.Metadata(d, &v.Metadata) }},
	{Name: "extensions", Read: func(d *jsonio.Reader,
		v *a2a.Artifact) error {
		return jsonio.List(d, &v.Extensions, 0, jsonio.String)
	}},
}}

var statusObject = jsonio.Object[a2a.TaskStatus]{Members: []jsonio.Member[a2a.TaskStatus]{
	{Name: "state", Read: func(d *jsonio.Reader, v *a2a.TaskStatus) error { return readState(d, &v.State) }},
	{Name: "message", Read: func(d *jsonio.Reader, v *a2a.TaskStatus) error { return readToldMessage(d, &v.Message) }},
	{Name: "timestamp", Read: func(d *jsonio.Reader, v *a2a.TaskStatus) error { return jsonio.Time(d, &v.Timestamp) }},
}}

// An event is what a JSON object says that may be a task, a message or an update. The four are read by one table,
// because what says which of them it is may come last.
type event struct {
	message
	id        a2a.TaskID
	status    *a2a.TaskStatus
	artifacts []*a2a.Artifact
	artifact  *a2a.Artifact
	history   []*a2a.Message
	final     *bool
	append    bool
	lastChunk bool
	session   string // of a task of 0.1
}

var eventObject = jsonio.Object[event]{Members: slices.Concat(
	embedded(messageMembers(0, 0), func(v *event) *message { return &v.message }),
	[]jsonio.Member[event]{
		{Name: "id", Read: func(d *jsonio.Reader, v *event) error { return jsonio.String(d, &v.id) }},
		{Name: "status", Read: func(d *jsonio.Reader, v *event) error { return statusObject.ReadNew(d, &v.status) }},
		{Name: "artifacts", Read: func(d *jsonio.Reader, v *event) error {
			return jsonio.List(d, &v.artifacts, 0, artifactObject.ReadNew)
		}},
		{Name: "artifact", Read: func(d *jsonio.Reader,
			v *event) error {
			return artifactObject.ReadNew(d, &v.artifact)
		}},
		{Name: "history", Read: func(d *jsonio.Reader,
			v *event) error {
			return jsonio.List(d, &v.history, 0, readToldMessage)
		}},
		{Name: "final", Read: func(d *jsonio.Reader, v *event) error {
			v.final = new(bool)
			return jsonio.Bool(d, v.final)
		}},
		{Name: "append", Read: func(d *jsonio.Reader, v *event) error { return jsonio.Bool(d, &v.append) }},
		{Name: "lastChunk", Read: func(d *jsonio.Reader, v *event) error { return jsonio.Bool(d, &v.lastChunk) }},
		{Name: "sessionId", Read: func(d *jsonio.Reader, v *event) error { return jsonio.String(d, &v.session) }},
	},
)}

// embedded makes members of an O of those of a T in it.
func embedded[O, T any](members []jsonio.Member[T], in func(*O) *T) []jsonio.Member[O] {
	outer := make([]jsonio.Member[O], len(members))
	for i, m := range members {
		outer[i] = jsonio.Member[O]{Name: m.Name, Read: func(d *jsonio.Reader, v *O) error { return m.Read(d, in(v)) }}
	}
	return outer
}

// readEvent reads an event of one of the expected kinds.
func readEvent(d *jsonio.Reader, e *a2a.Event, final *bool, expected ...string) error {
	var v event
	if err := eventObject.Read(d, &v); err != nil {
		return err
	}
	kind, err := v.value(d, expected...)
	if err != nil {
		return err
	}
	if kind == "" && v.session != "" && v.ContextID == "" {
		return jsonio.InvalidMember(d, "sessionId", "is that of version 0.1, whose tasks are others")
	}
	if kind == "" {
		kind = v.shape()
	}
	if !slices.Contains(expected, kind) {
		return jsonio.InvalidMember(d, "kind", "is required: "+notOneOf(kind, expected...))
	}
	if *e = v.model(kind); *e == nil {
		return jsonio.InvalidMember(d, required[kind], "is required in a "+kind)
	}
	*final = v.final != nil && *v.final
	return nil
}

// required has the member without which an object cannot be of a kind.
var required = map[string]string{kindTask: "status", kindStatusUpdate: "status", kindArtifactUpdate: "artifact"}

// shape returns the kind that an object has by its members, or "".
func (v *event) shape() string {
	switch {
	case v.artifact != nil:
		return kindArtifactUpdate
	case v.status != nil && (v.final != nil || v.TaskID != ""):
		return kindStatusUpdate
	case v.status != nil:
		return kindTask
	case v.Parts != nil || v.ID != "" || v.Role != a2a.RoleUnspecified:
		return kindMessage
	}
	return ""
}

// model returns the event, or nil when what it needs is not there.
func (v *event) model(kind string) a2a.Event {
	switch {
	case kind == kindMessage:
		complete(&v.Message)
		return &v.Message
	case kind == kindArtifactUpdate && v.artifact != nil:
		return &a2a.ArtifactUpdate{
			TaskID: v.task(), ContextID: v.ContextID, Artifact: v.artifact, Append: v.append, LastChunk: v.lastChunk,
			Metadata: v.Metadata,
		}
	case v.status == nil:
		return nil
	case kind == kindStatusUpdate:
		return &a2a.StatusUpdate{TaskID: v.task(), ContextID: v.ContextID, Status: *v.status, Metadata: v.Metadata}
	case kind == kindTask:
		return &a2a.Task{
			ID: v.id, ContextID: v.ContextID, Status: *v.status, Artifacts: v.artifacts, History: v.history,
			Metadata: v.Metadata,
		}
	}
	return nil
}

// task returns the id of the task of an update; drafts of 0.2.0 called it id.
func (v *event) task() a2a.TaskID {
	if v.TaskID == "" {
		return v.id
	}
	return v.TaskID
}
