// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// Object shows an object of the protocol: as JSON, or by the function as text.
func Object(t *terminal.Terminal, o interface{ AppendJSON([]byte) ([]byte, error) }, text func(Printer)) error {
	if !t.AsJSON {
		return t.ShowText(func(p *terminal.Printer) { text(Printer{p}) })
	}
	b, err := o.AppendJSON(nil)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return t.ShowJSON(b)
}

// Task shows a task.
func Task(t *terminal.Terminal, task *a2a.Task) error {
	return Object(t, task, func(p Printer) { p.Event(task) })
}

// Result shows the answer to a message: a task or a message.
func Result(t *terminal.Terminal, result a2a.SendResult) error {
	return Object(t, &a2a.SendResponse{Result: result}, func(p Printer) { p.Event(result) })
}

// Card shows an agent card.
func Card(t *terminal.Terminal, card *a2a.AgentCard) error {
	return Object(t, card, func(p Printer) { p.Card(card) })
}

// event shows one event of a stream as a line of JSON.
func event(t *terminal.Terminal, event a2a.Event) error {
	b, err := a2a.AppendStreamResponse(nil, event)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	_, err = t.Out.Write(append(b, '\n'))
	return err
}
