// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// serveExample serves an agent for an Example.
func serveExample(f agent.Func) (url string, stop func()) {
	quiet := slog.New(slog.DiscardHandler)
	eng, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		panic(err)
	}
	card := &a2a.AgentCard{Name: "Example", Description: "Is an example", Version: "1.0.0"}
	srv, err := server.New(eng.Agent("example", f, &engine.AgentOptions{Card: card}), &server.Options{Logger: quiet})
	if err != nil {
		panic(err)
	}
	ts := httptest.NewServer(srv)
	return ts.URL, func() {
		eng.Shutdown(context.Background())
		ts.Close()
	}
}

// A stream shows the work of an agent while it happens. Each event has one of four types.
func ExampleClient_Stream() {
	url, stop := serveExample(func(ctx context.Context, t *agent.Turn) error {
		t.Working(a2a.TextPart("thinking"))
		poem := t.NewArtifact("poem")
		defer poem.Close()
		for _, line := range []string{"Roses are red,", "violets are blue"} {
			io.WriteString(poem, line)
		}
		return nil
	})
	defer stop()
	ctx := context.Background()
	c, err := client.Dial(ctx, url, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("A poem, please"))}
	for u, err := range c.Stream(ctx, req) {
		if err != nil { // a *client.CutError names the task, which goes on
			fmt.Println(err)
			return
		}
		switch e := u.Event.(type) {
		case *a2a.Task: // how the task begins; later, if u.Resync or u.Polled, all of it in place of what came before
			fmt.Println("a task")
		case *a2a.StatusUpdate:
			fmt.Println(e.Status.State)
		case *a2a.ArtifactUpdate: // a whole artifact or, if e.Append, more of one
			for _, p := range e.Artifact.Parts {
				if text, ok := p.Content.(a2a.Text); ok && text != "" {
					fmt.Println(text)
				}
			}
		case *a2a.Message: // the whole answer, of an agent that makes no task
			fmt.Println("a message")
		}
	}
	// Output:
	// a task
	// TASK_STATE_WORKING
	// Roses are red,
	// violets are blue
	// TASK_STATE_COMPLETED
}

// An agent that asks back makes Ask return a PausedError. The answer is a message to the same task.
func ExamplePausedError() {
	url, stop := serveExample(func(ctx context.Context, t *agent.Turn) error {
		if len(t.Task().History) < 2 {
			return t.Ask(a2a.TextPart("To which currency?"))
		}
		return t.Artifact("rate", a2a.TextPart("1 USD is 1.38 "+t.Text()))
	})
	defer stop()
	ctx := context.Background()
	c, err := client.Dial(ctx, url, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	_, err = c.Ask(ctx, "How much is 1 USD?")
	paused, ok := errors.AsType[*client.PausedError](err)
	if !ok {
		fmt.Println("not paused:", err)
		return
	}
	fmt.Println(paused.Task.Status.Message.Text())

	answer := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("CAD"))
	answer.TaskID = paused.Task.ID
	result, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: answer})
	if err != nil {
		fmt.Println(err)
		return
	}
	if task, ok := result.(*a2a.Task); ok {
		fmt.Println(task.Text())
	}
	// Output:
	// To which currency?
	// 1 USD is 1.38 CAD
}
