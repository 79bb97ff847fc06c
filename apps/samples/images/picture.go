// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// A picture is a scene, which is painted anew after each change, or pixels that came from elsewhere.
type picture struct {
	scene  *paint.Scene
	pixels *image.RGBA // nil when there is a scene
}

// render returns the pixels.
func (p *picture) render(ctx context.Context) (*image.RGBA, error) {
	if p.scene != nil {
		return paint.Render(ctx, p.scene)
	}
	return p.pixels, nil
}

// change applies edits to a copy. What cannot be done to such a picture is in refused, in words for people.
func (p *picture) change(edits []Edit) (changed *picture, refused []string, err error) {
	c := &picture{pixels: p.pixels}
	if p.scene != nil {
		c.scene = p.scene.Clone()
	}
	for i, e := range edits {
		if i > 0 && c.isThere(edits[i-1], e) {
			continue
		}
		apply := c.changePixels
		if c.scene != nil {
			apply = c.changeScene
		}
		why, err := apply(e)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			refused = append(refused, why)
		}
	}
	if c.scene != nil {
		err = c.scene.Normalize()
	}
	return c, refused, err
}

// isThere tells whether an edit would add what the one before it stands on, and it is in the scene: "put a hat on the
// rabbit" names two things and adds one.
func (p *picture) isThere(before, e Edit) bool {
	return p.scene != nil && before.Object != nil && e.Object != nil && e.Do == "add" &&
		before.Object.Of == e.Object.Subject && p.scene.Index(e.Object.Subject) >= 0
}

// changeScene does one edit; refused says why it cannot be done.
func (p *picture) changeScene(e Edit) (refused string, err error) {
	s := p.scene
	i := s.Main()
	if e.Subject != "" {
		if name, ok := paint.Find(e.Subject); ok {
			e.Subject = name
		}
		if i = s.Index(e.Subject); i < 0 && e.Do != "add" {
			return fmt.Sprintf("there is no %s in the picture", e.Subject), nil
		}
	}
	switch e.Do {
	case "filter":
		return p.addFilter(e)
	case "caption":
		s.Caption = e.Text
		return "", nil
	case "border":
		s.Border = e.Colour
		return "", nil
	case "style":
		s.Style = e.Style
		return "", nil
	case "background":
		s.Background = paint.Background{Kind: e.Background, Colour: e.Colour}
		return "", nil
	case "add":
		return p.addObject(e)
	case "recolour":
		if i < 0 {
			s.Background.Colour = e.Colour
			return "", nil
		}
	}
	if i < 0 {
		return "there is nothing in the picture to " + e.Do, nil
	}
	return p.changeObject(i, e)
}

// changeObject does one edit to an object.
func (p *picture) changeObject(i int, e Edit) (refused string, err error) {
	o := &p.scene.Objects[i]
	switch e.Do {
	case "recolour":
		o.Colour = e.Colour
	case "size":
		o.Size = stepSize(o.Size, e.Size)
	case "move":
		o.Place, o.Side, o.Of = e.Place, "", ""
	case "remove":
		p.scene.Objects = slices.Delete(p.scene.Objects, i, i+1)
	case "replace":
		if e.Object == nil {
			return "it is not clear with what to replace the " + o.Subject, nil
		}
		by := *e.Object
		by.Place, by.Side, by.Of, by.Size, by.Count = o.Place, o.Side, o.Of, o.Size, max(o.Count, by.Count)
		*o = by
	default:
		return fmt.Sprintf("%q is no change that I know", e.Do), nil
	}
	return "", nil
}

// stepSize goes one step: what was large and is made smaller is in between.
func stepSize(now, to string) string {
	if now == "large" && to == "small" || now == "small" && to == "large" {
		return ""
	}
	return to
}

func (p *picture) addObject(e Edit) (refused string, err error) {
	if e.Object == nil {
		return "it is not clear what to add", nil
	}
	if same := p.like(e.Object); same != nil {
		same.Count = min(max(same.Count, 1)+max(e.Object.Count, 1), paint.MaxCount)
		return "", nil
	}
	if len(p.scene.Objects) >= paint.MaxObjects {
		return fmt.Sprintf("a picture has %d kinds of things at most", paint.MaxObjects), nil
	}
	p.scene.Objects = append(p.scene.Objects, *e.Object)
	return "", nil
}

// like returns the object of the scene that another one only adds to in number; nil for none.
func (p *picture) like(other *paint.Object) *paint.Object {
	for i := range p.scene.Objects {
		o, alike := &p.scene.Objects[i], *other
		if name, ok := paint.Find(alike.Subject); ok {
			alike.Subject = name
		}
		if alike.Count = o.Count; *o == alike {
			return o
		}
	}
	return nil
}

func (p *picture) addFilter(e Edit) (refused string, err error) {
	switch {
	case e.Filter == nil:
		return "it is not clear what to change", nil
	case len(p.scene.Filters) >= paint.MaxFilters:
		return fmt.Sprintf("a picture can be changed %d times at most", paint.MaxFilters), nil
	}
	if err := e.Filter.Check(); err != nil {
		return err.Error(), nil
	}
	p.scene.Filters = append(p.scene.Filters, *e.Filter)
	return "", nil
}

// changePixels does what can be done without knowing what the picture shows.
func (p *picture) changePixels(e Edit) (refused string, err error) {
	switch e.Do {
	case "filter":
		return p.filterPixels(e.Filter)
	case "recolour":
		return p.filterPixels(&paint.Filter{Do: "tint", Colour: e.Colour})
	case "size":
		return p.filterPixels(&paint.Filter{Do: "scale", Amount: map[string]float64{"large": 1.5, "small": 0.66}[e.Size]})
	case "style":
		if e.Style == "pixel" {
			return p.filterPixels(&paint.Filter{Do: "pixelate"})
		}
	case "add":
		if e.Object != nil {
			return p.decorate([]paint.Object{*e.Object}, "", "")
		}
	case "caption":
		if e.Text != "" {
			return p.decorate(nil, e.Text, "")
		}
	case "border":
		if e.Colour != "" {
			return p.decorate(nil, "", e.Colour)
		}
	}
	what := e.Do
	if e.Subject != "" {
		what += " the " + e.Subject
	}
	return fmt.Sprintf("I cannot %s: of a picture that was sent, or that a model painted, I know the pixels only", what), nil
}

func (p *picture) filterPixels(f *paint.Filter) (refused string, err error) {
	if f == nil {
		return "it is not clear what to change", nil
	}
	pixels, err := f.Apply(p.pixels)
	if err != nil {
		return err.Error(), nil // the bounds of what can be done
	}
	p.pixels = pixels
	return "", nil
}

func (p *picture) decorate(objects []paint.Object, caption, border string) (refused string, err error) {
	fresh := image.NewRGBA(p.pixels.Rect)
	copy(fresh.Pix, p.pixels.Pix)
	if err := paint.Decorate(fresh, objects, caption, border); err != nil {
		return err.Error(), nil
	}
	p.pixels = fresh
	return "", nil
}

// describe says in a few words what a picture shows.
func (p *picture) describe() string {
	if p.scene == nil {
		return "A picture"
	}
	var all []string
	for _, o := range p.scene.Objects {
		words := []string{o.Colour, o.Subject}
		if o.Count > 1 {
			words = []string{fmt.Sprint(o.Count, " ×"), o.Colour, o.Subject}
		}
		all = append(all, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	what := strings.Join(all, ", ")
	if what == "" {
		what = "A scene"
	}
	if kind := p.scene.Background.Kind; kind != "" && kind != "plain" {
		what += "; background " + kind
		if p.scene.Background.Night {
			what += " at night"
		}
	}
	if p.scene.Style != "flat" {
		what += "; " + p.scene.Style
	}
	first, size := utf8.DecodeRuneInString(what)
	return string(unicode.ToUpper(first)) + what[size:]
}

// emblems are the subjects that an emblem stands for.
func (p *picture) emblems() []string {
	if p.scene == nil {
		return nil
	}
	return slices.DeleteFunc(subjectsOf(p.scene), func(name string) bool {
		_, known := paint.Find(name)
		return known
	})
}

// filename is what the picture may be saved as.
func (p *picture) filename(mediaType string) string {
	name := "picture"
	if p.scene != nil && len(p.scene.Objects) > 0 {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, p.scene.Objects[0].Subject)
	}
	if mediaType == paint.JPEG {
		return name + ".jpg"
	}
	return name + ".png"
}
