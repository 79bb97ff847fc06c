// SPDX-License-Identifier: Apache-2.0

package images

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// Renderer says in a picture's metadata that no image model made it. Of one that a model painted, the metadata names
// the model instead.
const Renderer = "offline sample renderer (shapes, no image model)"

// deliver hands a picture over: a preview first, the picture in its place, then a word about it.
func (j *job) deliver(ctx context.Context, p *paint.Picture) error {
	artifact := a2a.Artifact{ID: a2a.NewArtifactID(), Name: ArtifactName, Description: p.Describe()}
	if err := j.preview(ctx, p, artifact); err != nil {
		return err
	}
	pixels, err := p.Render(ctx)
	if err != nil {
		return err
	}
	if err := j.fill(&artifact, p, pixels); err != nil {
		return err
	}
	if err := j.PutArtifact(&artifact); err != nil {
		return err
	}
	if err := j.SaveContext(ctx, last{Task: j.TaskID(), Artifact: artifact.ID, Scene: p.Scene}); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	return j.Reply(a2a.TextPart(j.closing(p, pixels)))
}

func (j *job) preview(ctx context.Context, p *paint.Picture, artifact a2a.Artifact) error {
	if p.Scene == nil {
		return nil
	}
	small, err := paint.Preview(ctx, p.Scene)
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
	return j.StreamArtifact(artifact).WritePart(a2a.RawPart(content, j.media, p.Filename(j.media)))
}

func (j *job) fill(artifact *a2a.Artifact, p *paint.Picture, pixels image.Image) error {
	content, err := paint.Encode(pixels, j.media)
	if err != nil {
		return fmt.Errorf("encode the picture: %w", err)
	}
	artifact.Parts = []a2a.Part{a2a.RawPart(content, j.media, p.Filename(j.media))}
	facts := map[string]any{
		"renderer": cmp.Or(j.maker, Renderer), "prompt": j.prompt,
		"width": pixels.Bounds().Dx(), "height": pixels.Bounds().Dy(),
	}
	if p.Scene != nil {
		facts["scene"] = p.Scene
	}
	for key, value := range facts {
		if err := artifact.Metadata.Set(key, value); err != nil {
			return err
		}
	}
	return nil
}

// closing says what the picture is, and who made it.
func (j *job) closing(p *paint.Picture, pixels image.Image) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d × %d pixels, made by %s.", p.Describe(), pixels.Bounds().Dx(), pixels.Bounds().Dy(),
		cmp.Or(j.maker, "the offline sample renderer"))
	if j.request.Format != "" && j.request.Format != j.media {
		fmt.Fprintf(&b, " It is %s, as the request does not accept %s.", j.media, j.request.Format)
	}
	return b.String()
}

// mediaType chooses what the client gets: what the text asks for if the request accepts it, else PNG, else JPEG; ""
// when it accepts neither.
func mediaType(t *agent.Turn, wanted string) string {
	for _, media := range []string{wanted, paint.PNG, paint.JPEG} {
		if media != "" && t.Accepts(media) {
			return media
		}
	}
	return ""
}
