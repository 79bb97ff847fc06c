// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// messageMembers are the members of a message. Its lists are bounded where anybody can send one; those of tasks are as
// large as agents make them, which is a limit of 0.
func messageMembers(maxParts, maxNames int) []jsonio.Member[a2a.Message] {
	return []jsonio.Member[a2a.Message]{
		jsonio.Str("messageId", func(v *a2a.Message) *a2a.MessageID { return &v.ID }),
		jsonio.OptStr("contextId", func(v *a2a.Message) *a2a.ContextID { return &v.ContextID }),
		jsonio.OptStr("taskId", func(v *a2a.Message) *a2a.TaskID { return &v.TaskID }),
		{Name: "role", Read: func(d *jsonio.Reader, v *a2a.Message) error { return readRole(d, &v.Role) }},
		jsonio.Each("parts", maxParts, parts, func(v *a2a.Message) *[]a2a.Part { return &v.Parts }),
		jsonio.OptMetadata("metadata", func(v *a2a.Message) *a2a.Metadata { return &v.Metadata }),
		jsonio.OptStrs("extensions", maxNames, func(v *a2a.Message) *[]string { return &v.Extensions }),
		jsonio.OptStrs("referenceTaskIds", maxNames, func(v *a2a.Message) *[]a2a.TaskID { return &v.ReferenceTaskIDs }),
	}
}

// messageOf describes an object that can only be a message.
func messageOf(maxParts, maxNames int, finish func(*jsonio.Reader, *a2a.Message) error) jsonio.Object[a2a.Message] {
	return jsonio.Object[a2a.Message]{ByHand: writeMessage, Finish: finish, Members: append(
		messageMembers(maxParts, maxNames),
		jsonio.Member[a2a.Message]{Name: "kind", Read: isMessage},
		jsonio.Member[a2a.Message]{Name: "type", Read: isMessage},
	)}
}

// isMessage refuses an object that says that it is something else than a message.
func isMessage(d *jsonio.Reader, _ *a2a.Message) error {
	var kind string
	err := jsonio.String(d, &kind)
	if err == nil && kind != "" && kind != kindMessage {
		return unknown(d, kind, kindMessage)
	}
	return err
}

// toldMessage is the message of an answer.
var toldMessage = messageOf(0, 0, func(_ *jsonio.Reader, v *a2a.Message) error {
	Complete(v)
	return nil
})

// Complete makes up what agents leave out of messages.
func Complete(m *a2a.Message) {
	if m.ID == "" {
		m.ID = a2a.NewMessageID()
	}
	if m.Role == a2a.RoleUnspecified {
		m.Role = a2a.RoleAgent
	}
}

var artifactObject = jsonio.Object[a2a.Artifact]{ByHand: writeArtifact, Members: []jsonio.Member[a2a.Artifact]{
	jsonio.Str("artifactId", func(v *a2a.Artifact) *a2a.ArtifactID { return &v.ID }),
	jsonio.OptStr("name", func(v *a2a.Artifact) *string { return &v.Name }),
	jsonio.OptStr("description", func(v *a2a.Artifact) *string { return &v.Description }),
	jsonio.Each("parts", 0, parts, func(v *a2a.Artifact) *[]a2a.Part { return &v.Parts }),
	jsonio.OptMetadata("metadata", func(v *a2a.Artifact) *a2a.Metadata { return &v.Metadata }),
	jsonio.OptStrs("extensions", 0, func(v *a2a.Artifact) *[]string { return &v.Extensions }),
}}

var statusObject = jsonio.Object[a2a.TaskStatus]{ByHand: writeStatus, Members: []jsonio.Member[a2a.TaskStatus]{
	jsonio.Value("state", readState, writeState, func(v *a2a.TaskStatus) *a2a.TaskState { return &v.State }),
	jsonio.Ptr("message", &toldMessage, func(v *a2a.TaskStatus) **a2a.Message { return &v.Message }),
	jsonio.OptTime("timestamp", func(v *a2a.TaskStatus) *time.Time { return &v.Timestamp }),
}}

// An event is what a JSON object says that may be a task, a message or an update. The four are read by one table,
// because what says which of them it is may come last.
type event struct {
	discriminator
	a2a.Message
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
	discriminatorMembers(func(v *event) *discriminator { return &v.discriminator }),
	embedded(messageMembers(0, 0), func(v *event) *a2a.Message { return &v.Message }),
	[]jsonio.Member[event]{
		jsonio.Str("id", func(v *event) *a2a.TaskID { return &v.id }),
		jsonio.Ptr("status", &statusObject, func(v *event) **a2a.TaskStatus { return &v.status }),
		jsonio.EachPtr("artifacts", &artifactObject, func(v *event) *[]*a2a.Artifact { return &v.artifacts }),
		jsonio.Ptr("artifact", &artifactObject, func(v *event) **a2a.Artifact { return &v.artifact }),
		jsonio.EachPtr("history", &toldMessage, func(v *event) *[]*a2a.Message { return &v.history }),
		jsonio.PtrBool("final", func(v *event) **bool { return &v.final }),
		jsonio.OptBool("append", func(v *event) *bool { return &v.append }),
		jsonio.OptBool("lastChunk", func(v *event) *bool { return &v.lastChunk }),
		jsonio.OptStr("sessionId", func(v *event) *string { return &v.session }),
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
		Complete(&v.Message)
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
