// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"strings"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// A Filter changes the pixels of a picture. Its JSON is what a language model is asked for.
type Filter struct {
	Do     string  `json:"do"`               // one of [Filters]
	Colour string  `json:"colour,omitempty"` // of tint
	Amount float64 `json:"amount,omitzero"`  // rotate: degrees clockwise; brightness, contrast: -1 to 1; blur: 1 to 20, a thousandth of the side each; crop, scale: 0.05 to 4
	Width  int     `json:"width,omitzero"`   // pixels, of resize and crop
	Height int     `json:"height,omitzero"`  // likewise; 0 keeps the proportions in resize
}

// Filters are what a Filter can do.
var Filters = []string{
	"rotate", "flip", "mirror", "grayscale", "invert", "sepia", "tint", "brightness", "contrast", "blur", "crop", "resize", "scale", "pixelate",
}

// Check reports why a filter cannot be applied to any picture.
func (f Filter) Check() error {
	if !slices.Contains(Filters, f.Do) {
		return fmt.Errorf("change %q is none of %s", f.Do, strings.Join(Filters, ", "))
	}
	if math.IsNaN(f.Amount) || math.IsInf(f.Amount, 0) {
		return fmt.Errorf("%s by %v", f.Do, f.Amount)
	}
	limit := func(lo, hi float64) error {
		if f.Amount < lo || f.Amount > hi {
			return fmt.Errorf("%s by %v; it may be %v to %v", f.Do, f.Amount, lo, hi)
		}
		return nil
	}
	switch f.Do {
	case "rotate":
		return limit(-360, 360)
	case "brightness", "contrast":
		return limit(-1, 1)
	case "blur":
		return limit(1, 20)
	case "scale":
		return limit(0.05, 4)
	case "tint":
		if f.Colour == "" {
			return fmt.Errorf("tint needs a colour")
		}
		return checkColour(f.Colour)
	case "crop", "resize":
		return f.checkSides(limit)
	}
	return nil
}

func (f Filter) checkSides(limit func(lo, hi float64) error) error {
	if f.Width == 0 && f.Height == 0 {
		if f.Do == "crop" {
			return limit(0.05, 1)
		}
		return fmt.Errorf("resize needs a width or a height")
	}
	for _, side := range []int{f.Width, f.Height} {
		if side != 0 && (side < MinSide || side > MaxSide) {
			return fmt.Errorf("%s to %d × %d pixels; each side has %d to %d", f.Do, f.Width, f.Height, MinSide, MaxSide)
		}
	}
	return nil
}

// Apply returns the changed picture; img stays as it is.
func (f Filter) Apply(img *image.RGBA) (*image.RGBA, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	switch f.Do {
	case "rotate":
		return rotate(img, f.Amount)
	case "flip":
		return warp(img, f64.Aff3{1, 0, 0, 0, -1, float64(img.Rect.Dy())}, img.Rect.Dx(), img.Rect.Dy()), nil
	case "mirror":
		return warp(img, f64.Aff3{-1, 0, float64(img.Rect.Dx()), 0, 1, 0}, img.Rect.Dx(), img.Rect.Dy()), nil
	case "blur":
		return blur(img, f.Amount), nil
	case "crop":
		return f.crop(img)
	case "resize", "scale":
		w, h := f.target(img)
		return resize(img, w, h)
	case "pixelate":
		return pixelate(img), nil
	}
	return eachPixel(img, f.pixel()), nil
}

// pixel returns what a filter does that looks at one pixel at a time.
func (f Filter) pixel() func(color.RGBA) color.RGBA {
	switch f.Do {
	case "invert":
		return func(c color.RGBA) color.RGBA { return color.RGBA{R: 255 - c.R, G: 255 - c.G, B: 255 - c.B, A: c.A} }
	case "sepia":
		return toned(mustColour("#e2b887"))
	case "tint":
		colour, _ := Colour(f.Colour)
		return toned(colour)
	case "brightness":
		return eachPart(func(v float64) float64 { return v + f.Amount*128 })
	case "contrast":
		return eachPart(func(v float64) float64 { return 128 + (v-128)*math.Pow(4, f.Amount) })
	}
	return func(c color.RGBA) color.RGBA { // grayscale
		v := clamp8(luminance(c) * 255)
		return color.RGBA{R: v, G: v, B: v, A: c.A}
	}
}

func eachPart(change func(float64) float64) func(color.RGBA) color.RGBA {
	return func(c color.RGBA) color.RGBA {
		part := func(v uint8) uint8 { return clamp8(change(float64(v))) }
		return color.RGBA{R: part(c.R), G: part(c.G), B: part(c.B), A: c.A}
	}
}

// toned keeps what is dark and what is light, and makes all between a colour.
func toned(colour color.RGBA) func(color.RGBA) color.RGBA {
	dark := darken(colour, 0.85)
	return func(c color.RGBA) color.RGBA {
		l := luminance(c)
		out := mix(dark, colour, min(l/0.55, 1))
		if l > 0.55 {
			out = mix(colour, white, (l-0.55)/0.45)
		}
		return opaque(out, c.A)
	}
}

// eachPixel changes the plain colour of each pixel; transparent ones stay so.
func eachPixel(img *image.RGBA, change func(color.RGBA) color.RGBA) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			i := img.PixOffset(img.Rect.Min.X+x, img.Rect.Min.Y+y)
			o := out.PixOffset(x, y)
			c := plainColour(img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3])
			c = premultiplied(change(c))
			out.Pix[o], out.Pix[o+1], out.Pix[o+2], out.Pix[o+3] = c.R, c.G, c.B, c.A
		}
	}
	return out
}

// plainColour undoes what premultiplied does.
func plainColour(r, g, b, a uint8) color.RGBA {
	if a == 0 || a == 255 {
		return color.RGBA{R: r, G: g, B: b, A: a}
	}
	part := func(v uint8) uint8 { return clamp8(float64(v) * 255 / float64(a)) }
	return color.RGBA{R: part(r), G: part(g), B: part(b), A: a}
}

// warp draws img through a transformation onto a new picture.
func warp(img *image.RGBA, m f64.Aff3, w, h int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	xdraw.NearestNeighbor.Transform(out, m, img, img.Rect, draw.Src, nil)
	return out
}

// rotate turns clockwise. Quarter turns keep every pixel; others leave white corners.
func rotate(img *image.RGBA, degrees float64) (*image.RGBA, error) {
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	quarter := math.Mod(math.Mod(degrees, 360)+360, 360)
	switch quarter {
	case 0:
		return warp(img, f64.Aff3{1, 0, 0, 0, 1, 0}, img.Rect.Dx(), img.Rect.Dy()), nil
	case 90:
		return warp(img, f64.Aff3{0, -1, h, 1, 0, 0}, img.Rect.Dy(), img.Rect.Dx()), nil
	case 180:
		return warp(img, f64.Aff3{-1, 0, w, 0, -1, h}, img.Rect.Dx(), img.Rect.Dy()), nil
	case 270:
		return warp(img, f64.Aff3{0, 1, 0, -1, 0, w}, img.Rect.Dy(), img.Rect.Dx()), nil
	}
	s, c := math.Sincos(quarter * math.Pi / 180)
	nw, nh := math.Ceil(math.Abs(w*c)+math.Abs(h*s)), math.Ceil(math.Abs(w*s)+math.Abs(h*c))
	if err := checkSize(int(nw), int(nh)); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, int(nw), int(nh)))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	m := f64.Aff3{c, -s, nw/2 - c*w/2 + s*h/2, s, c, nh/2 - s*w/2 - c*h/2}
	xdraw.BiLinear.Transform(out, m, img, img.Rect, draw.Over, nil)
	return out, nil
}

func (f Filter) target(img *image.RGBA) (w, h int) {
	w, h = img.Rect.Dx(), img.Rect.Dy()
	switch {
	case f.Do == "scale":
		return int(math.Round(float64(w) * f.Amount)), int(math.Round(float64(h) * f.Amount))
	case f.Width == 0:
		return max(w*f.Height/h, 1), f.Height
	case f.Height == 0:
		return f.Width, max(h*f.Width/w, 1)
	}
	return f.Width, f.Height
}

func resize(img *image.RGBA, w, h int) (*image.RGBA, error) {
	if err := checkSize(w, h); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	xdraw.CatmullRom.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
	return out, nil
}

// crop keeps the middle: so many pixels, or a fraction of each side.
func (f Filter) crop(img *image.RGBA) (*image.RGBA, error) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	cw, ch := f.Width, f.Height
	if cw == 0 && ch == 0 {
		cw, ch = int(float64(w)*f.Amount), int(float64(h)*f.Amount)
	}
	if cw == 0 {
		cw = w
	}
	if ch == 0 {
		ch = h
	}
	cw, ch = min(cw, w), min(ch, h)
	if err := checkSize(cw, ch); err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, cw, ch))
	draw.Draw(out, out.Rect, img, img.Rect.Min.Add(image.Pt((w-cw)/2, (h-ch)/2)), draw.Src)
	return out, nil
}

// blur is three box blurs, which are close to a Gaussian one.
func blur(img *image.RGBA, amount float64) *image.RGBA {
	radius := max(int(amount*float64(min(img.Rect.Dx(), img.Rect.Dy()))/1000), 1)
	out := img
	for range 3 {
		out = boxBlur(boxBlur(out, radius, 1, 0), radius, 0, 1)
	}
	return out
}

// boxBlur averages along one direction with a running sum.
func boxBlur(img *image.RGBA, radius, dx, dy int) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	lines, length := h, w
	if dy == 1 {
		lines, length = w, h
	}
	for line := range lines {
		at := func(im *image.RGBA, i int) int {
			i = min(max(i, 0), length-1)
			return im.PixOffset(im.Rect.Min.X+i*dx+line*dy, im.Rect.Min.Y+i*dy+line*dx)
		}
		var sum [4]int
		for i := -radius; i <= radius; i++ {
			for j := range 4 {
				sum[j] += int(img.Pix[at(img, i)+j])
			}
		}
		for i := range length {
			for j := range 4 {
				out.Pix[at(out, i)+j] = uint8(sum[j] / (2*radius + 1))
				sum[j] += int(img.Pix[at(img, i+radius+1)+j]) - int(img.Pix[at(img, i-radius)+j])
			}
		}
	}
	return out
}

func pixelate(img *image.RGBA) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	shorter := min(w, h)
	small := image.NewRGBA(image.Rect(0, 0, max(w*min(blocks, shorter)/shorter, 1), max(h*min(blocks, shorter)/shorter, 1)))
	xdraw.ApproxBiLinear.Scale(small, small.Rect, img, img.Rect, draw.Src, nil)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	xdraw.NearestNeighbor.Scale(out, out.Rect, small, small.Rect, draw.Src, nil)
	return out
}
