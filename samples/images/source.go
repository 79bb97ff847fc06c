// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/samples/images/paint"
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
func source(ctx context.Context, t *agent.Turn) (*picture, error) {
	if p, err := sent(t.Message()); p != nil || err != nil {
		return p, err
	}
	if m := t.Message(); m != nil && len(m.ReferenceTaskIDs) > 0 {
		if p, err := referred(ctx, t, m.ReferenceTaskIDs); p != nil || err != nil {
			return p, err
		}
	}
	for _, m := range slices.Backward(t.Task().History) {
		if m.Role == a2a.RoleUser {
			if p, err := sent(m); p != nil && err == nil {
				return p, nil
			}
		}
	}
	return lastOf(ctx, t)
}

// sent returns the last picture among the parts of a message.
func sent(m *a2a.Message) (*picture, error) {
	if m == nil {
		return nil, nil
	}
	for _, part := range slices.Backward(m.Parts) {
		content, err := imageBytes(part)
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
		return &picture{pixels: pixels}, nil
	}
	return nil, nil
}

// imageBytes returns the bytes of a part that is a picture; nil when it is something else.
func imageBytes(part a2a.Part) ([]byte, error) {
	switch content := part.Content.(type) {
	case a2a.Raw:
		if strings.HasPrefix(part.MediaType, "image/") {
			return content, nil
		}
	case a2a.URL:
		head, body, found := strings.Cut(string(content), ",")
		if !found || !strings.HasPrefix(head, "data:image/") || !strings.HasSuffix(head, ";base64") {
			return nil, errors.New("pictures behind an address are not fetched; send the bytes")
		}
		raw, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			return nil, fmt.Errorf("the data URI cannot be read: %w", err)
		}
		return raw, nil
	}
	return nil, nil
}

// referred returns the picture of a task that the client names.
func referred(ctx context.Context, t *agent.Turn, ids []a2a.TaskID) (*picture, error) {
	tasks, err := t.Related(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the tasks that the message refers to: %w", err)
	}
	for _, task := range tasks {
		if !slices.Contains(ids, task.ID) {
			continue
		}
		for _, a := range slices.Backward(task.Artifacts) {
			if p := ofArtifact(a); p != nil {
				return p, nil
			}
		}
	}
	return nil, nil
}

// lastOf returns the last picture of the conversation. One whose task has been removed meanwhile is not there.
func lastOf(ctx context.Context, t *agent.Turn) (*picture, error) {
	var l last
	if found, err := t.LoadContext(ctx, &l); !found || err != nil {
		return nil, err
	}
	if l.Scene != nil {
		return &picture{scene: l.Scene}, nil
	}
	tasks, err := t.Related(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the last picture: %w", err)
	}
	for _, task := range tasks {
		i := slices.IndexFunc(task.Artifacts, func(a *a2a.Artifact) bool { return a.ID == l.Artifact })
		if task.ID == l.Task && i >= 0 {
			return ofArtifact(task.Artifacts[i]), nil
		}
	}
	return nil, nil
}

// ofArtifact returns the picture in an artifact of this agent: the scene, if it has one, is better than its pixels.
func ofArtifact(a *a2a.Artifact) *picture {
	var scene paint.Scene
	if found, err := a.Metadata.Get("scene", &scene); found && err == nil && scene.Normalize() == nil {
		return &picture{scene: &scene}
	}
	for _, part := range a.Parts {
		if content, err := imageBytes(part); content != nil && err == nil {
			if pixels, err := paint.Decode(content); err == nil {
				return &picture{pixels: pixels}
			}
		}
	}
	return nil
}
