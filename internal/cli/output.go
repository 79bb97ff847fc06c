// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// object is what the protocol answers with, and can be printed.
type object interface{ AppendJSON([]byte) ([]byte, error) }

// show prints an object of the protocol: as JSON, or by the function as text.
func (c *command) show(o object, text func(printer)) error {
	if !c.AsJSON {
		return c.ShowText(func(p *terminal.Printer) { text(printer{p}) })
	}
	b, err := o.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return c.ShowJSON(b)
}

// showResult prints what a send brought: a task or a message.
func (c *command) showResult(result a2a.SendResult) error {
	return c.show(&a2a.SendResponse{Result: result}, func(p printer) { p.event(result) })
}

// showEvent prints one event of a stream as a line of JSON.
func (c *command) showEvent(event a2a.Event) error {
	b, err := a2a.AppendStreamResponse(nil, event)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	_, err = c.Out.Write(append(b, '\n'))
	return err
}
