// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"hash/fnv"
	"image/color"
	"math"
	"math/rand/v2"
)

// drawEmblem draws what stands for a subject that the painter does not know: a rosette that belongs to the name, with
// the name below it.
func drawEmblem(c *canvas, at placement, name string, main *color.RGBA) {
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	colour := hue(rng.Float64())
	if main != nil {
		colour = *main
	}
	disc := placement{x: at.x, y: at.y - at.scale*0.12, scale: at.scale * 0.82}
	draw := func(p polygon, shade color.RGBA) { c.draw([]polygon{disc.of(p)}, shade) }
	draw(ellipse(0, 0, 1, 1, 0), lighten(colour, 0.7))
	petals := 5 + rng.IntN(8)
	length, width := 0.34+0.1*rng.Float64(), 0.1+0.12*rng.Float64()
	for i := range petals {
		angle := 360 * float64(i) / float64(petals)
		s, cos := math.Sincos((angle - 90) * math.Pi / 180)
		draw(ellipse(0.52*cos, 0.52*s, width, length, angle), colour)
	}
	draw(star(0, 0, 0.45, 0.2+0.15*rng.Float64(), 3+rng.IntN(6)), darken(colour, 0.35))
	draw(ellipse(0, 0, 0.13, 0.13, 0), lighten(colour, 0.5))
	c.letter(name, at.x, at.y+at.scale*0.98, at.scale*2.2, at.scale*0.24)
}

// hue is a lively colour; at goes once around the wheel from 0 to 1.
func hue(at float64) color.RGBA {
	part := func(shift float64) uint8 {
		return clamp8(60 + 160*(0.5+0.5*math.Cos(2*math.Pi*(at-shift))))
	}
	return color.RGBA{R: part(0), G: part(1.0 / 3), B: part(2.0 / 3), A: 255}
}
