// SPDX-License-Identifier: Apache-2.0

// Command card prints the card of the dice agent.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(dice.Card()); err != nil {
		log.Fatal(err)
	}
}
