// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// The line of a turn names its task, context, request and trace.
func TestLogNamesTheTrace(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // written to before Shutdown returns
	e, err := engine.New(&engine.Options{
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	svc := e.Agent("agent", fn(func(_ context.Context, t *agent.Turn) error { return t.Artifact("a", part("b")) }), nil)
	const trace = "0102030405060708090a0b0c0d0e0f10"
	ctx := a2a.WithCall(t.Context(), &a2a.Call{RequestID: "r1", TraceParent: "00-" + trace + "-0102030405060708-01"})
	result, err := svc.SendMessage(ctx, text("hi"))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	var line struct{ Task, Context, Request, Trace string }
	if err := json.Unmarshal(log.Bytes(), &line, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v: %s", err, log.Bytes())
	}
	task := result.(*a2a.Task)
	if line.Task != string(task.ID) || line.Context != string(task.ContextID) || line.Request != "r1" ||
		line.Trace != trace {
		t.Errorf("%s", log.Bytes())
	}
}
