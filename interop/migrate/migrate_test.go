// SPDX-License-Identifier: Apache-2.0

// Package migrate holds the agents of docs/migrate-from-a2a-go.md before and after their move to one conversation.
package migrate

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	after "github.com/dragoman-a2a/dragoman/interop/migrate/moved"
	before "github.com/dragoman-a2a/dragoman/interop/migrate/sdk"
	"github.com/dragoman-a2a/dragoman/server"
)

// listen serves what make returns for a URL until the test ends.
func listen(t *testing.T, handler func(url string) http.Handler) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	srv := &http.Server{Handler: handler(url)}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	return url
}

// moved serves an agent as dragoman.Serve does.
func moved(t *testing.T, a agent.Agent) string {
	t.Helper()
	return listen(t, func(url string) http.Handler {
		eng, err := engine.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { eng.Shutdown(context.Background()) })
		srv, err := server.New(eng.Agent("counter", a, &engine.AgentOptions{Card: after.Card}),
			&server.Options{Card: after.Card, URL: url})
		if err != nil {
			t.Fatal(err)
		}
		return srv
	})
}

const pace = time.Millisecond

func TestGreetersSayTheSame(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"a2a-go": listen(t, before.Greeter), "Dragoman": moved(t, after.Greeter)} {
		t.Run(name, func(t *testing.T) {
			c := dialSDK(t, url)
			result, err := c.SendMessage(t.Context(), &sdk.SendMessageRequest{Message: sdkMessage("Ada")})
			if m, ok := result.(*sdk.Message); err != nil || !ok || m.Parts[0].Text() != "Hello, Ada!" {
				t.Errorf("client of a2a-go: %+v, %v", result, err)
			}
			d, err := dragoman.Dial(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if text, err := d.Ask(t.Context(), "Ada"); err != nil || text != "Hello, Ada!" {
				t.Errorf("client of Dragoman: %q, %v", text, err)
			}
		})
	}
}

func TestCountersCountAlike(t *testing.T) {
	t.Parallel()
	urls := map[string]string{
		"a2a-go":   listen(t, func(url string) http.Handler { return before.Counter(url, pace) }),
		"Dragoman": moved(t, after.Counter(pace)),
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			countWithSDK(t, dialSDK(t, url))
			countWithDragoman(t, url)
		})
	}
}

func dialSDK(t *testing.T, url string) *a2aclient.Client {
	t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a2aclient.NewFromCard(t.Context(), card,
		a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sdkMessage(text string) *sdk.Message {
	return sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart(text))
}

// countWithSDK is asked how far to count, and answers on a stream.
func countWithSDK(t *testing.T, c *a2aclient.Client) {
	t.Helper()
	result, err := c.SendMessage(t.Context(), &sdk.SendMessageRequest{Message: sdkMessage("please count")})
	task, ok := result.(*sdk.Task)
	if err != nil || !ok || task.Status.State != sdk.TaskStateInputRequired {
		t.Fatalf("%+v, %v", result, err)
	}
	answer := sdkMessage("3")
	answer.TaskID, answer.ContextID = task.ID, task.ContextID
	var numbers strings.Builder
	var last sdk.TaskState
	for event, err := range c.SendStreamingMessage(t.Context(), &sdk.SendMessageRequest{Message: answer}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case *sdk.TaskArtifactUpdateEvent:
			numbers.WriteString(e.Artifact.Parts[0].Text())
		case *sdk.TaskStatusUpdateEvent:
			last = e.Status.State
		}
	}
	if numbers.String() != "1 2 3 " || last != sdk.TaskStateCompleted {
		t.Errorf("client of a2a-go: %q, %v", numbers.String(), last)
	}
}

// countWithDragoman does the same with a client of ours.
func countWithDragoman(t *testing.T, url string) {
	t.Helper()
	c, err := client.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	result, err := c.SendMessage(t.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("please count"))})
	task, ok := result.(*a2a.Task)
	if err != nil || !ok || task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("%+v, %v", result, err)
	}
	answer := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("3"))
	answer.TaskID, answer.ContextID = task.ID, task.ContextID
	result, err = c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: answer})
	task, ok = result.(*a2a.Task)
	if err != nil || !ok || task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	var numbers strings.Builder
	for _, p := range task.Artifacts[0].Parts {
		text, _ := p.Content.(a2a.Text)
		numbers.WriteString(string(text))
	}
	if task.Artifacts[0].Name != "numbers" || numbers.String() != "1 2 3 " {
		t.Errorf("client of Dragoman: %q", numbers.String())
	}
}
