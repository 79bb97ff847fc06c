// SPDX-License-Identifier: Apache-2.0

package paint

import "math"

type point struct{ x, y float64 }

// A polygon is closed: its last point is joined to its first.
type polygon []point

// curveSteps is how many straight lines make one curve: smooth at the largest size that a picture can have.
const curveSteps = 24

func ellipse(cx, cy, rx, ry, degrees float64) polygon {
	const n = 4 * curveSteps
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	p := make(polygon, n)
	for i := range p {
		s, c := math.Sincos(2 * math.Pi * float64(i) / n)
		x, y := rx*c, ry*s
		p[i] = point{cx + x*cos - y*sin, cy + x*sin + y*cos}
	}
	return p
}

// rectangle has its corners rounded with a radius.
func rectangle(x, y, w, h, radius float64) polygon {
	radius = min(radius, w/2, h/2)
	if radius <= 0 {
		return polygon{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
	}
	var p polygon
	for corner, c := range []point{{x + w - radius, y + radius}, {x + w - radius, y + h - radius}, {x + radius, y + h - radius}, {x + radius, y + radius}} {
		for i := range curveSteps/2 + 1 {
			s, cos := math.Sincos(math.Pi/2*float64(i)/(curveSteps/2) + math.Pi/2*float64(corner-1))
			p = append(p, point{c.x + radius*cos, c.y + radius*s})
		}
	}
	return p
}

// star has n tips on one radius and n dents on another.
func star(cx, cy, outer, inner float64, n int) polygon {
	p := make(polygon, 2*n)
	for i := range p {
		r := outer
		if i%2 == 1 {
			r = inner
		}
		s, c := math.Sincos(math.Pi*float64(i)/float64(n) - math.Pi/2)
		p[i] = point{cx + r*c, cy + r*s}
	}
	return p
}

func quadratic(from, control, to point) []point {
	var p []point
	for i := 1; i <= curveSteps; i++ {
		t := float64(i) / curveSteps
		a, b, c := (1-t)*(1-t), 2*t*(1-t), t*t
		p = append(p, point{a*from.x + b*control.x + c*to.x, a*from.y + b*control.y + c*to.y})
	}
	return p
}

func cubic(from, c1, c2, to point) []point {
	var p []point
	for i := 1; i <= curveSteps; i++ {
		t := float64(i) / curveSteps
		u := 1 - t
		a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		p = append(p, point{a*from.x + b*c1.x + c*c2.x + d*to.x, a*from.y + b*c1.y + c*c2.y + d*to.y})
	}
	return p
}

// stroke returns polygons that cover a line with a width: a box for each straight piece, a disc for each joint. All
// turn the same way, so that where they overlap they do not cancel each other out.
func stroke(line []point, width float64, closed bool) []polygon {
	if closed && len(line) > 1 {
		line = append(line[:len(line):len(line)], line[0])
	}
	var all []polygon
	for i, p := range line {
		all = append(all, disc(p, width/2))
		if i == 0 {
			continue
		}
		from := line[i-1]
		length := math.Hypot(p.x-from.x, p.y-from.y)
		if length == 0 {
			continue
		}
		dx, dy := (p.y-from.y)/length*width/2, (from.x-p.x)/length*width/2
		all = append(all, clockwise(polygon{{from.x + dx, from.y + dy}, {p.x + dx, p.y + dy}, {p.x - dx, p.y - dy}, {from.x - dx, from.y - dy}}))
	}
	return all
}

func disc(at point, r float64) polygon {
	const n = 10
	p := make(polygon, n)
	for i := range p {
		s, c := math.Sincos(2 * math.Pi * float64(i) / n)
		p[i] = point{at.x + r*c, at.y + r*s}
	}
	return p
}

// clockwise turns a polygon around when it runs the other way.
func clockwise(p polygon) polygon {
	var area float64
	for i, a := range p {
		b := p[(i+1)%len(p)]
		area += a.x*b.y - b.x*a.y
	}
	if area < 0 {
		for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
			p[i], p[j] = p[j], p[i]
		}
	}
	return p
}

// A placement puts what is drawn in a box of -1 to 1 onto the picture.
type placement struct {
	x, y    float64 // the middle, in pixels
	scale   float64 // pixels a unit
	mirror  bool
	degrees float64
}

func (at placement) of(p polygon) polygon {
	sin, cos := math.Sincos(at.degrees * math.Pi / 180)
	out := make(polygon, len(p))
	for i, q := range p {
		if at.mirror {
			q.x = -q.x
		}
		out[i] = point{at.x + at.scale*(q.x*cos-q.y*sin), at.y + at.scale*(q.x*sin+q.y*cos)}
	}
	return out
}

// box is the rectangle around polygons.
func box(all []polygon) (lo, hi point) {
	lo, hi = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, p := range all {
		for _, q := range p {
			lo, hi = point{min(lo.x, q.x), min(lo.y, q.y)}, point{max(hi.x, q.x), max(hi.y, q.y)}
		}
	}
	return lo, hi
}
