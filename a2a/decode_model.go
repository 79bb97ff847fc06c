// SPDX-License-Identifier: Apache-2.0

package a2a

var messageObject = object[Message]{members: []member[Message]{
	{name: "messageId", read: func(d *reader, v *Message) error { return readString(d, &v.ID) }},
	{name: "contextId", read: func(d *reader, v *Message) error { return readString(d, &v.ContextID) }},
	{name: "taskId", read: func(d *reader, v *Message) error { return readString(d, &v.TaskID) }},
	{name: "role", read: func(d *reader, v *Message) error { return readRole(d, &v.Role) }},
	{name: "parts", read: func(d *reader, v *Message) error { return partObject.readList(d, &v.Parts) }},
	{name: "metadata", read: func(d *reader, v *Message) error { return readMetadata(d, &v.Metadata) }},
	{name: "extensions", read: func(d *reader, v *Message) error { return readStrings(d, &v.Extensions) }},
	{name: "referenceTaskIds", read: func(d *reader, v *Message) error { return readStrings(d, &v.ReferenceTaskIDs) }},
}}

var artifactObject = object[Artifact]{members: []member[Artifact]{
	{name: "artifactId", read: func(d *reader, v *Artifact) error { return readString(d, &v.ID) }},
	{name: "name", read: func(d *reader, v *Artifact) error { return readString(d, &v.Name) }},
	{name: "description", read: func(d *reader, v *Artifact) error { return readString(d, &v.Description) }},
	{name: "parts", read: func(d *reader, v *Artifact) error { return partObject.readList(d, &v.Parts) }},
	{name: "metadata", read: func(d *reader, v *Artifact) error { return readMetadata(d, &v.Metadata) }},
	{name: "extensions", read: func(d *reader, v *Artifact) error { return readStrings(d, &v.Extensions) }},
}}

var taskStatusObject = object[TaskStatus]{members: []member[TaskStatus]{
	{name: "state", read: func(d *reader, v *TaskStatus) error { return readTaskState(d, &v.State) }},
	{name: "message", read: func(d *reader, v *TaskStatus) error { return messageObject.readNew(d, &v.Message) }},
	{name: "timestamp", read: func(d *reader, v *TaskStatus) error { return readTime(d, &v.Timestamp) }},
}}

var taskObject = object[Task]{members: []member[Task]{
	{name: "id", read: func(d *reader, v *Task) error { return readString(d, &v.ID) }},
	{name: "contextId", read: func(d *reader, v *Task) error { return readString(d, &v.ContextID) }},
	{name: "status", read: func(d *reader, v *Task) error { return taskStatusObject.read(d, &v.Status) }},
	{name: "artifacts", read: func(d *reader, v *Task) error { return artifactObject.readNewList(d, &v.Artifacts) }},
	{name: "history", read: func(d *reader, v *Task) error { return messageObject.readNewList(d, &v.History) }},
	{name: "metadata", read: func(d *reader, v *Task) error { return readMetadata(d, &v.Metadata) }},
}}

var statusUpdateObject = object[StatusUpdate]{members: []member[StatusUpdate]{
	{name: "taskId", read: func(d *reader, v *StatusUpdate) error { return readString(d, &v.TaskID) }},
	{name: "contextId", read: func(d *reader, v *StatusUpdate) error { return readString(d, &v.ContextID) }},
	{name: "status", read: func(d *reader, v *StatusUpdate) error { return taskStatusObject.read(d, &v.Status) }},
	{name: "metadata", read: func(d *reader, v *StatusUpdate) error { return readMetadata(d, &v.Metadata) }},
}}

var artifactUpdateObject = object[ArtifactUpdate]{members: []member[ArtifactUpdate]{
	{name: "taskId", read: func(d *reader, v *ArtifactUpdate) error { return readString(d, &v.TaskID) }},
	{name: "contextId", read: func(d *reader, v *ArtifactUpdate) error { return readString(d, &v.ContextID) }},
	{name: "artifact", read: func(d *reader, v *ArtifactUpdate) error { return artifactObject.readNew(d, &v.Artifact) }},
	{name: "append", read: func(d *reader, v *ArtifactUpdate) error { return readBool(d, &v.Append) }},
	{name: "lastChunk", read: func(d *reader, v *ArtifactUpdate) error { return readBool(d, &v.LastChunk) }},
	{name: "metadata", read: func(d *reader, v *ArtifactUpdate) error { return readMetadata(d, &v.Metadata) }},
}}
