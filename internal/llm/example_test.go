// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// A task with one tool, for the model that the environment names.
func ExampleRun() {
	options, err := llm.OptionsFromEnv("", os.Getenv)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := llm.Open(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	rate := llm.NewTool("rate", "The exchange rate of two currencies.",
		`{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"]}`,
		func(_ context.Context, args struct {
			From string `json:"from"`
			To   string `json:"to"`
		}) (any, error) {
			return map[string]any{"from": args.From, "to": args.To, "rate": 1.08}, nil
		})

	answer, err := llm.Run(context.Background(), model, llm.Task{
		System:   "You convert currencies. Use the tool for every rate.",
		Messages: []llm.Message{llm.User("10 EUR in USD?")},
		Tools:    []llm.Tool{rate},
		Schema:   jsontext.Value(`{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.JSON)
}
