// SPDX-License-Identifier: Apache-2.0

// Command serve serves the counter that was moved from a2a-go.
package main

import (
	"log"
	"time"

	"github.com/dragoman-a2a/dragoman"

	"github.com/dragoman-a2a/dragoman/interop/migrate/moved"
)

func main() {
	if err := dragoman.Serve("127.0.0.1:8080", moved.Card, moved.Counter(time.Second)); err != nil {
		log.Fatal(err)
	}
}
