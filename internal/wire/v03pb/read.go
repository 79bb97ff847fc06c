// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

// A response is what a StreamResponse says, of which a SendMessageResponse is one.
type response struct {
	task           *a2a.Task
	message        *a2a.Message
	statusUpdate   *statusUpdate
	artifactUpdate *a2a.ArtifactUpdate
}

type statusUpdate struct {
	a2a.StatusUpdate
	final bool
}

var (
	messageInResponse = jsonio.Ptr("message", &toldMessage, func(v *response) **a2a.Message { return &v.message })
	responseObject    = object(
		jsonio.Ptr("task", &taskObject, func(v *response) **a2a.Task { return &v.task }),
		messageInResponse, also("msg", messageInResponse),
		jsonio.Ptr("statusUpdate", &statusUpdateObject, func(v *response) **statusUpdate { return &v.statusUpdate }),
		jsonio.Ptr("artifactUpdate", &artifactUpdateObject,
			func(v *response) **a2a.ArtifactUpdate { return &v.artifactUpdate }),
	)
)

// event returns what there is, nil for nothing or for two of them.
func (v *response) event() a2a.Event {
	var events []a2a.Event
	if v.task != nil {
		events = append(events, v.task)
	}
	if v.message != nil {
		events = append(events, v.message)
	}
	if v.statusUpdate != nil {
		events = append(events, &v.statusUpdate.StatusUpdate)
	}
	if v.artifactUpdate != nil {
		events = append(events, v.artifactUpdate)
	}
	if len(events) != 1 {
		return nil
	}
	return events[0]
}

func readEvent(d *jsonio.Reader, v *response) error {
	if err := responseObject.Read(d, v); err != nil {
		return err
	}
	if v.event() == nil {
		return jsonio.Invalid(d, "must have one of task, message, statusUpdate, artifactUpdate")
	}
	return nil
}

func readResponse(d *jsonio.Reader, ev *a2a.Event) error {
	var v response
	if err := readEvent(d, &v); err != nil {
		return err
	}
	if *ev = v.event(); v.task == nil && v.message == nil {
		return jsonio.Invalid(d, "must have one of task, message")
	}
	return nil
}

var taskObject = jsonio.Object[a2a.Task]{Snake: true, ByHand: writeTask, Members: []jsonio.Member[a2a.Task]{
	jsonio.Str("id", func(v *a2a.Task) *a2a.TaskID { return &v.ID }),
	jsonio.OptStr("contextId", func(v *a2a.Task) *a2a.ContextID { return &v.ContextID }),
	jsonio.Nested("status", &statusObject, func(v *a2a.Task) *a2a.TaskStatus { return &v.Status }),
	jsonio.OptEachPtr("artifacts", &artifactObject, func(v *a2a.Task) *[]*a2a.Artifact { return &v.Artifacts }),
	jsonio.OptEachPtr("history", &toldMessage, func(v *a2a.Task) *[]*a2a.Message { return &v.History }),
	jsonio.OptMetadata("metadata", func(v *a2a.Task) *a2a.Metadata { return &v.Metadata }),
}}

var (
	messageInStatus = jsonio.Ptr("message", &toldMessage, func(v *a2a.TaskStatus) **a2a.Message { return &v.Message })
	statusObject    = object(
		enum("state", stateNames[:], func(v *a2a.TaskStatus) *a2a.TaskState { return &v.State }),
		messageInStatus, also("update", messageInStatus),
		jsonio.OptTime("timestamp", func(v *a2a.TaskStatus) *time.Time { return &v.Timestamp }),
	)
)

var statusUpdateObject = object(
	jsonio.Str("taskId", func(v *statusUpdate) *a2a.TaskID { return &v.TaskID }),
	jsonio.Str("contextId", func(v *statusUpdate) *a2a.ContextID { return &v.ContextID }),
	jsonio.Nested("status", &statusObject, func(v *statusUpdate) *a2a.TaskStatus { return &v.Status }),
	jsonio.OptBool("final", func(v *statusUpdate) *bool { return &v.final }),
	jsonio.OptMetadata("metadata", func(v *statusUpdate) *a2a.Metadata { return &v.Metadata }),
)

var artifactUpdateObject = jsonio.Object[a2a.ArtifactUpdate]{
	Snake: true,
	Members: []jsonio.Member[a2a.ArtifactUpdate]{
		jsonio.Str("taskId", func(v *a2a.ArtifactUpdate) *a2a.TaskID { return &v.TaskID }),
		jsonio.Str("contextId", func(v *a2a.ArtifactUpdate) *a2a.ContextID { return &v.ContextID }),
		jsonio.Required("artifact", &artifactObject, func(v *a2a.ArtifactUpdate) **a2a.Artifact { return &v.Artifact }),
		jsonio.OptBool("append", func(v *a2a.ArtifactUpdate) *bool { return &v.Append }),
		jsonio.OptBool("lastChunk", func(v *a2a.ArtifactUpdate) *bool { return &v.LastChunk }),
		jsonio.OptMetadata("metadata", func(v *a2a.ArtifactUpdate) *a2a.Metadata { return &v.Metadata }),
	},
	Finish: func(d *jsonio.Reader, v *a2a.ArtifactUpdate) error {
		if v.Artifact == nil {
			return jsonio.InvalidMember(d, "artifact", "is required")
		}
		return nil
	},
}

var artifactObject = jsonio.Object[a2a.Artifact]{
	Snake: true, ByHand: writeArtifact,
	Members: []jsonio.Member[a2a.Artifact]{
		jsonio.Str("artifactId", func(v *a2a.Artifact) *a2a.ArtifactID { return &v.ID }),
		jsonio.OptStr("name", func(v *a2a.Artifact) *string { return &v.Name }),
		jsonio.OptStr("description", func(v *a2a.Artifact) *string { return &v.Description }),
		jsonio.Each("parts", 0, parts, func(v *a2a.Artifact) *[]a2a.Part { return &v.Parts }),
		jsonio.OptMetadata("metadata", func(v *a2a.Artifact) *a2a.Metadata { return &v.Metadata }),
		jsonio.OptStrs("extensions", 0, func(v *a2a.Artifact) *[]string { return &v.Extensions }),
	},
}

// messageOf describes a message. Its lists are bounded where anybody can send one; those of answers are as large as
// agents make them, which is a limit of 0.
func messageOf(maxParts, maxNames int, complete func(*a2a.Message)) jsonio.Object[a2a.Message] {
	content := jsonio.Each("content", maxParts, parts, func(v *a2a.Message) *[]a2a.Part { return &v.Parts })
	return jsonio.Object[a2a.Message]{
		Snake: true, ByHand: writeMessage,
		Members: []jsonio.Member[a2a.Message]{
			jsonio.Str("messageId", func(v *a2a.Message) *a2a.MessageID { return &v.ID }),
			jsonio.OptStr("contextId", func(v *a2a.Message) *a2a.ContextID { return &v.ContextID }),
			jsonio.OptStr("taskId", func(v *a2a.Message) *a2a.TaskID { return &v.TaskID }),
			enum("role", roleNames[:], func(v *a2a.Message) *a2a.Role { return &v.Role }),
			content, also("parts", content), // as drafts after 0.3.0 call it
			jsonio.OptMetadata("metadata", func(v *a2a.Message) *a2a.Metadata { return &v.Metadata }),
			jsonio.OptStrs("extensions", maxNames, func(v *a2a.Message) *[]string { return &v.Extensions }),
			jsonio.OptStrs("referenceTaskIds", maxNames,
				func(v *a2a.Message) *[]a2a.TaskID { return &v.ReferenceTaskIDs }),
		},
		Finish: func(_ *jsonio.Reader, v *a2a.Message) error {
			if mark := takeMarker(&v.Metadata); v.ReferenceTaskIDs == nil {
				v.ReferenceTaskIDs = mark.References
			}
			complete(v)
			return nil
		},
	}
}

// toldMessage is the message of an answer.
var toldMessage = messageOf(0, 0, v03.Complete)

// A part is what a JSON object that is a part says.
type part struct {
	v03.Contents
	metadata a2a.Metadata
}

var partObject = object(
	jsonio.Member[part]{Name: "text",
		Read: func(d *jsonio.Reader, v *part) error { return jsonio.New(d, &v.Text, jsonio.String) }},
	jsonio.Member[part]{Name: "file",
		Read: func(d *jsonio.Reader, v *part) error { return fileObject.ReadNew(d, &v.File) }},
	jsonio.Member[part]{Name: "data", Read: func(d *jsonio.Reader, v *part) error {
		v.Data = jsontext.Value("{}")
		return dataObject.Read(d, &v.Data)
	}},
	jsonio.OptMetadata("metadata", func(v *part) *a2a.Metadata { return &v.metadata }),
)

var fileObject = jsonio.Object[v03.File]{
	Snake: true,
	Members: []jsonio.Member[v03.File]{
		{Name: "fileWithUri", Read: func(d *jsonio.Reader, v *v03.File) error { return v.URL(d, "fileWithUri") }},
		{Name: "fileWithBytes", Read: func(d *jsonio.Reader, v *v03.File) error { return v.Raw(d, "fileWithBytes") }},
		jsonio.OptStr("mimeType", func(v *v03.File) *string { return &v.MimeType }),
		jsonio.OptStr("name", func(v *v03.File) *string { return &v.Name }),
	},
	Finish: func(d *jsonio.Reader, v *v03.File) error {
		if v.Content == nil {
			return jsonio.Invalid(d, "must have one of fileWithUri, fileWithBytes")
		}
		return nil
	},
}

var dataObject = object(jsonio.Member[jsontext.Value]{Name: "data",
	Read: func(d *jsonio.Reader, v *jsontext.Value) error {
		if d.PeekKind() != '{' {
			return jsonio.WrongType(d, "an object")
		}
		return v03.ReadData(d, v)
	}})

// A partCodec reads a part into the model, and writes it.
type partCodec struct{}

var parts jsonio.Codec[a2a.Part] = partCodec{}

func (partCodec) Read(d *jsonio.Reader, p *a2a.Part) error {
	var v part
	if err := partObject.Read(d, &v); err != nil {
		return err
	}
	kind, err := v.Kind(d, "", "")
	if err != nil {
		return err
	}
	mark := takeMarker(&v.metadata)
	*p = a2a.Part{MediaType: mark.MediaType, Filename: mark.Filename, Metadata: v.metadata}
	switch kind {
	case "text":
		p.Content = *v.Text
	case "file":
		p.Content, p.MediaType, p.Filename = v.File.Content, v.File.MimeType, v.File.Name
	default:
		data, err := v03.DataOf(d, "data.data", v.Data, takeCompat(&p.Metadata) || mark.Wrapped)
		p.Content = data
		return err
	}
	return nil
}

func (partCodec) Write(w *jsonio.Writer, p *a2a.Part) { writePart(w, p) }

// takeMarker is [v03.TakeMarker], but what is no marker under its key is lost.
func takeMarker(metadata *a2a.Metadata) v03.Marker {
	mark := v03.TakeMarker(metadata)
	drop(metadata, v03.MarkerKey)
	return mark
}

// takeCompat takes out of the metadata of a data part what the official SDKs mark one with whose data are wrapped.
func takeCompat(metadata *a2a.Metadata) bool {
	marked := bytes.Equal((*metadata)[compatKey], []byte("true"))
	if marked {
		drop(metadata, compatKey)
	}
	return marked
}

// drop leaves out a name of metadata, which become nil if nothing else is in them.
func drop(metadata *a2a.Metadata, name string) {
	if _, ok := (*metadata)[name]; !ok {
		return
	}
	if delete(*metadata, name); len(*metadata) == 0 {
		*metadata = nil
	}
}
