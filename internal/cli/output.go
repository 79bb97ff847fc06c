// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// object is what the protocol answers with, and can be printed.
type object interface{ AppendJSON([]byte) ([]byte, error) }

// show prints an object of the protocol: as JSON, or by the function as text.
func (c *command) show(o object, text func(*printer)) error {
	if c.options.output != outputJSON {
		return c.showText(text)
	}
	b, err := o.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return c.showJSON(b)
}

// showResult prints what a send brought: a task or a message.
func (c *command) showResult(result a2a.SendResult) error {
	return c.show(&a2a.SendResponse{Result: result}, func(p *printer) { p.event(result) })
}

// showEvent prints one event of a stream as a line of JSON.
func (c *command) showEvent(event a2a.Event) error {
	b, err := a2a.AppendStreamResponse(nil, event)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	_, err = c.out.Write(append(b, '\n'))
	return err
}

// showValue prints a value of this program as JSON.
func (c *command) showValue(v any) error {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return c.showJSON(b)
}

// showJSON prints one document, indented.
func (c *command) showJSON(b []byte) error {
	text := jsontext.Value(b)
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("indent the result: %w", err)
	}
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// showText prints a block at once, so that readers of a pipe get it whole.
func (c *command) showText(text func(*printer)) error {
	p := printer{all: c.options.verbose, shortens: "--verbose"}
	if c.inChat {
		p.shortens = "/task"
	}
	text(&p)
	if p.buf.Len() == 0 {
		return nil
	}
	_, err := c.out.Write(p.buf.Bytes())
	return err
}
