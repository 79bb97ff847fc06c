// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

type input struct {
	Text      string         `json:"text"`
	Data      jsontext.Value `json:"data"`
	Files     []inputFile    `json:"files"`
	TaskID    string         `json:"task_id"`
	ContextID string         `json:"context_id"`
	Agent     string         `json:"agent"`
}

// An inputFile is a file, of which one of Text, Content and URL is set.
type inputFile struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Text      string `json:"text"`
	Content   string `json:"content"`
	URL       string `json:"url"`
}

// Limits of an input.
const (
	maxFiles = 100
	maxID    = 512 // bytes
)

func readInput(raw []byte) (*input, error) {
	in := &input{}
	if len(raw) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(raw, in); err != nil {
		if e, ok := errors.AsType[*json.SemanticError](err); ok && e.JSONPointer != "" {
			return nil, fmt.Errorf("the argument %s is not what the tool's schema describes",
				line(string(e.JSONPointer), 100))
		}
		return nil, errors.New("the arguments are not an object as the tool's schema describes")
	}
	switch {
	case len(in.TaskID) > maxID || len(in.ContextID) > maxID:
		return nil, fmt.Errorf("task_id and context_id have %d bytes at most", maxID)
	case len(in.Files) > maxFiles:
		return nil, fmt.Errorf("there are %d files at most", maxFiles)
	}
	return in, nil
}

func (in *input) parts() ([]a2a.Part, error) {
	var parts []a2a.Part
	if in.Text != "" {
		parts = append(parts, a2a.TextPart(in.Text))
	}
	if len(in.Data) > 0 && in.Data.Kind() != 'n' {
		parts = append(parts, a2a.Part{Content: a2a.Data(in.Data)})
	}
	for i := range in.Files {
		p, err := in.Files[i].part()
		if err != nil {
			return nil, fmt.Errorf("files[%d]: %w", i, err)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, errors.New("say what you want: text is missing")
	}
	return parts, nil
}

func (f *inputFile) part() (a2a.Part, error) {
	given := slices.DeleteFunc([]string{f.Text, f.Content, f.URL}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return a2a.Part{}, errors.New("give one of text, content and url")
	}
	switch {
	case f.URL != "":
		u, err := url.Parse(f.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return a2a.Part{}, errors.New("url must be one of http or https")
		}
		return a2a.URLPart(f.URL, f.MediaType, f.Name), nil
	case f.Text != "":
		return a2a.RawPart([]byte(f.Text), cmp.Or(f.MediaType, "text/plain"), f.Name), nil
	}
	content, err := base64.StdEncoding.DecodeString(f.Content)
	if err != nil {
		return a2a.Part{}, errors.New("content is not base64")
	}
	return a2a.RawPart(content, f.MediaType, f.Name), nil
}

// message makes the message for a skill, which is "" for an agent without skills.
func (in *input) message(skill string) (*a2a.Message, error) {
	parts, err := in.parts()
	if err != nil {
		return nil, err
	}
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	m.TaskID, m.ContextID = a2a.TaskID(in.TaskID), a2a.ContextID(in.ContextID)
	if skill == "" {
		return m, nil
	}
	return m, m.Metadata.Set("skillId", skill)
}
