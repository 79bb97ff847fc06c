// SPDX-License-Identifier: Apache-2.0

// Command server serves the dice agent until Ctrl-C.
package main

import (
	"log"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
)

func main() {
	if err := dragoman.Serve("127.0.0.1:8090", dice.Card(), dice.New()); err != nil {
		log.Fatal(err)
	}
}
