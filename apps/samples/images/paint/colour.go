// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// everyday are colours that CSS has under another name, or shows paler than people mean.
var everyday = map[string]string{
	"rose": "#ff5f8f", "scarlet": "#d9251d", "amber": "#ffbf00", "cream": "#fff5d6", "mint": "#98e8c1",
	"peach": "#ffc29b", "lilac": "#c8a2c8", "mustard": "#e1ad01", "burgundy": "#800020", "bronze": "#cd7f32",
	"copper": "#b87333", "turquoise": "#30d5c8", "pink": "#ff8fb3", "emerald": "#2fa866", "ruby": "#c81e4a",
	"golden": "#ffc61a", "silvery": "#c0c0c0", "ginger": "#d9822b", "blond": "#f3d98b", "purple": "#8a2fb0",
	"green": "#2e9e3f", "brown": "#8b5a2b", "red": "#e0261c", "blue": "#2a5fd8", "yellow": "#ffd51e",
	"orange": "#ff8c1a",
}

// Colour finds a colour by its CSS name ("light blue" and "lightblue" are the same), by an everyday name, or by
// #rgb and #rrggbb.
func Colour(name string) (color.RGBA, bool) {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), " ", "")
	if hex, ok := strings.CutPrefix(name, "#"); ok {
		return hexColour(hex)
	}
	if hex, ok := everyday[name]; ok {
		return hexColour(hex[1:])
	}
	c, ok := colornames.Map[name]
	return c, ok
}

func hexColour(digits string) (color.RGBA, bool) {
	if len(digits) == 3 {
		digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 6 {
		return color.RGBA{}, false
	}
	return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}, true
}

// mustColour is for names written in this package; a test looks at all of them.
func mustColour(name string) color.RGBA {
	c, ok := Colour(name)
	if !ok {
		panic("paint: no colour " + name)
	}
	return c
}

// mix goes from a (at 0) to b (at 1).
func mix(a, b color.RGBA, at float64) color.RGBA {
	part := func(x, y uint8) uint8 { return clamp8(float64(x) + (float64(y)-float64(x))*at) }
	return color.RGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: part(a.A, b.A)}
}

var (
	white = color.RGBA{R: 255, G: 255, B: 255, A: 255}
	ink   = color.RGBA{R: 34, G: 32, B: 38, A: 255}
	paper = color.RGBA{R: 250, G: 247, B: 238, A: 255}
)

func lighten(c color.RGBA, by float64) color.RGBA { return mix(c, opaque(white, c.A), by) }
func darken(c color.RGBA, by float64) color.RGBA {
	return mix(c, opaque(color.RGBA{R: 20, G: 16, B: 30}, c.A), by)
}
func opaque(c color.RGBA, alpha uint8) color.RGBA { c.A = alpha; return c }

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
