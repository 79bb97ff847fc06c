// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"iter"
	"net/http"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

const goPeerName = "Go SDK 2.3.1"

// goPeer is the same agent with the official Go SDK and its defaults, which keep tasks in memory.
func goPeer() http.Handler {
	return a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(goAgent{}))
}

type goAgent struct{}

// Execute implements a2asrv.AgentExecutor.
func (goAgent) Execute(_ context.Context, ec *a2asrv.ExecutorContext) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		word, n, err := command(ec.Message.Parts[0].Text())
		if err != nil {
			yield(nil, err)
			return
		}
		say := func(e sdk.Event) bool { return yield(e, nil) }
		if !say(sdk.NewSubmittedTask(ec, ec.Message)) {
			return
		}
		if word == "chunks" {
			if !sayChunks(ec, n, say) {
				return
			}
		} else {
			greeting := sdk.NewArtifactEvent(ec, sdk.NewTextPart("Hello, "+word+"!"))
			greeting.Artifact.Name = "greeting"
			if !say(greeting) {
				return
			}
		}
		say(sdk.NewStatusUpdateEvent(ec, sdk.TaskStateCompleted, nil))
	}
}

func sayChunks(ec *a2asrv.ExecutorContext, n int, say func(sdk.Event) bool) bool {
	first := sdk.NewArtifactEvent(ec, sdk.NewTextPart(chunk))
	if !say(first) {
		return false
	}
	for range n - 1 {
		if !say(sdk.NewArtifactUpdateEvent(ec, first.Artifact.ID, sdk.NewTextPart(chunk))) {
			return false
		}
	}
	return true
}

// Cancel implements a2asrv.AgentExecutor.
func (goAgent) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[sdk.Event, error] {
	return func(func(sdk.Event, error) bool) {}
}
