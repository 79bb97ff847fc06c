// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/server"
)

// A stack is an agent whose files are kept, served on a port.
type stack struct {
	url    string
	dir    string
	store  *files.Store
	engine *engine.Engine
	http   *http.Client
}

func serve(t *testing.T, a agent.Agent, opts files.Options) *stack {
	t.Helper()
	j := memory.New(nil)
	opts.Journal = j
	s := &stack{dir: t.TempDir(), http: &http.Client{Transport: &http.Transport{}}}
	s.store = open(t, s.dir, &opts)
	quiet := slog.New(slog.DiscardHandler)
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet, CancelGrace: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s.engine = e
	card := &a2a.AgentCard{Name: "F", Description: "F", Version: "1", DefaultInputModes: []string{"*/*"},
		DefaultOutputModes: []string{"*/*"}}
	svc := s.store.Service(e.Agent("f", s.store.Agent(a), &engine.AgentOptions{AnyInput: true}), "")
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
	if err := t.Artifact("files", a2a.TextPart("two"), a2a.RawPart(small, "image/png", "small.png"),
		a2a.RawPart(large, "image/png", "large.png")); err != nil {
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
			for how, want := range map[string]string{"": "text raw url", "url": "text url url",
				"inline": "text raw raw", "else": "text raw url"} {
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

// Clients of 0.1 do not follow links: what is not huge stays in the message unless they ask for a link.
func TestFilesInlineForOldClients(t *testing.T) {
	t.Parallel()
	huge := bytes.Repeat([]byte("x"), 4<<20+1)
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Artifact("files", a2a.RawPart(large, "image/png", "large.png"),
			a2a.RawPart(huge[1:], "image/png", "limit.png"), a2a.RawPart(huge, "image/png", "huge.png"))
	}), files.Options{Threshold: 999})
	c, err := client.Dial(t.Context(), s.url, &client.Options{Generations: []a2a.Generation{a2a.Generation01}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for how, want := range map[string]string{"": "raw raw url", "url": "url url url"} {
		res, err := c.SendMessage(t.Context(), request("go", how))
		if err != nil {
			t.Fatal(err)
		}
		if got := kinds(res.(*a2a.Task).Artifacts[0].Parts); got != want {
			t.Errorf("%q: %s, want %s", how, got, want)
		}
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
	for name, task := range map[string]*a2a.Task{"sent": sent, "got": got, "listed": page.Tasks[0],
		"canceled": canceled} {
		p := task.Artifacts[0].Parts[2]
		if b := s.fetch(t, p); !bytes.Equal(b, large) {
			t.Errorf("%s: %q", name, b)
		}
		if p.MediaType != "image/png" || p.Filename != "large.png" || string(p.Metadata["size"]) != "1000" ||
			len(p.Metadata["sha256"]) != 66 {
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

// A caller who names a file of somebody else gets it neither from a message, in either role, nor from an agent that
// makes a part of the name.
func TestReferencesOfOthersAreNotSigned(t *testing.T) {
	t.Parallel()
	var echoed error
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		how, ref, _ := strings.Cut(t.Text(), " ")
		part := a2a.URLPart(ref, "text/plain", "")
		switch how {
		case "echo":
			echoed = t.Artifact("echo", part)
			return nil
		case "reply":
			if err := t.Working(); err != nil {
				return err
			}
			return t.Reply(part)
		}
		return t.Working()
	}), files.Options{})
	f := put(t, s.store, keyOf("t"), "secret", files.File{})
	ref := "dragoman-file:" + f.ID + "/x"
	c := s.dial(t, a2a.BindingJSONRPC)
	for _, role := range []a2a.Role{a2a.RoleUser, a2a.RoleAgent} {
		m := a2a.NewMessage(role, a2a.TextPart("keep"), a2a.URLPart(ref, "text/plain", ""))
		_, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		_, err2 := c.StreamMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		for _, err := range []error{err, err2} {
			if refused, ok := errors.AsType[*a2a.Error](err); !ok || refused.Kind != a2a.ErrInvalidParams ||
				refused.Violations[0].Field != "message.parts[1].url" {
				t.Errorf("as %v the caller is told %v", role, err)
			}
		}
	}
	for _, text := range []string{"keep", "echo", "reply"} {
		m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text+" "+ref))
		res, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		task := res.(*a2a.Task)
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

// An agent that made a file from bytes reads it as bytes.
func TestAgentReadsItsBytes(t *testing.T) {
	t.Parallel()
	var own, related []byte
	a := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "make" {
			return t.Artifact("f", a2a.RawPart(large, "image/png", "x.png"))
		}
		if err := errors.Join(t.Artifact("f", a2a.RawPart(large, "image/png", "x.png")),
			t.SaveTask(ctx, 1)); err != nil {
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
	if res, err = c.SendMessage(t.Context(), next); err != nil ||
		res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
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
	if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: res.(*a2a.Task).ID}); !errors.Is(err,
		a2a.ErrTaskNotCancelable) {
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
	if res, err = c.SendMessage(t.Context(), next); err != nil ||
		res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
		t.Errorf("%+v, %v", res, err)
	}
}

// onDisk returns how many files a store's folder has.
func onDisk(t *testing.T, dir string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range names {
		if filepath.Base(name) != "task.json" {
			n++
		}
	}
	return n
}

// The agent removes the files of replaced artifacts, which makes room for new files.
func TestReplacedFilesGo(t *testing.T) {
	t.Parallel()
	kept, tt := 0, t
	var s *stack
	s = serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() == "more" {
			return t.PutArtifact(&a2a.Artifact{ID: "picture", Parts: []a2a.Part{a2a.RawPart(small, "", "last")}})
		}
		for i := range 50 {
			name := strconv.Itoa(i)
			if err := t.PutArtifact(&a2a.Artifact{ID: "picture",
				Parts: []a2a.Part{a2a.RawPart(large, "", name), a2a.RawPart(small, "", name)}}); err != nil {
				return err
			}
			w := t.StreamArtifact(a2a.Artifact{ID: "log", Name: "log"})
			if err := errors.Join(w.WritePart(a2a.RawPart(small, "", name)),
				w.WritePart(a2a.RawPart(small, "", name+"b"))); err != nil {
				return err
			}
			kept = max(kept, onDisk(tt, s.dir))
		}
		return t.Ask(a2a.TextPart("more?"))
	}), files.Options{Threshold: 1, MaxOwner: 100_000})
	c := s.dial(t, a2a.BindingJSONRPC)
	res, err := c.SendMessage(t.Context(), request("go", ""))
	if err != nil {
		t.Fatal(err)
	}
	task := res.(*a2a.Task)
	if task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("%+v", task.Status)
	}
	for _, a := range task.Artifacts {
		for _, p := range a.Parts {
			s.fetch(t, p)
		}
	}
	if n := onDisk(t, s.dir); n != 4 {
		t.Errorf("%d files, want the 4 that the task shows", n)
	}
	if kept > 64 {
		t.Errorf("up to %d files while the turn went on", kept)
	}
	next := request("more", "")
	next.Message.TaskID = task.ID
	if _, err = c.SendMessage(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if n := onDisk(t, s.dir); n != 3 {
		t.Errorf("%d files after the next turn, want 3", n)
	}
}

// Where there is no room, what has been replaced makes some.
func TestReplacedFilesMakeRoom(t *testing.T) {
	t.Parallel()
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		for range 10 {
			if err := t.PutArtifact(&a2a.Artifact{ID: "picture",
				Parts: []a2a.Part{a2a.RawPart(large, "", "x")}}); err != nil {
				return err
			}
		}
		return nil
	}), files.Options{Threshold: 10, MaxTotal: 2500, MaxOwner: 2500})
	res, err := s.dial(t, a2a.BindingJSONRPC).SendMessage(t.Context(), request("go", ""))
	if err != nil || res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
		t.Fatalf("%+v, %v", res, err)
	}
	s.fetch(t, res.(*a2a.Task).Artifacts[0].Parts[0])
}

// A file whose event is refused does not stay.
func TestRefusedFilesGo(t *testing.T) {
	t.Parallel()
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		parts := []a2a.Part{a2a.RawPart(large, "", "x"), a2a.TextPart("\xff")}
		if t.Artifact("bad", parts...) == nil || t.Working(parts...) == nil {
			return errors.New("what nobody can read is taken")
		}
		if t.Artifact("worse", parts[0],
			a2a.URLPart("dragoman-file:"+strings.Repeat("0", 32)+"-"+strings.Repeat("0", 32), "", "")) == nil {
			return errors.New("a reference to nothing is taken")
		}
		return nil
	}), files.Options{Threshold: 10})
	res, err := s.dial(t, a2a.BindingJSONRPC).SendMessage(t.Context(), request("go", ""))
	if err != nil || res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
		t.Fatalf("%+v, %v", res, err)
	}
	if n := onDisk(t, s.dir); n != 0 {
		t.Errorf("%d files", n)
	}
}

// The error for an exceeded quota names the file and the limit, and says how to get the file all the same.
func TestQuotaIsExplained(t *testing.T) {
	t.Parallel()
	s := serve(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Artifact("f", a2a.RawPart(large, "image/png", "x.png"))
	}), files.Options{Threshold: 10, MaxOwner: 1500})
	c := s.dial(t, a2a.BindingJSONRPC)
	for i, want := range []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateFailed} {
		res, err := c.SendMessage(t.Context(), request("go", ""))
		if err != nil || res.(*a2a.Task).Status.State != want {
			t.Fatalf("%d: %+v, %v", i, res, err)
		}
		if want == a2a.TaskStateFailed {
			text := res.(*a2a.Task).Status.Message.Text()
			for _, piece := range []string{"x.png", "1500 bytes", "inline"} {
				if !strings.Contains(text, piece) {
					t.Errorf("%q does not say %q", text, piece)
				}
			}
		}
	}
	res, err := c.SendMessage(t.Context(), request("go", "inline"))
	if err != nil || res.(*a2a.Task).Status.State != a2a.TaskStateCompleted {
		t.Errorf("inline: %+v, %v", res, err)
	}
}

// Each reader gets URLs at the host that he asked, and the journal has none.
func TestURLsAreAtTheHostThatWasAsked(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{"": "", "https://files.example/": "https://files.example"} {
		j := memory.New(nil)
		defer j.Close()
		store := open(t, t.TempDir(), &files.Options{Journal: j, Threshold: 10})
		e, err := engine.New(&engine.Options{Journal: j, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Shutdown(context.Background())
		plain := e.Agent("f", store.Agent(painter), &engine.AgentOptions{AnyInput: true})
		card := &a2a.AgentCard{Name: "F", Description: "F", Version: "1"}
		srv, err := server.New(store.Service(plain, base),
			&server.Options{Card: card, Path: "/agents/f", Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		mux.Handle("/agents/f/", http.StripPrefix("/agents/f", srv))
		mux.Handle("/agents/f", http.StripPrefix("/agents/f", srv))
		mux.Handle(files.Path, store)
		ts := httptest.NewServer(mux)
		defer ts.Close()
		s := &stack{url: ts.URL + "/agents/f", http: ts.Client()}
		res, err := s.dial(t, a2a.BindingJSONRPC).SendMessage(t.Context(), request("ask", ""))
		if err != nil {
			t.Fatal(err)
		}
		id := res.(*a2a.Task).ID
		for _, host := range []string{ts.URL, strings.Replace(ts.URL, "127.0.0.1", "localhost", 1)} {
			for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
				s.url = host + "/agents/f"
				task, err := s.dial(t, binding).GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
				if err != nil {
					t.Fatal(err)
				}
				p := task.Artifacts[0].Parts[2]
				if url := string(p.Content.(a2a.URL)); !strings.HasPrefix(url, cmp.Or(want, host)+"/files/") {
					t.Errorf("base %q, asked at %s over %s: %s", base, host, binding, url)
				}
				if want == "" {
					s.fetch(t, p)
				}
			}
		}
		kept, err := plain.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if url := kept.Artifacts[0].Parts[2].Content.(a2a.URL); !strings.HasPrefix(string(url), "dragoman-file:") {
			t.Errorf("the journal has %s", url)
		}
	}
}

// misled shows a task that refers to a file of another one.
type misled struct {
	a2a.Service
	task *a2a.Task
}

func (m misled) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) { return m.task, nil }

func (m misled) Scope(ctx context.Context, _, tenant string) (journal.Scope, error) {
	id := a2a.CallFrom(ctx).Identity
	return journal.Scope{Agent: id.Client, Tenant: tenant, Owner: id.Subject}, nil
}

// A task shows no files but its own: those of the same id for the same agent, tenant
// and owner.
func TestOnlyFilesOfTheTaskAreSigned(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	mine := keyOf("mine")
	f := put(t, s, mine, "x", files.File{})
	other := func(change func(*journal.Key)) journal.Key { k := mine; change(&k); return k }
	for key, signed := range map[journal.Key]bool{
		mine: true,
		other(func(k *journal.Key) { k.ID = "other" }):     false,
		other(func(k *journal.Key) { k.Owner = "bob" }):    false,
		other(func(k *journal.Key) { k.Tenant = "other" }): false,
		other(func(k *journal.Key) { k.Agent = "other" }):  false,
	} {
		task := &a2a.Task{ID: key.ID,
			Artifacts: []*a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.URLPart("dragoman-file:"+f.ID+"/x", "", "")}}}}
		ctx := a2a.WithCall(t.Context(), &a2a.Call{Identity: a2a.Identity{Subject: key.Owner, Client: key.Agent}})
		got, err := s.Service(misled{task: task}, "http://x").GetTask(ctx,
			&a2a.GetTaskRequest{ID: key.ID, Tenant: key.Tenant})
		if err != nil {
			t.Fatal(err)
		}
		if url := string(got.Artifacts[0].Parts[0].Content.(a2a.URL)); strings.HasPrefix(url,
			"http://x/files/") != signed {
			t.Errorf("in the task %+v: %s", key, url)
		}
	}
}
