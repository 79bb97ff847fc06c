// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// An item is one thing to draw: where, and in front of what.
type item struct {
	object int // its index in Scene.Objects
	at     placement
	zone   zone
	side   string // of another one; "" when it stands for itself
}

// arrange finds a place for every object. Those with a place or a neighbour of their own go there; the others of a
// zone share it from left to right. What is nearer to the lower edge is drawn later, so that it stands in front.
func arrange(s *Scene, c *canvas) []item {
	a := &arranger{scene: s, c: c, standing: hasGround(backgroundOf(s))}
	a.w, a.h = c.size()
	if s.Caption != "" {
		a.h *= 0.92 // or the caption hides feet
	}
	a.free()
	a.placed()
	a.beside()
	slices.SortStableFunc(a.items, func(x, y item) int { return cmp.Compare(a.depth(x), a.depth(y)) })
	return a.items
}

type arranger struct {
	scene    *Scene
	c        *canvas
	w, h     float64
	standing bool // whether the background has a ground
	items    []item
}

// depth sorts the sky behind the ground.
func (a *arranger) depth(i item) float64 {
	d := i.at.y + i.at.scale
	if i.zone == sky && a.standing {
		d -= a.h * 2
	}
	if i.side == "on" { // a hat is in front of its head
		d += a.h
	}
	return d
}

// zone is where an object goes in this scene: without a ground all share the middle.
func (a *arranger) zone(o *Object) zone {
	what := subjects().byName[o.Subject]
	if what == nil && a.standing && len(a.scene.Objects) > 1 {
		return ground // an emblem stands among the others
	}
	if what == nil {
		return middle
	}
	if !a.standing && what.zone != sky || len(a.scene.Objects) == 1 && !a.standing {
		return middle
	}
	return what.zone
}

// scale is how large an object is, in pixels a unit, when n of them share a row.
func (a *arranger) scale(o *Object, n int) float64 {
	size := naturalSize(o.Subject)
	alone := len(a.scene.Objects) == 1 && o.Count == 1
	if alone { // what the picture is about may fill it
		size = math.Sqrt(size)
	}
	if a.carries(o, "above", "on") && !a.carriesLittle(o) { // or there is no room for what is above
		size *= 0.62
	}
	switch o.Size {
	case "small":
		size *= 0.6
	case "large":
		size *= 1.5
	}
	base := a.c.unit * 0.24
	if alone {
		base = a.c.unit * 0.31
	}
	return min(base*size, 0.46*a.h, 0.46*a.c.unit*1.02, 0.52*a.w/float64(n)*max(size, 0.75))
}

// carries tells whether another object is at a side of this one.
func (a *arranger) carries(o *Object, sides ...string) bool {
	return slices.ContainsFunc(a.scene.Objects, func(other Object) bool {
		return other.Of == o.Subject && slices.Contains(sides, other.Side)
	})
}

// carriesLittle tells whether what is on an object, such as a hat, is much smaller.
func (a *arranger) carriesLittle(o *Object) bool {
	return !slices.ContainsFunc(a.scene.Objects, func(other Object) bool {
		return other.Of == o.Subject && (other.Side == "above" || naturalSize(other.Subject) > 0.6*naturalSize(o.Subject))
	})
}

func naturalSize(name string) float64 {
	if what := subjects().byName[name]; what != nil {
		return what.size
	}
	return 1
}

// free arranges what may be anywhere in its zone.
func (a *arranger) free() {
	for _, z := range []zone{sky, water, ground, middle} {
		var row []int // indices of objects, one for each time
		for i := range a.scene.Objects {
			o := &a.scene.Objects[i]
			if o.Place != "" || o.Side != "" || a.zone(o) != z {
				continue
			}
			for range o.Count {
				row = append(row, i)
			}
		}
		a.row(z, row)
	}
}

// row puts things beside each other; the first object, which the picture is about, comes to stand in the middle of an
// odd row by the order in which places are given.
func (a *arranger) row(z zone, row []int) {
	rows := 1 + (len(row)-1)/6 // more than six a row are too small to see
	if len(row) == 0 {
		return
	}
	perRow := (len(row) + rows - 1) / rows
	for k, i := range row {
		o := &a.scene.Objects[i]
		n := min(perRow, len(row)-k/perRow*perRow)
		scale := a.scale(o, max(n, 1))
		x := a.w * (float64(k%perRow) + 0.5) / float64(n)
		x += a.w * 0.06 * (a.c.rng.Float64() - 0.5)
		if len(row) == 1 {
			x = a.w * a.only(o, z)
		}
		shift := float64(k/perRow) / float64(rows)
		a.add(i, x, a.height(z, scale, shift), scale, z, k%2 == 1)
	}
}

// only is where a lone thing is: in the middle, to a side of the sky when something stands below, or where it leaves
// room for what is beside it.
func (a *arranger) only(o *Object, z zone) float64 {
	switch {
	case a.carries(o, "left"):
		return 0.66
	case a.carries(o, "right", "beside"):
		return 0.34
	case z == sky && len(a.scene.Objects) > 1:
		return 0.76
	}
	return 0.5
}

// height is where the middle of a thing is.
func (a *arranger) height(z zone, scale, shift float64) float64 {
	switch {
	case z == sky && len(a.scene.Objects) == 1:
		return a.h*0.42 + a.h*0.3*shift
	case z == sky:
		return max(a.h*(0.18+0.06*a.c.rng.Float64())+a.h*0.2*shift, scale+a.h*0.03)
	case z == water:
		return a.h*(0.78+0.14*shift) - scale*0.45
	case z == middle:
		return a.h * (0.5 + 0.5*(shift-0.5*boolean(shift > 0)))
	}
	return a.h*(0.86+0.1*shift) - scale
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// placed puts what has a place where it is said to be.
func (a *arranger) placed() {
	for i := range a.scene.Objects {
		o := &a.scene.Objects[i]
		if o.Place == "" || o.Side != "" {
			continue
		}
		scale := a.scale(o, max(o.Count, 2))
		z := a.zone(o)
		x, y := a.w*0.5, a.height(z, scale, 0)
		for word := range strings.FieldsSeq(o.Place) {
			switch word {
			case "left":
				x = a.w * 0.22
			case "right":
				x = a.w * 0.78
			case "top":
				y = max(a.h*0.2, scale)
			case "bottom":
				y = a.h*0.95 - scale
			case "center":
				if o.Place == word {
					y = a.h * 0.5
				}
			}
		}
		for k := range o.Count {
			dx := (float64(k) - float64(o.Count-1)/2) * scale * 1.6
			a.add(i, x+dx, y, scale, z, k%2 == 1)
		}
	}
}

// beside puts what has a neighbour next to it. A neighbour that is not in the scene does not count.
func (a *arranger) beside() {
	for i := range a.scene.Objects {
		o := &a.scene.Objects[i]
		if o.Side == "" {
			continue
		}
		scale := a.scale(o, max(o.Count, 2))
		near := placement{x: a.w / 2, y: a.h / 2, scale: a.c.unit * 0.2}
		if of := slices.IndexFunc(a.items, func(it item) bool { return a.scene.Objects[it.object].Subject == o.Of }); of >= 0 {
			near = a.items[of].at
		}
		if o.Side == "above" || o.Side == "on" {
			scale = min(scale, max((near.y-near.scale)*0.55, a.c.unit*0.06))
		}
		for k := range o.Count {
			x, y := next(near, o.Side, scale)
			x += (float64(k) - float64(o.Count-1)/2) * scale * 1.8
			x, y = min(max(x, scale*0.85), a.w-scale*0.85), min(max(y, scale*0.95), a.h-scale*0.95)
			a.add(i, x, y, scale, a.zone(o), k%2 == 1)
			a.items[len(a.items)-1].side = o.Side
		}
	}
}

// next is the middle of something of a scale at a side of something else.
func next(to placement, side string, scale float64) (x, y float64) {
	apart := (to.scale + scale) * 0.95
	floor := to.y + to.scale - scale // so that both stand on one ground
	switch side {
	case "left":
		return to.x - apart, floor
	case "right", "beside":
		return to.x + apart, floor
	case "above":
		return to.x, to.y - apart - scale*0.15
	case "on":
		return to.x, to.y - to.scale*0.8 - scale*0.7
	}
	return to.x, to.y + apart
}

func (a *arranger) add(object int, x, y, scale float64, z zone, mirror bool) {
	a.items = append(a.items, item{object: object, zone: z, at: placement{x: x, y: y, scale: scale, mirror: mirror}})
}
