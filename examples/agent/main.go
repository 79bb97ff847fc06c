// SPDX-License-Identifier: Apache-2.0

// Command agent is a whole agent: it greets whoever writes to it.
package main

import (
	"context"
	"log"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

func main() {
	card := &a2a.AgentCard{Name: "Hello", Description: "Greets whoever writes", Version: "1.0.0"}
	hello := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		return t.Artifact("greeting", a2a.TextPart("Hello, "+t.Text()+"!"))
	})
	if err := dragoman.Serve("127.0.0.1:8082", card, hello); err != nil {
		log.Fatal(err)
	}
}
