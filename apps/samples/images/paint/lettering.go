// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"image"
	"image/color"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

var typeface = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic("paint: " + err.Error()) // it is part of the program
	}
	return f
})

// captionLines is how many lines a caption may have.
const captionLines = 3

// caption writes across the lower edge, on a band that makes it readable on any picture.
func (c *canvas) caption(text string) {
	w, h := c.size()
	size := 0.075 * c.unit
	lines := c.wrap(text, w*0.92, &size)
	band := size * (1.25*float64(len(lines)) + 0.5)
	c.flat([]polygon{rectangle(0, h-band, w, band, 0)}, opaque(ink, 170))
	for i, line := range lines {
		c.write(line, w/2, h-band+size*(1.15+1.25*float64(i)), size, white)
	}
}

// wrap breaks a text into lines of a width, in smaller letters when it has to.
func (c *canvas) wrap(text string, width float64, size *float64) []string {
	for {
		face := faceOf(*size)
		lines, fits := breakLines(face, text, width)
		face.Close()
		if fits || *size < 7 {
			return lines[:min(len(lines), captionLines)]
		}
		*size *= 0.85
	}
}

// breakLines reports whether no line is too wide and there are not too many.
func breakLines(face font.Face, text string, width float64) (lines []string, fits bool) {
	fits = true
	for word := range strings.FieldsSeq(text) {
		longer := word
		if n := len(lines); n > 0 {
			longer = lines[n-1] + " " + word
		}
		if n := len(lines); n > 0 && advance(face, longer) <= width {
			lines[n-1] = longer
			continue
		}
		lines = append(lines, word)
		fits = fits && advance(face, word) <= width
	}
	return lines, fits && len(lines) <= captionLines
}

// letter writes one line of at most a width and a height around a middle, for any background.
func (c *canvas) letter(text string, x, y, width, size float64) {
	face := faceOf(size)
	w := advance(face, text)
	face.Close()
	if w > width {
		size *= width / w
	}
	for _, d := range []point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		c.write(text, x+d.x*size*0.06, y+d.y*size*0.06, size, opaque(white, 200))
	}
	c.write(text, x, y, size, ink)
}

// write writes one line whose foot is at y.
func (c *canvas) write(text string, x, y, size float64, colour color.RGBA) {
	face := faceOf(size)
	defer face.Close()
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(premultiplied(colour)), Face: face}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6((x - advance(face, text)/2) * 64), Y: fixed.Int26_6(y * 64)}
	d.DrawString(readable(text))
}

func faceOf(size float64) font.Face {
	face, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: max(size, 4), DPI: 72})
	if err != nil {
		panic("paint: " + err.Error()) // of options that are constant
	}
	return face
}

func advance(face font.Face, text string) float64 {
	return float64(font.MeasureString(face, readable(text))) / 64
}

// readable replaces what cannot be written: control characters vanish.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}
