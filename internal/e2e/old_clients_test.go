// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/client/grpc"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// eachInterface runs a test with a client for each interface that the card of a server names.
func eachInterface(t *testing.T, test func(t *testing.T, s *stack, c *client.Client, gen a2a.Generation)) {
	t.Parallel()
	s := start(t, inMemory(t), func(o *server.Options) { o.GRPC = grpc.New(nil) })
	dialed, err := client.Dial(t.Context(), s.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	interfaces := dialed.Card().SupportedInterfaces
	if len(interfaces) != 7 { // three bindings of 1.0, three of 0.3, one of 0.1
		t.Fatalf("interfaces %v", interfaces)
	}
	for _, iface := range interfaces {
		t.Run(iface.Binding+" "+iface.ProtocolVersion, func(t *testing.T) {
			card := dialed.Card().Clone()
			card.SupportedInterfaces = []a2a.AgentInterface{iface}
			c, err := client.New(card, &client.Options{Generations: wire.Generations})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			test(t, s, c, a2a.Generation(iface.ProtocolVersion))
		})
	}
}

func text(words string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(words))}
}

// Our client and our server understand each other in every generation and binding.
func TestEveryInterfaceOfTheCard(t *testing.T) {
	eachInterface(t, func(t *testing.T, s *stack, c *client.Client, gen a2a.Generation) {
		if answer, err := c.Ask(t.Context(), "echo hello"); err != nil || answer != "echo hello" {
			t.Errorf("asked: %q, %v", answer, err)
		}

		// A question, its answer, and the task as it is then.
		_, err := c.Ask(t.Context(), "ask")
		paused, ok := errors.AsType[*client.PausedError](err)
		if !ok {
			t.Fatalf("asked for a question: %v", err)
		}
		answer := text("echo this one")
		answer.Message.TaskID = paused.Task.ID
		result, err := c.SendMessage(t.Context(), answer)
		if err != nil {
			t.Fatal(err)
		}
		if task, ok := result.(*a2a.Task); !ok || task.ID != paused.Task.ID ||
			task.ContextID != paused.Task.ContextID || task.Status.State != a2a.TaskStateCompleted {
			t.Errorf("answered: %+v", result)
		}
		task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: paused.Task.ID})
		if err != nil || task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 {
			t.Errorf("got %+v, %v", task, err)
		}

		// Errors keep their kind.
		if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "nobody"}); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("an unknown task: %v", err)
		}
		if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: paused.Task.ID}); !errors.Is(err,
			a2a.ErrTaskNotCancelable) {
			t.Errorf("cancel of a finished task: %v", err)
		}
		// in 0.1 the server would reopen it
		if _, err := c.SendMessage(t.Context(), answer); !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("a message to a finished task: %v", err)
		}
	})
}

func TestStreamsOfEveryInterface(t *testing.T) {
	eachInterface(t, func(t *testing.T, s *stack, c *client.Client, gen a2a.Generation) {
		var words strings.Builder
		var last a2a.Event
		n := 0
		for u, err := range c.Stream(t.Context(), text("chunks 5")) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := u.Event.(*a2a.Task); ok != (n == 0) {
				t.Errorf("event %d is a %T", n, u.Event)
			}
			if chunk, ok := u.Event.(*a2a.ArtifactUpdate); ok {
				for _, part := range chunk.Artifact.Parts {
					words.WriteString(string(part.Content.(a2a.Text)))
				}
			}
			last = u.Event
			n++
		}
		if status, ok := last.(*a2a.StatusUpdate); !ok || status.Status.State != a2a.TaskStateCompleted ||
			words.String() != "0 1 2 3 4 " {
			t.Errorf("the last event is %+v, the chunks are %q", last, words.String())
		}

		// A task that works is watched by two, and canceled.
		gate := fmt.Sprintf("%p", t)
		request := text("hold " + gate)
		request.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
		if gen == a2a.Generation01 { // in which a send always waits
			request.NewTaskID = a2a.NewTaskID()
			go c.SendMessage(t.Context(), request)
		}
		id := request.NewTaskID
		if id == "" {
			result, err := c.SendMessage(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			id = result.(*a2a.Task).ID
		}
		seen := make(chan a2a.TaskState, 16)
		go func() {
			defer close(seen)
			for u, err := range c.Follow(t.Context(), &a2a.SubscribeRequest{ID: waitFor(t, c, id)}) {
				if err != nil {
					t.Error(err)
					return
				}
				switch e := u.Event.(type) {
				case *a2a.Task:
					seen <- e.Status.State
				case *a2a.StatusUpdate:
					seen <- e.Status.State
				}
			}
		}()
		if first := <-seen; first.Terminal() {
			t.Errorf("the subscription begins with %v", first)
		}
		if task, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: id}); err != nil ||
			task.Status.State != a2a.TaskStateCanceled {
			t.Errorf("canceled: %+v, %v", task, err)
		}
		end := a2a.TaskStateUnspecified
		for state := range seen {
			end = state
		}
		if end != a2a.TaskStateCanceled {
			t.Errorf("the subscription ends with %v", end)
		}

		// A stream that ends because the task waits has ended well.
		for _, words := range []string{"ask", "auth"} {
			if words == "auth" && gen == a2a.Generation10 {
				continue // stays open
			}
			state := a2a.TaskStateUnspecified
			for u, err := range c.Stream(t.Context(), text(words)) {
				if err != nil {
					t.Errorf("%s: %v", words, err)
				}
				if s, ok := u.Event.(*a2a.StatusUpdate); ok {
					state = s.Status.State
				}
			}
			if !state.Interrupted() {
				t.Errorf("%s: the stream ends with %v", words, state)
			}
		}
	})
}

// waitFor returns the id once there is a task of it.
func waitFor(t *testing.T, c *client.Client, id a2a.TaskID) a2a.TaskID {
	for t.Context().Err() == nil {
		if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id}); !errors.Is(err, a2a.ErrTaskNotFound) {
			break
		}
	}
	return id
}
