// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// The objects of the form, with all spellings that are read.
type (
	task struct {
		ID        jsontext.Value `json:"id"` // a string, but examples have a number
		SessionID string         `json:"sessionId"`
		Status    *status        `json:"status"`
		Artifacts []artifact     `json:"artifacts"`
		History   []message      `json:"history"`
		Metadata  a2a.Metadata   `json:"metadata"`
	}
	status struct {
		State     string   `json:"state"`
		Message   *message `json:"message"`
		Timestamp string   `json:"timestamp"`
	}
	message struct {
		Role     string       `json:"role"`
		Parts    []part       `json:"parts"`
		Metadata a2a.Metadata `json:"metadata"`
	}
	part struct {
		Type     string         `json:"type"` // left out before 15 April 2025
		Text     *string        `json:"text"`
		File     *file          `json:"file"`
		Data     jsontext.Value `json:"data"`
		Metadata a2a.Metadata   `json:"metadata"`
	}
	file struct {
		Name     string  `json:"name"`
		MimeType string  `json:"mimeType"`
		Bytes    *string `json:"bytes"`
		Data     *string `json:"data"` // bytes, in examples
		URI      string  `json:"uri"`
	}
	artifact struct {
		Name        string       `json:"name"`
		Description string       `json:"description"`
		Parts       []part       `json:"parts"`
		Index       int          `json:"index"`
		Append      bool         `json:"append"`
		LastChunk   bool         `json:"lastChunk"`
		Metadata    a2a.Metadata `json:"metadata"`
	}
)

// readID returns the id of a task that a peer names, or the one that was asked for when it is no string.
func readID(v jsontext.Value, asked a2a.TaskID) a2a.TaskID {
	if v.Kind() != '"' {
		return asked
	}
	id, err := jsontext.AppendUnquote(nil, v)
	if err != nil || len(id) == 0 {
		return asked
	}
	return a2a.TaskID(id)
}

// model returns the task, with what the request says of ids that the peer leaves out.
func (t *task) model(asked subject) (*a2a.Task, error) {
	of := subject{task: readID(t.ID, asked.task), context: a2a.ContextID(t.SessionID)}
	if of.context == "" {
		of.context = asked.context
	}
	m, metadata := readMarker(t.Metadata)
	task := &a2a.Task{ID: of.task, ContextID: of.context, Metadata: metadata}
	if task.ID == "" {
		return nil, a2a.InvalidParams("id", "is required")
	}
	if err := checkMetadata(metadata); err != nil {
		return nil, err
	}
	var err error
	if task.Status, err = t.Status.model(of, m); err != nil {
		return nil, within("status", err)
	}
	if task.Artifacts, err = artifacts(t.Artifacts); err != nil {
		return nil, within("artifacts", err)
	}
	for i := range t.History {
		h, err := t.History[i].model(of)
		if err != nil {
			return nil, within("history["+strconv.Itoa(i)+"]", err)
		}
		task.History = append(task.History, h)
	}
	return task, nil
}

// A subject is the task that something belongs to.
type subject struct {
	task    a2a.TaskID
	context a2a.ContextID
}

// model returns the status, with the state that a marker says is behind the one shown.
func (s *status) model(of subject, m marker) (a2a.TaskStatus, error) {
	var status a2a.TaskStatus
	if s == nil {
		return status, a2a.InvalidParams("", "is required")
	}
	state, ok := statesByName[s.State]
	if !ok {
		return status, a2a.InvalidParams("state", fmt.Sprintf("is %q, which is no state of a task", clip(s.State)))
	}
	status.State = unmask(state, m)
	var err error
	if status.Timestamp, err = readTime(s.Timestamp); err != nil {
		return status, err
	}
	if s.Message != nil {
		if status.Message, err = s.Message.model(of); err != nil {
			return status, within("message", err)
		}
	}
	return status, nil
}

// model returns a message of a task. One without a role is the agent's, as examples of April 2025 have it.
func (m *message) model(of subject) (*a2a.Message, error) {
	if m.Role == "" {
		m.Role = "agent"
	}
	msg, err := m.request()
	if err != nil {
		return nil, err
	}
	msg.TaskID, msg.ContextID = of.task, of.context
	return msg, nil
}

// request returns a message that is not a task's yet.
func (m *message) request() (*a2a.Message, error) {
	mark, metadata := readMarker(m.Metadata)
	msg := &a2a.Message{
		ID: a2a.NewMessageID(), Metadata: metadata, Extensions: mark.Extensions, ReferenceTaskIDs: mark.ReferenceTaskIDs,
	}
	switch m.Role {
	case "user":
		msg.Role = a2a.RoleUser
	case "agent":
		msg.Role = a2a.RoleAgent
	case "":
		return nil, a2a.InvalidParams("role", "is required: user or agent")
	default:
		return nil, a2a.InvalidParams("role", fmt.Sprintf("is %q: it must be user or agent", clip(m.Role)))
	}
	if err := checkMetadata(metadata); err != nil {
		return nil, err
	}
	var err error
	msg.Parts, err = parts(m.Parts)
	return msg, err
}

func parts(list []part) ([]a2a.Part, error) {
	if len(list) == 0 {
		return nil, nil
	}
	parts := make([]a2a.Part, len(list))
	for i := range list {
		var err error
		if parts[i], err = list[i].model(); err != nil {
			return nil, within("parts["+strconv.Itoa(i)+"]", err)
		}
	}
	return parts, nil
}

func (p *part) model() (a2a.Part, error) {
	kind, err := p.kind()
	if err != nil {
		return a2a.Part{}, err
	}
	m, metadata := readMarker(p.Metadata)
	if err := checkMetadata(metadata); err != nil {
		return a2a.Part{}, err
	}
	model := a2a.Part{MediaType: m.MediaType, Filename: m.Filename, Metadata: metadata}
	switch kind {
	case "text":
		model.Content = a2a.Text(*p.Text)
	case "file":
		model.MediaType, model.Filename = "", ""
		err = within("file", p.File.into(&model))
	default:
		model.Content, err = data(p.Data, m.Wrapped)
	}
	return model, err
}

// kind returns what a part is: what its type says, or else the one member that says so.
func (p *part) kind() (string, error) {
	if p.Type != "" {
		switch there, known := p.has(p.Type); {
		case !known:
			return "", a2a.InvalidParams("type", fmt.Sprintf("is %q: it must be text, file or data", clip(p.Type)))
		case !there:
			return "", a2a.InvalidParams(p.Type, "is required in a part of type "+p.Type)
		}
		return p.Type, nil
	}
	found := ""
	for _, kind := range [...]string{"text", "file", "data"} {
		if there, _ := p.has(kind); !there {
			continue
		}
		if found != "" {
			return "", a2a.InvalidParams("", "has both "+found+" and "+kind+": say which of them counts with type")
		}
		found = kind
	}
	if found == "" {
		return "", a2a.InvalidParams("", "must have one of text, file, data")
	}
	return found, nil
}

// has reports whether the part has the member of a type, and whether there is such a type.
func (p *part) has(kind string) (there, known bool) {
	switch kind {
	case "text":
		return p.Text != nil, true
	case "file":
		return p.File != nil, true
	case "data":
		return present(p.Data), true
	}
	return false, false
}

// into makes the file the content of a part.
func (f *file) into(p *a2a.Part) error {
	name, text := "bytes", f.Bytes
	if f.Data != nil {
		if text != nil {
			return a2a.InvalidParams("", "has both bytes and data, which are the same: send bytes")
		}
		name, text = "data", f.Data
	}
	p.Filename, p.MediaType = f.Name, f.MimeType
	switch {
	case f.URI != "" && text != nil && *text != "":
		return a2a.InvalidParams("", "has both "+name+" and uri: send one of them")
	case f.URI != "":
		p.Content = a2a.URL(f.URI)
	case text != nil:
		content, ok := readBase64(*text)
		if !ok {
			return a2a.InvalidParams(name, "must be base64, standard or URL-safe")
		}
		p.Content = a2a.Raw(content)
	default:
		return f.reference(p)
	}
	return nil
}

// reference makes the part of a file without content: 1.0 has no such file, so it is data that says what is known of it.
func (f *file) reference(p *a2a.Part) error {
	var w writer
	w.begin()
	w.optStr("name", f.Name)
	w.optStr("mimeType", f.MimeType)
	w.end()
	p.Content, p.Filename, p.MediaType = a2a.Data(w.buf), "", ""
	m := marker{File: true}
	var err error
	p.Metadata, err = m.with(p.Metadata)
	return err
}

// data returns the content of a data part, out of the object that it was wrapped into.
func data(v jsontext.Value, wrapped bool) (a2a.Data, error) {
	if kind := v.Kind(); kind != '{' && kind != '[' {
		return nil, a2a.InvalidParams("data", "must be an object or an array")
	}
	if wrapped {
		w, err := unmarshal[struct {
			Value jsontext.Value `json:"value"`
		}](v)
		if err == nil && len(w.Value) > 0 {
			v = w.Value
		}
	}
	if depth(v) > a2a.MaxDepth {
		return nil, a2a.InvalidParams("data", tooDeep)
	}
	return a2a.Data(v), nil
}

func checkMetadata(m a2a.Metadata) error {
	for _, v := range m {
		if depth(v) > a2a.MaxDepth-1 {
			return a2a.InvalidParams("metadata", tooDeep)
		}
	}
	return nil
}

// artifacts returns the artifacts of a task. Peers keep chunks apart that were to be appended, and give all artifacts the
// index that is the default.
func artifacts(list []artifact) ([]*a2a.Artifact, error) {
	var all []*a2a.Artifact
	byIndex, taken := map[int]*a2a.Artifact{}, map[int]bool{}
	for i := range list {
		a, err := list[i].model()
		if err != nil {
			return nil, within("["+strconv.Itoa(i)+"]", err)
		}
		index := list[i].Index
		if before := byIndex[index]; before != nil && list[i].Append {
			before.Parts = append(before.Parts, a.Parts...)
			continue
		}
		byIndex[index] = a
		a.ID = artifactID(take(taken, index))
		all = append(all, a)
	}
	return all, nil
}

// model returns the artifact, or the chunk of one.
func (a *artifact) model() (*a2a.Artifact, error) {
	if a.Index < 0 || a.Index > maxIndex {
		return nil, a2a.InvalidParams("index", fmt.Sprintf("must be 0 to %d", maxIndex))
	}
	m, metadata := readMarker(a.Metadata)
	if err := checkMetadata(metadata); err != nil {
		return nil, err
	}
	parts, err := parts(a.Parts)
	if err != nil {
		return nil, err
	}
	return &a2a.Artifact{
		ID: artifactID(a.Index), Name: a.Name, Description: a.Description, Parts: parts, Metadata: metadata, Extensions: m.Extensions,
	}, nil
}
