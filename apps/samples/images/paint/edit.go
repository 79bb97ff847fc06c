// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"unicode"
)

// An Edit is one change of a picture. Its JSON is what a language model is asked for.
type Edit struct {
	Do         string     `json:"do"`                  // one of [Edits]
	Subject    string     `json:"subject,omitempty"`   // the object it is about; "" is what the picture is about
	Colour     string     `json:"colour,omitempty"`    // of recolour
	Background Background `json:"background,omitzero"` // of background
	Object     *Object    `json:"object,omitempty"`    // of add
	Filter     *Filter    `json:"filter,omitempty"`    // of filter
}

// Edits are what an Edit can do.
var Edits = []string{"recolour", "add", "remove", "background", "filter"}

// ErrPixels is why a picture that is no scene cannot be changed.
var ErrPixels = errors.New("it is not known what the picture shows, so only its colours and its sides can be changed")

// A Picture is a scene, which is painted anew after each change, or pixels that came from elsewhere.
type Picture struct {
	Scene  *Scene
	Pixels *image.RGBA // nil when there is a scene
}

// Render returns the pixels.
func (p *Picture) Render(ctx context.Context) (*image.RGBA, error) {
	if p.Scene != nil {
		return Render(ctx, p.Scene)
	}
	return p.Pixels, nil
}

// Change returns the picture after some edits; p stays as it is. If one cannot be made, none is.
func (p *Picture) Change(edits []Edit) (*Picture, error) {
	c := &Picture{Pixels: p.Pixels}
	if p.Scene != nil {
		c.Scene = p.Scene.Clone()
	}
	for _, e := range edits {
		if err := c.change(e); err != nil {
			return nil, err
		}
	}
	if c.Scene != nil {
		return c, c.Scene.Normalize()
	}
	return c, nil
}

func (p *Picture) change(e Edit) error {
	s := p.Scene
	if s == nil {
		if e.Do == "recolour" && e.Subject == "" {
			e.Filter = &Filter{Do: "tint", Colour: e.Colour}
		}
		if e.Filter == nil {
			return ErrPixels
		}
		var err error
		p.Pixels, err = e.Filter.Apply(p.Pixels)
		return err
	}
	i := s.Index(e.Subject)
	switch {
	case e.Do == "filter" && e.Filter != nil:
		s.Filters = append(s.Filters, *e.Filter)
	case e.Do == "background":
		s.Background = e.Background
	case e.Do == "add" && e.Object != nil:
		s.Objects = append(s.Objects, *e.Object)
	case i < 0:
		return fmt.Errorf("there is no %s in the picture", cmp.Or(e.Subject, "thing"))
	case e.Do == "recolour":
		s.Objects[i].Colour = e.Colour
	case e.Do == "remove":
		s.Objects = slices.Delete(s.Objects, i, i+1)
	default:
		return fmt.Errorf("%q is none of %s, or it says too little", e.Do, strings.Join(Edits, ", "))
	}
	return nil
}

// Describe says in a few words what the picture shows.
func (p *Picture) Describe() string {
	if p.Scene == nil {
		return "A picture"
	}
	var all []string
	for _, o := range p.Scene.Objects {
		count := ""
		if o.Count > 1 {
			count = fmt.Sprint(o.Count, " ×")
		}
		all = append(all, strings.Join(strings.Fields(count+" "+o.Colour+" "+o.Subject), " "))
	}
	what := strings.Join(all, ", ")
	if what == "" {
		what = "a scene"
	}
	if b := p.Scene.Background; b.Kind != "" && b.Kind != "plain" {
		what += "; background " + b.Kind
		if b.Night {
			what += " at night"
		}
	}
	r := []rune(what)
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

// Filename is what the picture may be saved as.
func (p *Picture) Filename(mediaType string) string {
	name := "picture"
	if p.Scene != nil && len(p.Scene.Objects) > 0 {
		name = p.Scene.Objects[0].Subject
	}
	if mediaType == JPEG {
		return name + ".jpg"
	}
	return name + ".png"
}

// A Request is what a message asks for. Its JSON is what a language model is asked for.
type Request struct {
	Action   Action `json:"action"`
	Scene    *Scene `json:"scene,omitempty"`    // of Create
	Edits    []Edit `json:"edits,omitempty"`    // of Change, in order
	Question string `json:"question,omitempty"` // of Ask
	Prompt   string `json:"prompt,omitempty"`   // of a model: what the finished picture shows
	Format   string `json:"format,omitempty"`   // the media type asked for; "" when none was
}

// Action is what a [Request] is about.
type Action string

// The actions.
const (
	Create Action = "create" // a new picture
	Change Action = "edit"   // another version of the picture there is
	Ask    Action = "ask"    // too little was said
)

// Questions that are asked back.
const (
	AskSubject = `What should the picture show? For example: "a white rabbit in the snow at night".`
	AskPicture = "There is no picture in this conversation yet. Send one, or say what to draw."
	AskEdit    = "What should be done with the picture? For example: make it blue, rotate it, make it grayscale."
)

// Completed fills in what is left out, and asks when there is no request.
func (r Request) Completed(text string, have bool) Request {
	switch {
	case r.Action == Create && r.Scene != nil && (len(r.Scene.Objects) > 0 || r.Scene.Background.Kind != ""):
		r.Scene.Seed, r.Scene.Filters = seed(text), nil
	case r.Action == Change && have && (len(r.Edits) > 0 || r.Format != ""):
	case r.Action == Change && !have:
		r = Request{Action: Ask, Question: AskPicture}
	case r.Question == "":
		r = Request{Action: Ask, Question: AskSubject}
	default:
		r.Action = Ask
	}
	return r
}

// seed is the same for the same words, however they are spaced and capitalized.
func seed(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(strings.Join(strings.Fields(text), " "))))
	return h.Sum32()
}

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
