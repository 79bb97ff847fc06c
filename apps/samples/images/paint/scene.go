// SPDX-License-Identifier: Apache-2.0

// Package paint turns the description of a scene into pixels, without a model and without a network. The same [Scene]
// always gives the same pixels on one kind of processor: whatever looks random comes from the scene's seed.
//
//	scene.go    what a picture shows: the Scene and its limits
//	edit.go     what a message asks for, changes of a picture, and of its pixels
//	shapes.go   what can be drawn: data/subjects.txt holds the shapes of each subject
//	render.go   a scene becomes pixels
//	colour.go   names of colours
//	codec.go    PNG and JPEG out; PNG, JPEG and GIF in, with limits
package paint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of a scene. MinSide and MaxSide are pixels.
const (
	MinSide     = 16
	MaxSide     = 2048
	MaxObjects  = 12 // entries of Scene.Objects
	MaxCount    = 24 // of one object
	MaxFilters  = 32
	DefaultSide = 512
)

// A Scene is what a picture shows. Its JSON is what a language model is asked for.
type Scene struct {
	Objects    []Object   `json:"objects,omitempty"`
	Background Background `json:"background,omitzero"`
	Width      int        `json:"width,omitzero"`    // pixels; 0 is [DefaultSide]
	Height     int        `json:"height,omitzero"`   // pixels; 0 is [DefaultSide]
	Filters    []Filter   `json:"filters,omitempty"` // applied to the painted picture, in order
	Seed       uint32     `json:"seed,omitzero"`     // decides where stars and snowflakes fall
}

// An Object is something in a scene, once or several times.
type Object struct {
	Subject string `json:"subject"`          // one of [Subjects]
	Colour  string `json:"colour,omitempty"` // a CSS name or #rrggbb; "" is the subject's own
	Count   int    `json:"count,omitzero"`   // 0 is 1
	Place   string `json:"place,omitempty"`  // one of [Places]; "" is where such things are
}

// A Background is what lies behind the objects.
type Background struct {
	Kind  string `json:"kind,omitempty"` // one of [Backgrounds]; "" suits the objects
	Night bool   `json:"night,omitzero"` // it is dark there
}

// Places are where in a picture an object can be.
var Places = []string{"left", "right"}

// Normalize fills in what is not set and reports all that cannot be painted.
func (s *Scene) Normalize() error {
	for _, side := range []*int{&s.Width, &s.Height} {
		if *side == 0 {
			*side = DefaultSide
		}
	}
	errs := []error{checkSize(s.Width, s.Height)}
	if k := s.Background.Kind; k != "" && !slices.Contains(Backgrounds, k) {
		errs = append(errs, fmt.Errorf("background %q is none of %s", k, strings.Join(Backgrounds, ", ")))
	}
	if len(s.Objects) > MaxObjects || len(s.Filters) > MaxFilters {
		errs = append(errs, fmt.Errorf("%d kinds of objects and %d changes; the limits are %d and %d", len(s.Objects),
			len(s.Filters), MaxObjects, MaxFilters))
	}
	for i := range s.Objects {
		errs = append(errs, s.Objects[i].normalize())
	}
	for _, f := range s.Filters {
		errs = append(errs, f.Check())
	}
	return errors.Join(errs...)
}

func (o *Object) normalize() error {
	known, ok := Find(o.Subject)
	if !ok {
		return fmt.Errorf("there are no shapes for %q, only for %s", o.Subject, strings.Join(Subjects(), ", "))
	}
	o.Subject, o.Count = known, max(o.Count, 1)
	if o.Count > MaxCount {
		return fmt.Errorf("%d times %s; the limit is %d", o.Count, o.Subject, MaxCount)
	}
	if o.Place != "" && !slices.Contains(Places, o.Place) {
		return fmt.Errorf("place %q is none of %s", o.Place, strings.Join(Places, ", "))
	}
	return checkColour(o.Colour)
}

func checkSize(width, height int) error {
	if min(width, height) < MinSide || max(width, height) > MaxSide {
		return fmt.Errorf("a picture of %d × %d pixels; each side has %d to %d", width, height, MinSide, MaxSide)
	}
	return nil
}

// Index returns the index of the object with a subject, or of the first object for ""; -1 when there is none.
func (s *Scene) Index(subject string) int {
	if known, ok := Find(subject); ok {
		subject = known
	}
	return slices.IndexFunc(s.Objects, func(o Object) bool { return subject == "" || o.Subject == subject })
}

// Clone returns a copy that shares nothing with s.
func (s *Scene) Clone() *Scene {
	c := *s
	c.Objects, c.Filters = slices.Clone(s.Objects), slices.Clone(s.Filters)
	return &c
}
