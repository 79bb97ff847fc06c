// SPDX-License-Identifier: Apache-2.0

// Command guarded serves an agent to callers with a token, over HTTPS if CERT and KEY name files in PEM. Each caller
// has tasks of its own, which outlive the process if FOLDER names where to keep them.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/engine"
	_ "github.com/dragoman-a2a/dragoman/journal/sqlite"
	"github.com/dragoman-a2a/dragoman/server"
)

// callers are those who may call. A real service asks its identity provider.
var callers = []auth.Authenticator{
	auth.Token("token-of-ann", a2a.Identity{Subject: "ann"}),
	auth.Token("token-of-bob", a2a.Identity{Subject: "bob"}),
}

func authenticate(r *http.Request) (id a2a.Identity, err error) {
	for _, c := range callers {
		if id, err = c.Authenticate(r); err == nil {
			return id, nil
		}
	}
	return a2a.Identity{}, err
}

func main() {
	if err := serve("127.0.0.1:8091"); err != nil {
		log.Fatal(err)
	}
}

func serve(addr string) error {
	card := &a2a.AgentCard{
		Name: "Greeter", Description: "Greets callers it knows", Version: "1.0.0",
		SecuritySchemes:      map[string]a2a.SecurityScheme{"token": &a2a.HTTPAuthScheme{Scheme: "Bearer"}},
		SecurityRequirements: []a2a.SecurityRequirement{{"token": nil}},
	}
	greet := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		return t.Artifact("greeting", a2a.TextPart("Hello, "+t.Caller().Subject+"!"))
	})
	return dragoman.Serve(addr, card, greet, dragoman.Options{
		Folder: os.Getenv("FOLDER"), // of the tasks, with journal/sqlite; "" keeps them in memory
		Server: server.Options{
			Authenticator: auth.AuthenticatorFunc(authenticate),
			Limits:        server.Limits{Body: 64 << 10},
			CertFile:      os.Getenv("CERT"),
			KeyFile:       os.Getenv("KEY"),
			Logger:        slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
		},
		Engine: engine.Options{TurnLimit: time.Minute},
	})
}
