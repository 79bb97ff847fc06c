// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"slices"
)

// Backgrounds are the kinds of background.
var Backgrounds = []string{"meadow", "night", "plain", "sea", "sky", "snow", "space"}

// horizon is where the ground begins, as a fraction of the height.
const horizon = 0.64

// colours are those of the backgrounds: of the sky at its top and at the horizon, and of the ground; "" is no ground.
var colours = map[string][3]string{
	"plain": {"#f6f1e6", "#e9e2d2", ""}, "sky": {"#6db7f2", "#d8ecfb", ""}, "space": {"#0b0d24", "#2a1849", ""},
	"meadow": {"#7cc4f5", "#dff1fb", "#7fbf5a"}, "snow": {"#9fb8d0", "#dde8f2", "#f4f8fc"},
	"sea": {"#8fd0f5", "#e8f6fc", "#2a8fc4"}, "night": {"#0e1738", "#2c3a6a", "#16302c"},
}

// Render paints a scene. It normalizes the scene, so that the caller sees what was filled in, and gives up when ctx
// ends.
func Render(ctx context.Context, s *Scene) (*image.RGBA, error) {
	if err := s.Normalize(); err != nil {
		return nil, err
	}
	c := &canvas{
		img: image.NewRGBA(image.Rect(0, 0, s.Width, s.Height)), w: float64(s.Width), h: float64(s.Height),
		unit: float64(min(s.Width, s.Height)), rng: rand.New(rand.NewPCG(uint64(s.Seed), 1)),
	}
	c.background(s)
	for _, it := range c.arrange(s) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		what := find(it.object.Subject)
		colour := what.colour
		if own, ok := Colour(it.object.Colour); ok {
			colour = own
		}
		if what.zone == "ground" { // a shadow makes it stand
			c.fill(ellipse("ink@0.2", 0, 0.97, 0.75, 0.1, 0), it.at)
		}
		stamp(c.img, what.marks, it.at, colour)
	}
	var err error
	for _, f := range s.Filters {
		if c.img, err = f.Apply(c.img); err != nil {
			return nil, err
		}
	}
	return c.img, nil
}

// previewSide is how many pixels the longer side of a preview has.
const previewSide = 128

// Preview paints a small picture of the same scene.
func Preview(ctx context.Context, s *Scene) (*image.RGBA, error) {
	if err := s.Normalize(); err != nil {
		return nil, err
	}
	small := s.Clone()
	longer := max(s.Width, s.Height)
	small.Width, small.Height = max(s.Width*previewSide/longer, MinSide), max(s.Height*previewSide/longer, MinSide)
	return Render(ctx, small)
}

// A canvas is a picture that is being painted.
type canvas struct {
	img        *image.RGBA
	w, h, unit float64 // pixels; unit is the shorter side
	rng        *rand.Rand
}

// fill draws one form in the colours that its paint names.
func (c *canvas) fill(m mark, at placement) { stamp(c.img, []mark{m}, at, color.RGBA{}) }

func (c *canvas) background(s *Scene) {
	kind := s.Background.Kind
	if kind == "" {
		kind = suits(s)
	}
	of := func(i int) color.RGBA { c, _ := Colour(colours[kind][i]); return c }
	top, bottom, ground := of(0), of(1), of(2)
	end := 1.0
	if colours[kind][2] != "" {
		end = horizon + 0.1
	}
	c.gradient(0, end, top, bottom)
	if kind == "night" || kind == "space" {
		c.dots(70, end, 0.003, "#fffbe0@0.9")
	}
	if end < 1 {
		c.gradient(horizon+0.05, 1, lighten(ground, 0.08), darken(ground, 0.2))
	}
	if kind == "snow" {
		c.dots(int(c.w*c.h/2500), 1, 0.006, "#ffffff@0.9")
	}
	if s.Background.Night {
		veil := mark{"#0a1334@0.69", []point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, "MLLL"}
		c.fill(veil, placement{scale: max(c.w, c.h)})
		c.dots(50, horizon*0.8, 0.003, "#fffbe0@0.9")
	}
}

// suits chooses a background for a scene that names none.
func suits(s *Scene) string {
	kind := "plain"
	for _, o := range slices.Backward(s.Objects) {
		zone := find(o.Subject).zone
		if kind == "plain" || zone != "sky" {
			kind = map[string]string{"ground": "meadow", "sky": "sky", "water": "sea"}[zone]
		}
	}
	return kind
}

// gradient fills the picture between two heights, which are fractions of it.
func (c *canvas) gradient(from, to float64, top, bottom color.RGBA) {
	y0, y1 := int(from*c.h), int(math.Ceil(to*c.h))
	for y := y0; y < y1; y++ {
		row := image.Rect(0, y, int(c.w), y+1)
		colour := mix(top, bottom, float64(y-y0)/float64(max(y1-y0-1, 1)))
		draw.Draw(c.img, row, image.NewUniform(colour), image.Point{}, draw.Src)
	}
}

// dots are stars and snowflakes, down to a fraction of the height.
func (c *canvas) dots(n int, down, size float64, paint string) {
	for range n {
		r := max(c.unit*size*(0.4+c.rng.Float64()), 0.7)
		c.fill(ellipse(paint, 0, 0, 1, 1, 0), placement{c.rng.Float64() * c.w, c.rng.Float64() * c.h * down, r})
	}
}

// An item is one thing to draw.
type item struct {
	object *Object
	at     placement
}

// arrange puts the objects of the sky into a row above, and all others into a row below. Objects nearer to the lower
// edge come later, so that they are in front.
func (c *canvas) arrange(s *Scene) []item {
	rows := map[bool][]*Object{}
	for i := range s.Objects {
		o := &s.Objects[i]
		for range o.Count {
			up := find(o.Subject).zone == "sky" && len(s.Objects) > 1
			rows[up] = append(rows[up], o)
		}
	}
	var items []item
	for _, up := range []bool{true, false} {
		row := rows[up]
		slices.SortStableFunc(row, func(a, b *Object) int { return cmp.Compare(side(a), side(b)) })
		for i, o := range row {
			n := float64(len(row))
			scale := min(c.unit*0.26*find(o.Subject).size, c.w/n*0.55)
			if len(row) == 1 && !up {
				scale = min(c.unit*0.32, c.w*0.4)
			}
			x, y := c.w*(float64(i)+0.5)/n, c.h*0.88-scale
			if n == 1 {
				x = c.w * (0.5 + 0.28*float64(side(o)))
			}
			if up {
				y = max(c.h*0.18, scale)
			}
			items = append(items, item{o, placement{x, y, scale}})
		}
	}
	return items
}

// side is -1 for the left, 1 for the right, and 0 for anywhere.
func side(o *Object) int { return map[string]int{"left": -1, "right": 1}[o.Place] }
