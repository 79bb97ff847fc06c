// SPDX-License-Identifier: Apache-2.0

package paint

import (
	_ "embed"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/vector"
)

//go:embed data/subjects.txt
var subjectsText string

// A subject is something the painter can draw: marks in a box of -1 to 1, with y downwards.
type subject struct {
	names  []string // all of them, its own first
	zone   string   // where in a picture it is: ground, sky or water
	size   float64  // beside other things; 1 is usual
	colour color.RGBA
	marks  []mark
}

// A mark is one form of a subject.
type mark struct {
	paint  string
	points []point
	steps  string // M and L take one point each, Q takes two, C three
}

type point struct{ x, y float64 }

// subjects reads data/subjects.txt, whose head explains the form. A mistake in it is one of the program, which a test
// finds.
var subjects = sync.OnceValue(func() []*subject {
	var all []*subject
	for line := range strings.Lines(subjectsText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "subject":
			colour, _ := Colour(words[4])
			all = append(all, &subject{names: strings.Split(words[1], ","), zone: words[2], size: number(words[3]),
				colour: colour})
		default:
			last := all[len(all)-1]
			last.marks = append(last.marks, markOf(words))
		}
	}
	return all
})

// Subjects lists what can be drawn, by name.
func Subjects() []string {
	var names []string
	for _, s := range subjects() {
		names = append(names, s.names[0])
	}
	return names
}

// Find returns the name under which a noun can be drawn: "bunnies" are a rabbit.
func Find(noun string) (string, bool) {
	if s := find(strings.ToLower(strings.TrimSpace(noun))); s != nil {
		return s.names[0], true
	}
	return "", false
}

func find(noun string) *subject {
	singular := strings.TrimSuffix(noun, "s")
	if stem, ok := strings.CutSuffix(noun, "ies"); ok {
		singular = stem + "y"
	}
	for _, s := range subjects() {
		if slices.Contains(s.names, noun) || slices.Contains(s.names, singular) {
			return s
		}
	}
	return nil
}

func markOf(words []string) mark {
	m := mark{paint: words[0]}
	var numbers []float64
	for _, word := range words[2:] {
		if len(word) == 1 && strings.Contains("MLQC", word) {
			m.steps += word
		} else {
			numbers = append(numbers, number(word))
		}
	}
	if words[1] == "ellipse" {
		numbers = append(numbers, 0)
		return ellipse(m.paint, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
	}
	for i := 0; i+1 < len(numbers); i += 2 {
		m.points = append(m.points, point{numbers[i], numbers[i+1]})
	}
	return m
}

func number(word string) float64 {
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		panic("paint: data/subjects.txt: " + err.Error())
	}
	return n
}

// ellipse is a mark of four curves.
func ellipse(paint string, x, y, rx, ry, degrees float64) mark {
	const k = 0.5523 // of the radius: where the curve of a quarter has its control points
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	m := mark{paint: paint, steps: "MCCCC"}
	for _, p := range []point{
		{1, 0}, {1, k}, {k, 1}, {0, 1}, {-k, 1}, {-1, k}, {-1, 0}, {-1, -k}, {-k, -1}, {0, -1}, {k, -1}, {1, -k},
		{1, 0},
	} {
		m.points = append(m.points, point{x + p.x*rx*cos - p.y*ry*sin, y + p.x*rx*sin + p.y*ry*cos})
	}
	return m
}

// A placement puts a box of -1 to 1 onto the picture.
type placement struct{ x, y, scale float64 }

func stamp(img *image.RGBA, marks []mark, at placement, main color.RGBA) {
	for _, m := range marks {
		lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
		points := make([]point, len(m.points))
		for i, p := range m.points {
			p = point{at.x + p.x*at.scale, at.y + p.y*at.scale}
			lo, hi = point{min(lo.x, p.x), min(lo.y, p.y)}, point{max(hi.x, p.x), max(hi.y, p.y)}
			points[i] = p
		}
		r := image.Rect(int(math.Floor(lo.x)), int(math.Floor(lo.y)), int(math.Ceil(hi.x))+1, int(math.Ceil(hi.y))+1)
		if r = r.Intersect(img.Rect); r.Empty() {
			continue
		}
		z := vector.NewRasterizer(r.Dx(), r.Dy())
		next := func() (x, y float32) {
			p := points[0]
			points = points[1:]
			return float32(p.x - float64(r.Min.X)), float32(p.y - float64(r.Min.Y))
		}
		for i := range m.steps {
			x, y := next()
			switch m.steps[i] {
			case 'M':
				z.MoveTo(x, y)
			case 'L':
				z.LineTo(x, y)
			case 'Q':
				x2, y2 := next()
				z.QuadTo(x, y, x2, y2)
			case 'C':
				x2, y2 := next()
				x3, y3 := next()
				z.CubeTo(x, y, x2, y2, x3, y3)
			}
		}
		z.ClosePath()
		z.Draw(img, r, image.NewUniform(premultiplied(shade(m.paint, main))), image.Point{})
	}
}
