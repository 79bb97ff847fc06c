// SPDX-License-Identifier: Apache-2.0

// Package images is a sample agent that makes pictures from words and changes them: "a white rabbit in the snow at
// night", "make it blue", or a photograph with "rotate it and make it grayscale".
//
// With a model, the model paints if it can; otherwise it turns the words into a scene or into changes, and package
// paint draws them. Without a model the agent needs no network and no key: it draws a few things, and refuses
// everything else.
//
//	deliver.go  a picture becomes an artifact, after a preview
//	source.go   which picture is meant: one that was sent, one that is referred to, or the last of the conversation
//	model.go    a request, or the picture itself, from a model
//	rules/      what reads a few words without a model
//	paint/      scenes, changes of pictures, and pixels
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

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Image Generator Agent",
		Description: "Makes pictures from words and changes pictures; without a language model only simple " +
			"scenes of a few things",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", paint.PNG, paint.JPEG, "image/gif", "application/json"},
		DefaultOutputModes: []string{paint.PNG, paint.JPEG, "text/plain"},
		Skills: []a2a.AgentSkill{{
			ID:          "image_generator",
			Name:        "Image Generator",
			Description: "Draws what a text describes, and edits the last picture or one that is sent along",
			Tags:        []string{"generate image", "edit image"},
			Examples: []string{
				"Draw a rabbit",
				"a white rabbit in the snow at night",
				"three red balloons above a house",
				"make it blue and add a tree on the left",
				"rotate it by 90 degrees",
			},
		}},
	}
}
