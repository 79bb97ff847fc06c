// SPDX-License-Identifier: Apache-2.0

package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/rules"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the picture.
const ArtifactName = "image"

// Options configure the agent. The zero value works offline.
type Options struct {
	// Model reads the text and, if it is an [llm.Painter] whose provider can, paints. nil: package rules reads the
	// text, and package paint draws shapes.
	Model llm.Model
	// Fetch fetches pictures that are sent as URLs. nil: one that fetches nothing but "data:" URLs.
	Fetch *files.Fetcher
}

// New returns the image agent. A message becomes
//
//   - a completed task with one artifact, the picture, and a message that says what it shows and who painted it. While
//     it is painted the artifact holds a small preview;
//   - an input-required task that asks what to paint or to change, or for a picture that can be read; or
//   - a rejected task when the client accepts neither PNG nor JPEG, or when there is no model and package rules cannot
//     read the text.
//
// Where the last picture of a conversation is, is kept as state of the context.
func New(o Options) agent.Agent {
	if o.Fetch == nil {
		o.Fetch, _ = files.NewFetcher(&files.FetchOptions{MediaTypes: []string{"image/*"}}) // which are never wrong
	}
	a := &artist{fetch: o.Fetch, model: o.Model}
	a.painter, _ = o.Model.(llm.Painter)
	return a
}

// artist implements [agent.Agent].
type artist struct {
	fetch   *files.Fetcher
	model   llm.Model   // nil: package rules reads the text
	painter llm.Painter // nil: package paint paints
}

// Run deals with one message.
func (a *artist) Run(ctx context.Context, t *agent.Turn) error {
	if mediaType(t, "") == "" {
		return agent.Reject(a2a.TextPart("This agent makes pictures as " + paint.PNG + " or " + paint.JPEG +
			", and the request accepts only " + strings.Join(t.OutputModes(), ", ") + "."))
	}
	from, err := a.source(ctx, t)
	if bad := (errUnreadable{}); errors.As(err, &bad) {
		return t.Ask(a2a.TextPart("The picture cannot be used: " + bad.Error() + ". Please send another one."))
	}
	if err != nil {
		return fmt.Errorf("find the picture: %w", err)
	}
	text := strings.ToValidUTF8(t.Text()[:min(len(t.Text()), 2000)], "") // bytes are enough for a picture
	if strings.TrimSpace(text) == "" && from != nil {
		return t.Ask(a2a.TextPart(paint.AskEdit))
	}
	r, err := a.read(ctx, text, from)
	if err != nil {
		return err
	}
	if r.Action == paint.Ask {
		return t.Ask(a2a.TextPart(r.Question))
	}
	return a.make(ctx, &job{Turn: t, request: r, prompt: text, media: mediaType(t, r.Format)}, from)
}

// read finds out what a text asks for; from is the picture that it may be about, or nil.
func (a *artist) read(ctx context.Context, text string, from *paint.Picture) (paint.Request, error) {
	if a.model != nil {
		return byModel(ctx, a.model, text, from)
	}
	r, ok := rules.Read(text, from != nil)
	if !ok {
		return r, agent.Reject(a2a.TextPart(rules.Refusal))
	}
	return r, nil
}

// A job is a picture to be made.
type job struct {
	*agent.Turn
	request paint.Request
	prompt  string // what the user said
	media   string // the media type of the picture
	maker   string // who made it: a model's name, or "" for package paint
}

// make has the model paint, if there is one that can, and otherwise delivers what package paint makes of the request.
func (a *artist) make(ctx context.Context, j *job, from *paint.Picture) error {
	if err := j.Working(a2a.TextPart("Painting…")); err != nil {
		return err
	}
	if a.painter != nil && (from == nil || j.request.Action == paint.Create || len(j.request.Edits) > 0) {
		if j.request.Action == paint.Create {
			from = nil
		}
		painted, err := paintedBy(ctx, a.painter, cmp.Or(j.request.Prompt, j.prompt), from)
		if err != nil {
			return err
		}
		if painted != nil {
			j.maker = a.model.Name()
			return j.deliver(ctx, painted)
		}
	}
	p, err := &paint.Picture{Scene: j.request.Scene}, error(nil)
	if j.request.Action == paint.Change {
		p, err = from.Change(j.request.Edits)
	} else {
		err = p.Scene.Normalize()
	}
	switch {
	case errors.Is(err, paint.ErrPixels) && a.model == nil:
		return agent.Reject(a2a.TextPart(rules.Refusal))
	case err != nil:
		return j.Ask(a2a.TextPart("This cannot be done: " + err.Error() + ". Please say it differently."))
	}
	return j.deliver(ctx, p)
}
