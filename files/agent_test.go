// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/server"
)

// A stack is an agent whose files are kept, served on a port.
type stack struct {
	url    string
	store  *files.Store
	engine *engine.Engine
	http   *http.Client
}

func serve(t *testing.T, a agent.Agent, opts files.Options) *stack {
	t.Helper()
	j := memory.New(nil)
	opts.Journal = j
	s := &stack{store: open(t, t.TempDir(), &opts), http: &http.Client{Transport: &http.Transport{}}}
	quiet := slog.New(slog.DiscardHandler)
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet, CancelGrace: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s.engine = e
	card := &a2a.AgentCard{Name: "F", Description: "F", Version: "1", DefaultInputModes: []string{"*/*"}, DefaultOutputModes: []string{"*/*"}}
	svc := s.store.Service(e.Agent("f", s.store.Agent(a), &engine.AgentOptions{AnyInput: true}), func() string { return s.url })
	mux := http.NewServeMux()
	mux.Handle(files.Path, s.store)
	ready := make(chan string, 1)
	srv, err := server.New(svc, &server.Options{
		Card: card, Logger: quiet, Handler: mux, DrainTimeout: 100 * time.Millisecond,
		OnReady: func(_ net.Addr, url string) { ready <- url },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", srv)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.ListenAndServe(ctx, "127.0.0.1:0") }()
	t.Cleanup(func() {
		s.http.CloseIdleConnections()
		stop()
		<-done
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		e.Shutdown(end)
		j.Close()
	})
	s.url = <-ready
	return s
}

func (s *stack) dial(t *testing.T, binding string) *client.Client {
	t.Helper()
	c, err := client.Dial(t.Context(), s.url, &client.Options{Bindings: []string{binding}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// fetch returns what is behind a part.
func (s *stack) fetch(t *testing.T, p a2a.Part) []byte {
	t.Helper()
	url, ok := p.Content.(a2a.URL)
	if !ok {
		t.Fatalf("no URL: %+v", p)
	}
	res, err := s.http.Get(string(url))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%s: %d %q %v", url, res.StatusCode, b, err)
	}
	return b
}

var large, small = bytes.Repeat([]byte("0123456789"), 100), []byte("small")

// painter makes a small file and a large one, as artifacts, and asks with a large one if it is told to.
var painter = agent.Func(func(_ context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("a sketch"), a2a.RawPart(large, "image/png", "sketch.png")); err != nil {
		return err
	}
	if err := t.Artifact("files", a2a.TextPart("two"), a2a.RawPart(small, "image/png", "small.png"), a2a.RawPart(large, "image/png", "large.png")); err != nil {
		return err
	}
	if t.Text() == "ask" {
		return t.Ask(a2a.TextPart("like this?"), a2a.RawPart(large, "image/png", "ask.png"))
	}
	return nil
})

func request(text, how string) *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
	if how != "" {
		m.Metadata.Set(files.WantFiles, how)
	}
	return &a2a.SendMessageRequest{Message: m}
}

// kinds says what the parts are.
func kinds(parts []a2a.Part) string {
	var all []string
	for _, p := range parts {
		switch p.Content.(type) {
		case a2a.Text:
			all = append(all, "text")
		case a2a.Raw:
			all = append(all, "raw")
		case a2a.URL:
			all = append(all, "url")
		}
	}
	return strings.Join(all, " ")
}

func TestFilesByURL(t *testing.T) {
	t.Parallel()
	s := serve(t, painter, files.Options{Threshold: 999})
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		t.Run(binding, func(t *testing.T) {
			c := s.dial(t, binding)
			for how, want := range map[string]string{"": "text raw url", "url": "text url url", "inline": "text raw raw", "else": "text raw url"} {
				res, err := c.SendMessage(t.Context(), request("go", how))
				if err != nil {
					t.Fatal(err)
				}
				if got := kinds(res.(*a2a.Task).Artifacts[0].Parts); got != want {
					t.Errorf("%q: %s, want %s", how, got, want)
				}
			}
			s.checkTask(t, c)
			s.checkStream(t, c)
		})
	}
}

// checkTask looks at each way to read a task.
func (s *stack) checkTask(t *testing.T, c *client.Client) {
	t.Helper()
	res, err := c.SendMessage(t.Context(), request("ask", ""))
	if err != nil {
		t.Fatal(err)
	}
	sent := res.(*a2a.Task)
	got, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: sent.ID})
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{ContextID: sent.ContextID, IncludeArtifacts: true})
	if err != nil || len(page.Tasks) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	canceled, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: sent.ID})
	if err != nil {
		t.Fatal(err)
	}
	for name, task := range map[string]*a2a.Task{"sent": sent, "got": got, "listed": page.Tasks[0], "canceled": canceled} {
		p := task.Artifacts[0].Parts[2]
		if b := s.fetch(t, p); !bytes.Equal(b, large) {
			t.Errorf("%s: %q", name, b)
		}
		if p.MediaType != "image/png" || p.Filename != "large.png" || string(p.Metadata["size"]) != "1000" || len(p.Metadata["sha256"]) != 66 {
			t.Errorf("%s: %+v", name, p)
		}
		if m := task.Status.Message; m != nil {
			s.fetch(t, m.Parts[1])
		}
	}
	if len(got.History) < 2 {
		t.Fatalf("history: %+v", got.History)
	}
	s.fetch(t, got.History[1].Parts[1]) // the sketch
}

func (s *stack) checkStream(t *testing.T, c *client.Client) {
	t.Helper()
	stream, err := c.StreamMessage(t.Context(), request("ask", ""))
	if err != nil {
		t.Fatal(err)
	}
	seen := ""
	for ev, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		switch e := ev.Event.(type) {
		case *a2a.Task:
			if m := e.Status.Message; m != nil {
				s.fetch(t, m.Parts[1])
				seen += "status "
			}
		case *a2a.StatusUpdate:
			if m := e.Status.Message; m != nil {
				s.fetch(t, m.Parts[1])
				seen += "status "
			}
		case *a2a.ArtifactUpdate:
			s.fetch(t, e.Artifact.Parts[2])
			seen += "artifact "
		}
	}
	if seen != "status artifact status " {
		t.Errorf("seen: %s", seen)
	}
}

// A caller who names a file of somebody else gets it neither from his own message nor from an agent that repeats it.
func TestReferencesOfOthersAreNotSigned(t *testing.T) {
	t.Parallel()
	var echoed error
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		switch t.Text() {
		case "echo":
			echoed = t.Artifact("echo", t.Message().Parts[1])
			return nil
		case "reply":
			if err := t.Working(); err != nil {
				return err
			}
			return t.Reply(t.Message().Parts[1])
		}
		return t.Working()
	}), files.Options{})
	f := put(t, s.store, keyOf("t"), "secret", files.File{})
	ref := a2a.URLPart("dragoman-file:"+f.ID+"/x", "text/plain", "")
	c := s.dial(t, a2a.BindingJSONRPC)
	for _, text := range []string{"keep", "echo", "reply"} {
		res, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text), ref)})
		if err != nil {
			t.Fatal(err)
		}
		task := res.(*a2a.Task)
		if url := task.History[0].Parts[1].Content; url != ref.Content {
			t.Errorf("%s: the caller reads %v", text, url)
		}
		if len(task.Artifacts) > 0 {
			t.Errorf("%s: %+v", text, task.Artifacts[0])
		}
		if text == "reply" && task.Status.State != a2a.TaskStateFailed {
			t.Errorf("%s: %+v", text, task.Status)
		}
	}
	if !errors.Is(echoed, files.ErrNotFound) {
		t.Errorf("the agent is told %v", echoed)
	}
}

// What the agent made as bytes it reads as bytes.
func TestAgentReadsItsBytes(t *testing.T) {
	t.Parallel()
	var own, related []byte
	a := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "make" {
			return t.Artifact("f", a2a.RawPart(large, "image/png", "x.png"))
		}
		if err := errors.Join(t.Artifact("f", a2a.RawPart(large, "image/png", "x.png")), t.SaveTask(ctx, 1)); err != nil {
			return err
		}
		own = t.Task().Artifacts[0].Parts[0].Content.(a2a.Raw)
		others, err := t.Related(ctx)
		if err != nil {
			return err
		}
		related = others[0].Artifacts[0].Parts[0].Content.(a2a.Raw)
		return nil
	})
	s := serve(t, a, files.Options{Threshold: 10})
	c := s.dial(t, a2a.BindingJSONRPC)
	res, err := c.SendMessage(t.Context(), request("make", ""))
	if err != nil {
		t.Fatal(err)
	}
	next := request("look", "")
	next.Message.ContextID = res.(*a2a.Task).ContextID
	if res, err = c.SendMessage(t.Context(), next); err != nil || res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
		t.Fatalf("%+v, %v", res, err)
	}
	if !bytes.Equal(own, large) || !bytes.Equal(related, large) {
		t.Errorf("own %.20q, related %.20q", own, related)
	}
}

// The wrapper is as cancelable and as resumable as the agent.
type tough struct {
	agent.Func
	err error
}

func (t tough) Resumable() bool                               { return true }
func (t tough) Cancel(_ context.Context, _ *agent.Turn) error { return t.err }

func TestWrapperKeepsWhatTheAgentCan(t *testing.T) {
	t.Parallel()
	s := serve(t, tough{painter, agent.NotCancelable}, files.Options{Threshold: 10})
	plain, full := s.store.Agent(painter), s.store.Agent(tough{Func: painter})
	if plain.(agent.Resumable).Resumable() || !full.(agent.Resumable).Resumable() {
		t.Error("resumable")
	}
	c := s.dial(t, a2a.BindingJSONRPC)
	res, err := c.SendMessage(t.Context(), request("ask", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: res.(*a2a.Task).ID}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
		t.Errorf("cancel: %v", err)
	}
	if c.Card().Capabilities.Extensions == nil {
		t.Error("what the engine can is not in the card")
	}
}

func TestTooLargeAFileFailsTheTurn(t *testing.T) {
	t.Parallel()
	var told error
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		told = t.Artifact("f", a2a.RawPart(large, "", ""))
		return told
	}), files.Options{Threshold: 10, MaxFile: 100})
	res, err := s.dial(t, a2a.BindingJSONRPC).SendMessage(t.Context(), request("go", ""))
	if err != nil || res.(*a2a.Task).Status.State != a2a.TaskStateFailed || !errors.Is(told, files.ErrTooLarge) {
		t.Errorf("%+v, %v, %v", res, err, told)
	}
}

// A question that a turn waits for the answer of shows files like any other.
func TestFilesOfAQuestionWithinATurn(t *testing.T) {
	t.Parallel()
	s := serve(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		answer, err := t.Await(ctx, a2a.RawPart(large, "image/png", "ask.png"))
		if err != nil {
			return err
		}
		return t.Artifact("answer", answer.Parts...)
	}), files.Options{Threshold: 10})
	c := s.dial(t, a2a.BindingJSONRPC)
	res, err := c.SendMessage(t.Context(), request("go", ""))
	if err != nil {
		t.Fatal(err)
	}
	task := res.(*a2a.Task)
	if b := s.fetch(t, task.Status.Message.Parts[0]); !bytes.Equal(b, large) {
		t.Errorf("%.20q", b)
	}
	next := request("yes", "")
	next.Message.TaskID = task.ID
	if res, err = c.SendMessage(t.Context(), next); err != nil || res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
		t.Errorf("%+v, %v", res, err)
	}
}
