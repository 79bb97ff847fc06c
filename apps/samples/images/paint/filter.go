// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
)

// A Filter changes the pixels of a picture. Its JSON is what a language model is asked for.
type Filter struct {
	Do     string  `json:"do"`               // one of [Filters]
	Colour string  `json:"colour,omitempty"` // of tint
	Amount float64 `json:"amount,omitzero"`  // of rotate: degrees clockwise, a multiple of 90
}

// Filters are what a Filter can do.
var Filters = []string{"rotate", "mirror", "grayscale", "tint"}

// Check reports why a filter cannot be applied to any picture.
func (f Filter) Check() error {
	switch {
	case !slices.Contains(Filters, f.Do):
		return fmt.Errorf("change %q is none of %s", f.Do, strings.Join(Filters, ", "))
	case f.Do == "rotate" && (math.Mod(f.Amount, 90) != 0 || math.Abs(f.Amount) > 360):
		return fmt.Errorf("rotate by %v; it may be a multiple of 90 up to 360", f.Amount)
	case f.Do == "tint" && f.Colour == "":
		return fmt.Errorf("tint needs a colour")
	}
	return checkColour(f.Colour)
}

// Apply returns the changed picture; img stays as it is.
func (f Filter) Apply(img *image.RGBA) (*image.RGBA, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	if f.Do == "rotate" {
		for range (int(f.Amount)/90 + 8) % 4 {
			img = quarterTurn(img)
		}
		return img, nil
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	tone, _ := Colour(f.Colour)
	for y := range h {
		for x := range w {
			to, c := x, img.RGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
			switch f.Do {
			case "mirror":
				to = w - 1 - x
			case "grayscale":
				v := clamp8(luminance(c) * 255)
				c = color.RGBA{R: v, G: v, B: v, A: c.A}
			case "tint":
				c = premultiplied(color.RGBA{R: toned(c, tone.R), G: toned(c, tone.G), B: toned(c, tone.B), A: c.A})
			}
			out.SetRGBA(to, y, c)
		}
	}
	return out, nil
}

// quarterTurn turns clockwise.
func quarterTurn(img *image.RGBA) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			out.SetRGBA(h-1-y, x, img.RGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y))
		}
	}
	return out
}

// toned is a part of a colour that keeps how bright c is: from black by the part of the tone to white.
func toned(c color.RGBA, part uint8) uint8 {
	v := luminance(c) * 2
	return clamp8(float64(part)*min(v, 1) + (255-float64(part))*max(v-1, 0))
}
