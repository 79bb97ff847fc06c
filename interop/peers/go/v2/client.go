// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dragoman-a2a/dragoman/interop/peers/go/run"
)

type player struct {
	card            *a2a.AgentCard
	currency, probe *a2aclient.Client
	done            *a2a.Task // what send made
}

func client(currency, probe, transport string) error {
	ctx := context.Background()
	var p player
	var err error
	if p.card, p.currency, err = connect(ctx, currency, transport); err != nil {
		return err
	}
	if _, p.probe, err = connect(ctx, probe, transport); err != nil {
		return err
	}
	run.Play([]run.Scenario{
		{Name: "card", Run: p.readCard}, {Name: "send", Run: p.send}, {Name: "stream", Run: p.stream},
		{Name: "multi-turn", Run: p.multiTurn}, {Name: "get", Run: p.get}, {Name: "list", Run: p.list},
		{Name: "cancel", Run: p.cancel}, {Name: "resubscribe", Run: p.resubscribe}, {Name: "errors", Run: p.errors},
		{Name: "files", Run: p.files}, {Name: "data", Run: p.data}, {Name: "push", Run: p.push},
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
	case "HTTP+JSON":
		options = append(options, a2aclient.WithRESTTransport(nil))
	case "GRPC":
		options = append(options, a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	c, err := a2aclient.NewFromCard(ctx, card, options...)
	return card, c, err
}

func ask(task *a2a.Task, parts ...*a2a.Part) *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.MessageRoleUser, parts...)
	if task != nil {
		m.TaskID, m.ContextID = task.ID, task.ContextID
	}
	return &a2a.SendMessageRequest{Message: m}
}

func text(s string) *a2a.Part { return a2a.NewTextPart(s) }

func textOf(artifacts ...*a2a.Artifact) string {
	var b strings.Builder
	for _, a := range artifacts {
		for _, p := range a.Parts {
			b.WriteString(p.Text())
		}
	}
	return b.String()
}

func sendTo(ctx context.Context, c *a2aclient.Client, req *a2a.SendMessageRequest) (*a2a.Task, error) {
	result, err := c.SendMessage(ctx, req)
	if err != nil {
		return nil, err
	}
	task, ok := result.(*a2a.Task)
	return task, run.Check(ok, "a task expected", result)
}

func collect(ctx context.Context, c *a2aclient.Client, words string) ([]a2a.Event, error) {
	var events []a2a.Event
	for e, err := range c.SendStreamingMessage(ctx, ask(nil, text(words))) {
		if err != nil {
			return nil, fmt.Errorf("after %d events: %w", len(events), err)
		}
		events = append(events, e)
	}
	return events, run.Check(len(events) > 1, events)
}

func stateOf(e a2a.Event) a2a.TaskState {
	if u, ok := e.(*a2a.TaskStatusUpdateEvent); ok {
		return u.Status.State
	}
	return a2a.TaskStateUnspecified
}

func (p *player) readCard(context.Context) (string, error) {
	var offers []string
	for _, i := range p.card.SupportedInterfaces {
		offers = append(offers, fmt.Sprint(i.ProtocolBinding, " ", i.ProtocolVersion))
	}
	ok := p.card.Name == "Currency Agent" && len(p.card.Skills) > 0 && p.card.Capabilities.Streaming
	return strings.Join(offers, ", "), run.Check(ok, p.card)
}

func (p *player) send(ctx context.Context) (string, error) {
	task, err := sendTo(ctx, p.currency, ask(nil, text(run.Amount)))
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
	if err := run.Check(strings.Contains(said, run.Result), said); err != nil {
		return "", err
	}
	last := events[len(events)-1]
	return fmt.Sprint(len(events), " events"),
		run.Check(stateOf(last) == a2a.TaskStateCompleted, "the last event is", last)
}

func (p *player) multiTurn(ctx context.Context) (string, error) {
	events, err := collect(ctx, p.currency, run.Question)
	if err != nil {
		return "", err
	}
	last := events[len(events)-1]
	task, ok := events[0].(*a2a.Task)
	if err := run.Check(ok && stateOf(last) == a2a.TaskStateInputRequired, events[0], last); err != nil {
		return "", err
	}
	answered, err := sendTo(ctx, p.currency, ask(task, text(run.Answer)))
	if err != nil {
		return "", err
	}
	ok = answered.ID == task.ID && answered.Status.State == a2a.TaskStateCompleted &&
		strings.Contains(textOf(answered.Artifacts...), "GBP")
	return "", run.Check(ok, answered)
}

func (p *player) get(ctx context.Context) (string, error) {
	one := 1
	task, err := p.currency.GetTask(ctx, &a2a.GetTaskRequest{ID: p.done.ID, HistoryLength: &one})
	if err != nil {
		return "", err
	}
	ok := task.ID == p.done.ID && strings.Contains(textOf(task.Artifacts...), run.Result) && len(task.History) <= 1
	return "", run.Check(ok, task)
}

func (p *player) list(ctx context.Context) (string, error) {
	page, err := p.currency.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: p.done.ContextID})
	if err != nil {
		return "", err
	}
	return "", run.Check(len(page.Tasks) == 1 && page.Tasks[0].ID == p.done.ID, page)
}

// begin starts a task that works until it is cancelled.
func (p *player) begin(ctx context.Context) (*a2a.Task, error) {
	req := ask(nil, text(run.Slow))
	req.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	return sendTo(ctx, p.probe, req)
}

func (p *player) cancel(ctx context.Context) (string, error) {
	task, err := p.begin(ctx)
	if err != nil {
		return "", err
	}
	canceled, err := p.probe.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID})
	if err != nil {
		return "", err
	}
	return "", run.Check(canceled.ID == task.ID && canceled.Status.State == a2a.TaskStateCanceled, canceled)
}

func (p *player) resubscribe(ctx context.Context) (string, error) {
	task, err := p.begin(ctx)
	if err != nil {
		return "", err
	}
	var seen []a2a.Event
	for e, err := range p.probe.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			return "", fmt.Errorf("after %d events: %w", len(seen), err)
		}
		if seen = append(seen, e); len(seen) == 3 {
			if _, err := p.probe.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID}); err != nil {
				return "", err
			}
		}
	}
	if err := run.Check(len(seen) > 3, seen); err != nil {
		return "", err
	}
	_, first := seen[0].(*a2a.Task)
	last := seen[len(seen)-1]
	return fmt.Sprint(len(seen), " events"), run.Check(first && stateOf(last) == a2a.TaskStateCanceled, seen[0], last)
}

func (p *player) errors(ctx context.Context) (string, error) {
	_, err := p.currency.GetTask(ctx, &a2a.GetTaskRequest{ID: run.Unknown})
	if err := run.Refused(err, a2a.ErrTaskNotFound); err != nil {
		return "", fmt.Errorf("get of an unknown task: %w", err)
	}
	_, err = p.currency.CancelTask(ctx, &a2a.CancelTaskRequest{ID: p.done.ID})
	if err := run.Refused(err, a2a.ErrTaskNotCancelable); err != nil {
		return "", fmt.Errorf("cancel of a finished task: %w", err)
	}
	_, err = p.currency.SendMessage(ctx, ask(p.done, text("again")))
	if err := run.Refused(err, a2a.ErrUnsupportedOperation); err != nil {
		return "", fmt.Errorf("message to a finished task: %w", err)
	}
	_, err = p.currency.SendMessage(ctx, ask(&a2a.Task{ID: run.Unknown}, text("hello")))
	if err := run.Refused(err, a2a.ErrTaskNotFound); err != nil {
		return "", fmt.Errorf("message to an unknown task: %w", err)
	}
	return "", nil
}

func (p *player) echo(ctx context.Context, parts ...*a2a.Part) (a2a.ContentParts, error) {
	task, err := sendTo(ctx, p.probe, ask(nil, append([]*a2a.Part{text(run.Echo)}, parts...)...))
	if err != nil {
		return nil, err
	}
	if err := run.Check(len(task.Artifacts) == 1 && len(task.Artifacts[0].Parts) == len(parts), task); err != nil {
		return nil, err
	}
	return task.Artifacts[0].Parts, nil
}

func (p *player) files(ctx context.Context) (string, error) {
	raw, link := a2a.NewRawPart([]byte(run.Bytes)), a2a.NewFileURLPart(run.Link, run.LinkType)
	raw.MediaType, raw.Filename, link.Filename = run.BytesType, run.BytesName, run.LinkName
	got, err := p.echo(ctx, raw, link)
	if err != nil {
		return "", err
	}
	same := string(got[0].Raw()) == run.Bytes && got[0].MediaType == run.BytesType &&
		got[0].Filename == run.BytesName &&
		got[1].URL() == run.Link && got[1].MediaType == run.LinkType && got[1].Filename == run.LinkName
	return "", run.Check(same, got)
}

func (p *player) data(ctx context.Context) (string, error) {
	got, err := p.echo(ctx, a2a.NewDataPart(run.Data()))
	if err != nil {
		return "", err
	}
	return "", run.SameData(got[0].Data())
}

func (p *player) push(ctx context.Context) (string, error) {
	_, err := p.currency.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: p.done.ID, URL: run.Webhook})
	return "", run.Refused(err, a2a.ErrPushNotificationNotSupported)
}
