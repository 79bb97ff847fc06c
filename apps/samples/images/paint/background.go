// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image/color"
	"math"
	"slices"
)

// horizon is where the ground begins, as a fraction of the height.
const horizon = 0.64

// A backdrop draws a background. colour is what the scene asks for, or the backdrop's own.
type backdrop struct {
	colour color.RGBA
	draw   func(c *canvas, colour color.RGBA)
}

// backdrops are the kinds of background. A function, so that the drawing functions may look things up themselves.
func backdrops() map[string]backdrop {
	return map[string]backdrop{
		"plain":  {mustColour("#f3ede0"), plain},
		"sky":    {mustColour("#6db7f2"), openSky},
		"meadow": {mustColour("#7fbf5a"), meadow},
		"sunset": {mustColour("#ff7a3c"), sunset},
		"night":  {mustColour("#16224d"), night},
		"sea":    {mustColour("#2a8fc4"), sea},
		"beach":  {mustColour("#f2d795"), beach},
		"forest": {mustColour("#2f6b3f"), forest},
		"city":   {mustColour("#8fa3bd"), cityscape},
		"space":  {mustColour("#0b0d24"), space},
		"desert": {mustColour("#e0ac5c"), desert},
		"snow":   {mustColour("#f4f8fc"), snow},
		"rain":   {mustColour("#7b8da1"), rain},
		"room":   {mustColour("#d8c4e0"), room},
	}
}

// Backgrounds lists the kinds of background.
func Backgrounds() []string {
	var all []string
	for name := range backdrops() {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// hasGround tells which backgrounds have something to stand on.
func hasGround(kind string) bool { return kind != "plain" && kind != "sky" && kind != "space" }

// backgroundOf chooses a kind that suits the first object when none is named.
func backgroundOf(s *Scene) string {
	if s.Background.Kind != "" {
		return s.Background.Kind
	}
	if s.Background.Colour != "" || len(s.Objects) == 0 {
		return "plain"
	}
	what := subjects().byName[s.Objects[0].Subject]
	if what == nil {
		return "plain"
	}
	if kind, ok := suits[what.name]; ok {
		return kind
	}
	switch what.zone {
	case sky:
		return "sky"
	case water:
		return "sea"
	case ground:
		return "meadow"
	}
	return "plain"
}

// suits are backgrounds of subjects that their zone does not tell.
var suits = map[string]string{
	"cactus": "desert", "penguin": "snow", "snowman": "snow", "rocket": "space", "planet": "space", "ufo": "night",
	"moon": "night", "full moon": "night", "star": "night", "owl": "night", "lightning": "rain", "umbrella": "rain",
	"lighthouse": "sea", "palm": "beach", "ball": "beach", "city": "sky", "car": "city", "bus": "city",
	"lemonade": "room", "cup": "room", "wine": "room", "cake": "room", "apple": "room", "lemon": "room",
	"orange fruit": "room", "banana": "room", "strawberry": "room", "pizza": "room", "book": "room", "gift": "room",
	"candle": "room", "hat": "room", "chair": "room", "table": "room", "computer": "room", "guitar": "room",
	"ice cream": "beach", "pumpkin": "night", "ghost": "night",
}

func plain(c *canvas, colour color.RGBA) {
	c.gradient(0, 1, lighten(colour, 0.25), darken(colour, 0.08))
}

func openSky(c *canvas, colour color.RGBA) {
	c.gradient(0, 1, colour, lighten(colour, 0.7))
	c.clouds(4, 0.75)
}

func meadow(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, mustColour("#7cc4f5"), mustColour("#dff1fb"))
	c.clouds(2, 0.3)
	c.hills(horizon-0.06, 0.06, mix(colour, mustColour("#9fc8d8"), 0.45))
	c.hills(horizon, 0.04, lighten(colour, 0.12))
	c.ground(horizon+0.08, colour)
	c.tufts(horizon+0.12, darken(colour, 0.22), 26)
}

func sunset(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon*0.6, mustColour("#4a3f7a"), colour)
	c.gradient(horizon*0.6, horizon+0.02, colour, mustColour("#ffd27a"))
	w, h := c.size()
	c.draw([]polygon{ellipse(w*0.5, h*horizon, 0.16*c.unit, 0.16*c.unit, 0)}, mustColour("#fff0b3"))
	c.hills(horizon-0.04, 0.05, mustColour("#6b3f5e"))
	c.ground(horizon+0.04, mustColour("#3f2a45"))
}

func night(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, darken(colour, 0.35), lighten(colour, 0.2))
	c.stars(70, horizon)
	c.hills(horizon-0.04, 0.06, mix(colour, mustColour("#1d3a3f"), 0.6))
	c.ground(horizon+0.05, mustColour("#16302c"))
}

func sea(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon*0.85, mustColour("#8fd0f5"), mustColour("#e8f6fc"))
	c.clouds(2, 0.25)
	c.gradient(horizon*0.85, 1, lighten(colour, 0.2), darken(colour, 0.4))
	c.waves(horizon*0.85, 1, lighten(colour, 0.45), 22)
}

func beach(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon*0.8, mustColour("#6fc3f7"), mustColour("#dff3fd"))
	c.gradient(horizon*0.8, horizon+0.06, mustColour("#2fa6c9"), mustColour("#6fd3d8"))
	c.waves(horizon*0.8, horizon, white, 8)
	c.hills(horizon+0.04, 0.015, white)
	c.hills(horizon+0.06, 0.015, colour)
	c.ground(horizon+0.1, colour)
}

func forest(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, mustColour("#cfe8d8"), lighten(colour, 0.55))
	w, h := c.size()
	for row := range 3 {
		shade := mix(mustColour("#bcd8c8"), colour, 0.3+0.35*float64(row))
		for i := range 9 {
			x := (float64(i) + 0.5*float64(row%2) + 0.6*(c.rng.Float64()-0.5)) / 8.5 * w
			size := c.unit * (0.2 + 0.06*float64(row)) * (0.8 + 0.4*c.rng.Float64())
			y := h*(horizon+0.02+0.03*float64(row)) - size*0.95
			subjects().byName["pine"].draw(c, placement{x: x, y: y, scale: size}, shade)
		}
	}
	c.ground(horizon+0.06, mix(colour, mustColour("#6f8f45"), 0.5))
	c.tufts(horizon+0.1, darken(colour, 0.2), 24)
}

func cityscape(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, lighten(colour, 0.25), lighten(colour, 0.75))
	w, h := c.size()
	for row := range 2 {
		shade := mix(lighten(colour, 0.35), darken(colour, 0.35), float64(row)*0.7)
		for x := -0.03 * w; x < w; {
			width := (0.08 + 0.08*c.rng.Float64()) * w
			top := h * (0.16 + 0.17*float64(row) + 0.24*c.rng.Float64())
			c.draw([]polygon{rectangle(x, top, width, h*(horizon+0.1)-top, 0)}, shade)
			c.windows(x, top, width, h*(horizon+0.05)-top)
			x += width * 1.04
		}
	}
	c.ground(horizon+0.07, mustColour("#6b6f78"))
	for i := range 7 { // the line of the road
		c.line([]polygon{rectangle(w*(float64(i)/6-0.04), h*0.84, w*0.08, h*0.012, 0)}, mustColour("#e8e3c8"))
	}
}

func (c *canvas) windows(x, y, width, height float64) {
	size, gap := c.unit*0.018, c.unit*0.036
	for wy := y + gap; wy < y+height-gap; wy += gap {
		for wx := x + gap*0.6; wx < x+width-gap*0.8; wx += gap {
			if c.rng.Float64() < 0.6 {
				c.flat([]polygon{rectangle(wx, wy, size, size, 0)}, opaque(mustColour("#fff0b0"), 170))
			}
		}
	}
}

func space(c *canvas, colour color.RGBA) {
	c.gradient(0, 1, colour, mix(colour, mustColour("#3a1c5e"), 0.7))
	c.stars(140, 1)
}

func desert(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, mustColour("#f7b36b"), mustColour("#fdebc4"))
	c.hills(horizon-0.05, 0.07, lighten(colour, 0.3))
	c.hills(horizon+0.02, 0.05, lighten(colour, 0.1))
	c.ground(horizon+0.1, colour)
}

func snow(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, mustColour("#9fb8d0"), mustColour("#dde8f2"))
	c.hills(horizon-0.04, 0.07, mix(colour, mustColour("#b8c9dc"), 0.6))
	c.ground(horizon+0.03, colour)
	w, h := c.size()
	for range 60 {
		r := c.unit * (0.003 + 0.005*c.rng.Float64())
		c.flat([]polygon{disc(point{c.rng.Float64() * w, c.rng.Float64() * h}, r)}, opaque(white, 230))
	}
}

func rain(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.1, darken(colour, 0.3), lighten(colour, 0.3))
	c.clouds(6, 0.2)
	c.hills(horizon, 0.04, darken(colour, 0.2))
	c.ground(horizon+0.06, mix(darken(colour, 0.35), mustColour("#4d6b4a"), 0.5))
	w, h := c.size()
	for range 90 {
		x, y := c.rng.Float64()*w*1.1, c.rng.Float64()*h
		c.flat(stroke([]point{{x, y}, {x - 0.015*c.unit, y + 0.05*c.unit}}, max(0.003*c.unit, 0.6), false), opaque(mustColour("#d5e6f5"), 150))
	}
}

func room(c *canvas, colour color.RGBA) {
	c.gradient(0, horizon+0.05, lighten(colour, 0.2), colour)
	w, h := c.size()
	for i := range 12 {
		x := w * (float64(i) + 0.5) / 12
		c.flat([]polygon{rectangle(x, 0, w*0.022, h*(horizon+0.05), 0)}, opaque(lighten(colour, 0.4), 90))
	}
	wood := mustColour("#b98555")
	c.gradient(horizon+0.05, 1, lighten(wood, 0.15), darken(wood, 0.15))
	c.flat([]polygon{rectangle(0, h*(horizon+0.05), w, h*0.018, 0)}, lighten(wood, 0.35))
}

// darkness makes night of a place: what is there is still to be seen, and above it are stars.
func (c *canvas) darkness() {
	w, h := c.size()
	c.flat([]polygon{rectangle(0, 0, w, h, 0)}, opaque(mustColour("#0a1334"), 175))
	c.stars(50, horizon*0.8)
}

// hills fill all below a wavy line.
func (c *canvas) hills(at, height float64, colour color.RGBA) {
	w, h := c.size()
	phase, second := c.rng.Float64()*7, c.rng.Float64()*7
	p := polygon{{0, h}, {0, h}}
	const steps = 60
	for i := range steps + 1 {
		t := float64(i) / steps
		wave := 0.6*math.Sin(phase+t*5) + 0.4*math.Sin(second+t*11)
		p = append(p, point{t * w, h * (at - height*wave)})
	}
	c.draw([]polygon{append(p, point{w, h})}, colour)
}

// ground fills the picture from a height down.
func (c *canvas) ground(from float64, colour color.RGBA) {
	c.gradient(from, 1, lighten(colour, 0.08), darken(colour, 0.2))
}

func (c *canvas) clouds(n int, down float64) {
	w, h := c.size()
	for i := range n {
		x := w * (float64(i) + 0.2 + 0.6*c.rng.Float64()) / float64(n)
		y := h * (0.08 + down*c.rng.Float64())
		subjects().byName["cloud"].draw(c, placement{x: x, y: y, scale: c.unit * (0.07 + 0.06*c.rng.Float64()), mirror: i%2 == 1}, mustColour("#fdfdff"))
	}
}

func (c *canvas) stars(n int, down float64) {
	w, h := c.size()
	for range n {
		r := c.unit * (0.0015 + 0.0035*c.rng.Float64()*c.rng.Float64())
		at := point{c.rng.Float64() * w, c.rng.Float64() * h * down}
		c.flat([]polygon{disc(at, max(r, 0.6))}, opaque(mustColour("#fffbe0"), clamp8(130+125*c.rng.Float64())))
	}
}

func (c *canvas) waves(from, to float64, colour color.RGBA, n int) {
	w, h := c.size()
	for range n {
		x, y := c.rng.Float64()*w, h*(from+0.03+(to-from-0.03)*c.rng.Float64())
		length := c.unit * (0.04 + 0.06*c.rng.Float64())
		line := append([]point{{x, y}}, quadratic(point{x, y}, point{x + length/4, y - length/5}, point{x + length/2, y})...)
		line = append(line, quadratic(point{x + length/2, y}, point{x + length*3/4, y + length/5}, point{x + length, y})...)
		c.flat(stroke(line, max(0.005*c.unit, 0.7), false), opaque(colour, 150))
	}
}

func (c *canvas) tufts(from float64, colour color.RGBA, n int) {
	w, h := c.size()
	for range n {
		x, y := c.rng.Float64()*w, h*(from+(1-from)*c.rng.Float64())
		s := c.unit * 0.018
		c.flat([]polygon{{{x - s, y}, {x - s*0.8, y - s}, {x - s*0.3, y}, {x, y - s*1.5}, {x + s*0.3, y}, {x + s*0.8, y - s}, {x + s, y}}}, opaque(colour, 150))
	}
}
