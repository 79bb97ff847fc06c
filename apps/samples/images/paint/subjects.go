// SPDX-License-Identifier: Apache-2.0

package paint

import (
	_ "embed"
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/subjects.txt
var subjectsText string

// A subject is something the painter can draw: marks in a box of -1 to 1, with y downwards.
type subject struct {
	name   string
	names  []string // all of them, its own first
	colour color.RGBA
	zone   zone
	size   float64 // its height beside that of other things; 1 is usual
	marks  []mark
}

// zone is where in a picture a thing is when nobody says.
type zone string

const (
	ground zone = "ground"
	sky    zone = "sky"
	water  zone = "water"
	middle zone = "middle" // things that stand nowhere: a heart, an emblem
)

// A mark is one form of a subject.
type mark struct {
	form  []polygon
	paint paintName
	line  bool
}

// paintName is a colour that depends on the object's own, or does not.
type paintName struct {
	shade string // main, light, pale, dark, deep; "" is fixed
	fixed color.RGBA
	alpha uint8
}

func (p paintName) of(main color.RGBA) color.RGBA {
	c := p.fixed
	switch p.shade {
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
	return opaque(c, p.alpha)
}

// draw draws a subject at a place, in a colour.
func (s *subject) draw(c *canvas, at placement, main color.RGBA) {
	for _, m := range s.marks {
		form := make([]polygon, len(m.form))
		for i, p := range m.form {
			form[i] = at.of(p)
		}
		if at.mirror && m.line { // or the pieces of a line turn the other way
			for i := range form {
				form[i] = clockwise(form[i])
			}
		}
		if m.line {
			c.line(form, m.paint.of(main))
		} else {
			c.draw(form, m.paint.of(main))
		}
	}
}

// catalogue holds the subjects by all of their names.
type catalogue struct {
	byName map[string]*subject
	names  []string
}

var subjects = sync.OnceValue(func() *catalogue {
	all, err := parseSubjects(subjectsText)
	if err != nil {
		panic("paint: " + err.Error()) // it is part of the program; a test reads it
	}
	return all
})

// Subjects lists what can be drawn, by name.
func Subjects() []string { return slices.Clone(subjects().names) }

// Find returns the name under which a noun, or a few words, can be drawn: "bunnies" are a rabbit.
func Find(noun string) (string, bool) {
	noun = strings.ToLower(strings.TrimSpace(noun))
	for _, form := range singulars(noun) {
		if s, ok := subjects().byName[form]; ok {
			return s.name, true
		}
	}
	return "", false
}

// singulars are what a noun in the plural may be the plural of; the noun itself is the first.
func singulars(noun string) []string {
	all := []string{noun}
	if stem, ok := strings.CutSuffix(noun, "ies"); ok {
		all = append(all, stem+"y")
	}
	if stem, ok := strings.CutSuffix(noun, "ves"); ok {
		all = append(all, stem+"f", stem+"fe")
	}
	if stem, ok := strings.CutSuffix(noun, "es"); ok {
		all = append(all, stem)
	}
	if stem, ok := strings.CutSuffix(noun, "s"); ok {
		all = append(all, stem)
	}
	return all
}

// parseSubjects reads data/subjects.txt, whose head explains the form.
func parseSubjects(text string) (*catalogue, error) {
	all := &catalogue{byName: map[string]*subject{}}
	var now *subject
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if words[0] == "subject" {
			now = &subject{zone: ground, size: 1, colour: mustColour("gray")}
			for name := range strings.SplitSeq(strings.Join(words[1:], " "), ",") {
				now.names = append(now.names, strings.TrimSpace(name))
			}
			now.name = now.names[0]
			all.names = append(all.names, now.name)
			for _, name := range now.names {
				if all.byName[name] != nil {
					return nil, fmt.Errorf("line %d: a second %q", number, name)
				}
				all.byName[name] = now
			}
			continue
		}
		if now == nil {
			return nil, fmt.Errorf("line %d: no subject yet", number)
		}
		if err := now.add(words); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	slices.Sort(all.names)
	return all, nil
}

// add adds what a line says to a subject.
func (s *subject) add(words []string) error {
	var err error
	switch words[0] {
	case "colour":
		c, ok := Colour(words[1])
		if !ok {
			return fmt.Errorf("no colour %q", words[1])
		}
		s.colour = c
	case "zone":
		s.zone = zone(words[1])
		if !slices.Contains([]zone{ground, sky, water, middle}, s.zone) {
			return fmt.Errorf("no zone %q", words[1])
		}
	case "size":
		s.size, err = strconv.ParseFloat(words[1], 64)
	case "fill", "line":
		err = s.addMark(words, false)
	case "both":
		if err = s.addMark(words[1:], false); err == nil {
			err = s.addMark(words[1:], true)
		}
	default:
		return fmt.Errorf("no command %q", words[0])
	}
	return err
}

func (s *subject) addMark(words []string, mirrored bool) error {
	if len(words) < 4 {
		return fmt.Errorf("too short: %q", words)
	}
	paint, err := parsePaint(words[1])
	if err != nil {
		return err
	}
	m := mark{paint: paint, line: words[0] == "line"}
	rest, width := words[2:], 0.0
	if m.line {
		if width, err = strconv.ParseFloat(words[2], 64); err != nil {
			return err
		}
		rest = words[3:]
	}
	outline, closed, err := parseForm(rest)
	if err != nil {
		return err
	}
	if mirrored {
		outline = placement{scale: 1, mirror: true}.of(outline)
	}
	m.form = []polygon{outline}
	if m.line {
		m.form = stroke(outline, width, closed)
	}
	s.marks = append(s.marks, m)
	return nil
}

func parsePaint(word string) (paintName, error) {
	name, alpha, found := strings.Cut(word, "@")
	p := paintName{alpha: 255}
	if found {
		f, err := strconv.ParseFloat(alpha, 64)
		if err != nil {
			return p, fmt.Errorf("opacity %q: %w", alpha, err)
		}
		p.alpha = clamp8(f * 255)
	}
	switch name {
	case "main", "light", "pale", "dark", "deep":
		p.shade = name
	case "ink":
		p.fixed = ink
	default:
		c, ok := Colour(name)
		if !ok {
			return p, fmt.Errorf("no paint %q", name)
		}
		p.fixed = c
	}
	return p, nil
}

// parseForm reads a form: its name and its numbers.
func parseForm(words []string) (outline polygon, closed bool, err error) {
	if words[0] == "path" {
		return parsePath(words[1:])
	}
	n, err := numbers(words[1:])
	if err != nil {
		return nil, false, err
	}
	at := func(i int) float64 { // a number that may be left out
		if i < len(n) {
			return n[i]
		}
		return 0
	}
	need := map[string]int{"circle": 3, "ellipse": 4, "rect": 4, "star": 5, "poly": 6}[words[0]]
	if need == 0 || len(n) < need {
		return nil, false, fmt.Errorf("%q with %d numbers", words[0], len(n))
	}
	switch words[0] {
	case "circle":
		return ellipse(n[0], n[1], n[2], n[2], 0), true, nil
	case "ellipse":
		return ellipse(n[0], n[1], n[2], n[3], at(4)), true, nil
	case "rect":
		return rectangle(n[0], n[1], n[2], n[3], at(4)), true, nil
	case "star":
		return star(n[0], n[1], n[2], n[3], int(n[4])), true, nil
	}
	for i := 0; i+1 < len(n); i += 2 {
		outline = append(outline, point{n[i], n[i+1]})
	}
	return outline, true, nil
}

// parsePath reads M x y, L x y, Q cx cy x y, C c1x c1y c2x c2y x y and Z, which closes it.
func parsePath(words []string) (outline polygon, closed bool, err error) {
	for len(words) > 0 {
		command := words[0]
		need := map[string]int{"M": 2, "L": 2, "Q": 4, "C": 6}[command]
		if len(words) < need+1 || need == 0 && command != "Z" {
			return nil, false, fmt.Errorf("path command %q with %d words", command, len(words)-1)
		}
		n, err := numbers(words[1 : need+1])
		if err != nil {
			return nil, false, err
		}
		if (command == "M") != (len(outline) == 0) {
			return nil, false, fmt.Errorf("a path starts with M and has no other")
		}
		switch command {
		case "M", "L":
			outline = append(outline, point{n[0], n[1]})
		case "Q":
			outline = append(outline, quadratic(outline[len(outline)-1], point{n[0], n[1]}, point{n[2], n[3]})...)
		case "C":
			outline = append(outline, cubic(outline[len(outline)-1], point{n[0], n[1]}, point{n[2], n[3]}, point{n[4], n[5]})...)
		case "Z":
			closed = true
		}
		words = words[need+1:]
	}
	return outline, closed, nil
}

func numbers(words []string) ([]float64, error) {
	n := make([]float64, len(words))
	for i, w := range words {
		f, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, err
		}
		n[i] = f
	}
	return n, nil
}
