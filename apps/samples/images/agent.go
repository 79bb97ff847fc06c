// SPDX-License-Identifier: Apache-2.0

package images

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the picture.
const ArtifactName = "image"

// Renderer says in a picture's metadata that no image model made it. Of one that a model painted, the metadata names the
// model instead.
const Renderer = "offline sample renderer (shapes, no image model)"

// Options configure the agent. The zero value works offline.
type Options struct {
	// Model reads the text and, if it is an [llm.Painter] whose provider can, paints. nil: rules read the text, and the
	// offline renderer paints.
	Model llm.Model
	// Fetch fetches pictures that are sent as URLs. nil: one that fetches nothing but "data:" URLs.
	Fetch *files.Fetcher
}

// New returns the image agent. A message becomes
//
//   - a completed task with one artifact, the picture, and a message that says what it shows and who painted it. While
//     it is painted the artifact holds a small preview;
//   - an input-required task that asks what to paint or to change, or for a picture that can be read; or
//   - a rejected task when the client accepts neither PNG nor JPEG.
//
// Where the last picture of a conversation is, is kept as state of the context.
func New(o Options) agent.Agent {
	if o.Fetch == nil {
		o.Fetch, _ = files.NewFetcher(&files.FetchOptions{MediaTypes: []string{"image/*"}}) // which are never wrong
	}
	if o.Model == nil {
		return &artist{read: byRules, fetch: o.Fetch}
	}
	painter, _ := o.Model.(llm.Painter)
	return &artist{read: byModel(o.Model), fetch: o.Fetch, painter: painter, model: o.Model.Name()}
}

// artist implements [agent.Agent].
type artist struct {
	read    reader
	fetch   *files.Fetcher
	painter llm.Painter // nil: the offline renderer
	model   string      // the painter's name
}

// A reader finds out what a text asks for; from is the picture that it may be about, or nil.
type reader func(ctx context.Context, text string, from *picture) (Request, error)

func byRules(_ context.Context, text string, from *picture) (Request, error) {
	return Read(text, from != nil), nil
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
	text := promptOf(t.Message(), t.Text())
	if strings.TrimSpace(text) == "" && from != nil {
		return t.Ask(a2a.TextPart(askEdit))
	}
	r, err := a.read(ctx, text, from)
	if err != nil {
		return err
	}
	j := &job{Turn: t, request: r, prompt: text, media: mediaType(t, r.Format)}
	switch r.Action {
	case Create:
		return a.create(ctx, j)
	case Change:
		return a.edit(ctx, j, from)
	}
	return ask(t, r.Question)
}

// A job is a picture to be made.
type job struct {
	*agent.Turn
	request Request
	prompt  string   // what the user said
	media   string   // the media type of the picture
	maker   string   // who made it: a model's name, or "" for the offline renderer
	refused []string // changes that could not be made
}

// ask asks; what to paint is asked with a form as well.
func ask(t *agent.Turn, question string) error {
	if question == askSubject {
		return askForSubject(t)
	}
	return t.Ask(a2a.TextPart(question))
}

func (a *artist) create(ctx context.Context, j *job) error {
	p := &picture{scene: j.request.Scene}
	if err := p.scene.Normalize(); err != nil {
		return ask(j.Turn, "This cannot be painted: "+err.Error()+". Please say it differently.")
	}
	return a.make(ctx, j, p, nil)
}

func (a *artist) edit(ctx context.Context, j *job, from *picture) error {
	if from == nil {
		return ask(j.Turn, askPicture)
	}
	changed, refused, err := from.change(j.request.Edits)
	if err != nil {
		return ask(j.Turn, "This cannot be done: "+err.Error()+". Please say it differently.")
	}
	j.refused = refused
	return a.make(ctx, j, changed, from)
}

// make has the model paint, if there is one that can, and otherwise delivers what the offline renderer makes of p.
func (a *artist) make(ctx context.Context, j *job, p, from *picture) error {
	if err := j.Working(a2a.TextPart("Painting…")); err != nil {
		return err
	}
	if a.painter != nil && (from == nil || len(j.request.Edits) > 0) {
		painted, err := paintedBy(ctx, a.painter, cmp.Or(clean(j.request.Prompt), j.prompt), from)
		if err != nil {
			return err
		}
		if painted != nil {
			p, j.maker, j.refused = painted, a.model, nil
		}
	}
	if n := len(j.refused); n > 0 && n == len(j.request.Edits) {
		return ask(j.Turn, "This cannot be done: "+strings.Join(j.refused, "; ")+". What else should be changed?")
	}
	return j.deliver(ctx, p)
}

// deliver hands a picture over: a preview first, the picture in its place, then a word about it.
func (j *job) deliver(ctx context.Context, p *picture) error {
	artifact := a2a.Artifact{ID: a2a.NewArtifactID(), Name: ArtifactName, Description: p.describe()}
	if err := j.preview(ctx, p, artifact); err != nil {
		return err
	}
	pixels, err := p.render(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return ask(j.Turn, "This cannot be painted: "+err.Error()+". Please say it differently.")
	}
	if err := j.fill(&artifact, p, pixels); err != nil {
		return err
	}
	if err := j.PutArtifact(&artifact); err != nil {
		return err
	}
	if err := j.SaveContext(ctx, last{Task: j.TaskID(), Artifact: artifact.ID, Scene: p.scene}); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	return j.Reply(a2a.TextPart(j.closing(p, pixels)))
}

// preview shows a small picture of a scene in the artifact, which the final one replaces. Pixels that were sent need
// none, as changing them takes no time; neither do scenes with filters, whose preview would look like another picture.
func (j *job) preview(ctx context.Context, p *picture, artifact a2a.Artifact) error {
	if p.scene == nil || len(p.scene.Filters) > 0 {
		return nil
	}
	small, err := paint.Preview(ctx, p.scene)
	if err != nil {
		return err
	}
	content, err := paint.Encode(small, j.media)
	if err != nil {
		return err
	}
	if err := artifact.Metadata.Set("preview", true); err != nil {
		return err
	}
	return j.StreamArtifact(artifact).WritePart(a2a.RawPart(content, j.media, p.filename(j.media)))
}

// fill puts the finished picture into its artifact.
func (j *job) fill(artifact *a2a.Artifact, p *picture, pixels image.Image) error {
	content, err := paint.Encode(pixels, j.media)
	if err != nil {
		return fmt.Errorf("encode the picture: %w", err)
	}
	artifact.Parts = []a2a.Part{a2a.RawPart(content, j.media, p.filename(j.media))}
	facts := map[string]any{
		"renderer": cmp.Or(j.maker, Renderer), "prompt": cutRunes(clean(j.prompt), 500),
		"width": pixels.Bounds().Dx(), "height": pixels.Bounds().Dy(),
	}
	if p.scene != nil {
		facts["scene"] = p.scene
	}
	for key, value := range facts {
		if err := artifact.Metadata.Set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// closing says what the picture is, who made it, and what was not done.
func (j *job) closing(p *picture, pixels image.Image) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d × %d pixels, made by %s.", p.describe(), pixels.Bounds().Dx(), pixels.Bounds().Dy(), cmp.Or(j.maker, "the offline sample renderer"))
	if names := p.emblems(); len(names) > 0 {
		fmt.Fprintf(&b, " I have no shapes for %s: an emblem stands for it.", strings.Join(names, ", "))
	}
	if len(j.refused) > 0 {
		fmt.Fprintf(&b, " Not done: %s.", strings.Join(j.refused, "; "))
	}
	if j.request.Format != "" && j.request.Format != j.media {
		fmt.Fprintf(&b, " It is %s, as the request does not accept %s.", j.media, j.request.Format)
	}
	return b.String()
}

// mediaType chooses what the client gets: what the text asks for if the request accepts it, else PNG, else JPEG; "" when
// it accepts neither.
func mediaType(t *agent.Turn, wanted string) string {
	for _, media := range []string{wanted, paint.PNG, paint.JPEG} {
		if media != "" && t.Accepts(media) {
			return media
		}
	}
	return ""
}
