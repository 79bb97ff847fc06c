// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	_ "github.com/dragoman-a2a/dragoman/client/grpc" // the binding
)

// scenarioLimit is how long one scenario of our client may take.
const scenarioLimit = 20 * time.Second

// Our client sends these values to the agents of peers. The clients of peers send the same values to our agents.
var (
	rawPart  = a2a.RawPart([]byte("\x00\x01binary\xff"), "application/octet-stream", "blob.bin")
	linkPart = a2a.URLPart("https://example.com/photo.png", "image/png", "photo.png")
	data     = map[string]any{"name": "Ada", "nested": map[string]any{"list": []any{1.0, "two", true, nil}}}
)

// unknownTask is an id that no agent has made.
const unknownTask = a2a.TaskID("01a1fd5d-0000-7000-8000-000000000000")

// ours is our client against the agent of a peer.
type ours struct {
	url, transport string
	generation     a2a.Generation
	dragoman       string
	client         *client.Client
	done           *a2a.Task // what send made
}

// play plays all scenarios.
func (o *ours) play(ctx context.Context) map[string]result {
	results := map[string]result{}
	for _, s := range []struct {
		name string
		play func(context.Context) (string, error)
	}{
		{"card", o.card}, {"send", o.send}, {"stream", o.stream}, {"multi-turn", o.multiTurn}, {"get", o.get},
		{"list", o.list},
		{"cancel", o.cancel}, {"resubscribe", o.resubscribe}, {"errors", o.errors}, {"files", o.files},
		{"data", o.data},
		{"push", o.push}, {"cli", o.cli},
	} {
		if s.name == "list" && o.generation != a2a.Generation10 {
			continue
		}
		detail, err := o.one(ctx, s.name, s.play)
		if err != nil {
			detail = err.Error()
		}
		results[s.name] = result{Scenario: s.name, OK: err == nil, Detail: detail}
		if o.client == nil {
			break
		}
	}
	if o.client != nil {
		_ = o.client.Close() // nothing is open any more
	}
	return results
}

// one plays one scenario.
func (o *ours) one(ctx context.Context, name string, play func(context.Context) (string, error)) (string, error) {
	if o.done == nil && slices.Contains([]string{"get", "list", "errors", "push"}, name) {
		return "", errors.New("there is no task, because send failed")
	}
	ctx, cancel := context.WithTimeout(ctx, scenarioLimit)
	defer cancel()
	return play(ctx)
}

func check(truth bool, detail ...any) error {
	if truth {
		return nil
	}
	var words []string
	for _, d := range detail {
		text, err := json.Marshal(d)
		if err != nil {
			text = fmt.Append(nil, d)
		}
		words = append(words, string(text))
	}
	return fmt.Errorf("unexpected: %.600s", strings.Join(words, " "))
}

func (o *ours) card(ctx context.Context) (string, error) {
	c, err := client.Dial(ctx, o.url, &client.Options{Bindings: []string{o.transport},
		Generations: generationsFor(o.generation)})
	if err != nil {
		return "", err
	}
	o.client = c
	i := c.Interface()
	return fmt.Sprint(i.Binding, " ", i.ProtocolVersion, " at ", i.URL),
		check(c.Card().Name == "Probe" && i.Binding == o.transport, c.Card())
}

func ask(task *a2a.Task, parts ...a2a.Part) *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	if task != nil {
		m.TaskID, m.ContextID = task.ID, task.ContextID
	}
	return &a2a.SendMessageRequest{Message: m}
}

func (o *ours) task(ctx context.Context, req *a2a.SendMessageRequest) (*a2a.Task, error) {
	got, err := o.client.SendMessage(ctx, req)
	if err != nil {
		return nil, err
	}
	task, ok := got.(*a2a.Task)
	return task, check(ok, "a task expected, not", got)
}

func textOf(artifacts ...*a2a.Artifact) string {
	var b strings.Builder
	for _, a := range artifacts {
		for _, p := range a.Parts {
			if t, ok := p.Content.(a2a.Text); ok {
				b.WriteString(string(t))
			}
		}
	}
	return b.String()
}

func (o *ours) send(ctx context.Context) (string, error) {
	task, err := o.task(ctx, ask(nil, a2a.TextPart("hello")))
	if err != nil {
		return "", err
	}
	o.done = task
	return "", check(task.Status.State == a2a.TaskStateCompleted && textOf(task.Artifacts...) == "Hello!", task)
}

// collect reads a stream to its end.
func (o *ours) collect(ctx context.Context, words string) ([]a2a.Event, error) {
	var events []a2a.Event
	for u, err := range o.client.Stream(ctx, ask(nil, a2a.TextPart(words))) {
		if err != nil {
			return nil, fmt.Errorf("after %d events: %w", len(events), err)
		}
		events = append(events, u.Event)
	}
	return events, check(len(events) > 1, events)
}

// stateOf returns the state that an event shows; unspecified if it shows none.
func stateOf(e a2a.Event) a2a.TaskState {
	switch e := e.(type) {
	case *a2a.StatusUpdate:
		return e.Status.State
	case *a2a.Task:
		return e.Status.State
	}
	return a2a.TaskStateUnspecified
}

func (o *ours) stream(ctx context.Context) (string, error) {
	events, err := o.collect(ctx, "count")
	if err != nil {
		return "", err
	}
	var said string
	for _, e := range events {
		if u, ok := e.(*a2a.ArtifactUpdate); ok {
			said += textOf(u.Artifact)
		}
	}
	last := events[len(events)-1]
	return fmt.Sprint(len(events), " events"),
		check(said == "1 2 3" && stateOf(last) == a2a.TaskStateCompleted, said, last)
}

func (o *ours) multiTurn(ctx context.Context) (string, error) {
	events, err := o.collect(ctx, "ask")
	if err != nil {
		return "", err
	}
	last, ok := events[len(events)-1].(*a2a.StatusUpdate)
	ok = ok && last.Status.State == a2a.TaskStateInputRequired && last.Status.Message != nil &&
		last.Status.Message.Text() == "Which colour?"
	if err := check(ok, events[len(events)-1]); err != nil {
		return "", err
	}
	answered, err := o.task(ctx, ask(&a2a.Task{ID: last.TaskID, ContextID: last.ContextID}, a2a.TextPart("blue")))
	if err != nil {
		return "", err
	}
	ok = answered.ID == last.TaskID && answered.Status.State == a2a.TaskStateCompleted &&
		textOf(answered.Artifacts...) == "You said: blue"
	return "", check(ok, answered)
}

func (o *ours) get(ctx context.Context) (string, error) {
	one := 1
	task, err := o.client.GetTask(ctx, &a2a.GetTaskRequest{ID: o.done.ID, HistoryLength: &one})
	if err != nil {
		return "", err
	}
	return "", check(task.ID == o.done.ID && textOf(task.Artifacts...) == "Hello!", task)
}

func (o *ours) list(ctx context.Context) (string, error) {
	page, err := o.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: o.done.ContextID})
	if err != nil {
		return "", err
	}
	return "", check(len(page.Tasks) == 1 && page.Tasks[0].ID == o.done.ID, page)
}

// begin starts a task that works until it is cancelled, as a stream, which it leaves after the first event.
func (o *ours) begin(ctx context.Context) (a2a.TaskID, error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	for u, err := range o.client.Stream(ctx, ask(nil, a2a.TextPart("slow"))) {
		if err != nil {
			return "", err
		}
		switch e := u.Event.(type) {
		case *a2a.Task:
			return e.ID, nil
		case *a2a.StatusUpdate:
			return e.TaskID, nil
		default:
			return "", check(false, "the first event is", e)
		}
	}
	return "", errors.New("the stream ended without an event")
}

func (o *ours) cancel(ctx context.Context) (string, error) {
	id, err := o.begin(ctx)
	if err != nil {
		return "", fmt.Errorf("start: %w", err)
	}
	task, err := o.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
	if err != nil {
		return "", err
	}
	return "", check(task.ID == id && task.Status.State == a2a.TaskStateCanceled, task)
}

func (o *ours) resubscribe(ctx context.Context) (string, error) {
	id, err := o.begin(ctx)
	if err != nil {
		return "", fmt.Errorf("start: %w", err)
	}
	var seen []a2a.Event
	for u, err := range o.client.Follow(ctx, &a2a.SubscribeRequest{ID: id}) {
		if err != nil {
			return "", fmt.Errorf("after %d events: %w", len(seen), err)
		}
		if seen = append(seen, u.Event); len(seen) == 3 {
			if u.Polled {
				return "", errors.New("the task could only be polled")
			}
			if _, err := o.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}); err != nil {
				return "", fmt.Errorf("cancel: %w", err)
			}
		}
	}
	if err := check(len(seen) > 3, seen); err != nil {
		return "", err
	}
	return fmt.Sprint(len(seen), " events"),
		check(stateOf(seen[len(seen)-1]) == a2a.TaskStateCanceled, seen[len(seen)-1])
}

// refused expects an error of one of the kinds that a peer sent.
func refused(what string, err error, kinds ...a2a.Kind) error {
	for _, k := range kinds {
		if errors.Is(err, k) {
			return nil
		}
	}
	return fmt.Errorf("%s: %v expected, not %v", what, kinds[0], err)
}

func (o *ours) errors(ctx context.Context) (string, error) {
	_, err := o.client.GetTask(ctx, &a2a.GetTaskRequest{ID: unknownTask})
	if err := refused("get of an unknown task", err, a2a.ErrTaskNotFound); err != nil {
		return "", err
	}
	_, err = o.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: o.done.ID})
	if err := refused("cancel of a finished task", err, a2a.ErrTaskNotCancelable); err != nil {
		return "", err
	}
	if o.generation == a2a.Generation01 { // where an unknown id makes a task, and a finished one may be reopened
		return "", nil
	}
	_, err = o.client.SendMessage(ctx, ask(&a2a.Task{ID: unknownTask}, a2a.TextPart("hello")))
	if err := refused("message to an unknown task", err, a2a.ErrTaskNotFound); err != nil {
		return "", err
	}
	_, err = o.client.SendMessage(ctx, ask(o.done, a2a.TextPart("again")))
	if o.generation != a2a.Generation10 { // which do not name the error
		return "", check(err != nil, "a message to a finished task was taken")
	}
	return "", refused("message to a finished task", err, a2a.ErrUnsupportedOperation)
}

func (o *ours) echo(ctx context.Context, parts ...a2a.Part) ([]a2a.Part, error) {
	task, err := o.task(ctx, ask(nil, append([]a2a.Part{a2a.TextPart("echo")}, parts...)...))
	if err != nil {
		return nil, err
	}
	if err := check(len(task.Artifacts) == 1 && len(task.Artifacts[0].Parts) == len(parts), task); err != nil {
		return nil, err
	}
	return task.Artifacts[0].Parts, nil
}

func (o *ours) files(ctx context.Context) (string, error) {
	got, err := o.echo(ctx, rawPart, linkPart)
	if err != nil {
		return "", err
	}
	for i, want := range []a2a.Part{rawPart, linkPart} {
		if o.generation != a2a.Generation10 && o.transport != a2a.BindingJSONRPC {
			got[i].Filename = want.Filename // the tagged proto before 1.0 has no names of files
		}
		if err := check(reflect.DeepEqual(got[i].Content, want.Content) && got[i].MediaType == want.MediaType &&
			got[i].Filename == want.Filename, got[i]); err != nil {
			return "", err
		}
	}
	return "", nil
}

func (o *ours) data(ctx context.Context) (string, error) {
	part, err := a2a.DataPart(data)
	if err != nil {
		return "", err
	}
	got, err := o.echo(ctx, part)
	if err != nil {
		return "", err
	}
	content, ok := got[0].Content.(a2a.Data)
	if err := check(ok, got); err != nil {
		return "", err
	}
	var back any
	if err := json.Unmarshal(content, &back); err != nil {
		return "", err
	}
	return "", check(reflect.DeepEqual(back, any(data)), back)
}

func (o *ours) push(ctx context.Context) (string, error) {
	_, err := o.client.CreatePushConfig(ctx, &a2a.PushConfig{TaskID: o.done.ID, URL: "https://example.com/hook"})
	kinds := []a2a.Kind{a2a.ErrPushNotSupported}
	if o.generation != a2a.Generation10 && o.transport == a2a.BindingGRPC { // one status stands for both there
		kinds = append(kinds, a2a.ErrUnsupportedOperation)
	}
	return "", refused("push configuration", err, kinds...)
}

// cli sends a message with our command.
func (o *ours) cli(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, o.dragoman, "send", "-a", o.url, "-o", "json",
		"--transport", o.transport, "--a2a-version", string(o.generation), "--text", "hello")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %.500s", err, stderr.String())
	}
	result, err := a2a.DecodeSendResponse(stdout.Bytes())
	if err != nil {
		return "", err
	}
	task, ok := result.(*a2a.Task)
	return "", check(ok && task.Status.State == a2a.TaskStateCompleted && textOf(task.Artifacts...) == "Hello!", result)
}
