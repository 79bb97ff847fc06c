// SPDX-License-Identifier: Apache-2.0

// Command probe serves the agent that the scenarios of package interop need beside the sample agents: one that sends
// files and data back, one that works until it is cancelled. The agents that are written with other implementations
// behave the same.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// slowTurn is when a task that nobody cancels gives up.
const slowTurn = 30 * time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	name := flag.String("agent", "probe", "the agent to serve: probe or currency")
	only := flag.String("only", "", "the one generation to serve, such as 0.1 (default all)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *name, *addr, *only); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, name, addr, only string) error {
	var generations []a2a.Generation
	if only != "" {
		generations = []a2a.Generation{a2a.Generation(only)}
	}
	modes := []string{"text/plain", "application/octet-stream", "application/json", "image/png"}
	card := &a2a.AgentCard{
		Name: "Probe", Description: "Does what the scenarios of the interop tests ask for", Version: "1.0.0",
		DefaultInputModes: modes, DefaultOutputModes: modes,
		Skills: []a2a.AgentSkill{{ID: "probe", Name: "Probe", Description: "hello, count, ask, slow, echo",
			Tags: []string{"test"}}},
	}
	served := agent.Agent(agent.Func(run))
	if name == "currency" {
		served, card = currency.New(currency.Options{}), currency.Card()
	}
	eng, err := engine.New(nil)
	if err != nil {
		return err
	}
	srv, err := server.New(eng.Agent(name, served, &engine.AgentOptions{Card: card}), &server.Options{
		Card: card, GRPC: grpc.New(nil), CardGRPC: true, Generations: generations, DrainTimeout: time.Second,
		OnDrain: eng.Shutdown,
		OnReady: func(_ net.Addr, url string) { fmt.Fprintf(os.Stderr, "serving %s at %s\n", name, url) },
	})
	if err != nil {
		return err
	}
	return srv.ListenAndServe(ctx, addr)
}

// run does what the first word of the message says.
func run(ctx context.Context, t *agent.Turn) error {
	if asked(t.Task()) {
		return t.Artifact("answer", a2a.TextPart("You said: "+t.Text()))
	}
	word, _, _ := strings.Cut(strings.TrimSpace(t.Text()), " ")
	switch word {
	case "hello":
		return t.Artifact("greeting", a2a.TextPart("Hello!"))
	case "count":
		return count(t)
	case "ask":
		return t.Ask(a2a.TextPart("Which colour?"))
	case "slow":
		return slow(ctx, t)
	case "echo":
		return echo(t)
	}
	return agent.Reject(a2a.TextPart("say hello, count, ask, slow or echo"))
}

// asked reports whether the agent has said something already, which is then its question.
func asked(task *a2a.Task) bool {
	return task != nil && slices.ContainsFunc(task.History,
		func(m *a2a.Message) bool { return m.Role == a2a.RoleAgent })
}

func count(t *agent.Turn) error {
	w := t.NewArtifact("count")
	for _, chunk := range []string{"1 ", "2 ", "3"} {
		if _, err := w.WriteString(chunk); err != nil {
			return err
		}
	}
	return w.Close()
}

// slow reports progress ten times a second until the task is cancelled.
func slow(ctx context.Context, t *agent.Turn) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	end := time.After(slowTurn)
	for n := 1; ; n++ {
		if err := t.Working(a2a.TextPart("step " + strconv.Itoa(n))); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end:
			return errors.New("nobody cancelled the task")
		case <-tick.C:
		}
	}
}

// echo sends all parts of the message but its text back.
func echo(t *agent.Turn) error {
	var parts []a2a.Part
	for _, p := range t.Message().Parts {
		if _, isText := p.Content.(a2a.Text); !isText {
			parts = append(parts, p.Clone())
		}
	}
	return t.Artifact("echo", parts...)
}
