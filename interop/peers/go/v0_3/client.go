// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dragoman-a2a/dragoman/interop/peers/go/run"
)

type player struct {
	transport       string
	card            *a2a.AgentCard
	currency, probe *a2aclient.Client
	done            *a2a.Task // what send made
}

func client(currency, probe, transport string) error {
	ctx := context.Background()
	p := player{transport: transport}
	var err error
	if p.card, p.currency, err = connect(ctx, currency, transport); err != nil {
		return err
	}
	if _, p.probe, err = connect(ctx, probe, transport); err != nil {
		return err
	}
	run.Play([]run.Scenario{
		{Name: "card", Run: p.readCard}, {Name: "send", Run: p.send}, {Name: "stream", Run: p.stream},
		{Name: "multi-turn", Run: p.multiTurn}, {Name: "get", Run: p.get}, {Name: "cancel", Run: p.cancel},
		{Name: "resubscribe", Run: p.resubscribe}, {Name: "errors", Run: p.errors}, {Name: "files", Run: p.files},
		{Name: "data", Run: p.data}, {Name: "push", Run: p.push},
	})
	return nil
}

func connect(ctx context.Context, url, transport string) (*a2a.AgentCard, *a2aclient.Client, error) {
	card, err := agentcard.DefaultResolver.Resolve(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	options := []a2aclient.FactoryOption{a2aclient.WithDefaultsDisabled()}
	switch transport {
	case "JSONRPC":
		options = append(options, a2aclient.WithJSONRPCTransport(nil))
	case "GRPC":
		options = append(options, a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	c, err := a2aclient.NewFromCard(ctx, card, options...)
	return card, c, err
}

func ask(task *a2a.Task, blocking bool, parts ...a2a.Part) *a2a.MessageSendParams {
	m := a2a.NewMessage(a2a.MessageRoleUser, parts...)
	if task != nil {
		m.TaskID, m.ContextID = task.ID, task.ContextID
	}
	return &a2a.MessageSendParams{Message: m, Config: &a2a.MessageSendConfig{Blocking: &blocking}}
}

func text(s string) a2a.Part { return a2a.TextPart{Text: s} }

func textOf(artifacts ...*a2a.Artifact) string {
	var b strings.Builder
	for _, a := range artifacts {
		for _, p := range a.Parts {
			if t, ok := p.(a2a.TextPart); ok {
				b.WriteString(t.Text)
			}
		}
	}
	return b.String()
}

func sendTo(ctx context.Context, c *a2aclient.Client, params *a2a.MessageSendParams) (*a2a.Task, error) {
	result, err := c.SendMessage(ctx, params)
	if err != nil {
		return nil, err
	}
	task, ok := result.(*a2a.Task)
	return task, run.Check(ok, "a task expected", result)
}

func collect(ctx context.Context, c *a2aclient.Client, words string) ([]a2a.Event, error) {
	var events []a2a.Event
	for e, err := range c.SendStreamingMessage(ctx, ask(nil, true, text(words))) {
		if err != nil {
			return nil, fmt.Errorf("after %d events: %w", len(events), err)
		}
		events = append(events, e)
	}
	return events, run.Check(len(events) > 1, events)
}

// ended reports whether e is the last event of a stream, in the given state.
func ended(e a2a.Event, state a2a.TaskState) bool {
	u, ok := e.(*a2a.TaskStatusUpdateEvent)
	return ok && u.Status.State == state && u.Final
}

func (p *player) readCard(context.Context) (string, error) {
	ok := p.card.Name == "Currency Agent" && len(p.card.Skills) > 0 && p.card.Capabilities.Streaming
	return fmt.Sprint(p.card.ProtocolVersion, ": ", p.card.PreferredTransport, " ", p.card.URL), run.Check(ok, p.card)
}

func (p *player) send(ctx context.Context) (string, error) {
	task, err := sendTo(ctx, p.currency, ask(nil, true, text(run.Amount)))
	if err != nil {
		return "", err
	}
	p.done = task
	return "", run.Check(task.Status.State == a2a.TaskStateCompleted &&
		strings.Contains(textOf(task.Artifacts...), run.Result), task)
}

func (p *player) stream(ctx context.Context) (string, error) {
	events, err := collect(ctx, p.currency, run.Amount)
	if err != nil {
		return "", err
	}
	if _, ok := events[0].(*a2a.Task); !ok {
		return "", run.Check(false, "the first event is", events[0])
	}
	var said string
	for _, e := range events {
		if u, ok := e.(*a2a.TaskArtifactUpdateEvent); ok {
			said += textOf(u.Artifact)
		}
	}
	last := events[len(events)-1]
	ok := strings.Contains(said, run.Result) && ended(last, a2a.TaskStateCompleted)
	return fmt.Sprint(len(events), " events"), run.Check(ok, said, "the last event is", last)
}

func (p *player) multiTurn(ctx context.Context) (string, error) {
	events, err := collect(ctx, p.currency, run.Question)
	if err != nil {
		return "", err
	}
	last := events[len(events)-1]
	task, ok := events[0].(*a2a.Task)
	if err := run.Check(ok && ended(last, a2a.TaskStateInputRequired), events[0], last); err != nil {
		return "", err
	}
	answered, err := sendTo(ctx, p.currency, ask(task, true, text(run.Answer)))
	if err != nil {
		return "", err
	}
	ok = answered.ID == task.ID && answered.Status.State == a2a.TaskStateCompleted &&
		strings.Contains(textOf(answered.Artifacts...), "GBP")
	return "", run.Check(ok, answered)
}

func (p *player) get(ctx context.Context) (string, error) {
	one := 1
	task, err := p.currency.GetTask(ctx, &a2a.TaskQueryParams{ID: p.done.ID, HistoryLength: &one})
	if err != nil {
		return "", err
	}
	return "", run.Check(task.ID == p.done.ID && strings.Contains(textOf(task.Artifacts...), run.Result), task)
}

func (p *player) cancel(ctx context.Context) (string, error) {
	task, err := sendTo(ctx, p.probe, ask(nil, false, text(run.Slow)))
	if err != nil {
		return "", err
	}
	canceled, err := p.probe.CancelTask(ctx, &a2a.TaskIDParams{ID: task.ID})
	if err != nil {
		return "", err
	}
	return "", run.Check(canceled.ID == task.ID && canceled.Status.State == a2a.TaskStateCanceled, canceled)
}

func (p *player) resubscribe(ctx context.Context) (string, error) {
	task, err := sendTo(ctx, p.probe, ask(nil, false, text(run.Slow)))
	if err != nil {
		return "", err
	}
	var seen []a2a.Event
	for e, err := range p.probe.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: task.ID}) {
		if err != nil {
			return "", fmt.Errorf("after %d events: %w", len(seen), err)
		}
		if seen = append(seen, e); len(seen) == 3 {
			if _, err := p.probe.CancelTask(ctx, &a2a.TaskIDParams{ID: task.ID}); err != nil {
				return "", err
			}
		}
	}
	ok := len(seen) > 3 && ended(seen[len(seen)-1], a2a.TaskStateCanceled)
	return fmt.Sprint(len(seen), " events"), run.Check(ok, seen)
}

func (p *player) errors(ctx context.Context) (string, error) {
	_, err := p.currency.GetTask(ctx, &a2a.TaskQueryParams{ID: run.Unknown})
	if err := run.Refused(err, a2a.ErrTaskNotFound); err != nil {
		return "", fmt.Errorf("get of an unknown task: %w", err)
	}
	_, err = p.currency.CancelTask(ctx, &a2a.TaskIDParams{ID: p.done.ID})
	if err := run.Refused(err, a2a.ErrTaskNotCancelable); err != nil {
		return "", fmt.Errorf("cancel of a finished task: %w", err)
	}
	// 0.3.0 does not name the error
	if _, err = p.currency.SendMessage(ctx, ask(p.done, true, text("again"))); err == nil {
		return "", fmt.Errorf("a message to a finished task was taken")
	}
	_, err = p.currency.SendMessage(ctx, ask(&a2a.Task{ID: run.Unknown}, true, text("hello")))
	if err := run.Refused(err, a2a.ErrTaskNotFound); err != nil {
		return "", fmt.Errorf("message to an unknown task: %w", err)
	}
	return "", nil
}

func (p *player) echo(ctx context.Context, parts ...a2a.Part) (a2a.ContentParts, error) {
	task, err := sendTo(ctx, p.probe, ask(nil, true, append([]a2a.Part{text(run.Echo)}, parts...)...))
	if err != nil {
		return nil, err
	}
	if err := run.Check(len(task.Artifacts) == 1 && len(task.Artifacts[0].Parts) == len(parts), task); err != nil {
		return nil, err
	}
	return task.Artifacts[0].Parts, nil
}

func (p *player) files(ctx context.Context) (string, error) {
	raw := a2a.FileBytes{Bytes: base64.StdEncoding.EncodeToString([]byte(run.Bytes)),
		FileMeta: a2a.FileMeta{MimeType: run.BytesType, Name: run.BytesName}}
	link := a2a.FileURI{URI: run.Link, FileMeta: a2a.FileMeta{MimeType: run.LinkType, Name: run.LinkName}}
	got, err := p.echo(ctx, a2a.FilePart{File: raw}, a2a.FilePart{File: link})
	if err != nil {
		return "", err
	}
	if p.transport == "GRPC" { // the tagged proto of 0.3 has no names of files
		raw.Name, link.Name = "", ""
		got = a2a.ContentParts{nameless(got[0]), nameless(got[1])}
	}
	first, _ := got[0].(a2a.FilePart)
	second, _ := got[1].(a2a.FilePart)
	return "", run.Check(first.File == a2a.FilePartContent(raw) && second.File == a2a.FilePartContent(link), got)
}

func nameless(p a2a.Part) a2a.Part {
	f, _ := p.(a2a.FilePart)
	switch file := f.File.(type) {
	case a2a.FileBytes:
		file.Name = ""
		f.File = file
	case a2a.FileURI:
		file.Name = ""
		f.File = file
	}
	return f
}

func (p *player) data(ctx context.Context) (string, error) {
	got, err := p.echo(ctx, a2a.DataPart{Data: run.Data()})
	if err != nil {
		return "", err
	}
	data, _ := got[0].(a2a.DataPart)
	return "", run.SameData(any(data.Data))
}

func (p *player) push(ctx context.Context) (string, error) {
	_, err := p.currency.SetTaskPushConfig(ctx,
		&a2a.TaskPushConfig{TaskID: p.done.ID, Config: a2a.PushConfig{ID: "hook", URL: run.Webhook}})
	if p.transport == "GRPC" { // where the SDK has one status for several errors and takes the first
		return "", run.Refused(err, a2a.ErrUnsupportedOperation)
	}
	return "", run.Refused(err, a2a.ErrPushNotificationNotSupported)
}
