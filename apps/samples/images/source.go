// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
	"github.com/dragoman-a2a/dragoman/files"
)

// last is what the agent keeps of a conversation: where its last picture is and, if it is one, the scene of it.
type last struct {
	Task     a2a.TaskID     `json:"task"`
	Artifact a2a.ArtifactID `json:"artifact"`
	Scene    *paint.Scene   `json:"scene,omitempty"`
}

// errUnreadable says to the client what is wrong with the picture that it sent.
type errUnreadable struct{ error }

// source finds the picture that a message is about: one that it carries, one of a task that it refers to, one that the
// client sent before in this task, or the last one of the conversation. It returns nil when there is none.
func (a *artist) source(ctx context.Context, t *agent.Turn) (*paint.Picture, error) {
	if p, err := a.sent(ctx, t.Message()); p != nil || err != nil {
		return p, err
	}
	if m := t.Message(); m != nil && len(m.ReferenceTaskIDs) > 0 {
		if p, err := referred(ctx, t, m.ReferenceTaskIDs); p != nil || err != nil {
			return p, err
		}
	}
	for _, m := range slices.Backward(t.Task().History) {
		if m.Role == a2a.RoleUser {
			if p, err := a.sent(ctx, m); p != nil && err == nil {
				return p, nil
			}
		}
	}
	return lastOf(ctx, t)
}

// sent returns the last picture among the parts of a message.
func (a *artist) sent(ctx context.Context, m *a2a.Message) (*paint.Picture, error) {
	if m == nil {
		return nil, nil
	}
	for _, part := range slices.Backward(m.Parts) {
		content, err := a.content(ctx, part)
		if err != nil && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, errUnreadable{err}
		}
		if content == nil {
			continue
		}
		pixels, err := paint.Decode(content)
		if err != nil {
			return nil, errUnreadable{err}
		}
		return &paint.Picture{Pixels: pixels}, nil
	}
	return nil, nil
}

// content returns the bytes of a part that is a picture, fetched if need be; nil when it is something else. The errors
// are for whoever sent it.
func (a *artist) content(ctx context.Context, part a2a.Part) ([]byte, error) {
	url, ok := part.Content.(a2a.URL)
	if !ok {
		return imageBytes(part), nil
	}
	got, err := a.fetch.Fetch(ctx, string(url))
	switch {
	case errors.Is(err, files.ErrNotAllowed):
		return nil, errors.New("this agent may not fetch its URL unless its operator allows that with --allow-url, " +
			"and with --allow-networks where it is not on the internet")
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "files: "))
	}
	return got.Content, nil
}

// imageBytes returns the bytes of a part that is a picture by itself.
func imageBytes(part a2a.Part) []byte {
	if raw, ok := part.Content.(a2a.Raw); ok && strings.HasPrefix(part.MediaType, "image/") {
		return raw
	}
	return nil
}

// referred returns the picture of a task that the client names.
func referred(ctx context.Context, t *agent.Turn, ids []a2a.TaskID) (*paint.Picture, error) {
	return pictureOf(ctx, t, func(task *a2a.Task, _ *a2a.Artifact) bool { return slices.Contains(ids, task.ID) })
}

// lastOf returns the last picture of the conversation. One whose task has been removed meanwhile is not there.
func lastOf(ctx context.Context, t *agent.Turn) (*paint.Picture, error) {
	var l last
	if found, err := t.LoadContext(ctx, &l); !found || err != nil {
		return nil, err
	}
	if l.Scene != nil {
		return &paint.Picture{Scene: l.Scene}, nil
	}
	return pictureOf(ctx, t, func(task *a2a.Task, a *a2a.Artifact) bool {
		return task.ID == l.Task && a.ID == l.Artifact
	})
}

// pictureOf returns the picture of the last artifact that fits, among the tasks that the message is related to.
func pictureOf(ctx context.Context, t *agent.Turn, fits func(*a2a.Task, *a2a.Artifact) bool) (*paint.Picture, error) {
	tasks, err := t.Related(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the related tasks: %w", err)
	}
	for _, task := range tasks {
		for _, a := range slices.Backward(task.Artifacts) {
			if !fits(task, a) {
				continue
			}
			if p := ofArtifact(a); p != nil {
				return p, nil
			}
		}
	}
	return nil, nil
}

// ofArtifact returns the picture in an artifact of this agent: the scene, if it has one, is better than its pixels.
func ofArtifact(a *a2a.Artifact) *paint.Picture {
	var scene paint.Scene
	if found, err := a.Metadata.Get("scene", &scene); found && err == nil && scene.Normalize() == nil {
		return &paint.Picture{Scene: &scene}
	}
	for _, part := range a.Parts {
		if content := imageBytes(part); content != nil {
			if pixels, err := paint.Decode(content); err == nil {
				return &paint.Picture{Pixels: pixels}
			}
		}
	}
	return nil
}
