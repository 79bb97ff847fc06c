// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// serveOurs serves Dragoman with its defaults: in memory, or on SQLite in a folder. tune may be nil.
func serveOurs(ctx context.Context, ln net.Listener, folder string, tune func(*server.Options) error) error {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	opts := engine.Options{Logger: quiet}
	if folder != "" {
		db, err := sqlite.Open(ctx, folder, sqlite.Options{})
		if err != nil {
			return err
		}
		defer db.Close()
		j, err := sql.New(ctx, db, nil)
		if err != nil {
			return err
		}
		defer j.Close()
		opts.Journal = j
	}
	eng, err := engine.New(&opts)
	if err != nil {
		return err
	}
	svc := eng.Agent("hello", benchAgent(), &engine.AgentOptions{Card: hello.Card()})
	so := server.Options{Card: hello.Card(), Logger: quiet, OnDrain: eng.Shutdown}
	if tune != nil {
		if err := tune(&so); err != nil {
			return err
		}
	}
	srv, err := server.New(svc, &so)
	if err != nil {
		return err
	}
	return srv.Serve(ctx, ln)
}

// chunk is what is appended to an artifact again and again: 20 bytes.
const chunk = "twenty bytes of text"

// benchAgent is the hello agent, which also knows two words: "chunks N" streams one artifact of N chunks, and "room"
// keeps a task open in which each message "burst N" makes N events, until one says "close".
func benchAgent() agent.Agent {
	greeter := hello.New(hello.Options{})
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		word, n, err := command(t.Text())
		switch {
		case err != nil:
			return err
		case word == "chunks":
			return writeChunks(t, n)
		case word == "room":
			return keepRoom(ctx, t)
		}
		return greeter.Run(ctx, t)
	})
}

func command(text string) (word string, n int, err error) {
	word, number, found := strings.Cut(text, " ")
	if found {
		n, err = strconv.Atoi(number)
	}
	return word, n, err
}

func writeChunks(t *agent.Turn, n int) error {
	w := t.NewArtifact("story")
	if err := fill(w, n); err != nil {
		return err
	}
	return w.Close()
}

func fill(w *agent.ArtifactWriter, n int) error {
	for range n {
		if _, err := w.WriteString(chunk); err != nil {
			return err
		}
	}
	return nil
}

func keepRoom(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(); err != nil {
		return err
	}
	for {
		m, err := t.Next(ctx)
		if err != nil {
			return err
		}
		word, n, err := command(m.Text())
		if err != nil || word == "close" {
			return err
		}
		if word != "burst" {
			return fmt.Errorf("the room does not know %q", word)
		}
		if err := fill(t.NewArtifact("story"), n); err != nil { // not closed: streams of 1.0 do not show the end
			return err
		}
	}
}
