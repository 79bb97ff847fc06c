// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"time"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

var partObject = object[Part]{
	Snake:  true,
	ByHand: writePart,
	Members: []member[Part]{
		{Name: "text", Read: func(d *reader, v *Part) error { return readContent(d, v, "text", jsonio.String[Text]) }},
		{Name: "raw", Read: func(d *reader, v *Part) error { return readContent(d, v, "raw", jsonio.Base64[Raw]) }},
		{Name: "url", Read: func(d *reader, v *Part) error { return readContent(d, v, "url", jsonio.String[URL]) }},
		// A Value has null among its values, so null here is data, not the lack of it.
		{Name: "data", Nullable: true,
			Read: func(d *reader, v *Part) error { return readContent(d, v, "data", readData) }},
		jsonio.OptStr("mediaType", func(v *Part) *string { return &v.MediaType }),
		jsonio.OptStr("filename", func(v *Part) *string { return &v.Filename }),
		jsonio.OptMetadata("metadata", func(v *Part) *Metadata { return &v.Metadata }),
	},
	Finish: func(d *reader, v *Part) error {
		if v.Content == nil {
			return jsonio.Invalid(d, "must have one of text, raw, url, data")
		}
		return nil
	},
}

func readContent[C PartContent](d *reader, p *Part, name string, read func(*reader, *C) error) error {
	var content C
	if err := read(d, &content); err != nil {
		return err
	}
	if p.Content != nil {
		return both(d, contentName(p.Content), name)
	}
	p.Content = content
	return nil
}

// contentName returns the member that holds a part's content.
func contentName(c PartContent) string {
	switch c.(type) {
	case Text:
		return "text"
	case Raw:
		return "raw"
	case URL:
		return "url"
	case Data:
		return "data"
	}
	return ""
}

func readData(d *reader, p *Data) error {
	v, err := jsonio.Raw(d)
	*p = Data(v.Clone())
	return err
}

var (
	messageObject = messageOf(0, 0)
	// sentMessageObject is the message of a request, which is bounded: anybody can send one. Those of tasks are as
	// large as agents make them.
	sentMessageObject = messageOf(MaxParts, MaxNames)
)

func messageOf(maxParts, maxNames int) object[Message] {
	return object[Message]{Snake: true, ByHand: writeMessage, Members: []member[Message]{
		jsonio.Str("messageId", func(v *Message) *MessageID { return &v.ID }),
		jsonio.OptStr("contextId", func(v *Message) *ContextID { return &v.ContextID }),
		jsonio.OptStr("taskId", func(v *Message) *TaskID { return &v.TaskID }),
		jsonio.Value("role", readRole, writeRole, func(v *Message) *Role { return &v.Role }),
		jsonio.Each("parts", maxParts, &partObject, func(v *Message) *[]Part { return &v.Parts }),
		jsonio.OptMetadata("metadata", func(v *Message) *Metadata { return &v.Metadata }),
		jsonio.OptStrs("extensions", maxNames, func(v *Message) *[]string { return &v.Extensions }),
		jsonio.OptStrs("referenceTaskIds", maxNames, func(v *Message) *[]TaskID { return &v.ReferenceTaskIDs }),
	}}
}

var artifactObject = object[Artifact]{Snake: true, ByHand: writeArtifact, Members: []member[Artifact]{
	jsonio.Str("artifactId", func(v *Artifact) *ArtifactID { return &v.ID }),
	jsonio.OptStr("name", func(v *Artifact) *string { return &v.Name }),
	jsonio.OptStr("description", func(v *Artifact) *string { return &v.Description }),
	jsonio.Each("parts", 0, &partObject, func(v *Artifact) *[]Part { return &v.Parts }),
	jsonio.OptMetadata("metadata", func(v *Artifact) *Metadata { return &v.Metadata }),
	jsonio.OptStrs("extensions", 0, func(v *Artifact) *[]string { return &v.Extensions }),
}}

var taskStatusObject = object[TaskStatus]{Snake: true, ByHand: writeTaskStatus, Members: []member[TaskStatus]{
	jsonio.Value("state", readTaskState, writeTaskState, func(v *TaskStatus) *TaskState { return &v.State }),
	jsonio.Ptr("message", &messageObject, func(v *TaskStatus) **Message { return &v.Message }),
	jsonio.OptTime("timestamp", func(v *TaskStatus) *time.Time { return &v.Timestamp }),
}}

var taskObject = object[Task]{Snake: true, ByHand: writeTask, Members: []member[Task]{
	jsonio.Str("id", func(v *Task) *TaskID { return &v.ID }),
	jsonio.OptStr("contextId", func(v *Task) *ContextID { return &v.ContextID }),
	jsonio.Nested("status", &taskStatusObject, func(v *Task) *TaskStatus { return &v.Status }),
	jsonio.EachPtr("artifacts", &artifactObject, func(v *Task) *[]*Artifact { return &v.Artifacts }),
	jsonio.OptEachPtr("history", &messageObject, func(v *Task) *[]*Message { return &v.History }),
	jsonio.OptMetadata("metadata", func(v *Task) *Metadata { return &v.Metadata }),
}}

var statusUpdateObject = object[StatusUpdate]{Snake: true, ByHand: writeStatusUpdate, Members: []member[StatusUpdate]{
	jsonio.Str("taskId", func(v *StatusUpdate) *TaskID { return &v.TaskID }),
	jsonio.Str("contextId", func(v *StatusUpdate) *ContextID { return &v.ContextID }),
	jsonio.Nested("status", &taskStatusObject, func(v *StatusUpdate) *TaskStatus { return &v.Status }),
	jsonio.OptMetadata("metadata", func(v *StatusUpdate) *Metadata { return &v.Metadata }),
}}

var artifactUpdateObject = object[ArtifactUpdate]{
	Snake: true, ByHand: writeArtifactUpdate,
	Members: []member[ArtifactUpdate]{
		jsonio.Str("taskId", func(v *ArtifactUpdate) *TaskID { return &v.TaskID }),
		jsonio.Str("contextId", func(v *ArtifactUpdate) *ContextID { return &v.ContextID }),
		jsonio.Required("artifact", &artifactObject, func(v *ArtifactUpdate) **Artifact { return &v.Artifact }),
		jsonio.OptBool("append", func(v *ArtifactUpdate) *bool { return &v.Append }),
		jsonio.OptBool("lastChunk", func(v *ArtifactUpdate) *bool { return &v.LastChunk }),
		jsonio.OptMetadata("metadata", func(v *ArtifactUpdate) *Metadata { return &v.Metadata }),
	},
}
