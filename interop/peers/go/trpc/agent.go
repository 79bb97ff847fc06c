// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"trpc.group/trpc-go/trpc-a2a-go/protocol"
	"trpc.group/trpc-go/trpc-a2a-go/server"
	"trpc.group/trpc-go/trpc-a2a-go/taskmanager"
)

// serve serves the probe agent.
func serve(port string) error {
	tasks, err := taskmanager.NewMemoryTaskManager(&probe{asked: map[string]bool{}})
	if err != nil {
		return err
	}
	addr, description := "127.0.0.1:"+port, "The probe agent with trpc-a2a-go"
	srv, err := server.NewA2AServer(server.AgentCard{
		Name: "Probe", Description: &description, URL: "http://" + addr + "/", Version: "1.0.0",
		Capabilities:      server.AgentCapabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []server.AgentSkill{{ID: "probe", Name: "Probe", Tags: []string{"test"}}},
	}, tasks)
	if err != nil {
		return err
	}
	return srv.Start(addr)
}

type probe struct {
	mu    sync.Mutex
	asked map[string]bool // tasks that wait for an answer; the SDK does not tell
}

// Process does what the message says.
func (p *probe) Process(ctx context.Context, id string, m protocol.Message, h taskmanager.TaskHandle) error {
	first, _ := m.Parts[0].(protocol.TextPart)
	p.mu.Lock()
	answer := p.asked[id]
	p.asked[id] = first.Text == "ask"
	p.mu.Unlock()
	if answer {
		return finish(h, artifact(0, text("You said: "+first.Text)))
	}
	switch first.Text {
	case "hello":
		return finish(h, artifact(0, text("Hello!")))
	case "count":
		return finish(h, chunk("1 ", false, false), chunk("2 ", true, false), chunk("3", true, true))
	case "ask":
		question := protocol.NewMessage(protocol.MessageRoleAgent, []protocol.Part{text("Which colour?")})
		return h.UpdateStatus(protocol.TaskStateInputRequired, &question)
	case "slow":
		return slow(ctx, h)
	case "echo":
		return finish(h, artifact(0, m.Parts[1:]...))
	}
	return fmt.Errorf("say hello, count, ask, slow or echo")
}

func artifact(index int, parts ...protocol.Part) protocol.Artifact {
	return protocol.Artifact{Index: index, Parts: parts}
}

func chunk(words string, more, last bool) protocol.Artifact {
	a := artifact(0, text(words))
	a.Append, a.LastChunk = &more, &last
	return a
}

func finish(h taskmanager.TaskHandle, artifacts ...protocol.Artifact) error {
	for _, a := range artifacts {
		if err := h.AddArtifact(a); err != nil {
			return err
		}
	}
	return h.UpdateStatus(protocol.TaskStateCompleted, nil)
}

func slow(ctx context.Context, h taskmanager.TaskHandle) error {
	for n := range 300 {
		step := protocol.NewMessage(protocol.MessageRoleAgent, []protocol.Part{text(fmt.Sprint("step ", n))})
		if err := h.UpdateStatus(protocol.TaskStateWorking, &step); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("nobody cancelled the task")
}
