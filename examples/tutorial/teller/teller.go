// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// teller is an agent whose words are a model's, and whose dice are not.
type teller struct{ model llm.Model }

func (a teller) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("Asking the model")); err != nil {
		return err
	}
	var said []llm.Message // in this conversation, so far
	if _, err := t.LoadContext(ctx, &said); err != nil {
		return err
	}
	said = append(said, llm.User(t.Text()))
	answer, err := llm.Run(ctx, a.model, llm.Task{
		System:   "You tell fortunes from dice. Roll them with the tool; never make numbers up. Two sentences at most.",
		Messages: said,
		Tools:    []llm.Tool{rollTool(t)},
		Budget:   llm.Budget{Calls: 5},
	})
	if err != nil {
		return agent.Public("The model does not answer. Try again later.", err)
	}
	if err := t.SaveContext(ctx, append(said, answer.Messages...)); err != nil {
		return err
	}
	return t.Artifact("fortune", a2a.TextPart(answer.Text))
}

// rollTool lets the model roll dice, and shows each roll to those who watch.
func rollTool(t *agent.Turn) llm.Tool {
	const schema = `{"type":"object","properties":{"dice":{"type":"string","description":"such as 2d6"}},` +
		`"required":["dice"]}`
	return llm.NewTool("roll", "Rolls dice and returns the numbers.", schema,
		func(ctx context.Context, args struct {
			Dice string `json:"dice"`
		}) (any, error) {
			d, ok := dice.Find(args.Dice)
			if !ok {
				return nil, fmt.Errorf("%q are no dice; write them as 2d6", args.Dice) // for the model to read
			}
			numbers := make([]int, d.Count)
			for i := range numbers {
				numbers[i] = d.Roll()
			}
			return numbers, t.Working(a2a.TextPart(fmt.Sprintf("Rolled %s: %v", d, numbers)))
		})
}
