// SPDX-License-Identifier: Apache-2.0

//go:build unix

package dragoman_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// serveDurably serves an agent whose tasks are kept in a folder, until ctx ends.
func serveDurably(ctx context.Context, addr, folder string, card *a2a.AgentCard, a agent.Agent) error {
	db, err := sqlite.Open(ctx, folder, sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	tasks, err := sql.New(ctx, db)
	if err != nil {
		return err
	}
	defer tasks.Close()
	eng, err := engine.New(&engine.Options{Journal: tasks})
	if err != nil {
		return err
	}
	defer eng.Shutdown(ctx)
	service := eng.Agent("greeter", a, &engine.AgentOptions{Card: card}) // the name is part of each task's key
	srv, err := server.New(service, &server.Options{Card: card, GRPC: grpc.New(nil), OnDrain: eng.Shutdown})
	if err != nil {
		return err
	}
	return srv.ListenAndServe(ctx, addr)
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
	run := func(visit func(ctx context.Context, url string)) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		addr := freeAddress()
		serving, stop := context.WithCancel(ctx)
		stopped := make(chan error, 1)
		go func() { stopped <- serveDurably(serving, addr, folder, card, greeter) }()
		awaitListener(ctx, addr)
		visit(ctx, "http://"+addr)
		stop()
		<-stopped
	}

	var task *a2a.Task
	run(func(ctx context.Context, url string) {
		c, err := dragoman.Dial(ctx, url)
		if err != nil {
			panic(err)
		}
		defer c.Close()
		_, err = c.Ask(ctx, "Hi")
		if paused, ok := errors.AsType[*client.PausedError](err); ok {
			task = paused.Task
			fmt.Println(task.Status.Message.Parts[0].Content)
		}
	})
	run(func(ctx context.Context, url string) {
		c, err := dragoman.Dial(ctx, url)
		if err != nil {
			panic(err)
		}
		defer c.Close()
		answer := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Ann"))
		answer.TaskID = task.ID
		result, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: answer})
		if err != nil {
			panic(err)
		}
		fmt.Println(result.(*a2a.Task).Artifacts[0].Parts[0].Content)
	})
	// Output:
	// What is your name?
	// Hello, Ann!
}
