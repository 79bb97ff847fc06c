// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"context"
	"image"
	"image/draw"

	xdraw "golang.org/x/image/draw"
)

// Render paints a scene. It normalizes the scene, so that the caller sees what was filled in, and gives up when ctx ends.
func Render(ctx context.Context, s *Scene) (*image.RGBA, error) {
	if err := s.Normalize(); err != nil {
		return nil, err
	}
	img, err := paintScene(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, f := range s.Filters {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if img, err = f.Apply(img); err != nil {
			return nil, err
		}
	}
	return img, nil
}

// previewSide is how many pixels the longer side of a preview has.
const previewSide = 128

// Preview paints a small picture of the same scene, without its filters.
func Preview(ctx context.Context, s *Scene) (*image.RGBA, error) {
	if err := s.Normalize(); err != nil {
		return nil, err
	}
	small := s.Clone()
	longer := max(s.Width, s.Height)
	small.Width = max(s.Width*previewSide/longer, MinSide)
	small.Height = max(s.Height*previewSide/longer, MinSide)
	if small.Style != "sketch" {
		small.Style = "flat"
	}
	return paintScene(ctx, small)
}

func paintScene(ctx context.Context, s *Scene) (*image.RGBA, error) {
	if s.Style == "pixel" {
		return paintBlocks(ctx, s)
	}
	c := newCanvas(s.Width, s.Height, s.Style, s.Seed)
	c.background(s)
	for _, it := range arrange(s, c) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c.object(&s.Objects[it.object], it)
	}
	c.finish()
	c.dress(s)
	return c.img, nil
}

// blocks is how many blocks the shorter side of a picture in style "pixel" has.
const blocks = 64

// paintBlocks paints a small picture and shows its pixels as blocks.
func paintBlocks(ctx context.Context, s *Scene) (*image.RGBA, error) {
	small := s.Clone()
	shorter := min(s.Width, s.Height)
	small.Style, small.Caption, small.Border = "flat", "", ""
	small.Width, small.Height = s.Width*min(blocks, shorter)/shorter, s.Height*min(blocks, shorter)/shorter
	img, err := paintScene(ctx, small)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(img.Pix); i += 4 { // few colours, as old machines had
		for j := range 3 {
			img.Pix[i+j] = clamp8(float64(int(img.Pix[i+j])+16) / 32 * 32 * 255 / 256)
		}
	}
	c := newCanvas(s.Width, s.Height, "flat", s.Seed)
	xdraw.NearestNeighbor.Scale(c.img, c.img.Bounds(), img, img.Bounds(), draw.Src, nil)
	c.dress(s)
	return c.img, nil
}

func (c *canvas) background(s *Scene) {
	b := backdrops()[backgroundOf(s)]
	colour := b.colour
	if named, ok := Colour(s.Background.Colour); ok && s.Background.Colour != "" {
		colour = named
	}
	b.draw(c, colour)
	if s.Background.Night {
		c.darkness()
	}
}

func (c *canvas) object(o *Object, it item) {
	own, named := Colour(o.Colour)
	what := subjects().byName[o.Subject]
	if what == nil {
		if named {
			drawEmblem(c, it.at, o.Subject, &own)
		} else {
			drawEmblem(c, it.at, o.Subject, nil)
		}
		return
	}
	if !named {
		own = what.colour
	}
	if it.zone == ground && it.side != "on" && it.side != "above" { // a shadow makes it stand
		c.flat([]polygon{ellipse(it.at.x, it.at.y+it.at.scale*0.97, it.at.scale*0.75, it.at.scale*0.1, 0)}, opaque(ink, 60))
	}
	what.draw(c, it.at, own)
}

// dress adds what lies over the picture.
func (c *canvas) dress(s *Scene) {
	if s.Border != "" {
		c.border(s.Border)
	}
	if s.Caption != "" {
		c.caption(s.Caption)
	}
}

func (c *canvas) border(name string) {
	colour, _ := Colour(name)
	w, h := c.size()
	t := 0.03 * c.unit
	for _, p := range []polygon{rectangle(0, 0, w, t, 0), rectangle(0, h-t, w, t, 0), rectangle(0, t, t, h-2*t, 0), rectangle(w-t, t, t, h-2*t, 0)} {
		c.flat([]polygon{p}, colour)
	}
}

// Decorate draws objects, a caption and a border onto a picture that is not a scene, such as a photograph.
func Decorate(img *image.RGBA, objects []Object, caption, border string) error {
	b := img.Bounds()
	s := &Scene{Objects: objects, Caption: caption, Border: border, Width: b.Dx(), Height: b.Dy(), Background: Background{Kind: "meadow"}}
	if err := s.Normalize(); err != nil {
		return err
	}
	c := newCanvas(s.Width, s.Height, "flat", 0)
	c.img = img
	for _, it := range arrange(s, c) {
		c.object(&s.Objects[it.object], it)
	}
	c.dress(s)
	return nil
}
