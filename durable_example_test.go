// SPDX-License-Identifier: Apache-2.0

//go:build unix

package dragoman_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/journal/sqlite" // for Options.Folder
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// serveDurably serves an agent whose tasks are kept in a folder, over gRPC too, to callers who know a token.
func serveDurably(addr, folder, token string, card *a2a.AgentCard, a agent.Agent) error {
	return dragoman.Serve(addr, card, a, dragoman.Options{
		Folder: folder, // with journal/sqlite, which the program imports
		Server: server.Options{
			Authenticator: auth.Token(token, a2a.Identity{Subject: "ann"}),
			GRPC:          grpc.New(nil),
		},
	})
}

// A task waits for an answer while its server is stopped and started again.
func Example_durable() {
	card := &a2a.AgentCard{Name: "Greeter", Description: "Greets people by their names", Version: "1.0.0"}
	greeter := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if len(t.Task().History) < 2 {
			return t.Ask(a2a.TextPart("What is your name?"))
		}
		return t.Artifact("greeting", a2a.TextPart("Hello, "+t.Text()+"!"))
	})
	folder, err := os.MkdirTemp("", "durable")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	// run serves the agent as long as visit takes.
	run := func(visit func(ctx context.Context, c *client.Client)) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		addr := freeAddress()
		stopped := make(chan error, 1)
		go func() { stopped <- serveDurably(addr, folder, "secret", card, greeter) }()
		awaitListener(ctx, addr)
		c, err := client.Dial(ctx, "http://"+addr,
			&client.Options{Interceptors: []client.Interceptor{client.Bearer("secret")}})
		if err != nil {
			panic(err)
		}
		defer c.Close()
		visit(ctx, c)
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		if err := <-stopped; err != nil {
			panic(err)
		}
	}

	var task *a2a.Task
	run(func(ctx context.Context, c *client.Client) {
		_, err := c.Ask(ctx, "Hi")
		if paused, ok := errors.AsType[*client.PausedError](err); ok {
			task = paused.Task
			fmt.Println(task.Status.Message.Text())
		}
	})
	run(func(ctx context.Context, c *client.Client) {
		answer := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Ann"))
		answer.TaskID = task.ID
		result, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: answer})
		if err != nil {
			panic(err)
		}
		fmt.Println(result.(*a2a.Task).Text())
	})
	// Output:
	// What is your name?
	// Hello, Ann!
}
