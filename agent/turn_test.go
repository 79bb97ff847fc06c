// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/internal/turn"
)

func TestMatchMode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode, mediaType string
		want            bool
	}{
		{"text/plain", "text/plain", true},
		{"text", "text/plain", true},
		{"text/plain", "text", true},
		{"TEXT/Plain", "text/plain; charset=utf-8", true},
		{"image/*", "image/png", true},
		{"image/*", "imagepng", false},
		{"*/*", "application/json", true},
		{"*", "application/json", true},
		{"text", "text/html", false},
		{"application/json", "text/plain", false},
		{"", "text/plain", false},
	} {
		if got := agent.MatchMode(tt.mode, tt.mediaType); got != tt.want {
			t.Errorf("MatchMode(%q, %q) = %v, want %v", tt.mode, tt.mediaType, got, tt.want)
		}
	}
}

// TestTextOfFiles shows which files count as text of the message.
func TestTextOfFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ mediaType, content, want string }{
		{"text/plain", "one", "one"},
		{"Text/Markdown; charset=UTF-8", "é", "é"},
		{"text/plain; charset=us-ascii", "one", "one"},
		{"text/plain; charset=latin1", "one", ""},
		{"text/plain", "\xff", ""},
		{"application/json", "{}", ""},
		{"", "one", ""},
		{";", "one", ""},
	} {
		m := a2a.NewMessage(a2a.RoleUser, a2a.RawPart([]byte(tt.content), tt.mediaType, "f"))
		if got := turn.New(turn.Info{Message: m}, nil).(*agent.Turn).Text(); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.mediaType, tt.content, got, tt.want)
		}
	}
}

// TestTurnTellsOfTheRequest shows that a turn gives its author what came with the request.
func TestTurnTellsOfTheRequest(t *testing.T) {
	t.Parallel()
	var seen *agent.Turn
	h := agenttest.New(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		seen = t
		return nil
	}), &agenttest.Options{OutputModes: []string{"text/plain", "image/*"}, Caller: a2a.Identity{Subject: "alice"}})
	ctx := a2a.WithCall(h.Context(), &a2a.Call{
		Identity: a2a.Identity{Subject: "alice"}, Tenant: "acme", Extensions: []string{"urn:x"},
		Generation: a2a.Generation10,
	})
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("one"), a2a.Part{Content: a2a.URL("http://x")}, a2a.TextPart("two"))
	m.Metadata = a2a.Metadata{"skillId": []byte(`"paint"`)}
	res, err := h.Service.SendMessage(ctx, &a2a.SendMessageRequest{
		Message: m, Metadata: a2a.Metadata{"k": []byte("1")},
		Configuration: &a2a.SendConfiguration{AcceptedOutputModes: []string{"image/*"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	task := res.(*a2a.Task)
	if got := seen.Text(); got != "one\ntwo" {
		t.Errorf("Text = %q", got)
	}
	if seen.TaskID() != task.ID || seen.ContextID() != task.ContextID || seen.Message().ID != m.ID {
		t.Errorf("ids: %s %s %s", seen.TaskID(), seen.ContextID(), seen.Message().ID)
	}
	if seen.Skill() != "paint" || seen.Caller().Subject != "alice" || seen.Tenant() != "acme" || seen.Attempt() != 1 {
		t.Errorf("skill %q, caller %q, tenant %q, attempt %d", seen.Skill(), seen.Caller().Subject, seen.Tenant(),
			seen.Attempt())
	}
	if !seen.Accepts("image/png") || seen.Accepts("text/plain") ||
		!slices.Equal(seen.OutputModes(), []string{"image/*"}) {
		t.Errorf("output modes = %v", seen.OutputModes())
	}
	if !slices.Equal(seen.Extensions(), []string{"urn:x"}) || string(seen.RequestMetadata()["k"]) != "1" {
		t.Errorf("extensions %v, metadata %v", seen.Extensions(), seen.RequestMetadata())
	}
	if seen.Generation() != a2a.Generation10 {
		t.Errorf("generation = %s", seen.Generation())
	}
}

// TestTurnIsOver shows that a turn that has ended writes no more, though its author kept it.
func TestTurnIsOver(t *testing.T) {
	t.Parallel()
	var kept *agent.Turn
	var writer *agent.ArtifactWriter
	h := agenttest.New(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		kept, writer = t, t.NewArtifact("late")
		return nil
	}), nil)
	r := h.Send("hi")
	if err := kept.Working(); !errors.Is(err, agent.ErrOver) {
		t.Errorf("Working after the end: %v", err)
	}
	if _, err := writer.WriteString("x"); !errors.Is(err, agent.ErrOver) {
		t.Errorf("WriteString after the end: %v", err)
	}
	if err := kept.SaveTask(t.Context(), 1); !errors.Is(err, agent.ErrOver) {
		t.Errorf("SaveTask after the end: %v", err)
	}
	if r.State() != a2a.TaskStateCompleted {
		t.Errorf("state = %s", r.State())
	}
}

func TestBadCalls(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		w := t.NewArtifact("a")
		io.WriteString(w, "x")
		w.Close()
		_, closed := w.WriteString("y")
		return agent.Public(strings.Join([]string{
			errText(t.Artifact("no parts")),
			errText(t.PutArtifact(&a2a.Artifact{Name: "no id", Parts: []a2a.Part{a2a.TextPart("x")}})),
			errText(t.SetMetadata("f", func() {})),
			errText(t.SaveTask(ctx, func() {})),
			errText(closed),
			errText(w.Close()),
		}, "|"), nil)
	}), nil)
	got := strings.Split(h.Send("hi").StatusText(), "|")
	for i, want := range []string{"has no parts", "has no id", "metadata", "state of the task", "closed", "<nil>"} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("error %d = %q, want %q", i, got, want)
		}
	}
}

func TestStreamArtifact(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		a := a2a.Artifact{ID: "picture", Name: "n", Description: "d", Metadata: a2a.Metadata{"k": []byte("1")}}
		w := t.StreamArtifact(a)
		io.WriteString(w, "preview")
		a.Parts = []a2a.Part{a2a.TextPart("final")}
		if err := t.PutArtifact(&a); err != nil {
			return err
		}
		more := t.StreamArtifact(a2a.Artifact{Metadata: a2a.Metadata{"k": []byte("2")},
			Parts: []a2a.Part{a2a.TextPart("unused")}})
		io.WriteString(more, "one")
		io.WriteString(more, "two")
		return more.Close()
	}), nil)
	r := h.Send("hi")
	if len(r.Task.Artifacts) != 2 {
		t.Fatalf("artifacts %+v", r.Task.Artifacts)
	}
	if a := r.Task.Artifacts[0]; a.ID != "picture" || a.Name != "n" || a.Description != "d" ||
		string(a.Metadata["k"]) != "1" || a.Text() != "final" {
		t.Errorf("replaced: %+v", a)
	}
	if a := r.Task.Artifacts[1]; a.ID == "" || string(a.Metadata["k"]) != "2" || a.Text() != "onetwo" {
		t.Errorf("fresh: %+v", a)
	}
	var chunks []string
	for _, ev := range r.Events {
		if u, ok := ev.(*a2a.ArtifactUpdate); ok {
			chunks = append(chunks, fmt.Sprint(u.Artifact.Text(), " ", u.Append, " ", u.LastChunk, " ",
				len(u.Artifact.Metadata)))
		}
	}
	if got := strings.Join(chunks, ", "); !strings.HasSuffix(got,
		"final false true 1, one false false 1, two true false 0,  true true 0") {
		t.Errorf("chunks: %s", got)
	}
}

func errText(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}

// TestOutcomesAreErrors shows what an author reads who prints an outcome.
func TestOutcomesAreErrors(t *testing.T) {
	t.Parallel()
	turnOnly := turn.New(turn.Info{}, nil).(*agent.Turn)
	cause := errors.New("cause")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{turnOnly.Ask(), "asks for input"},
		{turnOnly.NeedAuth(), "needs authorization"},
		{turnOnly.Reply(), "replies"},
		{agent.Reject(), "rejects"},
		{agent.Withdraw(), "withdrawn"},
		{agent.Public("text", cause), "text: cause"},
		{agent.Public("text", nil), "text"},
	} {
		if !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("error = %q, want %q", tt.err, tt.want)
		}
	}
	if !errors.Is(agent.Public("text", cause), cause) {
		t.Error("Public hides its cause from the log")
	}
	if turnOnly.Text() != "" || turnOnly.Skill() != "" {
		t.Error("a turn without a message has text")
	}
}

// Chunks of somebody else's artifact are passed on under its id.
func TestPutChunk(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		for i, text := range []string{"a", "b", "c"} {
			chunk := &a2a.Artifact{ID: "theirs", Name: "n", Parts: []a2a.Part{a2a.TextPart(text)}}
			if err := t.PutChunk(chunk, i > 0, i == 2); err != nil {
				return err
			}
		}
		for _, bad := range []*a2a.Artifact{{Parts: []a2a.Part{a2a.TextPart("x")}}, {ID: "x"}} {
			if t.PutChunk(bad, false, true) == nil {
				return errors.New("a chunk without id or parts was taken")
			}
		}
		return nil
	}), nil)
	r := h.Send("hi")
	if r.State() != a2a.TaskStateCompleted || len(r.Task.Artifacts) != 1 || r.Task.Artifacts[0].ID != "theirs" ||
		r.Task.Artifacts[0].Text() != "abc" {
		t.Errorf("%v: %+v", r.State(), r.Task.Artifacts)
	}
}
