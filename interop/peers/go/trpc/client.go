// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"trpc.group/trpc-go/trpc-a2a-go/client"
	"trpc.group/trpc-go/trpc-a2a-go/protocol"
	"trpc.group/trpc-go/trpc-a2a-go/server"

	"github.com/dragoman-a2a/dragoman/interop/peers/go/run"
)

type player struct {
	url             string
	currency, probe *client.A2AClient
	done            string // id of the task that send made
}

func play(currency, probe string) error {
	p := player{url: currency}
	var err error
	if p.currency, err = client.NewA2AClient(currency); err != nil {
		return err
	}
	if p.probe, err = client.NewA2AClient(probe); err != nil {
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

func ask(id string, parts ...protocol.Part) protocol.SendTaskParams {
	return protocol.SendTaskParams{ID: id, Message: protocol.NewMessage(protocol.MessageRoleUser, parts)}
}

func text(s string) protocol.Part { return protocol.NewTextPart(s) }

func textOf(artifacts []protocol.Artifact) string {
	var b strings.Builder
	for _, a := range artifacts {
		for _, p := range a.Parts {
			if t, ok := p.(protocol.TextPart); ok {
				b.WriteString(t.Text)
			}
		}
	}
	return b.String()
}

// readCard reads the card into the SDK's type; the SDK has no client for it.
func (p *player) readCard(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+protocol.AgentCardPath, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var card server.AgentCard
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil {
		return "", err
	}
	return card.URL, run.Check(card.Name == "Currency Agent" && len(card.Skills) > 0 && card.Capabilities.Streaming,
		card)
}

func (p *player) send(ctx context.Context) (string, error) {
	p.done = uuid.NewString()
	task, err := p.currency.SendTasks(ctx, ask(p.done, text(run.Amount)))
	if err != nil {
		return "", err
	}
	ok := task.ID == p.done && task.Status.State == protocol.TaskStateCompleted &&
		strings.Contains(textOf(task.Artifacts), run.Result)
	return "", run.Check(ok, task)
}

func (p *player) stream(ctx context.Context) (string, error) {
	events, err := p.currency.StreamTask(ctx, ask(uuid.NewString(), text(run.Amount)))
	if err != nil {
		return "", err
	}
	var said string
	var last protocol.TaskEvent
	n := 0
	for last = range events {
		if a, ok := last.(protocol.TaskArtifactUpdateEvent); ok {
			said += textOf([]protocol.Artifact{a.Artifact})
		}
		n++
	}
	status, ok := last.(protocol.TaskStatusUpdateEvent)
	ok = ok && status.Final && status.Status.State == protocol.TaskStateCompleted && strings.Contains(said, run.Result)
	return fmt.Sprint(n, " events"), run.Check(ok, fmt.Sprint(n, " events were understood, the last one is"), last)
}

func (p *player) multiTurn(ctx context.Context) (string, error) {
	id := uuid.NewString()
	asked, err := p.currency.SendTasks(ctx, ask(id, text(run.Question)))
	if err != nil {
		return "", err
	}
	if err := run.Check(asked.Status.State == protocol.TaskStateInputRequired && asked.Status.Message != nil,
		asked); err != nil {
		return "", err
	}
	task, err := p.currency.SendTasks(ctx, ask(id, text(run.Answer)))
	if err != nil {
		return "", err
	}
	return "", run.Check(task.ID == id && task.Status.State == protocol.TaskStateCompleted &&
		strings.Contains(textOf(task.Artifacts), "GBP"), task)
}

func (p *player) get(ctx context.Context) (string, error) {
	ten := 10
	task, err := p.currency.GetTasks(ctx, protocol.TaskQueryParams{ID: p.done, HistoryLength: &ten})
	if err != nil {
		return "", err
	}
	return "", run.Check(task.ID == p.done && strings.Contains(textOf(task.Artifacts), run.Result) &&
		len(task.History) > 0, task)
}

func (p *player) cancel(ctx context.Context) (string, error) {
	id := uuid.NewString()
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if _, err := p.probe.StreamTask(ctx, ask(id, text(run.Slow))); err != nil {
		return "", err
	}
	task, err := p.probe.CancelTasks(ctx, protocol.TaskIDParams{ID: id})
	if err != nil {
		return "", err
	}
	return "", run.Check(task.ID == id && task.Status.State == protocol.TaskStateCanceled, task)
}

func (p *player) resubscribe(context.Context) (string, error) { return "", run.ErrNotOffered }

// refused expects an error of JSON-RPC, whose type the SDK keeps to itself.
func refused(err error, code int) error {
	return run.Check(err != nil && strings.Contains(err.Error(), fmt.Sprint(code)),
		fmt.Sprint(code, " expected, not ", err))
}

func (p *player) errors(ctx context.Context) (string, error) {
	_, err := p.currency.GetTasks(ctx, protocol.TaskQueryParams{ID: uuid.NewString()})
	if err := refused(err, -32001); err != nil {
		return "", err
	}
	_, err = p.currency.CancelTasks(ctx, protocol.TaskIDParams{ID: p.done})
	return "", refused(err, -32002)
}

func (p *player) echo(ctx context.Context, parts ...protocol.Part) ([]protocol.Part, error) {
	task, err := p.probe.SendTasks(ctx, ask(uuid.NewString(), append([]protocol.Part{text(run.Echo)}, parts...)...))
	if err != nil {
		return nil, err
	}
	if err := run.Check(len(task.Artifacts) == 1 && len(task.Artifacts[0].Parts) == len(parts), task); err != nil {
		return nil, err
	}
	return task.Artifacts[0].Parts, nil
}

func (p *player) files(ctx context.Context) (string, error) {
	raw, link := base64.StdEncoding.EncodeToString([]byte(run.Bytes)), run.Link
	name, kind, linkName, linkKind := run.BytesName, run.BytesType, run.LinkName, run.LinkType
	sent := []protocol.Part{
		protocol.FilePart{Type: protocol.PartTypeFile,
			File: protocol.FileContent{Name: &name, MimeType: &kind, Bytes: &raw}},
		protocol.FilePart{Type: protocol.PartTypeFile,
			File: protocol.FileContent{Name: &linkName, MimeType: &linkKind, URI: &link}},
	}
	got, err := p.echo(ctx, sent...)
	if err != nil {
		return "", err
	}
	return "", run.Check(reflect.DeepEqual(got, sent), got)
}

func (p *player) data(ctx context.Context) (string, error) {
	got, err := p.echo(ctx, protocol.DataPart{Type: protocol.PartTypeData, Data: run.Data()})
	if err != nil {
		return "", err
	}
	data, _ := got[0].(protocol.DataPart)
	return "", run.SameData(data.Data)
}

func (p *player) push(ctx context.Context) (string, error) {
	_, err := p.currency.SetPushNotification(ctx, protocol.TaskPushNotificationConfig{
		ID: p.done, PushNotificationConfig: protocol.PushNotificationConfig{URL: run.Webhook},
	})
	return "", refused(err, -32003)
}
