// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
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

var responseObject = jsonio.Object[response]{
	Members: slices.Concat(
		member("task", func(d *jsonio.Reader, v *response) error { return taskObject.ReadNew(d, &v.task) }),
		member("message", func(d *jsonio.Reader, v *response) error { return readMessage(d, &v.message) }, "msg"),
		member("statusUpdate", func(d *jsonio.Reader,
			v *response) error {
			return statusUpdateObject.ReadNew(d, &v.statusUpdate)
		}),
		member("artifactUpdate", func(d *jsonio.Reader,
			v *response) error {
			return artifactUpdateObject.ReadNew(d, &v.artifactUpdate)
		}),
	),
	Finish: func(d *jsonio.Reader, v *response) error {
		n := 0
		for _, there := range []bool{v.task != nil, v.message != nil, v.statusUpdate != nil, v.artifactUpdate != nil} {
			if there {
				n++
			}
		}
		if n != 1 {
			return jsonio.Invalid(d, "must have one of task, message, statusUpdate, artifactUpdate")
		}
		return nil
	},
}

// event returns what there is, nil for nothing.
func (v *response) event() a2a.Event {
	switch {
	case v.task != nil:
		return v.task
	case v.message != nil:
		return v.message
	case v.statusUpdate != nil:
		return &v.statusUpdate.StatusUpdate
	case v.artifactUpdate != nil:
		return v.artifactUpdate
	}
	return nil
}

func readResponse(d *jsonio.Reader, ev *a2a.Event) error {
	var v response
	if err := responseObject.Read(d, &v); err != nil {
		return err
	}
	if *ev = v.event(); v.task == nil && v.message == nil {
		return jsonio.Invalid(d, "must have one of task, message")
	}
	return nil
}

var taskObject = jsonio.Object[a2a.Task]{Members: slices.Concat(
	member("id", func(d *jsonio.Reader, v *a2a.Task) error { return jsonio.String(d, &v.ID) }),
	member("contextId", func(d *jsonio.Reader, v *a2a.Task) error { return jsonio.String(d, &v.ContextID) }),
	member("status", func(d *jsonio.Reader, v *a2a.Task) error { return statusObject.Read(d, &v.Status) }),
	member("artifacts", func(d *jsonio.Reader, v *a2a.Task) error {
		return jsonio.List(d, &v.Artifacts, 0, artifactObject.ReadNew)
	}),
	member("history", func(d *jsonio.Reader, v *a2a.Task) error { return jsonio.List(d, &v.History, 0, readMessage) }),
	member("metadata", func(d *jsonio.Reader, v *a2a.Task) error { return jsonio.Metadata(d, &v.Metadata) }),
)}

var statusObject = jsonio.Object[a2a.TaskStatus]{Members: slices.Concat(
	member("state", func(d *jsonio.Reader, v *a2a.TaskStatus) error { return readEnum(d, &v.State, stateNames[:]) }),
	member("message", func(d *jsonio.Reader, v *a2a.TaskStatus) error { return readMessage(d, &v.Message) }, "update"),
	member("timestamp", func(d *jsonio.Reader, v *a2a.TaskStatus) error { return jsonio.Time(d, &v.Timestamp) }),
)}

var statusUpdateObject = jsonio.Object[statusUpdate]{Members: slices.Concat(
	member("taskId", func(d *jsonio.Reader, v *statusUpdate) error { return jsonio.String(d, &v.TaskID) }),
	member("contextId", func(d *jsonio.Reader, v *statusUpdate) error { return jsonio.String(d, &v.ContextID) }),
	member("status", func(d *jsonio.Reader, v *statusUpdate) error { return statusObject.Read(d, &v.Status) }),
	member("final", func(d *jsonio.Reader, v *statusUpdate) error { return jsonio.Bool(d, &v.final) }),
	member("metadata", func(d *jsonio.Reader, v *statusUpdate) error { return jsonio.Metadata(d, &v.Metadata) }),
)}

var artifactUpdateObject = jsonio.Object[a2a.ArtifactUpdate]{
	Members: slices.Concat(
		member("taskId", func(d *jsonio.Reader, v *a2a.ArtifactUpdate) error { return jsonio.String(d, &v.TaskID) }),
		member("contextId", func(d *jsonio.Reader,
			v *a2a.ArtifactUpdate) error {
			return jsonio.String(d, &v.ContextID)
		}),
		member("artifact", func(d *jsonio.Reader,
			v *a2a.ArtifactUpdate) error {
			return artifactObject.ReadNew(d, &v.Artifact)
		}),
		member("append", func(d *jsonio.Reader, v *a2a.ArtifactUpdate) error { return jsonio.Bool(d, &v.Append) }),
		member("lastChunk", func(d *jsonio.Reader,
			v *a2a.ArtifactUpdate) error {
			return jsonio.Bool(d, &v.LastChunk)
		}),
		member("metadata", func(d *jsonio.Reader,
			v *a2a.ArtifactUpdate) error {
			return jsonio.Metadata(d, &v.Metadata)
		}),
	),
	Finish: func(d *jsonio.Reader, v *a2a.ArtifactUpdate) error {
		if v.Artifact == nil {
			return jsonio.InvalidMember(d, "artifact", "is required")
		}
		return nil
	},
}

var artifactObject = jsonio.Object[a2a.Artifact]{Members: slices.Concat(
	member("artifactId", func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.String(d, &v.ID) }),
	member("name", func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.String(d, &v.Name) }),
	member("description", func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.String(d, &v.Description) }),
	member("parts", func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.List(d, &v.Parts, 0, readPart) }),
	member("metadata", func(d *jsonio.Reader, v *a2a.Artifact) error { return jsonio.Metadata(d, &v.Metadata) }),
	member("extensions", func(d *jsonio.Reader,
		v *a2a.Artifact) error {
		return jsonio.List(d, &v.Extensions, 0, jsonio.String)
	}),
)}

// messageObject reads a message. Its lists are bounded where anybody can send one; those of answers are as large as
// agents make them, which is a limit of 0.
func messageObject(maxParts, maxNames int) *jsonio.Object[a2a.Message] {
	return &jsonio.Object[a2a.Message]{
		Members: slices.Concat(
			member("messageId", func(d *jsonio.Reader, v *a2a.Message) error { return jsonio.String(d, &v.ID) }),
			member("contextId", func(d *jsonio.Reader, v *a2a.Message) error { return jsonio.String(d, &v.ContextID) }),
			member("taskId", func(d *jsonio.Reader, v *a2a.Message) error { return jsonio.String(d, &v.TaskID) }),
			member("role", func(d *jsonio.Reader, v *a2a.Message) error { return readEnum(d, &v.Role, roleNames[:]) }),
			member("content", func(d *jsonio.Reader, v *a2a.Message) error {
				return jsonio.List(d, &v.Parts, maxParts, readPart)
			}, "parts"), // as drafts after 0.3.0 call it
			member("metadata", func(d *jsonio.Reader, v *a2a.Message) error { return jsonio.Metadata(d, &v.Metadata) }),
			member("extensions", func(d *jsonio.Reader, v *a2a.Message) error {
				return jsonio.List(d, &v.Extensions, maxNames, jsonio.String)
			}),
			member("referenceTaskIds", func(d *jsonio.Reader, v *a2a.Message) error {
				return jsonio.List(d, &v.ReferenceTaskIDs, maxNames, jsonio.String)
			}),
		),
		Finish: func(d *jsonio.Reader, v *a2a.Message) error {
			if mark := takeMarker(&v.Metadata); v.ReferenceTaskIDs == nil {
				v.ReferenceTaskIDs = mark.references
			}
			return nil
		},
	}
}

var toldMessage = messageObject(0, 0)

// readMessage reads the message of an answer, and makes up what agents leave out.
func readMessage(d *jsonio.Reader, p **a2a.Message) error {
	if err := toldMessage.ReadNew(d, p); err != nil {
		return err
	}
	if (*p).ID == "" {
		(*p).ID = a2a.NewMessageID()
	}
	if (*p).Role == a2a.RoleUnspecified {
		(*p).Role = a2a.RoleAgent
	}
	return nil
}

// A part is what a JSON object that is a part says.
type part struct {
	text     *a2a.Text
	file     *file
	data     *data
	metadata a2a.Metadata
}

type file struct {
	content        a2a.PartContent
	name, mimeType string
}

type data struct{ value jsontext.Value }

var partObject = jsonio.Object[part]{Members: slices.Concat(
	member("text", func(d *jsonio.Reader, v *part) error {
		v.text = new(a2a.Text)
		return jsonio.String(d, v.text)
	}),
	member("file", func(d *jsonio.Reader, v *part) error { return fileObject.ReadNew(d, &v.file) }),
	member("data", func(d *jsonio.Reader, v *part) error { return dataObject.ReadNew(d, &v.data) }),
	member("metadata", func(d *jsonio.Reader, v *part) error { return jsonio.Metadata(d, &v.metadata) }),
)}

var fileObject = jsonio.Object[file]{
	Members: slices.Concat(
		member("fileWithUri", func(d *jsonio.Reader, v *file) error {
			var uri a2a.URL
			if err := jsonio.String(d, &uri); err != nil {
				return err
			}
			return v.set(d, uri)
		}),
		member("fileWithBytes", func(d *jsonio.Reader, v *file) error {
			var content []byte
			if err := jsonio.Base64(d, &content); err != nil {
				return err
			}
			return v.set(d, a2a.Raw(content))
		}),
		member("mimeType", func(d *jsonio.Reader, v *file) error { return jsonio.String(d, &v.mimeType) }),
		member("name", func(d *jsonio.Reader, v *file) error { return jsonio.String(d, &v.name) }),
	),
	Finish: func(d *jsonio.Reader, v *file) error {
		if v.content == nil {
			return jsonio.Invalid(d, "must have one of fileWithUri, fileWithBytes")
		}
		return nil
	},
}

func (v *file) set(d *jsonio.Reader, content a2a.PartContent) error {
	if v.content != nil {
		return jsonio.Invalid(d, "cannot be there beside the other: send one of fileWithUri, fileWithBytes")
	}
	v.content = content
	return nil
}

var dataObject = jsonio.Object[data]{Members: member("data", func(d *jsonio.Reader, v *data) error {
	if d.PeekKind() != '{' {
		if _, err := jsonio.Raw(d); err != nil {
			return err
		}
		return jsonio.Invalid(d, "must be an object")
	}
	value, err := jsonio.RawOf(d, a2a.MaxDepth+1) // one level may be that of a wrapper
	v.value = value.Clone()
	return err
})}

// readPart reads a part into the model.
func readPart(d *jsonio.Reader, p *a2a.Part) error {
	var v part
	if err := partObject.Read(d, &v); err != nil {
		return err
	}
	if err := v.check(d); err != nil {
		return err
	}
	mark := takeMarker(&v.metadata)
	*p = a2a.Part{MediaType: mark.mediaType, Filename: mark.filename, Metadata: v.metadata}
	switch {
	case v.text != nil:
		p.Content = *v.text
	case v.file != nil:
		p.Content, p.MediaType, p.Filename = v.file.content, v.file.mimeType, v.file.name
	default:
		value := v.data.value
		if value == nil {
			value = jsontext.Value("{}")
		}
		if takeCompat(&p.Metadata) || mark.wrapped {
			value = unwrap(value)
		}
		if jsonio.Depth(value) > a2a.MaxDepth {
			return jsonio.InvalidMember(d, "data.data", jsonio.TooDeep)
		}
		p.Content = a2a.Data(value)
	}
	return nil
}

// check refuses a part without content, and one with two.
func (v *part) check(d *jsonio.Reader) error {
	found := ""
	for _, content := range []struct {
		name  string
		there bool
	}{{"text", v.text != nil}, {"file", v.file != nil}, {"data", v.data != nil}} {
		if content.there && found != "" {
			return jsonio.Invalid(d, "has both "+found+" and "+content.name+": send one of them")
		}
		if content.there {
			found = content.name
		}
	}
	if found == "" {
		return jsonio.Invalid(d, "must have one of text, file, data")
	}
	return nil
}

var markerObject = jsonio.Object[marker]{Members: []jsonio.Member[marker]{
	{Name: "mediaType", Read: func(d *jsonio.Reader, m *marker) error { return jsonio.String(d, &m.mediaType) }},
	{Name: "filename", Read: func(d *jsonio.Reader, m *marker) error { return jsonio.String(d, &m.filename) }},
	{Name: "wrapped", Read: func(d *jsonio.Reader, m *marker) error { return jsonio.Bool(d, &m.wrapped) }},
	{Name: "referenceTaskIds", Read: func(d *jsonio.Reader, m *marker) error {
		return jsonio.List(d, &m.references, a2a.MaxNames, jsonio.String)
	}},
}}

// takeMarker takes the marker out of metadata, which are nil if nothing else is in them. The key is ours: what is there
// and is not a marker is lost.
func takeMarker(metadata *a2a.Metadata) marker {
	text, ok := (*metadata)[markerKey]
	if !ok {
		return marker{}
	}
	drop(metadata, markerKey)
	var m marker
	if wire.DecodeJSON(text, &m, markerObject.Read) != nil {
		return marker{}
	}
	return m
}

// takeCompat takes out of the metadata of a data part what the official SDKs mark one with whose data are wrapped.
func takeCompat(metadata *a2a.Metadata) bool {
	marked := bytes.Equal((*metadata)[compatKey], []byte("true"))
	if marked {
		drop(metadata, compatKey)
	}
	return marked
}

func drop(metadata *a2a.Metadata, name string) {
	if delete(*metadata, name); len(*metadata) == 0 {
		*metadata = nil
	}
}

// unwrap returns the value in an object that wraps one, or the object itself when it does not.
func unwrap(object jsontext.Value) jsontext.Value {
	var value jsontext.Value
	o := jsonio.Object[jsontext.Value]{Members: []jsonio.Member[jsontext.Value]{{Name: wrapperName,
		Read: func(d *jsonio.Reader, v *jsontext.Value) error {
			raw, err := jsonio.RawOf(d, a2a.MaxDepth)
			*v = raw.Clone()
			return err
		}}}}
	if bytes.Equal(bytes.TrimSpace(object), []byte(`{"value":null}`)) {
		return jsontext.Value("null") // which tables read as absent
	}
	if wire.DecodeJSON(object, &value, o.Read) != nil || value == nil {
		return object
	}
	return value
}
