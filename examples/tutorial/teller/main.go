// SPDX-License-Identifier: Apache-2.0

// Command teller serves an agent that tells fortunes from dice, with a language model. Without one it just rolls.
package main

import (
	"errors"
	"log"
	"os"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

func main() {
	a, err := choose(os.Getenv)
	if err != nil {
		log.Fatal(err)
	}
	card := dice.Card()
	card.Name, card.Description = "Teller", "Rolls dice and tells what they mean"
	if err := dragoman.Serve("127.0.0.1:8090", card, a); err != nil {
		log.Fatal(err)
	}
}

// choose returns the agent for the model that the environment names.
func choose(getenv func(string) string) (agent.Agent, error) {
	model, err := llm.FromEnv(getenv)
	if errors.Is(err, llm.ErrNoModel) {
		log.Print("no model: rolling without words")
		return dice.New(), nil
	}
	if err != nil {
		return nil, err
	}
	log.Print("model: ", model.Name())
	return teller{model}, nil
}
