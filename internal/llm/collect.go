// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"context"
	"iter"
	"strings"
)

// Ask sends one request and gathers the answer.
func Ask(ctx context.Context, m Model, r *Request) (*Response, error) {
	return Collect(m.Stream(ctx, r))
}

// Collect gathers the deltas of one answer. A refusal, and an answer that the provider withheld, is an error of the
// kind [ErrRefused]. The Response is never nil: with an error it holds what came before.
func Collect(deltas iter.Seq2[Delta, error]) (*Response, error) {
	c := collector{calls: map[int]*pending{}}
	var failure error
	for d, err := range deltas {
		if err != nil {
			failure = err
			break
		}
		c.add(d)
	}
	r := c.response()
	switch {
	case failure != nil:
		return r, failure
	case c.refusal.Len() > 0:
		return r, &Error{Kind: ErrRefused, Message: c.refusal.String()}
	case r.Finish == FinishFilter:
		return r, &Error{Kind: ErrRefused, Message: "the provider withheld the answer"}
	}
	return r, nil
}

// collector is an answer in the making.
type collector struct {
	text, refusal strings.Builder
	images        []Image
	calls         map[int]*pending
	order         []*pending // of their first pieces
	finish        Finish
	usage         Usage
}

// pending is a tool call of which pieces have come.
type pending struct {
	call ToolCall
	args strings.Builder
}

func (c *collector) add(d Delta) {
	c.text.WriteString(d.Text)
	c.refusal.WriteString(d.Refusal)
	if d.Image != nil {
		c.images = append(c.images, *d.Image)
	}
	if d.ToolCall != nil {
		c.addCall(d.ToolCall)
	}
	if d.Finish != "" {
		c.finish = d.Finish
	}
	if d.Usage != nil {
		c.usage = *d.Usage
	}
}

func (c *collector) addCall(d *ToolCallDelta) {
	p := c.calls[d.Index]
	if p == nil {
		p = &pending{}
		c.calls[d.Index] = p
		c.order = append(c.order, p)
	}
	if d.ID != "" {
		p.call.ID = d.ID
	}
	if d.Name != "" {
		p.call.Name = d.Name
	}
	if len(d.Extra) > 0 {
		p.call.Extra = d.Extra
	}
	p.args.WriteString(d.Arguments)
}

func (c *collector) response() *Response {
	m := Message{Role: RoleAssistant, Text: c.text.String(), Images: c.images}
	for _, p := range c.order {
		p.call.Arguments = p.args.String()
		m.ToolCalls = append(m.ToolCalls, p.call)
	}
	return &Response{Message: m, Finish: c.finish, Usage: c.usage}
}
