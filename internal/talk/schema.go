// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/schema"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// An Expectation is the schema that an answer is to fit, and the answer as far as it is there. Nil expects nothing.
type Expectation struct {
	text   jsontext.Value
	schema *schema.Schema

	state     a2a.TaskState
	artifacts []*a2a.Artifact
	said      []a2a.Part // of a message that is the answer, or that comes with the end
}

// ReadSchema reads the file of --schema.
func ReadSchema(name string) (*Expectation, error) {
	text, err := ReadFile(name)
	if err != nil {
		return nil, cmdline.Usagef("--schema: %v", err)
	}
	s, err := schema.Compile(text)
	if err != nil {
		return nil, cmdline.Usagef("--schema: %s: %v", name, err)
	}
	return &Expectation{text: text, schema: s}, nil
}

// Ask tells the agent what is expected, where the documents show it: with the first part of text, or else with the
// message.
func (e *Expectation) Ask(m *a2a.Message) error {
	hint := agent.Wanted{MediaType: "application/json", Schema: e.text}
	for i := range m.Parts {
		if _, isText := m.Parts[i].Content.(a2a.Text); isText {
			return hint.Hint(&m.Parts[i].Metadata)
		}
	}
	return hint.Hint(&m.Metadata)
}

// note learns from an event.
func (e *Expectation) note(event a2a.Event) {
	if e == nil {
		return
	}
	switch event := event.(type) {
	case *a2a.Task:
		e.artifacts = nil
		for _, a := range event.Artifacts {
			e.artifact(a, false)
		}
		e.status(&event.Status)
	case *a2a.StatusUpdate:
		e.status(&event.Status)
	case *a2a.ArtifactUpdate:
		if event.Artifact != nil {
			e.artifact(event.Artifact, event.Append)
		}
	case *a2a.Message:
		e.state, e.said = a2a.TaskStateCompleted, event.Parts
	}
}

func (e *Expectation) status(s *a2a.TaskStatus) {
	e.state, e.said = s.State, nil
	if s.Message != nil {
		e.said = s.Message.Parts
	}
}

// artifact keeps an artifact, or adds to it.
func (e *Expectation) artifact(a *a2a.Artifact, appended bool) {
	for i, known := range e.artifacts {
		if known.ID != a.ID {
			continue
		}
		c := *a
		if appended {
			c.Parts = append(known.Parts[:len(known.Parts):len(known.Parts)], a.Parts...)
		}
		e.artifacts[i] = &c
		return
	}
	e.artifacts = append(e.artifacts, a)
}

// judge warns of an answer that is not what was asked for. A task that has not come to its end has given none.
func (e *Expectation) judge(t *terminal.Terminal) {
	if e == nil || e.state != a2a.TaskStateCompleted {
		return
	}
	values := e.values()
	if len(values) == 0 {
		t.Warn("the answer has no data to check against --schema")
	}
	for _, v := range values {
		err := e.schema.Check(v)
		if _, misfit := errors.AsType[*schema.Violations](err); misfit {
			t.Warn("the answer does not fit --schema: %v", err)
		} else if err != nil {
			t.Warn("the answer cannot be checked: %v", err)
		}
	}
}

// values returns the data of the answer. Agents without data parts write JSON as text, as the first documents show.
func (e *Expectation) values() []jsontext.Value {
	var data, texts []jsontext.Value
	note := func(parts []a2a.Part) {
		text := ""
		for i := range parts {
			switch c := parts[i].Content.(type) {
			case a2a.Data:
				data = append(data, jsontext.Value(c))
			case a2a.Text:
				text += string(c)
			}
		}
		if v := jsontext.Value(text); text != "" && v.IsValid() {
			texts = append(texts, v)
		}
	}
	for _, a := range e.artifacts {
		note(a.Parts)
	}
	note(e.said)
	if data == nil {
		return texts
	}
	return data
}
