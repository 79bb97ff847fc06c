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
	answer, err := ask(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

func ask(ctx context.Context, url, text string) (string, error) {
	c, err := dragoman.Dial(ctx, url)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.Ask(ctx, text)
}
