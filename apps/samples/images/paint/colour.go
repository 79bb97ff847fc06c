// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// everyday are colours that CSS shows paler or darker than people mean.
var everyday = map[string]string{
	"red": "#e0261c", "green": "#2e9e3f", "blue": "#2a5fd8", "yellow": "#ffd51e", "orange": "#ff8c1a",
	"brown": "#8b5a2b",
	"pink":  "#ff8fb3", "purple": "#8a2fb0", "golden": "#ffc61a", "ink": "#222026",
}

// Colour finds a colour by its CSS name or by #rrggbb.
func Colour(name string) (color.RGBA, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if hex, ok := everyday[name]; ok {
		name = hex
	}
	if hex, ok := strings.CutPrefix(name, "#"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}, err == nil && len(hex) == 6
	}
	c, ok := colornames.Map[name]
	return c, ok
}

func checkColour(name string) error {
	if _, ok := Colour(name); name != "" && !ok {
		return fmt.Errorf("colour %q is neither a CSS name nor #rrggbb", name)
	}
	return nil
}

// shade is the paint of a mark: a shade of the main colour, or a colour of its own; "@0.5" after it is half opaque.
func shade(paint string, main color.RGBA) color.RGBA {
	name, alpha, _ := strings.Cut(paint, "@")
	c, _ := Colour(name)
	switch name {
	case "main":
		c = main
	case "light":
		c = lighten(main, 0.35)
	case "pale":
		c = lighten(main, 0.7)
		if luminance(main) > 0.8 { // or it cannot be told from the main colour
			c = darken(main, 0.12)
		}
	case "dark":
		c = darken(main, 0.3)
	case "deep":
		c = darken(main, 0.55)
	}
	if f, err := strconv.ParseFloat(alpha, 64); err == nil {
		c.A = clamp8(f * 255)
	}
	return c
}

// mix goes from a (at 0) to b (at 1).
func mix(a, b color.RGBA, at float64) color.RGBA {
	part := func(x, y uint8) uint8 { return clamp8(float64(x) + (float64(y)-float64(x))*at) }
	return color.RGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: part(a.A, b.A)}
}

func lighten(c color.RGBA, by float64) color.RGBA {
	return mix(c, color.RGBA{R: 255, G: 255, B: 255, A: c.A}, by)
}
func darken(c color.RGBA, by float64) color.RGBA {
	return mix(c, color.RGBA{R: 20, G: 16, B: 30, A: c.A}, by)
}

// premultiplied is how package image wants colours; this package keeps them plain so that mixing is easy.
func premultiplied(c color.RGBA) color.RGBA {
	part := func(x uint8) uint8 { return uint8(uint16(x) * uint16(c.A) / 255) }
	return color.RGBA{R: part(c.R), G: part(c.G), B: part(c.B), A: c.A}
}

func clamp8(f float64) uint8 { return uint8(math.Round(min(max(f, 0), 255))) }

// luminance is how bright a colour looks, 0 to 1.
func luminance(c color.RGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}
