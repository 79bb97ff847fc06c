// SPDX-License-Identifier: Apache-2.0

package a2a

import "github.com/dragoman-a2a/dragoman/internal/jsonio"

var messageObject = object[Message]{Snake: true, Members: []member[Message]{
	{Name: "messageId", Read: func(d *reader, v *Message) error { return jsonio.String(d, &v.ID) }},
	{Name: "contextId", Read: func(d *reader, v *Message) error { return jsonio.String(d, &v.ContextID) }},
	{Name: "taskId", Read: func(d *reader, v *Message) error { return jsonio.String(d, &v.TaskID) }},
	{Name: "role", Read: func(d *reader, v *Message) error { return readRole(d, &v.Role) }},
	{Name: "parts", Read: func(d *reader, v *Message) error { return partObject.ReadList(d, &v.Parts) }},
	{Name: "metadata", Read: func(d *reader, v *Message) error { return jsonio.Metadata(d, &v.Metadata) }},
	{Name: "extensions", Read: func(d *reader, v *Message) error { return jsonio.Strings(d, &v.Extensions) }},
	{Name: "referenceTaskIds", Read: func(d *reader,
		v *Message) error {
		return jsonio.Strings(d, &v.ReferenceTaskIDs)
	}},
}}

var artifactObject = object[Artifact]{Snake: true, Members: []member[Artifact]{
	{Name: "artifactId", Read: func(d *reader, v *Artifact) error { return jsonio.String(d, &v.ID) }},
	{Name: "name", Read: func(d *reader, v *Artifact) error { return jsonio.String(d, &v.Name) }},
	{Name: "description", Read: func(d *reader, v *Artifact) error { return jsonio.String(d, &v.Description) }},
	{Name: "parts", Read: func(d *reader, v *Artifact) error { return partObject.ReadList(d, &v.Parts) }},
	{Name: "metadata", Read: func(d *reader, v *Artifact) error { return jsonio.Metadata(d, &v.Metadata) }},
	{Name: "extensions", Read: func(d *reader, v *Artifact) error { return jsonio.Strings(d, &v.Extensions) }},
}}

var taskStatusObject = object[TaskStatus]{Snake: true, Members: []member[TaskStatus]{
	{Name: "state", Read: func(d *reader, v *TaskStatus) error { return readTaskState(d, &v.State) }},
	{Name: "message", Read: func(d *reader, v *TaskStatus) error { return messageObject.ReadNew(d, &v.Message) }},
	{Name: "timestamp", Read: func(d *reader, v *TaskStatus) error { return jsonio.Time(d, &v.Timestamp) }},
}}

var taskObject = object[Task]{Snake: true, Members: []member[Task]{
	{Name: "id", Read: func(d *reader, v *Task) error { return jsonio.String(d, &v.ID) }},
	{Name: "contextId", Read: func(d *reader, v *Task) error { return jsonio.String(d, &v.ContextID) }},
	{Name: "status", Read: func(d *reader, v *Task) error { return taskStatusObject.Read(d, &v.Status) }},
	{Name: "artifacts", Read: func(d *reader, v *Task) error { return artifactObject.ReadNewList(d, &v.Artifacts) }},
	{Name: "history", Read: func(d *reader, v *Task) error { return messageObject.ReadNewList(d, &v.History) }},
	{Name: "metadata", Read: func(d *reader, v *Task) error { return jsonio.Metadata(d, &v.Metadata) }},
}}

var statusUpdateObject = object[StatusUpdate]{Snake: true, Members: []member[StatusUpdate]{
	{Name: "taskId", Read: func(d *reader, v *StatusUpdate) error { return jsonio.String(d, &v.TaskID) }},
	{Name: "contextId", Read: func(d *reader, v *StatusUpdate) error { return jsonio.String(d, &v.ContextID) }},
	{Name: "status", Read: func(d *reader, v *StatusUpdate) error { return taskStatusObject.Read(d, &v.Status) }},
	{Name: "metadata", Read: func(d *reader, v *StatusUpdate) error { return jsonio.Metadata(d, &v.Metadata) }},
}}

var artifactUpdateObject = object[ArtifactUpdate]{Snake: true, Members: []member[ArtifactUpdate]{
	{Name: "taskId", Read: func(d *reader, v *ArtifactUpdate) error { return jsonio.String(d, &v.TaskID) }},
	{Name: "contextId", Read: func(d *reader, v *ArtifactUpdate) error { return jsonio.String(d, &v.ContextID) }},
	{Name: "artifact", Read: func(d *reader,
		v *ArtifactUpdate) error {
		return artifactObject.ReadNew(d, &v.Artifact)
	}},
	{Name: "append", Read: func(d *reader, v *ArtifactUpdate) error { return jsonio.Bool(d, &v.Append) }},
	{Name: "lastChunk", Read: func(d *reader, v *ArtifactUpdate) error { return jsonio.Bool(d, &v.LastChunk) }},
	{Name: "metadata", Read: func(d *reader, v *ArtifactUpdate) error { return jsonio.Metadata(d, &v.Metadata) }},
}}
