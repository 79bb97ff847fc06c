// SPDX-License-Identifier: Apache-2.0

// Command ours plays the scenarios with our own client against a probe agent, whatever it is written with:
//
//	ours URL VERSION BINDING
//
// It prints one line of JSON a scenario, as the clients of the peers do.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/client/grpc"
)

// deadline is how long one scenario may take.
const deadline = 20 * time.Second

// line is what a scenario prints.
type line struct {
	Scenario string `json:"scenario"`
	OK       bool   `json:"ok"`
	Absent   bool   `json:"absent,omitempty"` // the generation has no way to do it
	Detail   string `json:"detail"`
}

// errAbsent is the error of a scenario that the generation has no way to do.
var errAbsent = errors.New("this generation has none")

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: ours URL VERSION BINDING")
		os.Exit(2)
	}
	p := &player{url: os.Args[1], gen: a2a.Generation(os.Args[2]), binding: os.Args[3]}
	if err := p.play(); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

// A player plays the scenarios through one client.
type player struct {
	url     string
	gen     a2a.Generation
	binding string
	c       *client.Client
	done    *a2a.Task // the task of the scenario send
}

func (p *player) play() error {
	generations := []a2a.Generation{p.gen}
	if p.gen == a2a.Generation02 || p.gen == a2a.Generation03 {
		generations = []a2a.Generation{a2a.Generation02, a2a.Generation03}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, s := range []struct {
		name string
		run  func(context.Context) (string, error)
	}{
		{"card", func(ctx context.Context) (detail string, err error) {
			p.c, err = client.Dial(ctx, p.url, &client.Options{Generations: generations, Bindings: []string{p.binding}})
			if err == nil {
				i := p.c.Interface()
				detail = i.Binding + " " + i.ProtocolVersion
			}
			return detail, err
		}},
		{"send", p.send}, {"stream", p.stream}, {"multi-turn", p.multiTurn}, {"get", p.get}, {"cancel", p.cancel},
		{"resubscribe", p.resubscribe}, {"errors", p.errors}, {"files", p.files}, {"data", p.data}, {"push", p.push},
	} {
		l := line{Scenario: s.name}
		if p.c == nil && s.name != "card" {
			l.Detail = "no client"
		} else {
			l = within(l, s.run)
		}
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	if p.c != nil {
		return p.c.Close()
	}
	return nil
}

func within(l line, run func(context.Context) (string, error)) line {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	detail, err := run(ctx)
	l.OK, l.Detail = err == nil, detail
	if err != nil {
		l.Absent, l.Detail = errors.Is(err, errAbsent), err.Error()
	}
	return l
}

func say(words string, parts ...a2a.Part) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, append([]a2a.Part{a2a.TextPart(words)}, parts...)...),
		Configuration: &a2a.SendConfiguration{HistoryLength: new(1)},
	}
}

func textOf(t *a2a.Task) string {
	var all []string
	for _, artifact := range t.Artifacts {
		for _, part := range artifact.Parts {
			if text, ok := part.Content.(a2a.Text); ok {
				all = append(all, string(text))
			}
		}
	}
	return strings.Join(all, "")
}

// taskOf sends a message and returns the task, which must be in a state.
func (p *player) taskOf(ctx context.Context, req *a2a.SendMessageRequest, want a2a.TaskState) (*a2a.Task, error) {
	result, err := p.c.SendMessage(ctx, req)
	if err != nil {
		return nil, err
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		return nil, fmt.Errorf("a task is wanted, not a %T", result)
	}
	if task.Status.State != want {
		return nil, fmt.Errorf("the state is %v, not %v", task.Status.State, want)
	}
	return task, nil
}

func (p *player) send(ctx context.Context) (string, error) {
	task, err := p.taskOf(ctx, say("hello"), a2a.TaskStateCompleted)
	if err != nil {
		return "", err
	}
	p.done = task
	if textOf(task) != "Hello!" {
		return "", fmt.Errorf("the answer is %q", textOf(task))
	}
	return "", nil
}

func (p *player) stream(ctx context.Context) (string, error) {
	var text strings.Builder
	var last a2a.Event
	n := 0
	for u, err := range p.c.Stream(ctx, say("count")) {
		if err != nil {
			return "", err
		}
		if _, ok := u.Event.(*a2a.Task); n == 0 && !ok {
			return "", fmt.Errorf("the first event is a %T", u.Event)
		}
		if chunk, ok := u.Event.(*a2a.ArtifactUpdate); ok {
			for _, part := range chunk.Artifact.Parts {
				words, _ := part.Content.(a2a.Text)
				text.WriteString(string(words))
			}
		}
		last = u.Event
		n++
	}
	if text.String() != "1 2 3" {
		return "", fmt.Errorf("the chunks are %q", text.String())
	}
	if s, ok := last.(*a2a.StatusUpdate); !ok || s.Status.State != a2a.TaskStateCompleted {
		return "", fmt.Errorf("the last event is %+v", last)
	}
	return fmt.Sprint(n, " events"), nil
}

func (p *player) multiTurn(ctx context.Context) (string, error) {
	task, err := p.taskOf(ctx, say("ask"), a2a.TaskStateInputRequired)
	if err != nil {
		return "", err
	}
	answer := say("blue")
	answer.Message.TaskID, answer.Message.ContextID = task.ID, task.ContextID
	end, err := p.taskOf(ctx, answer, a2a.TaskStateCompleted)
	switch {
	case err != nil:
		return "", err
	case end.ID != task.ID:
		return "", fmt.Errorf("the answer went to task %s, not to %s", end.ID, task.ID)
	case !strings.Contains(textOf(end), "blue"):
		return "", fmt.Errorf("the result is %q", textOf(end))
	}
	return "", nil
}

func (p *player) get(ctx context.Context) (string, error) {
	if p.done == nil {
		return "", errors.New("there is no task to get")
	}
	task, err := p.c.GetTask(ctx, &a2a.GetTaskRequest{ID: p.done.ID})
	if err != nil {
		return "", err
	}
	if task.ID != p.done.ID || textOf(task) != "Hello!" {
		return "", fmt.Errorf("got %+v", task)
	}
	return "", nil
}

// begin starts a slow task and returns its id once it works.
func (p *player) begin(ctx context.Context) (id a2a.TaskID, stop context.CancelFunc, err error) {
	ctx, stop = context.WithCancel(ctx)
	ids := make(chan a2a.TaskID, 1)
	fails := make(chan error, 1)
	go func() {
		for u, err := range p.c.Stream(ctx, say("slow")) {
			if err != nil {
				fails <- err
				return
			}
			if task, ok := u.Event.(*a2a.Task); ok {
				select {
				case ids <- task.ID:
				default:
				}
			}
		}
	}()
	select {
	case id = <-ids:
		return id, stop, nil
	case err = <-fails:
		return "", stop, err
	}
}

func (p *player) cancel(ctx context.Context) (string, error) {
	id, stop, err := p.begin(ctx)
	defer stop()
	if err != nil {
		return "", err
	}
	task, err := p.c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
	if err != nil {
		return "", err
	}
	if task.ID != id || task.Status.State != a2a.TaskStateCanceled {
		return "", fmt.Errorf("canceled: %s is %v", task.ID, task.Status.State)
	}
	return "", nil
}

func (p *player) resubscribe(ctx context.Context) (string, error) {
	id, stop, err := p.begin(ctx)
	stop() // whoever began is gone
	if err != nil {
		return "", err
	}
	n, state := 0, a2a.TaskStateUnspecified
	for u, err := range p.c.Follow(ctx, &a2a.SubscribeRequest{ID: id}) {
		if err != nil {
			return "", err
		}
		if n++; n == 3 {
			if _, err := p.c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}); err != nil {
				return "", fmt.Errorf("cancel: %w", err)
			}
		}
		switch e := u.Event.(type) {
		case *a2a.Task:
			state = e.Status.State
		case *a2a.StatusUpdate:
			state = e.Status.State
		}
	}
	if state != a2a.TaskStateCanceled {
		return "", fmt.Errorf("the last state is %v after %d events", state, n)
	}
	return fmt.Sprint(n, " events"), nil
}

func (p *player) errors(ctx context.Context) (string, error) {
	if p.done == nil {
		return "", errors.New("there is no finished task")
	}
	var wrong []string
	for _, c := range []struct {
		what string
		want a2a.Kind
		call func() error
	}{
		{"an unknown task", a2a.ErrTaskNotFound, func() error {
			_, err := p.c.GetTask(ctx, &a2a.GetTaskRequest{ID: "01a1fd5d-0000-7000-8000-000000000000"})
			return err
		}},
		{"cancel of a finished task", a2a.ErrTaskNotCancelable, func() error {
			_, err := p.c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: p.done.ID})
			return err
		}},
	} {
		if err := c.call(); !errors.Is(err, c.want) {
			wrong = append(wrong, fmt.Sprintf("%s: %v", c.what, err))
		}
	}
	if wrong != nil {
		return "", errors.New(strings.Join(wrong, "; "))
	}
	return "", nil
}

// echo has the agent send parts back.
func (p *player) echo(ctx context.Context, parts ...a2a.Part) ([]a2a.Part, error) {
	task, err := p.taskOf(ctx, say("echo", parts...), a2a.TaskStateCompleted)
	if err != nil {
		return nil, err
	}
	var all []a2a.Part
	for _, artifact := range task.Artifacts {
		all = append(all, artifact.Parts...)
	}
	if len(all) != len(parts) {
		return nil, fmt.Errorf("%d parts came back, not %d", len(all), len(parts))
	}
	return all, nil
}

func (p *player) files(ctx context.Context) (string, error) {
	bytesOf := []byte("\x00\x01binary\xff")
	got, err := p.echo(ctx, a2a.RawPart(bytesOf, "application/octet-stream", "blob.bin"), a2a.URLPart("https://example.com/photo.png", "image/png", "photo.png"))
	if err != nil {
		return "", err
	}
	raw, _ := got[0].Content.(a2a.Raw)
	link, _ := got[1].Content.(a2a.URL)
	switch {
	case !bytes.Equal(raw, bytesOf), link != "https://example.com/photo.png":
		return "", fmt.Errorf("the contents came back as %q and %q", raw, link)
	case got[0].MediaType != "application/octet-stream" || got[1].MediaType != "image/png":
		return "", fmt.Errorf("the types came back as %q and %q", got[0].MediaType, got[1].MediaType)
	case got[0].Filename != "blob.bin" || got[1].Filename != "photo.png":
		return "", fmt.Errorf("the names came back as %q and %q", got[0].Filename, got[1].Filename)
	}
	return "", nil
}

func (p *player) data(ctx context.Context) (string, error) {
	const sent = `{"name":"Ada","nested":{"list":[1,"two",true,null]}}`
	got, err := p.echo(ctx, a2a.Part{Content: a2a.Data(sent)})
	if err != nil {
		return "", err
	}
	back, _ := got[0].Content.(a2a.Data)
	var a, b any
	if json.Unmarshal([]byte(sent), &a) != nil || json.Unmarshal(back, &b) != nil || !reflect.DeepEqual(a, b) {
		return "", fmt.Errorf("the data came back as %s", back)
	}
	return "", nil
}

// push asks for notifications of an agent whose card offers none: our client refuses by itself.
func (p *player) push(ctx context.Context) (string, error) {
	_, err := p.c.CreatePushConfig(ctx, &a2a.PushConfig{TaskID: "t", URL: "https://example.com/hook"})
	if !errors.Is(err, a2a.ErrPushNotSupported) {
		return "", fmt.Errorf("it is answered with %v", err)
	}
	return "", nil
}
