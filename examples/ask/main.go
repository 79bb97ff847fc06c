// SPDX-License-Identifier: Apache-2.0

// Command ask asks an agent and prints what it answers: ask URL TEXT.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dragoman-a2a/dragoman"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: ask URL TEXT")
	}
	ctx := context.Background()
	c, err := dragoman.Dial(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	answer, err := c.Ask(ctx, os.Args[2])
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(answer)
}
