// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"cmp"
	"fmt"
	"slices"
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

// answer is an answer in the making.
type answer struct {
	listen        func(text string) // nil: nobody listens
	text, refusal strings.Builder
	calls         []*pending
	finish        Finish // "": no reason to finish was given
	usage         Usage
}

// pending is a tool call of which pieces have come.
type pending struct {
	wireIndex int
	call      ToolCall
	args      strings.Builder
}

// response is the answer as far as it has come.
func (a *answer) response() *Response {
	m := Message{Role: RoleAssistant, Text: a.text.String()}
	for _, p := range a.calls {
		p.call.Arguments = p.args.String()
		m.ToolCalls = append(m.ToolCalls, p.call)
	}
	return &Response{Message: m, Finish: a.finish, Usage: a.usage}
}

// refused is the error of an answer that is a refusal.
func (a *answer) refused() error {
	if a.refusal.Len() > 0 {
		return &Error{Kind: ErrRefused, Message: a.refusal.String()}
	}
	if a.finish == FinishFilter {
		return &Error{Kind: ErrRefused, Message: "the provider withheld the answer"}
	}
	return nil
}

// add adds what one event says; complaint is the error that it describes. The error says that it is not of the
// protocol.
func (a *answer) add(event []byte) (complaint jsontext.Value, err error) {
	var c chunk
	if err := json.Unmarshal(event, &c, lenient); err != nil {
		return nil, &Error{Kind: ErrBadOutput, Message: "the provider does not speak the protocol", Err: err}
	}
	if len(c.Error) > 0 && c.Error.Kind() != 'n' {
		return c.Error, nil
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		for _, s := range []*saying{choice.Delta, choice.Message} {
			if s != nil {
				a.addSaying(s)
			}
		}
		if choice.Finish != "" {
			a.finish = finish(choice.Finish)
		}
	}
	if len(a.calls) > maxCalls {
		return nil, &Error{Kind: ErrBadOutput, Message: fmt.Sprintf("more than %d tool calls in one answer", maxCalls)}
	}
	if c.Usage != nil {
		a.usage = Usage{Input: max(0, c.Usage.Prompt), Output: max(0, c.Usage.Completion)}
	}
	return nil, nil
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

func (a *answer) addSaying(s *saying) {
	var parts []wirePart
	if s.Content.Kind() == '"' {
		a.addText(plain(s.Content))
	} else if len(s.Content) > 0 && json.Unmarshal(s.Content, &parts, lenient) != nil {
		parts = nil
	}
	for _, p := range parts {
		if p.Type == "text" {
			a.addText(p.Text)
		}
	}
	a.refusal.WriteString(s.Refusal)
	for _, p := range s.ToolCalls {
		a.addCall(p)
	}
}

func (a *answer) addText(text string) {
	if text == "" {
		return
	}
	a.text.WriteString(text)
	if a.listen != nil {
		a.listen(text)
	}
}

// addCall adds a piece to the call to which it belongs. By the protocol its index says it, but some servers send whole
// calls that all have index 0 or none, with ids of their own or without.
func (a *answer) addCall(piece callPiece) {
	p := a.find(piece)
	if p == nil {
		p = &pending{wireIndex: len(a.calls), call: ToolCall{Name: piece.Function.Name,
			ID: cmp.Or(piece.ID, fmt.Sprintf("call_%d", len(a.calls)))}}
		if piece.Index != nil {
			p.wireIndex = *piece.Index
		}
		a.calls = append(a.calls, p)
	}
	if len(piece.Extra) > 0 {
		p.call.Extra = piece.Extra
	}
	p.args.WriteString(plain(piece.Function.Arguments))
}

// find returns the call that a piece goes on with, or nil for a new one.
func (a *answer) find(piece callPiece) *pending {
	for _, p := range slices.Backward(a.calls) {
		switch {
		case piece.Index != nil && *piece.Index != p.wireIndex, piece.ID != "" && piece.ID != p.call.ID:
			continue
		case piece.ID == "" && piece.Function.Name != "" && jsontext.Value(p.args.String()).IsValid():
			return nil // that call is whole, and here begins another one
		}
		return p
	}
	return nil
}

// jsonIn finds the JSON text in a model's answer: the whole, or what a fence of Markdown encloses, which models write
// when nothing but instructions holds them to JSON.
func jsonIn(text string) jsontext.Value {
	text = strings.TrimSpace(text)
	if value := jsontext.Value(text); value.IsValid() {
		return value
	}
	_, inside, found := strings.Cut(text, "```")
	if !found {
		return jsontext.Value(text)
	}
	if _, rest, ok := strings.Cut(inside, "\n"); ok {
		inside, _, _ = strings.Cut(rest, "```")
	}
	return jsontext.Value(strings.TrimSpace(inside))
}
