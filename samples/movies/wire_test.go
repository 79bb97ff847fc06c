// SPDX-License-Identifier: Apache-2.0

package movies_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/samples/movies"
	"github.com/dragoman-a2a/dragoman/server"
)

var quiet = slog.New(slog.DiscardHandler)

// dial serves the agent and returns a client that speaks one binding.
func dial(t *testing.T, binding string) *client.Client {
	t.Helper()
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(e.Agent("movies", movies.New(movies.Options{}), &engine.AgentOptions{Card: movies.Card()}), &server.Options{Card: movies.Card(), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	c, err := client.Dial(t.Context(), ts.URL, &client.Options{Bindings: []string{binding}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		e.Shutdown(ctx)
		ts.CloseClientConnections()
		ts.Close()
	})
	return c
}

// A way is one of the two to send a message; both return the task that comes of it.
type way func(t *testing.T, c *client.Client, m *a2a.Message) *a2a.Task

var ways = map[string]way{
	"send": func(t *testing.T, c *client.Client, m *a2a.Message) *a2a.Task {
		t.Helper()
		sent, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		return sent.(*a2a.Task)
	},
	"stream": func(t *testing.T, c *client.Client, m *a2a.Message) *a2a.Task {
		t.Helper()
		stream, err := c.StreamMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		var id a2a.TaskID
		working := false
		for ev, err := range stream {
			if err != nil {
				t.Fatal(err)
			}
			switch e := ev.Event.(type) {
			case *a2a.Task:
				id = e.ID
				working = working || e.Status.Message.Text() == "Looking that up..."
			case *a2a.StatusUpdate:
				working = working || e.Status.Message.Text() == "Looking that up..."
			}
		}
		if !working {
			t.Error("the stream does not say that somebody looks")
		}
		task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return task
	},
}

// course goes through a whole conversation and returns its tasks.
func course(t *testing.T, c *client.Client, send way) []*a2a.Task {
	t.Helper()
	first := send(t, c, a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Who directed Dune?")))
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("the 2021 one"))
	m.TaskID, m.ContextID = first.ID, first.ContextID
	second := send(t, c, m)
	m = a2a.NewMessage(a2a.RoleUser, a2a.TextPart("What else has he directed?"))
	m.ContextID = first.ContextID
	return []*a2a.Task{first, second, send(t, c, m), send(t, c, a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Tell me a joke")))}
}

// Over each binding, and streaming or not, the same tasks come of the same messages.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	var want []*a2a.Task
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		for name, send := range ways {
			got := course(t, dial(t, binding), send)
			var states []string
			for _, task := range got {
				states = append(states, task.Status.State.String())
			}
			if all := strings.Join(states, " "); all != "TASK_STATE_INPUT_REQUIRED TASK_STATE_COMPLETED TASK_STATE_COMPLETED TASK_STATE_COMPLETED" {
				t.Errorf("%s, %s: %s", binding, name, all)
			}
			if want == nil {
				want = got
				continue
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(a2a.TaskID(""), a2a.ContextID(""), a2a.MessageID(""), a2a.ArtifactID(""), time.Time{}, a2a.Generation("")), cmpopts.IgnoreUnexported(a2a.Task{}, a2a.Message{}, a2a.Artifact{})); diff != "" {
				t.Errorf("%s, %s: the tasks differ:\n%s", binding, name, diff)
			}
		}
	}
}
