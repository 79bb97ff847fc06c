// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"

	"trpc.group/trpc-go/trpc-a2a-go/protocol"
	trpcserver "trpc.group/trpc-go/trpc-a2a-go/server"
	"trpc.group/trpc-go/trpc-a2a-go/taskmanager"
)

const trpcPeerName = "trpc-a2a-go 0.2.5"

// trpcPeer is the same agent with trpc-a2a-go and its defaults, which keep tasks in memory. It speaks 0.2.
func trpcPeer() (http.Handler, error) {
	tasks, err := taskmanager.NewMemoryTaskManager(trpcAgent{})
	if err != nil {
		return nil, err
	}
	card := trpcserver.AgentCard{
		Name: "Hello Agent", Description: "Greets whoever writes to it", Version: "1.0.0", URL: "http://127.0.0.1/",
		DefaultInputModes: []string{"text"}, DefaultOutputModes: []string{"text"},
	}
	srv, err := trpcserver.NewA2AServer(card, tasks)
	if err != nil {
		return nil, err
	}
	return srv.Handler(), nil
}

type trpcAgent struct{}

// ProcessMessage implements taskmanager.MessageProcessor.
func (trpcAgent) ProcessMessage(_ context.Context, m protocol.Message, _ taskmanager.ProcessOptions,
	tasks taskmanager.TaskHandler) (*taskmanager.MessageProcessingResult, error) {
	id, err := tasks.BuildTask(nil, nil)
	if err != nil {
		return nil, err
	}
	text := m.Parts[0].(*protocol.TextPart).Text
	name := "greeting"
	greeting := protocol.NewArtifactWithID(&name, nil, []protocol.Part{protocol.NewTextPart("Hello, " + text + "!")})
	if err := tasks.AddArtifact(&id, *greeting, true, false); err != nil {
		return nil, err
	}
	if err := tasks.UpdateTaskState(&id, protocol.TaskStateCompleted, nil); err != nil {
		return nil, err
	}
	task, err := tasks.GetTask(&id)
	if err != nil {
		return nil, err
	}
	return &taskmanager.MessageProcessingResult{Result: task.Task()}, nil
}
