// SPDX-License-Identifier: Apache-2.0

// Command guarded serves an agent to callers with a token, over HTTPS if CERT and KEY name files in PEM. Each caller
// has tasks of its own, which outlive the process if FOLDER names where to keep them.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	_ "github.com/dragoman-a2a/dragoman/journal/sqlite"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

func main() {
	callers := map[string]a2a.Identity{"token-of-ann": {Subject: "ann"}, "token-of-bob": {Subject: "bob"}}
	card := &a2a.AgentCard{Name: "Greeter", Description: "Greets callers it knows", Version: "1.0.0"}
	greet := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		return t.Artifact("greeting", a2a.TextPart("Hello, "+t.Caller().Subject+"!"))
	})
	err := dragoman.Serve("127.0.0.1:8091", card, greet, dragoman.Options{
		Folder: os.Getenv("FOLDER"), // of the tasks; "" keeps them in memory
		Server: server.Options{
			Authenticator: auth.Tokens(callers), // the card gets its scheme; see auth/oidc for an identity provider
			GRPC:          grpc.New(nil),
			CertFile:      os.Getenv("CERT"), KeyFile: os.Getenv("KEY"),
			Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}
