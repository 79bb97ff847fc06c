// SPDX-License-Identifier: Apache-2.0

package crash

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

const (
	folderEnv = "DRAGOMAN_CRASH_FOLDER" // set in the server process
	addrEnv   = "DRAGOMAN_CRASH_ADDR"
	chunks    = 10_000
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(folderEnv); folder != "" {
		if err := serve(folder, os.Getenv(addrEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// scripted is the agent of the server process.
type scripted struct{}

func (scripted) Run(ctx context.Context, t *agent.Turn) error {
	switch {
	case t.Message() == nil:
		return t.Artifact("woken", a2a.TextPart("on time"))
	case t.Text() == "ask":
		return t.Ask(a2a.TextPart("what?"))
	case t.Text() == "sleep":
		return t.Suspend(time.Now().Add(2 * time.Second))
	case t.Text() == "stream":
		w := t.NewArtifact("numbers")
		for i := range chunks {
			if _, err := w.WriteString(strconv.Itoa(i) + " "); err != nil {
				return err
			}
		}
		return w.Close()
	}
	return t.Artifact("echo", a2a.TextPart(t.Text()))
}

type resumable struct{ scripted }

func (resumable) Resumable() bool { return true }

func (r resumable) Run(ctx context.Context, t *agent.Turn) error {
	if t.Text() == "stream" && t.Attempt() > 1 {
		return t.Artifact("again", a2a.TextPart(fmt.Sprint("attempt ", t.Attempt())))
	}
	return r.scripted.Run(ctx, t)
}

// serve is the server process: the whole stack on SQLite, until SIGTERM.
func serve(folder, addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	db, err := sqlite.Open(ctx, folder, sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	j, err := sql.New(ctx, db)
	if err != nil {
		return err
	}
	defer j.Close()
	eng, err := engine.New(&engine.Options{Journal: j, Logger: log})
	if err != nil {
		return err
	}
	card := &a2a.AgentCard{
		Name: "Scripted", Description: "Does what tests say", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
	}
	var a agent.Agent = scripted{}
	if strings.HasSuffix(folder, "resumable") {
		a = resumable{}
	}
	srv, err := server.New(eng.Agent("scripted", a, nil), &server.Options{
		Card: card, Logger: log, OnDrain: eng.Shutdown, DrainTimeout: 5 * time.Second,
		OnReady: func(net.Addr, string) { fmt.Println("ready") },
	})
	if err != nil {
		return err
	}
	return srv.ListenAndServe(ctx, addr)
}

// process is a server process and where it is.
type process struct {
	t      *testing.T
	folder string
	addr   string
	cmd    *exec.Cmd
}

func start(t *testing.T, folder string) *process {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, folder: t.TempDir() + "/" + folder, addr: ln.Addr().String()}
	ln.Close()
	p.run()
	t.Cleanup(p.kill)
	return p
}

// run starts the process and waits until it serves.
func (p *process) run() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), folderEnv+"="+p.folder, addrEnv+"="+p.addr)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		p.t.Fatalf("the server did not start: %q, %v", line, err)
	}
}

// kill ends the process as a power cut does.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

func (p *process) dial() *client.Client {
	p.t.Helper()
	c, err := client.Dial(p.t.Context(), "http://"+p.addr, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	return c
}

func text(s string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(s))}
}

func immediately(s string) *a2a.SendMessageRequest {
	req := text(s)
	req.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
	return req
}

// open sends a raw request for a stream and returns a reader of its events.
func (p *process) open(method, path, body string, header ...string) *sse.Reader {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, "http://"+p.addr+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s", method, path, res.Status)
	}
	return sse.NewReader(res.Body, 0)
}

const streamBody = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"stream"}]}}`

// TestKillInMidStream kills the server after a client has seen some of 10,000 events, and reads on with replay.
func TestKillInMidStream(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("DRAGOMAN_PROVE") != "" {
		rounds = 50
	}
	for round := range rounds {
		resumes := round%2 == 1
		folder := "plain"
		if resumes {
			folder = "resumable"
		}
		after := 50 + rand.IntN(chunks/2)
		t.Run(fmt.Sprintf("%s after %d events", folder, after), func(t *testing.T) { killInMidStream(t, folder, after) })
	}
}

func killInMidStream(t *testing.T, folder string, after int) {
	p := start(t, folder)
	events := p.open(http.MethodPost, "/message:stream", streamBody)
	var id a2a.TaskID
	var seen []sse.Event
	for len(seen) < after {
		ev, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) == 0 {
			id = firstTask(t, ev)
		}
		ev.Data = bytes.Clone(ev.Data) // it is the reader's until the next event
		seen = append(seen, ev)
	}
	p.kill()
	p.run()

	// Every event that was seen is in the journal, and each missed one comes once, in order, through to the end.
	all := rest(t, p.replay(id, "0"))
	if len(all) < len(seen) {
		t.Fatalf("%d events are in the journal, %d were seen", len(all), len(seen))
	}
	for i := range seen {
		if seen[i].ID != all[i].ID || string(seen[i].Data) != string(all[i].Data) {
			t.Fatalf("event %d was seen as %s %s, and is %s %s", i, seen[i].ID, seen[i].Data, all[i].ID, all[i].Data)
		}
	}
	missed := rest(t, p.replay(id, seen[len(seen)-1].ID))
	if len(missed) != len(all)-len(seen) || missed[0].ID != all[len(seen)].ID {
		t.Fatalf("%d events were missed, replay brings %d from %s", len(all)-len(seen), len(missed), missed[0].ID)
	}
	last := 0
	for _, ev := range all {
		n, err := strconv.Atoi(ev.ID)
		if err != nil || n <= last {
			t.Fatalf("event %q after %d", ev.ID, last)
		}
		last = n
	}

	c := p.dial()
	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if folder == "resumable" {
		if n := len(task.Artifacts); task.Status.State != a2a.TaskStateCompleted || task.Artifacts[n-1].Text() != "attempt 2" {
			t.Errorf("a resumable task is %s with %d artifacts", task.Status.State, n)
		}
		return
	}
	if task.Status.State != a2a.TaskStateFailed || !strings.Contains(task.Status.Message.Text(), "interrupted") {
		t.Errorf("the interrupted task is %s: %q", task.Status.State, task.Status.Message.Text())
	}
}

func (p *process) replay(id a2a.TaskID, after string) *sse.Reader {
	p.t.Helper()
	return p.open(http.MethodGet, "/tasks/"+string(id)+":subscribe", "",
		"A2A-Extensions", server.ReplayExtension, "Last-Event-ID", after)
}

// rest reads events to a clean end.
func rest(t *testing.T, events *sse.Reader) []sse.Event {
	t.Helper()
	var all []sse.Event
	for {
		ev, err := events.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatalf("after %d events: %v", len(all), err)
			}
			return all
		}
		ev.Data = bytes.Clone(ev.Data)
		all = append(all, ev)
	}
}

func firstTask(t *testing.T, ev sse.Event) a2a.TaskID {
	t.Helper()
	first, err := a2a.DecodeStreamResponse(ev.Data)
	if err != nil {
		t.Fatal(err)
	}
	task, ok := first.(*a2a.Task)
	if !ok {
		t.Fatalf("the first event is %T", first)
	}
	return task.ID
}

// TestTheClientComesBackByItself kills the server under our own client's stream.
func TestTheClientComesBackByItself(t *testing.T) {
	t.Parallel()
	p := start(t, "plain")
	c := p.dial()
	var got strings.Builder
	events := 0
	var state a2a.TaskState
	for u, err := range c.Stream(t.Context(), text("stream")) {
		if err != nil {
			t.Fatal(err)
		}
		if u.Resync {
			t.Error("the stream was resumed by a snapshot, not by replay")
		}
		switch e := u.Event.(type) {
		case *a2a.ArtifactUpdate:
			for _, part := range e.Artifact.Parts {
				got.WriteString(string(part.Content.(a2a.Text)))
			}
		case *a2a.StatusUpdate:
			state = e.Status.State
		}
		if events++; events == 500 {
			p.kill()
			p.run()
		}
	}
	if state != a2a.TaskStateFailed {
		t.Errorf("the task ended %s, want failed: it was interrupted", state)
	}
	for i, word := range strings.Fields(got.String()) {
		if word != strconv.Itoa(i) {
			t.Fatalf("chunk %d is %q: one was lost or came twice", i, word)
		}
	}
}

// TestWhatWaitsGoesOn kills the server while tasks wait for input, for their time, and for a turn.
func TestWhatWaitsGoesOn(t *testing.T) {
	t.Parallel()
	p := start(t, "plain")
	c := p.dial()
	send := func(req *a2a.SendMessageRequest) *a2a.Task {
		t.Helper()
		res, err := c.SendMessage(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return res.(*a2a.Task)
	}
	asking, sleeping := send(text("ask")), send(immediately("sleep"))
	for sleeping.Status.State != a2a.TaskStateWorking { // until its turn has ended
		var err error
		if sleeping, err = c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: sleeping.ID}); err != nil {
			t.Fatal(err)
		}
	}
	p.kill()
	p.run()
	answer := text("this")
	answer.Message.TaskID = asking.ID
	if task := send(answer); task.Status.State != a2a.TaskStateCompleted || task.Artifacts[0].Text() != "this" {
		t.Errorf("the waiting task: %s", task.Status.State)
	}
	task, err := c.Wait(t.Context(), sleeping.ID)
	if err != nil {
		t.Fatal(err)
	}
	if task.Status.State != a2a.TaskStateCompleted || task.Artifacts[0].Text() != "on time" {
		t.Errorf("the suspended task: %s", task.Status.State)
	}
}

// TestDrain stops the server with SIGTERM while a turn runs.
func TestDrain(t *testing.T) {
	t.Parallel()
	p := start(t, "plain")
	events := p.open(http.MethodPost, "/message:stream", streamBody)
	if _, err := events.Next(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if all := rest(t, events); len(all) != chunks+2 {
		t.Errorf("%d events came, want %d chunks, the end of the artifact and of the task", len(all), chunks)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
