// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
)

// teller is an agent whose words are a model's, and whose dice are not.
type teller struct {
	client openai.Client
	model  string
}

const instructions = "You tell fortunes from dice. Roll them with the tool; never make numbers up. " +
	"Two sentences at most."

var rollTool = openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
	Name:        "roll",
	Description: openai.String("Rolls dice and returns the numbers."),
	Parameters: openai.FunctionParameters{
		"type":       "object",
		"properties": map[string]any{"dice": map[string]any{"type": "string", "description": "such as 2d6"}},
		"required":   []string{"dice"},
	},
})

// maxRequests bounds how often the model is asked for one message.
const maxRequests = 5

func (a teller) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("Asking the model")); err != nil {
		return err
	}
	var said []openai.ChatCompletionMessageParamUnion // in this conversation, so far
	if _, err := t.LoadContext(ctx, &said); err != nil {
		return err
	}
	said = append(said, openai.UserMessage(t.Text()))
	for range maxRequests {
		answer, err := a.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model:    a.model,
			Messages: append([]openai.ChatCompletionMessageParamUnion{openai.SystemMessage(instructions)}, said...),
			Tools:    []openai.ChatCompletionToolUnionParam{rollTool},
		})
		if err != nil || len(answer.Choices) == 0 {
			return agent.Public("The model does not answer. Try again later.", err)
		}
		message := answer.Choices[0].Message
		said = append(said, message.ToParam())
		if len(message.ToolCalls) == 0 {
			if err := t.SaveContext(ctx, said); err != nil {
				return err
			}
			return t.Artifact("fortune", a2a.TextPart(message.Content))
		}
		for _, call := range message.ToolCalls {
			result, err := roll(t, call.Function.Arguments)
			if err != nil {
				return err
			}
			said = append(said, openai.ToolMessage(result, call.ID))
		}
	}
	return agent.Public("The model only rolls and says nothing. Try again later.", nil)
}

// roll rolls the dice that the model wants, shows them to those who watch, and returns what the model reads.
func roll(t *agent.Turn, arguments string) (string, error) {
	var args struct {
		Dice string `json:"dice"`
	}
	err := json.Unmarshal([]byte(arguments), &args)
	d, ok := dice.Find(args.Dice)
	if err != nil || !ok {
		return fmt.Sprintf("error: %s names no dice; write them as 2d6", arguments), nil
	}
	numbers := make([]int, d.Count)
	for i := range numbers {
		numbers[i] = d.Roll()
	}
	return fmt.Sprint(numbers), t.Working(a2a.TextPart(fmt.Sprintf("Rolled %s: %v", d, numbers)))
}
