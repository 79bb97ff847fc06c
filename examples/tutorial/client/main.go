// SPDX-License-Identifier: Apache-2.0

// Command client talks to the dice agent.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
)

func main() {
	if err := run(context.Background(), "http://127.0.0.1:8090"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string) error {
	c, err := dragoman.Dial(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Println("found:", c.Card().Name)

	// Text in, text out.
	answer, err := c.Ask(ctx, "d20")
	if err != nil {
		return err
	}
	fmt.Println("asked:", answer)

	// The same with the objects of the protocol.
	result, err := c.SendMessage(ctx, &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("3d8")),
	})
	if err != nil {
		return err
	}
	switch r := result.(type) {
	case *a2a.Task:
		fmt.Println("sent:", r.Status.State, r.Text())
	case *a2a.Message:
		fmt.Println("sent:", r.Text())
	}

	// Print events as they arrive.
	message := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("5d4"))
	for u, err := range c.Stream(ctx, &a2a.SendMessageRequest{Message: message}) {
		if err != nil {
			return err
		}
		switch e := u.Event.(type) {
		case *a2a.Task:
			fmt.Println("stream:", e.Status.State)
		case *a2a.ArtifactUpdate:
			fmt.Println("stream:", e.Artifact.Text())
		case *a2a.StatusUpdate:
			fmt.Println("stream:", e.Status.State)
		}
	}
	return nil
}
