// SPDX-License-Identifier: Apache-2.0

// Command teller serves an agent that tells fortunes from dice, with a language model. Without one it just rolls.
package main

import (
	"log"
	"os"

	"github.com/openai/openai-go/v3"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
)

func main() {
	card := dice.Card()
	card.Name, card.Description = "Teller", "Rolls dice and tells what they mean"
	if err := dragoman.Serve("127.0.0.1:8090", card, choose(os.Getenv("LLM_MODEL"))); err != nil {
		log.Fatal(err)
	}
}

// choose returns the agent for a model. The client reads OPENAI_BASE_URL and OPENAI_API_KEY.
func choose(model string) agent.Agent {
	if model == "" {
		log.Print("no LLM_MODEL: rolling without words")
		return dice.New()
	}
	log.Print("model: ", model)
	return teller{openai.NewClient(), model}
}
