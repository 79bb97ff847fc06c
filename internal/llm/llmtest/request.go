// SPDX-License-Identifier: Apache-2.0

package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// A Request is one that came to the server.
type Request struct {
	llm.Request // what was asked, in the words of package llm; tools have no Call

	Path      string // such as "/v1/chat/completions"
	Header    http.Header
	Body      []byte
	ModelName string
	Stream    bool
	Effort    string

	Prompt string     // of a request to paint
	From   *llm.Image // of a request to paint: the image to edit
}

// LastUser is the text of the last message of the user.
func (r *Request) LastUser() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == llm.RoleUser {
			return m.Text
		}
	}
	return ""
}

// Result is what a tool returned.
type Result struct {
	Name string // of the tool
	Args string // with which it was called
	Text string
}

// Results are what tools have returned since the last message of the user, in the order of the conversation.
func (r *Request) Results() []Result {
	var results []Result
	calls := map[string]llm.ToolCall{}
	for _, m := range r.Messages {
		if m.Role == llm.RoleUser {
			results = nil
		}
		for _, c := range m.ToolCalls {
			calls[c.ID] = c
		}
		if m.Role == llm.RoleTool {
			c := calls[m.CallID]
			results = append(results, Result{c.Name, c.Arguments, m.Text})
		}
	}
	return results
}

// Has reports whether the model was offered a tool.
func (r *Request) Has(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == tool })
}

// parse reads a request. Its errors are faults of the client.
func parse(r *http.Request, body []byte) (*Request, error) {
	req := &Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if r.Method != http.MethodPost {
		return nil, fmt.Errorf("%s %s, want POST", r.Method, r.URL.Path)
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		return req, req.parseChat()
	case strings.HasSuffix(r.URL.Path, "/images/generations"):
		return req, req.parsePaint()
	case strings.HasSuffix(r.URL.Path, "/images/edits"):
		return req, req.parseEdit()
	case strings.HasSuffix(r.URL.Path, ":generateContent"):
		return req, req.parseGenerate()
	}
	return nil, fmt.Errorf("nothing is served at %s", r.URL.Path)
}

type part struct {
	Type     string
	Text     string
	ImageURL struct{ URL string } `json:"image_url"`
}

func (r *Request) parseChat() error {
	var b struct {
		Model    string
		Stream   bool
		Effort   string `json:"reasoning_effort"`
		Messages []struct {
			Role      string
			Content   json.RawMessage
			ToolCalls []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
				Extra    json.RawMessage `json:"extra_content"`
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		}
		Tools []struct {
			Type     string
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		Format *struct {
			Type   string
			Schema struct {
				Name   string
				Schema json.RawMessage
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return err
	}
	r.ModelName, r.Stream, r.Effort = b.Model, b.Stream, b.Effort
	if b.Model == "" || len(b.Messages) == 0 {
		return errors.New("a request names a model and has messages")
	}
	for _, t := range b.Tools {
		if t.Type != "function" || t.Function.Name == "" || !json.Valid(t.Function.Parameters) {
			return fmt.Errorf("tool %+v is no function with parameters", t)
		}
		r.Tools = append(r.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description,
			Schema: jsontext.Value(t.Function.Parameters)})
	}
	if b.Format != nil {
		if b.Format.Type != "json_schema" || b.Format.Schema.Name == "" {
			return errors.New("response_format is no named json_schema")
		}
		r.Schema = jsontext.Value(b.Format.Schema.Schema)
	}
	open := map[string]bool{} // calls that wait for their result
	for i, m := range b.Messages {
		text, images, err := contentOf(m.Content)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if m.Role == "system" {
			if i != 0 {
				return errors.New("the system message is not the first")
			}
			r.System = text
			continue
		}
		if m.Role != "tool" && len(open) > 0 {
			return fmt.Errorf("message %d comes before the results of the calls %v", i, open)
		}
		message := llm.Message{Role: llm.Role(m.Role), Text: text, Images: images, CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Type != "function" || !json.Valid([]byte(c.Function.Arguments)) {
				return fmt.Errorf("message %d: call %+v has no id, is no function, or its arguments are no JSON", i, c)
			}
			open[c.ID] = true
			message.ToolCalls = append(message.ToolCalls,
				llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments,
					Extra: jsontext.Value(c.Extra)})
		}
		if m.Role == "tool" && !open[m.ToolCallID] {
			return fmt.Errorf("message %d is the result of %q, which was not called", i, m.ToolCallID)
		}
		delete(open, m.ToolCallID)
		r.Messages = append(r.Messages, message)
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %v have no results", open)
	}
	return nil
}

// contentOf reads the content of a message: a string, parts, or nothing.
func contentOf(raw json.RawMessage) (text string, images []llm.Image, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, nil
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, err
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			text += p.Text
		case "image_url":
			image, err := imageOf(p.ImageURL.URL)
			if err != nil {
				return "", nil, err
			}
			images = append(images, image)
		default:
			return "", nil, fmt.Errorf("a part of type %q", p.Type)
		}
	}
	return text, images, nil
}

func imageOf(url string) (llm.Image, error) {
	data, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return llm.Image{URL: url}, nil
	}
	mediaType, text, ok := strings.Cut(data, ";base64,")
	if !ok {
		return llm.Image{}, errors.New("a data URL that is not in base64")
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	return llm.Image{MediaType: mediaType, Data: raw}, err
}

func (r *Request) parsePaint() error {
	var b struct {
		Model, Prompt string
	}
	err := json.Unmarshal(r.Body, &b)
	r.ModelName, r.Prompt = b.Model, b.Prompt
	return err
}

func (r *Request) parseEdit() error {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	for form := multipart.NewReader(bytes.NewReader(r.Body), params["boundary"]); ; {
		p, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		raw, err := io.ReadAll(p)
		if err != nil {
			return err
		}
		switch p.FormName() {
		case "model":
			r.ModelName = string(raw)
		case "prompt":
			r.Prompt = string(raw)
		case "image":
			r.From = &llm.Image{MediaType: p.Header.Get("Content-Type"), Data: raw}
		}
	}
}

func (r *Request) parseGenerate() error {
	var b struct {
		Contents []struct {
			Parts []struct {
				Text       string
				InlineData *struct {
					MimeType string
					Data     []byte
				}
			}
		}
	}
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return err
	}
	_, name, _ := strings.Cut(r.Path, "/models/")
	r.ModelName = strings.TrimSuffix(name, ":generateContent")
	for _, c := range b.Contents {
		for _, p := range c.Parts {
			r.Prompt += p.Text
			if p.InlineData != nil {
				r.From = &llm.Image{MediaType: p.InlineData.MimeType, Data: p.InlineData.Data}
			}
		}
	}
	return nil
}
