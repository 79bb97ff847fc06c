// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// chunk is an event of a stream, or the whole of an answer that does not stream.
type chunk struct {
	Choices []choice       `json:"choices"`
	Usage   *wireUsage     `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   *saying `json:"delta"`
	Message *saying `json:"message"` // of an answer that does not stream
	Finish  string  `json:"finish_reason"`
}

// saying is what the model says, or more of it.
type saying struct {
	Content   jsontext.Value `json:"content"` // a string, or parts
	Refusal   string         `json:"refusal"`
	ToolCalls []callPiece    `json:"tool_calls"`
	Images    []wirePart     `json:"images"`
}

type callPiece struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"` // a string; an object from some servers
	} `json:"function"`
	Extra jsontext.Value `json:"extra_content"`
}

type wireUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

// maxCalls is how many tool calls an answer may have. A model that asks for more has lost itself.
const maxCalls = 256

// decoder turns the events of one answer into deltas.
type decoder struct {
	calls    []*callState
	finished bool // a reason to finish was given
}

// callState is what is known of a tool call.
type callState struct {
	wireIndex int
	id, name  string
	args      strings.Builder
}

// decode turns one event into deltas. The error says that it is not of the protocol.
func (d *decoder) decode(event []byte) (deltas []Delta, said jsontext.Value, err error) {
	var c chunk
	if err := json.Unmarshal(event, &c, lenient); err != nil {
		return nil, nil, &Error{Kind: ErrBadOutput, Message: "the provider does not speak the protocol", Err: err}
	}
	if len(c.Error) > 0 && c.Error.Kind() != 'n' {
		return nil, c.Error, nil
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		for _, s := range []*saying{choice.Delta, choice.Message} {
			if s != nil {
				deltas = d.saying(deltas, s)
			}
		}
		if choice.Finish != "" {
			d.finished = true
			deltas = append(deltas, Delta{Finish: finish(choice.Finish)})
		}
	}
	if len(d.calls) > maxCalls {
		return nil, nil, &Error{Kind: ErrBadOutput,
			Message: fmt.Sprintf("more than %d tool calls in one answer", maxCalls)}
	}
	if c.Usage != nil {
		deltas = append(deltas, Delta{Usage: &Usage{Input: max(0, c.Usage.Prompt), Output: max(0, c.Usage.Completion)}})
	}
	return deltas, nil, nil
}

// finish reads the reason to finish. Those that servers made up mean that the model stopped.
func finish(reason string) Finish {
	switch f := Finish(reason); f {
	case FinishToolCalls, FinishLength, FinishFilter:
		return f
	case "max_tokens":
		return FinishLength
	}
	return FinishStop
}

func (d *decoder) saying(deltas []Delta, s *saying) []Delta {
	deltas = content(deltas, s.Content)
	if s.Refusal != "" {
		deltas = append(deltas, Delta{Refusal: s.Refusal})
	}
	for _, p := range s.ToolCalls {
		deltas = append(deltas, Delta{ToolCall: d.call(p)})
	}
	return pictures(deltas, s.Images)
}

// content adds what the model says: a text, or parts.
func content(deltas []Delta, raw jsontext.Value) []Delta {
	if len(raw) == 0 {
		return deltas
	}
	if raw.Kind() == '"' {
		if text := plain(raw); text != "" {
			deltas = append(deltas, Delta{Text: text})
		}
		return deltas
	}
	var parts []wirePart
	if raw.Kind() != '[' || json.Unmarshal(raw, &parts, lenient) != nil {
		return deltas
	}
	for _, p := range parts {
		if p.Type == "text" && p.Text != "" {
			deltas = append(deltas, Delta{Text: p.Text})
		}
	}
	return pictures(deltas, parts)
}

// pictures adds the images among parts.
func pictures(deltas []Delta, parts []wirePart) []Delta {
	for _, p := range parts {
		if p.ImageURL == nil || p.ImageURL.URL == "" {
			continue
		}
		if image, err := imageAt(p.ImageURL.URL); err == nil {
			deltas = append(deltas, Delta{Image: image})
		}
	}
	return deltas
}

// imageAt is the image of a link: its bytes, if it is a data URL.
func imageAt(link string) (*Image, error) {
	data, ok := strings.CutPrefix(link, "data:")
	if !ok {
		return &Image{URL: link}, nil
	}
	head, body, _ := strings.Cut(data, ",")
	mediaType, ok := strings.CutSuffix(head, ";base64")
	if !ok {
		return nil, fmt.Errorf("an image is not in base64")
	}
	raw, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil, fmt.Errorf("decode an image: %w", err)
	}
	return &Image{MediaType: mediaType, Data: raw}, nil
}

// call finds out to which call a piece belongs. By the protocol its index says it, but some servers send whole calls
// that all have index 0 or none, with ids of their own or without.
func (d *decoder) call(p callPiece) *ToolCallDelta {
	at := d.find(p)
	if at < 0 {
		index := len(d.calls)
		if p.Index != nil {
			index = *p.Index
		}
		d.calls = append(d.calls, &callState{wireIndex: index})
		at = len(d.calls) - 1
		if p.ID == "" {
			p.ID = fmt.Sprintf("call_%d", at)
		}
	} else {
		p.ID, p.Function.Name = "", "" // some repeat them
	}
	c := d.calls[at]
	if p.ID != "" {
		c.id = p.ID
	}
	if p.Function.Name != "" {
		c.name = p.Function.Name
	}
	args := plain(p.Function.Arguments)
	c.args.WriteString(args)
	return &ToolCallDelta{Index: at, ID: p.ID, Name: p.Function.Name, Arguments: args, Extra: p.Extra}
}

// find returns the call that a piece goes on with, or -1 for a new one.
func (d *decoder) find(p callPiece) int {
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := d.calls[i]
		if p.Index != nil && *p.Index != c.wireIndex {
			continue
		}
		switch {
		case p.ID != "" && p.ID != c.id:
			continue
		case p.ID == "" && p.Function.Name != "" && jsontext.Value(c.args.String()).IsValid():
			return -1 // that call is whole, and here begins another one
		}
		return i
	}
	return -1
}
