// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"cmp"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// A subject is the task that something belongs to.
type subject struct {
	task    a2a.TaskID
	context a2a.ContextID
}

// readID reads the id of a task that a peer names. Some examples have a number there: it is as good as none.
func readID(d *jsonio.Reader, id *a2a.TaskID) error {
	if d.PeekKind() == '"' {
		return jsonio.String(d, id)
	}
	_, err := jsonio.Raw(d)
	return err
}

// messageOf describes a message with at most limit parts; 0 is no limit. A missing role is for role to say.
func messageOf(limit int, role func(*jsonio.Reader, *a2a.Message) error) *jsonio.Object[a2a.Message] {
	return &jsonio.Object[a2a.Message]{
		ByHand: writeMessage,
		Members: []jsonio.Member[a2a.Message]{
			{Name: "role", Read: readRole},
			jsonio.Each("parts", limit, parts, func(m *a2a.Message) *[]a2a.Part { return &m.Parts }),
			jsonio.OptMetadata("metadata", func(m *a2a.Message) *a2a.Metadata { return &m.Metadata }),
		},
		Finish: func(d *jsonio.Reader, m *a2a.Message) error {
			mark, metadata := readMarker(m.Metadata)
			m.ID, m.Metadata = a2a.NewMessageID(), metadata
			m.Extensions, m.ReferenceTaskIDs = mark.extensions, mark.referenceTaskIDs
			if m.Role == a2a.RoleUnspecified {
				return role(d, m)
			}
			return nil
		},
	}
}

func readRole(d *jsonio.Reader, m *a2a.Message) error {
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	switch name {
	case "user":
		m.Role = a2a.RoleUser
	case "agent":
		m.Role = a2a.RoleAgent
	default:
		return jsonio.Invalid(d, "must be user or agent")
	}
	return nil
}

// messageObject is a message of a task. One without a role is the agent's, as examples of April 2025 have it.
var messageObject = messageOf(0, func(_ *jsonio.Reader, m *a2a.Message) error {
	m.Role = a2a.RoleAgent
	return nil
})

// A status is one with the state that is shown.
type status struct {
	a2a.TaskStatus
	stated bool // unknown is the zero state
}

var statusObject = jsonio.Object[status]{
	Members: []jsonio.Member[status]{
		{Name: "state", Read: readState},
		jsonio.Ptr("message", messageObject, func(v *status) **a2a.Message { return &v.Message }),
		jsonio.OptTime("timestamp", func(v *status) *time.Time { return &v.Timestamp }),
	},
	Finish: func(d *jsonio.Reader, v *status) error {
		if !v.stated {
			return jsonio.InvalidMember(d, "state", "is required")
		}
		return nil
	},
}

func readState(d *jsonio.Reader, v *status) error {
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	if v.State, v.stated = statesByName[name]; !v.stated {
		return jsonio.Invalid(d, "is "+strconv.Quote(jsonio.Clip(name))+", which is no state of a task")
	}
	return nil
}

// of returns the status as that of a task, with the state that a marker says is behind the one shown.
func (v *status) of(s subject, m marker) a2a.TaskStatus {
	v.State = unmask(v.State, m)
	s.says(v.Message)
	return v.TaskStatus
}

// says makes a message one of the task.
func (s subject) says(m *a2a.Message) {
	if m != nil {
		m.TaskID, m.ContextID = s.task, s.context
	}
}

// An artifact is one, or a chunk of one.
type artifact struct {
	a2a.Artifact
	index     int64
	appends   bool
	lastChunk *bool // nil where nothing is said
}

// last reports whether the artifact is whole now. Without lastChunk it is unless it is appended: so the programs of
// April 2025 write and read it, though an example of 0.1.0 goes on after such a chunk, which nothing forbids.
func (a *artifact) last() bool {
	if a.lastChunk == nil {
		return !a.appends
	}
	return *a.lastChunk
}

var artifactObject = jsonio.Object[artifact]{
	Members: []jsonio.Member[artifact]{
		jsonio.OptStr("name", func(v *artifact) *string { return &v.Name }),
		jsonio.OptStr("description", func(v *artifact) *string { return &v.Description }),
		jsonio.Each("parts", 0, parts, func(v *artifact) *[]a2a.Part { return &v.Parts }),
		{Name: "index", Read: readIndex},
		jsonio.OptBool("append", func(v *artifact) *bool { return &v.appends }),
		jsonio.PtrBool("lastChunk", func(v *artifact) **bool { return &v.lastChunk }),
		jsonio.OptMetadata("metadata", func(v *artifact) *a2a.Metadata { return &v.Metadata }),
	},
	Finish: func(_ *jsonio.Reader, v *artifact) error {
		m, metadata := readMarker(v.Metadata)
		v.ID, v.Metadata, v.Extensions = artifactID(int(v.index)), metadata, m.extensions
		return nil
	},
}

func readIndex(d *jsonio.Reader, v *artifact) error {
	if err := jsonio.Int(d, &v.index, maxIndex); err != nil {
		return err
	}
	if v.index < 0 {
		return jsonio.Invalid(d, "must not be negative")
	}
	return nil
}

// artifacts returns the artifacts of a task. Peers keep chunks apart that were to be appended, and give all artifacts
// the index that is the default.
func artifacts(list []artifact) []*a2a.Artifact {
	var all []*a2a.Artifact
	byIndex, taken := map[int64]*a2a.Artifact{}, map[int]bool{}
	for i := range list {
		a := &list[i]
		if before := byIndex[a.index]; before != nil && a.appends {
			before.Parts = append(before.Parts, a.Parts...)
			continue
		}
		byIndex[a.index] = &a.Artifact
		a.ID = artifactID(take(taken, int(a.index)))
		all = append(all, &a.Artifact)
	}
	return all
}

// A task is one whose parts do not know yet which.
type task struct {
	a2a.Task
	status    *status
	artifacts []artifact
}

var taskObject = jsonio.Object[task]{
	Members: []jsonio.Member[task]{
		{Name: "id", Read: func(d *jsonio.Reader, v *task) error { return readID(d, &v.ID) }},
		{Name: "sessionId", Read: func(d *jsonio.Reader, v *task) error { return jsonio.String(d, &v.ContextID) }},
		{Name: "status", Read: func(d *jsonio.Reader, v *task) error { return statusObject.ReadNew(d, &v.status) }},
		{Name: "artifacts", Read: func(d *jsonio.Reader, v *task) error {
			return jsonio.List(d, &v.artifacts, 0, artifactObject.Read)
		}},
		{Name: "history", Read: func(d *jsonio.Reader, v *task) error {
			return jsonio.List(d, &v.History, 0, messageObject.ReadNew)
		}},
		{Name: "metadata", Read: func(d *jsonio.Reader, v *task) error { return jsonio.Metadata(d, &v.Metadata) }},
	},
	Finish: func(d *jsonio.Reader, v *task) error {
		if v.status == nil {
			return jsonio.InvalidMember(d, "status", "is required")
		}
		return nil
	},
}

// model returns the task, with what the request says of ids that the peer leaves out.
func (v *task) model(asked subject) (*a2a.Task, error) {
	t := &v.Task
	t.ID, t.ContextID = cmp.Or(t.ID, asked.task), cmp.Or(t.ContextID, asked.context)
	if t.ID == "" {
		return nil, a2a.InvalidParams("id", "is required")
	}
	of := subject{t.ID, t.ContextID}
	m, metadata := readMarker(t.Metadata)
	t.Status, t.Artifacts, t.Metadata = v.status.of(of, m), artifacts(v.artifacts), metadata
	for _, h := range t.History {
		of.says(h)
	}
	return t, nil
}
