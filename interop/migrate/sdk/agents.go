// SPDX-License-Identifier: Apache-2.0

// Package sdk has the two agents of docs/migrate-from-a2a-go.md as they are with a2a-go.
package sdk

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

type greeter struct{}

func (greeter) Execute(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := a2a.NewTextPart("Hello, " + ec.Message.Parts[0].Text() + "!")
		yield(a2a.NewMessage(a2a.MessageRoleAgent, text), nil)
	}
}

func (greeter) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(func(a2a.Event, error) bool) {}
}

type counter struct{ pace time.Duration }

func (c counter) Execute(ctx context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if ec.StoredTask == nil && !yield(a2a.NewSubmittedTask(ec, ec.Message), nil) {
			return
		}
		status := func(state a2a.TaskState, text string) bool {
			m := a2a.NewMessageForTask(a2a.MessageRoleAgent, ec, a2a.NewTextPart(text))
			return yield(a2a.NewStatusUpdateEvent(ec, state, m), nil)
		}
		to, err := strconv.Atoi(ec.Message.Parts[0].Text())
		if err != nil {
			status(a2a.TaskStateInputRequired, "How far shall I count?")
			return
		}
		if !status(a2a.TaskStateWorking, "Counting.") {
			return
		}
		var id a2a.ArtifactID
		for i := 1; i <= to; i++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(c.pace):
			}
			text := a2a.NewTextPart(strconv.Itoa(i) + " ")
			event := a2a.NewArtifactUpdateEvent(ec, id, text)
			if i == 1 {
				event = a2a.NewArtifactEvent(ec, text)
				event.Artifact.Name = "numbers"
				id = event.Artifact.ID
			}
			event.LastChunk = i == to
			if !yield(event, nil) {
				return
			}
		}
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCompleted, nil), nil)
	}
}

func (counter) Cancel(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(ec, a2a.TaskStateCanceled, nil), nil)
	}
}

func handler(url string, agent a2asrv.AgentExecutor) http.Handler {
	card := &a2a.AgentCard{
		Name: "Counter", Description: "Counts to a number", Version: "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(url+"/invoke", a2a.TransportProtocolJSONRPC)},
		DefaultInputModes:   []string{"text/plain"},
		DefaultOutputModes:  []string{"text/plain"},
		Capabilities:        a2a.AgentCapabilities{Streaming: true},
		Skills: []a2a.AgentSkill{{
			ID: "count", Name: "Count", Description: "Counts to a number", Tags: []string{"numbers"},
		}},
	}
	mux := http.NewServeMux()
	mux.Handle("/invoke", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(agent)))
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	return mux
}

// Greeter returns a handler for the greeter, whose base URL is url.
func Greeter(url string) http.Handler { return handler(url, greeter{}) }

// Counter returns a handler for the counter. It waits before each number.
func Counter(url string, pace time.Duration) http.Handler { return handler(url, counter{pace}) }
