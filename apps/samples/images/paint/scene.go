// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a scene. MinSide and MaxSide are pixels.
const (
	MinSide     = 16
	MaxSide     = 2048
	MaxObjects  = 12  // entries of Scene.Objects
	MaxCount    = 24  // of one object
	MaxLabel    = 40  // bytes of a subject's name
	MaxCaption  = 120 // characters
	MaxFilters  = 32
	DefaultSide = 512
)

// A Scene is what a picture shows. Its JSON is what a language model is asked for.
type Scene struct {
	Objects    []Object   `json:"objects,omitempty"`
	Background Background `json:"background,omitzero"`
	Style      string     `json:"style,omitempty"`   // one of [Styles]; "" is flat
	Caption    string     `json:"caption,omitempty"` // written across the lower edge
	Border     string     `json:"border,omitempty"`  // the colour of a frame; "" is none
	Width      int        `json:"width,omitzero"`    // pixels; 0 is [DefaultSide]
	Height     int        `json:"height,omitzero"`   // pixels; 0 is [DefaultSide]
	Filters    []Filter   `json:"filters,omitempty"` // applied to the painted picture, in order
	Seed       uint32     `json:"seed,omitzero"`     // decides where stars, trees and brush strokes fall
}

// An Object is something in a scene, once or several times.
type Object struct {
	Subject string `json:"subject"`          // one of [Subjects], or anything else: an emblem with that name
	Colour  string `json:"colour,omitempty"` // a CSS name or #rrggbb; "" is the subject's own
	Count   int    `json:"count,omitzero"`   // 0 is 1
	Size    string `json:"size,omitempty"`   // small or large; "" is in between
	Place   string `json:"place,omitempty"`  // words of [Places], such as "top left"; "" is where such things are
	Side    string `json:"side,omitempty"`   // one of [Sides]: where it is, seen from Of
	Of      string `json:"of,omitempty"`     // the subject of another object of the scene
}

// A Background is what lies behind the objects.
type Background struct {
	Kind   string `json:"kind,omitempty"`   // one of [Backgrounds]; "" suits the first object, or is plain when there is a colour
	Colour string `json:"colour,omitempty"` // a CSS name or #rrggbb; "" is the background's own
	Night  bool   `json:"night,omitzero"`   // it is dark there
}

// Styles are how a scene can be painted.
var Styles = []string{"flat", "cartoon", "photorealistic", "watercolour", "sketch", "pixel"}

// Places are the words that Object.Place is made of.
var Places = []string{"left", "right", "top", "bottom", "center"}

// Sides are where one object can be, seen from another.
var Sides = []string{"left", "right", "above", "under", "beside", "on"}

// Normalize fills in what is not set and reports all that cannot be painted. Names are compared in lower case.
func (s *Scene) Normalize() error {
	s.Width, s.Height = orSide(s.Width), orSide(s.Height)
	s.Style = orWord(s.Style, "flat")
	s.Background.Kind = strings.ToLower(s.Background.Kind)
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if bad := checkSize(s.Width, s.Height); bad != nil {
		errs = append(errs, bad)
	}
	if !slices.Contains(Styles, s.Style) {
		refuse("style %q is none of %s", s.Style, strings.Join(Styles, ", "))
	}
	if k := s.Background.Kind; k != "" && !slices.Contains(Backgrounds(), k) {
		refuse("background %q is none of %s", k, strings.Join(Backgrounds(), ", "))
	}
	for _, c := range []string{s.Background.Colour, s.Border} {
		if err := checkColour(c); err != nil {
			errs = append(errs, err)
		}
	}
	if n := utf8.RuneCountInString(s.Caption); n > MaxCaption {
		refuse("the caption has %d characters; the limit is %d", n, MaxCaption)
	}
	if n := len(s.Objects); n > MaxObjects {
		refuse("%d kinds of objects; the limit is %d", n, MaxObjects)
	}
	for i := range s.Objects {
		errs = append(errs, s.Objects[i].normalize())
	}
	if n := len(s.Filters); n > MaxFilters {
		refuse("%d changes to one picture; the limit is %d", n, MaxFilters)
	}
	for _, f := range s.Filters {
		errs = append(errs, f.Check())
	}
	return errors.Join(errs...)
}

func (o *Object) normalize() error {
	o.Subject = strings.ToLower(strings.TrimSpace(o.Subject))
	if known, ok := Find(o.Subject); ok {
		o.Subject = known
	}
	o.Count = max(o.Count, 1)
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.Subject == "" || len(o.Subject) > MaxLabel {
		refuse("the subject of an object has 1 to %d bytes, not %d", MaxLabel, len(o.Subject))
	}
	if o.Count > MaxCount {
		refuse("%d times %s; the limit is %d", o.Count, o.Subject, MaxCount)
	}
	if !slices.Contains([]string{"", "small", "medium", "large"}, o.Size) {
		refuse("size %q is none of small, medium, large", o.Size)
	}
	for word := range strings.FieldsSeq(o.Place) {
		if !slices.Contains(Places, word) {
			refuse("place %q is none of %s", word, strings.Join(Places, ", "))
		}
	}
	if o.Side != "" && !slices.Contains(Sides, o.Side) {
		refuse("side %q is none of %s", o.Side, strings.Join(Sides, ", "))
	}
	if of, ok := Find(o.Of); ok {
		o.Of = of
		if o.Side == "under" && subjects().byName[of].zone == sky { // which everything is
			o.Side = ""
		}
	}
	return errors.Join(append(errs, checkColour(o.Colour))...)
}

// Main returns the index of the object that the picture is about: the first one; -1 when there is none.
func (s *Scene) Main() int {
	if len(s.Objects) == 0 {
		return -1
	}
	return 0
}

// Index returns the index of the object with a subject; -1 when there is none.
func (s *Scene) Index(subject string) int {
	return slices.IndexFunc(s.Objects, func(o Object) bool { return o.Subject == subject })
}

// Clone returns a copy that shares nothing with s.
func (s *Scene) Clone() *Scene {
	c := *s
	c.Objects, c.Filters = slices.Clone(s.Objects), slices.Clone(s.Filters)
	return &c
}

func checkSize(width, height int) error {
	if min(width, height) < MinSide || max(width, height) > MaxSide {
		return fmt.Errorf("a picture of %d × %d pixels; each side has %d to %d", width, height, MinSide, MaxSide)
	}
	return nil
}

func checkColour(name string) error {
	if name == "" {
		return nil
	}
	if _, ok := Colour(name); !ok {
		return fmt.Errorf("colour %q is neither a CSS name nor #rrggbb", name)
	}
	return nil
}

func orSide(n int) int {
	if n == 0 {
		return DefaultSide
	}
	return n
}

func orWord(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return strings.ToLower(s)
}
