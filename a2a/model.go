// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TaskID names a task. The server makes it (A2A 1.0 §3.4.2); clients treat it as opaque.
type TaskID string

// ContextID groups tasks and messages that belong to one conversation (A2A 1.0 §3.4.1).
type ContextID string

// MessageID names a message. The sender of a message chooses its id.
type MessageID string

// ArtifactID names an artifact; it is unique within its task.
type ArtifactID string

// Metadata is a JSON object whose values keep their text: numbers keep every digit they came with.
// A nil Metadata is unset and does not appear on the wire.
type Metadata map[string]jsontext.Value

// Role says who made a message.
type Role int32

// The roles of A2A 1.0. On the wire they are ROLE_USER and ROLE_AGENT.
const (
	RoleUnspecified Role = 0
	RoleUser        Role = 1
	RoleAgent       Role = 2
)

// TaskState is where a task stands in its life (A2A 1.0 §4.1.3).
type TaskState int32

// The states of A2A 1.0. On the wire they are TASK_STATE_SUBMITTED and so on.
const (
	TaskStateUnspecified   TaskState = 0
	TaskStateSubmitted     TaskState = 1
	TaskStateWorking       TaskState = 2
	TaskStateCompleted     TaskState = 3
	TaskStateFailed        TaskState = 4
	TaskStateCanceled      TaskState = 5
	TaskStateInputRequired TaskState = 6
	TaskStateRejected      TaskState = 7
	TaskStateAuthRequired  TaskState = 8
)

// Terminal reports whether a task in this state has ended for good.
func (s TaskState) Terminal() bool {
	switch s {
	case TaskStateCompleted, TaskStateFailed, TaskStateCanceled, TaskStateRejected:
		return true
	}
	return false
}

// Interrupted reports whether a task in this state waits for its caller: for input or for authorization.
func (s TaskState) Interrupted() bool {
	return s == TaskStateInputRequired || s == TaskStateAuthRequired
}

// A Part is one piece of a message or an artifact (A2A 1.0 §4.1.6).
type Part struct {
	Content   PartContent // required: Text, Raw, URL or Data
	MediaType string      // of the content, e.g. "image/png"; "" when unset
	Filename  string      // "" when unset
	Metadata  Metadata
}

// PartContent is what a [Part] carries: [Text], [Raw], [URL] or [Data].
type PartContent interface{ partContent() }

// Text is plain or marked-up text, as the part's media type says.
type Text string

// Raw is the bytes of a file, base64 on the wire.
type Raw []byte

// URL points at a file's content.
type URL string

// Data is any JSON value, kept as its text.
type Data jsontext.Value

func (Text) partContent() {}
func (Raw) partContent()  {}
func (URL) partContent()  {}
func (Data) partContent() {}

// TextPart returns a part that carries text.
func TextPart(text string) Part { return Part{Content: Text(text)} }

// A Message is one turn of speech between a client and an agent (A2A 1.0 §4.1.4).
type Message struct {
	ID               MessageID // required; "messageId" on the wire
	ContextID        ContextID
	TaskID           TaskID
	Role             Role   // required
	Parts            []Part // required, at least one
	Metadata         Metadata
	Extensions       []string // URIs of the extensions that contributed to this message
	ReferenceTaskIDs []TaskID
}

// NewMessage returns a message of role with a fresh id.
func NewMessage(role Role, parts ...Part) *Message {
	return &Message{ID: NewMessageID(), Role: role, Parts: parts}
}

// SkillID returns the id of the skill that the message names in its metadata as "skillId"; "" when it names none.
func (m *Message) SkillID() string {
	var id string
	if raw, ok := m.Metadata["skillId"]; ok && json.Unmarshal(raw, &id) == nil {
		return id
	}
	return ""
}

// An Artifact is an output of a task (A2A 1.0 §4.1.7).
type Artifact struct {
	ID          ArtifactID // required; "artifactId" on the wire
	Name        string
	Description string
	Parts       []Part // required, at least one
	Metadata    Metadata
	Extensions  []string
}

// TaskStatus is a task's state, what the agent says about it, and since when.
type TaskStatus struct {
	State     TaskState // required
	Message   *Message
	Timestamp time.Time // zero when unset; written in UTC with milliseconds
}

// A Task is a unit of work and all it produced so far (A2A 1.0 §4.1.1).
type Task struct {
	ID        TaskID // required
	ContextID ContextID
	Status    TaskStatus  // required
	Artifacts []*Artifact // nil is left out, an empty list is written
	History   []*Message
	Metadata  Metadata

	// Origin is the generation of the protocol the task was created through; it is not on the wire.
	Origin Generation
}

// A StatusUpdate tells that a task's status changed (A2A 1.0 §4.2.1, TaskStatusUpdateEvent).
type StatusUpdate struct {
	TaskID    TaskID     // required
	ContextID ContextID  // required
	Status    TaskStatus // required
	Metadata  Metadata
}

// An ArtifactUpdate brings an artifact, or a chunk of one (A2A 1.0 §4.2.2, TaskArtifactUpdateEvent).
type ArtifactUpdate struct {
	TaskID    TaskID    // required
	ContextID ContextID // required
	Artifact  *Artifact // required
	Append    bool      // the parts are appended to the artifact with the same id
	LastChunk bool      // no further chunk follows
	Metadata  Metadata
}

// OnlyEnds reports whether the update brings nothing: it only says that its artifact is complete. Such an update has no
// part or, of older agents, an empty text. On the wire of 1.0, where each artifact has a part, there is none.
func (u *ArtifactUpdate) OnlyEnds() bool {
	if !u.Append || !u.LastChunk || u.Artifact == nil {
		return false
	}
	parts := u.Artifact.Parts
	return len(parts) == 0 || len(parts) == 1 && parts[0].Content == Text("") && len(parts[0].Metadata) == 0
}

// Event is what a stream carries: [*Task], [*Message], [*StatusUpdate] or [*ArtifactUpdate]
// (A2A 1.0 §3.2.3, StreamResponse).
type Event interface{ event() }

func (*Task) event()           {}
func (*Message) event()        {}
func (*StatusUpdate) event()   {}
func (*ArtifactUpdate) event() {}

// SendResult is what SendMessage answers: [*Task] or [*Message] (A2A 1.0 §3.2.1, SendMessageResponse).
type SendResult interface {
	Event
	sendResult()
}

func (*Task) sendResult()    {}
func (*Message) sendResult() {}
