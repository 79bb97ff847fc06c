// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"

	"golang.org/x/image/vector"
)

// A canvas turns polygons into pixels, in a style.
type canvas struct {
	img   *image.RGBA
	style string
	rng   *rand.Rand
	unit  float64 // the shorter side, in pixels: widths of lines are fractions of it
}

func newCanvas(width, height int, style string, seed uint32) *canvas {
	return &canvas{
		img: image.NewRGBA(image.Rect(0, 0, width, height)), style: style,
		rng: rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)), unit: float64(min(width, height)),
	}
}

func (c *canvas) size() (w, h float64) {
	b := c.img.Bounds()
	return float64(b.Dx()), float64(b.Dy())
}

// draw draws one form: a filled one with a colour, in the canvas's style.
func (c *canvas) draw(form []polygon, colour color.RGBA) {
	switch c.style {
	case "photorealistic":
		c.fill(form, shaded(form, colour))
	case "watercolour":
		c.wash(form, colour)
	case "sketch":
		c.fill(form, image.NewUniform(premultiplied(opaque(mix(colour, paper, 0.55), colour.A))))
		c.hatch(form, colour)
		c.outline(form, 0.0035, 2, 0.004)
	case "cartoon":
		c.flat(form, colour)
		c.outline(form, 0.008, 1, 0)
	default:
		c.flat(form, colour)
	}
}

// line draws a line of a width; its polygons come from stroke.
func (c *canvas) line(form []polygon, colour color.RGBA) {
	switch c.style {
	case "watercolour":
		c.flat(form, opaque(colour, clamp8(float64(colour.A)*0.7)))
	case "sketch":
		c.flat(form, opaque(mix(colour, ink, 0.25), colour.A))
	default:
		c.flat(form, colour)
	}
}

// flat fills a form with one colour.
func (c *canvas) flat(form []polygon, colour color.RGBA) {
	c.fill(form, image.NewUniform(premultiplied(colour)))
}

// fill covers a form with what is in src. The rasterizer is as large as the form, not as the picture.
func (c *canvas) fill(form []polygon, src image.Image) {
	lo, hi := box(form)
	r := image.Rect(int(math.Floor(lo.x)), int(math.Floor(lo.y)), int(math.Ceil(hi.x))+1, int(math.Ceil(hi.y))+1).Intersect(c.img.Bounds())
	if r.Empty() {
		return
	}
	z := vector.NewRasterizer(r.Dx(), r.Dy())
	dx, dy := float64(r.Min.X), float64(r.Min.Y)
	for _, p := range form {
		z.MoveTo(float32(p[0].x-dx), float32(p[0].y-dy))
		for _, q := range p[1:] {
			z.LineTo(float32(q.x-dx), float32(q.y-dy))
		}
		z.ClosePath()
	}
	z.DrawOp = draw.Over
	z.Draw(c.img, r, src, r.Min)
}

// outline draws the edge of a form in ink, as often as told and each time a little elsewhere.
func (c *canvas) outline(form []polygon, width float64, times int, jitter float64) {
	colour := ink
	if times > 1 {
		colour = opaque(ink, 130)
	}
	lo, hi := box(form)
	width = max(min(width*c.unit, 0.12*min(hi.x-lo.x, hi.y-lo.y)), 0.7) // a small form keeps its inside
	for range times {
		for _, p := range form {
			c.flat(stroke(c.shaken(p, jitter*c.unit), width, true), colour)
		}
	}
}

// shaken moves the points of a polygon by a hand that is not quite steady: neighbours move together.
func (c *canvas) shaken(p polygon, by float64) polygon {
	if by == 0 {
		return p
	}
	out := make(polygon, len(p))
	var dx, dy float64
	for i, q := range p {
		dx = 0.8*dx + 0.6*by*(c.rng.Float64()-0.5)
		dy = 0.8*dy + 0.6*by*(c.rng.Float64()-0.5)
		out[i] = point{q.x + dx, q.y + dy}
	}
	return out
}

// wash lays thin coats of paint over each other whose edges differ.
func (c *canvas) wash(form []polygon, colour color.RGBA) {
	coat := opaque(lighten(colour, 0.12), clamp8(float64(colour.A)*0.45))
	for range 4 {
		var shaken []polygon
		for _, p := range form {
			shaken = append(shaken, c.shaken(p, 0.012*c.unit))
		}
		c.flat(shaken, coat)
	}
	edge := opaque(darken(colour, 0.2), clamp8(float64(colour.A)*0.25))
	for _, p := range form {
		c.flat(stroke(c.shaken(p, 0.006*c.unit), 0.004*c.unit, true), edge)
	}
}

// hatch draws parallel pencil strokes within a form; dark colours get more of them.
func (c *canvas) hatch(form []polygon, colour color.RGBA) {
	if luminance(colour) > 0.85 {
		return
	}
	step := c.unit * (0.008 + 0.02*luminance(colour))
	lo, hi := box(form)
	r := image.Rect(int(lo.x), int(lo.y), int(hi.x)+1, int(hi.y)+1).Intersect(c.img.Bounds())
	lines := image.NewRGBA(r)
	pencil := canvas{img: lines, style: "flat", rng: c.rng, unit: c.unit}
	for d := lo.x - (hi.y - lo.y); d < hi.x; d += step {
		from := point{d + (c.rng.Float64()-0.5)*step*0.5, hi.y}
		to := point{d + hi.y - lo.y, lo.y}
		pencil.flat(stroke([]point{from, to}, max(0.0016*c.unit, 0.5), false), opaque(darken(colour, 0.45), 110))
	}
	c.fill(form, lines)
}

// shading is light that comes from the upper left.
type shading struct {
	lo, hi          point
	light, mid, low color.RGBA
}

// shaded returns a source that makes a form look round.
func shaded(form []polygon, colour color.RGBA) image.Image {
	lo, hi := box(form)
	return &shading{lo: lo, hi: hi, light: lighten(colour, 0.45), mid: colour, low: darken(colour, 0.5)}
}

// ColorModel implements [image.Image].
func (s *shading) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements [image.Image]: it has no end.
func (s *shading) Bounds() image.Rectangle { return image.Rect(-1e9, -1e9, 1e9, 1e9) }

// At implements [image.Image].
func (s *shading) At(x, y int) color.Color {
	u := (float64(x) - s.lo.x) / max(s.hi.x-s.lo.x, 1)
	v := (float64(y) - s.lo.y) / max(s.hi.y-s.lo.y, 1)
	d := math.Hypot(u-0.32, v-0.25) // distance from the brightest spot
	if d < 0.35 {
		return premultiplied(mix(s.light, s.mid, d/0.35))
	}
	return premultiplied(mix(s.mid, s.low, min((d-0.35)/0.75, 1)))
}

// gradient fills the picture between two heights, which are fractions of it, from one colour to another.
func (c *canvas) gradient(from, to float64, top, bottom color.RGBA) {
	if c.style == "sketch" {
		top, bottom = mix(top, paper, 0.8), mix(bottom, paper, 0.8)
	}
	if c.style == "watercolour" {
		top, bottom = lighten(top, 0.3), lighten(bottom, 0.3)
	}
	w, h := c.size()
	y0, y1 := int(from*h), int(math.Ceil(to*h))
	for y := max(y0, 0); y < min(y1, int(h)); y++ {
		colour := premultiplied(mix(top, bottom, float64(y-y0)/float64(max(y1-y0-1, 1))))
		draw.Draw(c.img, image.Rect(0, y, int(w), y+1), image.NewUniform(colour), image.Point{}, draw.Over)
	}
}

// finish gives the whole picture what its style wants: paper, grain, or the corners of a lens.
func (c *canvas) finish() {
	switch c.style {
	case "watercolour":
		c.grain(9)
	case "sketch":
		c.grain(5)
	case "photorealistic":
		c.grain(6)
		c.vignette()
	}
}

// grain makes each pixel a little lighter or darker.
func (c *canvas) grain(by float64) {
	for i := 0; i < len(c.img.Pix); i += 4 {
		d := (c.rng.Float64() + c.rng.Float64() - 1) * by
		for j := range 3 {
			c.img.Pix[i+j] = clamp8(float64(c.img.Pix[i+j]) + d)
		}
	}
}

func (c *canvas) vignette() {
	w, h := c.size()
	for y := range int(h) {
		for x := range int(w) {
			d := math.Hypot(float64(x)/w-0.5, float64(y)/h-0.5)
			k := 1 - 0.45*max(d-0.35, 0)
			i := c.img.PixOffset(x, y)
			for j := range 3 {
				c.img.Pix[i+j] = clamp8(float64(c.img.Pix[i+j]) * k)
			}
		}
	}
}
