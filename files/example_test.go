// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/server"
)

// An agent makes a part of bytes. A store beside the server turns large ones into files with signed URLs.
func Example() {
	png := bytes.Repeat([]byte("pixel"), 100_000)
	charts := agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Artifact("chart", a2a.RawPart(png, "image/png", "chart.png"))
	})
	card := &a2a.AgentCard{Name: "Charts", Description: "Draws charts", Version: "1.0.0",
		DefaultOutputModes: []string{"image/png"}}
	handler, stop, err := serveFiles(card, charts)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()
	web := httptest.NewServer(handler)
	defer web.Close()

	ctx := context.Background()
	c, err := client.Dial(ctx, web.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	result, err := c.SendMessage(ctx,
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("draw"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	part := result.(*a2a.Task).Artifacts[0].Parts[0]
	fmt.Println(part.Filename, part.Metadata["size"])
	// Output: chart.png 500000
}

// serveFiles serves an agent whose large parts become files.
func serveFiles(card *a2a.AgentCard, charts agent.Agent) (http.Handler, func(), error) {
	data, err := os.MkdirTemp("", "files")
	if err != nil {
		return nil, nil, err
	}
	tasks := memory.New(nil)
	eng, err := engine.New(&engine.Options{Journal: tasks})
	if err != nil {
		return nil, nil, err
	}
	store, err := files.Open(filepath.Join(data, "files"), &files.Options{Journal: tasks})
	if err != nil {
		return nil, nil, err
	}
	service := store.Service(eng.Agent("charts", store.Agent(charts), &engine.AgentOptions{Card: card}), "")
	mux := http.NewServeMux()
	srv, err := server.New(service, &server.Options{Card: card, Handler: mux})
	if err != nil {
		return nil, nil, err
	}
	mux.Handle("/", srv)
	mux.Handle(files.Path, store) // /files/
	stop := func() {
		eng.Shutdown(context.Background())
		store.Close()
		os.RemoveAll(data)
	}
	return mux, stop, nil
}

// A fetcher gets files of others from the addresses that its list allows.
func ExampleFetcher() {
	fetch, err := files.NewFetcher(&files.FetchOptions{
		Allow:      []string{"https://files.example.com/exports/", "https://*.example.org"},
		MediaTypes: []string{"text/csv", "text/plain"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = fetch.Fetch(context.Background(), "https://files.example.com/private/salaries.csv")
	fmt.Println(err != nil)
	// Output: true
}

// An agent answers in the form that the client asks for, and checks the answer first.
func Example_structured() {
	type ticket struct {
		Number int    `json:"ticketNumber"`
		Title  string `json:"title"`
	}
	_ = agent.Func(func(_ context.Context, t *agent.Turn) error {
		answer := ticket{Number: 7, Title: "Printer on fire"}
		want := t.Wanted()
		if !want.JSON() { // no schema is named or sent, and the media type is not JSON
			return t.Artifact("ticket", a2a.TextPart(answer.Title))
		}
		part, err := want.Part(answer) // data, marked with mimeType and schemaRef
		if err != nil {
			return err
		}
		return t.Artifact("ticket", part)
	})
}
