// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// A Server is an http.Handler, so it can be part of a program that serves more. Below a path it has to know that path.
func ExampleNew() {
	echo := agent.Func(func(ctx context.Context, t *agent.Turn) error { return t.Reply(a2a.TextPart(t.Text())) })
	card := &a2a.AgentCard{Name: "Echo", Description: "Says it again", Version: "1.0.0"}
	eng, err := engine.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	srv, err := server.New(eng.Agent("echo", echo, &engine.AgentOptions{Card: card}),
		&server.Options{Path: "/agents/echo"})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	below := http.StripPrefix("/agents/echo", srv)
	mux.Handle("/agents/echo", below) // JSON-RPC
	mux.Handle("/agents/echo/", below)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "the rest of the site") })
	web := httptest.NewServer(mux) // or http.ListenAndServe

	ctx := context.Background()
	c, err := client.Dial(ctx, web.URL+"/agents/echo", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Ask(ctx, "hello"))

	c.Close()
	eng.Shutdown(ctx)
	web.Close()
	// Output: hello <nil>
}
