// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/grpc"
)

// serve serves the probe agent over JSON-RPC, HTTP+JSON and gRPC.
func serve(port, grpcPort string) error {
	addr, grpcAddr := "127.0.0.1:"+port, "127.0.0.1:"+grpcPort
	capabilities := a2a.AgentCapabilities{Streaming: true}
	// without a name the SDK lists nothing
	everybody := func(context.Context) (string, error) { return "somebody", nil }
	handler := a2asrv.NewHandler(probe{}, a2asrv.WithCapabilityChecks(&capabilities),
		a2asrv.WithTaskStore(taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: everybody})))
	mux := http.NewServeMux()
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	mux.Handle("/.well-known/agent-card.json", a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
		Name: "Probe", Description: "The probe agent with a2a-go 2.x", Version: "1.0.0", Capabilities: capabilities,
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "probe", Name: "Probe", Description: "hello, count, ask, slow, echo",
			Tags: []string{"test"}}},
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface("http://"+addr+"/rpc", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface("http://"+addr+"/rest", a2a.TransportProtocolHTTPJSON),
			a2a.NewAgentInterface(grpcAddr, a2a.TransportProtocolGRPC),
		},
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
func (probe) Execute(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		say := func(e a2a.Event) bool { return yield(e, nil) }
		if ec.StoredTask != nil {
			answer := a2a.NewArtifactEvent(ec, a2a.NewTextPart("You said: "+ec.Message.Parts[0].Text()))
			_ = say(answer) && say(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil))
			return
		}
		if !say(a2a.NewSubmittedTask(ec, ec.Message)) {
			return
		}
		if end := act(ctx, ec, say); end != nil {
			say(end)
		}
	}
}

// act says what there is to say before the last status, which it returns; nil when nobody listens any more.
func act(ctx context.Context, ec *a2asrv.ExecutorContext, say func(a2a.Event) bool) *a2a.TaskStatusUpdateEvent {
	end := a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil)
	switch word := ec.Message.Parts[0].Text(); word {
	case "hello":
		say(a2a.NewArtifactEvent(ec, a2a.NewTextPart("Hello!")))
	case "count":
		first := a2a.NewArtifactEvent(ec, a2a.NewTextPart("1 "))
		_ = say(first) && say(a2a.NewArtifactUpdateEvent(ec, first.Artifact.ID, a2a.NewTextPart("2 "))) &&
			say(a2a.NewArtifactUpdateEvent(ec, first.Artifact.ID, a2a.NewTextPart("3")))
	case "ask":
		question := a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart("Which colour?"))
		return a2a.NewStatusUpdateEvent(ec, a2a.TaskStateInputRequired, question)
	case "slow":
		return slow(ctx, ec, say)
	case "echo":
		say(a2a.NewArtifactEvent(ec, ec.Message.Parts[1:]...))
	default:
		return a2a.NewStatusUpdateEvent(ec, a2a.TaskStateRejected, nil)
	}
	return end
}

func slow(ctx context.Context, ec *a2asrv.ExecutorContext, say func(a2a.Event) bool) *a2a.TaskStatusUpdateEvent {
	for n := range 300 {
		step := a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart(fmt.Sprint("step ", n)))
		if !say(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateWorking, step)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
	return a2a.NewStatusUpdateEvent(ec, a2a.TaskStateFailed, nil)
}

// Cancel says that the task is cancelled; the SDK stops Execute.
func (probe) Cancel(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}
