// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"google.golang.org/grpc"
)

// serve serves the probe agent over JSON-RPC and gRPC.
func serve(port, grpcPort string) error {
	addr, grpcAddr := "127.0.0.1:"+port, "127.0.0.1:"+grpcPort
	handler := a2asrv.NewHandler(probe{})
	mux := http.NewServeMux()
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/.well-known/agent-card.json", a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
		Name: "Probe", Description: "The probe agent with a2a-go 0.3", Version: "1.0.0", ProtocolVersion: "0.3.0",
		Capabilities: a2a.AgentCapabilities{Streaming: true}, URL: "http://" + addr + "/rpc",
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		DefaultInputModes:  []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "probe", Name: "Probe",
			Description: "hello, count, ask, slow, echo", Tags: []string{"test"}}},
		AdditionalInterfaces: []a2a.AgentInterface{{URL: grpcAddr, Transport: a2a.TransportProtocolGRPC}},
	}))
	ln, err := net.Listen("tcp", grpcAddr)
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	over := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(over)
	go func() { failed <- over.Serve(ln) }()
	go func() { failed <- http.ListenAndServe(addr, mux) }()
	return <-failed
}

type probe struct{}

// Execute does what the message says.
func (probe) Execute(ctx context.Context, rc *a2asrv.RequestContext, queue eventqueue.Queue) error {
	if rc.StoredTask != nil {
		if err := queue.Write(ctx, a2a.NewArtifactEvent(rc, text("You said: "+textIn(rc.Message)))); err != nil {
			return err
		}
		return end(ctx, rc, queue, a2a.TaskStateCompleted, nil)
	}
	if err := queue.Write(ctx, a2a.NewSubmittedTask(rc, rc.Message)); err != nil {
		return err
	}
	switch textIn(rc.Message) {
	case "hello":
		if err := queue.Write(ctx, a2a.NewArtifactEvent(rc, text("Hello!"))); err != nil {
			return err
		}
	case "count":
		first := a2a.NewArtifactEvent(rc, text("1 "))
		for _, e := range []a2a.Event{
			first, a2a.NewArtifactUpdateEvent(rc, first.Artifact.ID, text("2 ")),
			a2a.NewArtifactUpdateEvent(rc, first.Artifact.ID, text("3")),
		} {
			if err := queue.Write(ctx, e); err != nil {
				return err
			}
		}
	case "ask":
		return end(ctx, rc, queue, a2a.TaskStateInputRequired,
			a2a.NewMessageForTask(a2a.MessageRoleAgent, rc, text("Which colour?")))
	case "slow":
		return slow(ctx, rc, queue)
	case "echo":
		if err := queue.Write(ctx, a2a.NewArtifactEvent(rc, rc.Message.Parts[1:]...)); err != nil {
			return err
		}
	default:
		return end(ctx, rc, queue, a2a.TaskStateRejected, nil)
	}
	return end(ctx, rc, queue, a2a.TaskStateCompleted, nil)
}

func textIn(m *a2a.Message) string {
	t, _ := m.Parts[0].(a2a.TextPart)
	return t.Text
}

func end(ctx context.Context, rc *a2asrv.RequestContext, queue eventqueue.Queue, state a2a.TaskState,
	m *a2a.Message) error {
	e := a2a.NewStatusUpdateEvent(rc, state, m)
	e.Final = true
	return queue.Write(ctx, e)
}

func slow(ctx context.Context, rc *a2asrv.RequestContext, queue eventqueue.Queue) error {
	for n := range 300 {
		step := a2a.NewMessageForTask(a2a.MessageRoleAgent, rc, text(fmt.Sprint("step ", n)))
		if err := queue.Write(ctx, a2a.NewStatusUpdateEvent(rc, a2a.TaskStateWorking, step)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return end(ctx, rc, queue, a2a.TaskStateFailed, nil)
}

// Cancel says that the task is cancelled; the SDK stops Execute.
func (probe) Cancel(ctx context.Context, rc *a2asrv.RequestContext, queue eventqueue.Queue) error {
	return end(ctx, rc, queue, a2a.TaskStateCanceled, nil)
}
