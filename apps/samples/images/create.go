// SPDX-License-Identifier: Apache-2.0

package images

import (
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// readScene finds the scene that words describe, and the words that it could not use.
func readScene(w words, quotes []string, text string) (*paint.Scene, []string) {
	r := &sceneReader{words: w, scene: &paint.Scene{}, relative: -1, first: true}
	if len(quotes) > 0 {
		r.scene.Caption = cutRunes(strings.Join(quotes, " "), paint.MaxCaption)
	}
	if width, height, ok := sizeIn(text); ok {
		r.scene.Width, r.scene.Height = width, height
	} else {
		r.shape()
	}
	for r.i < len(w) {
		r.step()
	}
	r.endPhrase(true)
	return r.scene, r.ignored
}

// A sceneReader goes through the words once. What is said before a noun waits in next until the noun comes.
type sceneReader struct {
	words words
	i     int
	scene *paint.Scene

	next     paint.Object
	hue      string // the word that gave next its colour
	found    bool   // whether this phrase named something
	unknown  []string
	first    bool // whether this phrase is one that names what is to be drawn, and not how it looks
	side     string
	relative int // the object that has a side of the next one; -1 for none
	ignored  []string
}

// shape reads words for the sides of a picture.
func (r *sceneReader) shape() {
	side := paint.DefaultSide
	switch {
	case r.words.has("wide", "widescreen", "banner", "panorama", "landscape format", "landscape orientation"):
		r.scene.Width, r.scene.Height = side*3/2, side*3/4
	case r.words.has("portrait format", "portrait orientation", "tall picture", "tall image"):
		r.scene.Width, r.scene.Height = side*3/4, side
	}
}

// step reads one phrase of whatever kind comes next.
func (r *sceneReader) step() {
	w := r.words
	if area.MatchString(w[r.i]) || w[r.i] == quoted {
		r.i++
		return
	}
	for _, read := range []func() int{r.readBackdrop, r.readJoint, r.readPlace, r.readSide, r.readScenery, r.readStyle, r.readColour, r.readSubject, r.readSize, r.readCount} {
		if n := read(); n > 0 {
			r.i += n
			return
		}
	}
	word := w[r.i]
	if !idle[word] && isWord(word) {
		r.unknown = append(r.unknown, word)
	}
	r.i++
}

func isWord(s string) bool {
	return len(s) > 1 && strings.IndexFunc(s, func(r rune) bool { return r != '-' && r != '\'' && (r < 'a' || r > 'z') && r < 0x80 }) < 0
}

// readJoint reads what ends a phrase.
func (r *sceneReader) readJoint() int {
	switch word := r.words[r.i]; word {
	case "and", ",", "plus", "&":
		if r.bareColour() {
			return 1 // "red and white": the first counts
		}
		r.endPhrase(true)
	case "with", "without", "that", "who", "which", "wearing", "holding", "saying", "says", "eating", "drinking", "riding", "chasing", "watching", "reading", "carrying":
		r.endPhrase(false)
	default:
		return 0
	}
	return 1
}

// bareColour tells whether only colours were named since the last noun, and another one follows.
func (r *sceneReader) bareColour() bool {
	_, n := r.words.colour(r.i + 1)
	return r.next.Colour != "" && !r.found && len(r.unknown) == 0 && n > 0
}

// readBackdrop reads "on a blue background" and "blue background".
func (r *sceneReader) readBackdrop() int {
	if word := r.words[r.i]; word != "background" && word != "backdrop" {
		return 0
	}
	if r.next.Colour != "" {
		r.scene.Background.Colour = r.next.Colour
		if r.scene.Background.Kind == "" {
			r.scene.Background.Kind = "plain"
		}
	}
	if r.side != "" { // "on" was of the background
		r.side, r.relative = "", -1
	}
	r.next, r.hue, r.unknown, r.found = paint.Object{}, "", nil, true
	return 1
}

func (r *sceneReader) readScenery() int {
	kind, n := r.words.match(r.i, scenery)
	if n == 0 && slices.Contains(cities, r.words[r.i]) && (r.side == "on" || r.after(grounds)) {
		kind, n = "city", 1
	}
	if n == 0 {
		return 0
	}
	if name, m := r.words.subject(r.i); m > n && name != "" { // a beach ball
		return 0
	}
	r.setScenery(kind)
	r.next.Colour, r.hue = "", ""
	r.side, r.relative = "", -1
	r.found = true
	return n
}

// setScenery takes the first place that is named. Night is a place only as long as there is no other one: "in the snow at
// night" is both.
func (r *sceneReader) setScenery(kind string) {
	b := &r.scene.Background
	switch {
	case b.Kind == "":
		b.Kind, b.Colour = kind, r.next.Colour
	case kind == "night" && !slices.Contains(nights, b.Kind):
		b.Night = true
	case b.Kind == "night" && kind != "night" && !slices.Contains(nights, kind):
		b.Kind, b.Colour, b.Night = kind, r.next.Colour, true
	}
}

// nights are backgrounds of which it cannot be said that it is night there as well: it is, or they have a light of their own.
var nights = []string{"night", "sky", "space", "sunset", "plain"}

// after reports whether one of some words stands before this phrase, articles aside.
func (r *sceneReader) after(list []string) bool {
	i := r.i - 1
	for i >= 0 && (r.words[i] == "a" || r.words[i] == "an" || r.words[i] == "the" || r.words[i] == "big") {
		i--
	}
	return i >= 0 && slices.Contains(list, r.words[i])
}

func (r *sceneReader) readStyle() int {
	style, n := r.words.match(r.i, styles)
	if n == 0 {
		return 0
	}
	if r.scene.Style == "" || r.scene.Style == "photorealistic" { // "a photo in pixel style"
		r.scene.Style = style
	}
	return n
}

// readColour reads a colour, unless the word is the thing itself: "an orange" is no colour.
func (r *sceneReader) readColour() int {
	name, n := r.words.colour(r.i)
	if n == 0 {
		return 0
	}
	if _, m := r.words.subject(r.i); m > n || m == n && !r.nounFollows(r.i+n) {
		return 0
	}
	if r.next.Colour == "" {
		r.next.Colour, r.hue = name, strings.Join(r.words[r.i:r.i+n], " ")
	}
	return n
}

// nounFollows tells whether something that can have a colour comes before the phrase ends.
func (r *sceneReader) nounFollows(i int) bool {
	for ; i < len(r.words); i++ {
		word := r.words[i]
		if word == "and" || word == "," || word == "with" || slices.Contains(grounds, word) {
			return false
		}
		if _, n := r.words.match(i, sides); n > 0 {
			return false
		}
		if !idle[word] || word == "background" || word == "backdrop" {
			return true
		}
	}
	return false
}

func (r *sceneReader) readSubject() int {
	name, n := r.words.subject(r.i)
	if n == 0 {
		return 0
	}
	r.add(name)
	return n
}

// add takes what waits as an object with a name.
func (r *sceneReader) add(name string) {
	o := r.next
	o.Subject = name
	r.next, r.hue, r.unknown, r.found = paint.Object{}, "", nil, true
	if r.relative >= 0 && r.relative < len(r.scene.Objects) {
		before := &r.scene.Objects[r.relative]
		if before.Subject != name {
			before.Side, before.Of = r.side, name
		}
	}
	r.side, r.relative = "", -1
	if len(r.scene.Objects) < paint.MaxObjects {
		o.Count = min(o.Count, paint.MaxCount)
		r.scene.Objects = append(r.scene.Objects, o)
	}
}

func (r *sceneReader) readSize() int {
	size, n := r.words.match(r.i, sizes)
	if n > 0 {
		r.next.Size = size
	}
	return n
}

func (r *sceneReader) readCount() int {
	n, ok := count(r.words[r.i])
	if !ok {
		return 0
	}
	if n > 1 || r.next.Count == 0 {
		r.next.Count = n
	}
	return 1
}

// readPlace reads "on the left", which is where the last object is, or, when none was named yet, the next one.
func (r *sceneReader) readPlace() int {
	if _, n := r.words.match(r.i, sides); n > 1 {
		return 0 // "left of" is a side
	}
	place, n := r.words.match(r.i, places)
	if n == 0 {
		return 0
	}
	if r.words.at(r.i+n) == "of" && r.words.at(r.i+n+1) == "the" && !slices.Contains([]string{"picture", "image", "scene"}, r.words.at(r.i+n+2)) && (place == "left" || place == "right") {
		return 0
	}
	r.side, r.relative = "", -1
	if last := len(r.scene.Objects) - 1; last >= 0 && r.scene.Objects[last].Side == "" {
		o := &r.scene.Objects[last]
		o.Place = strings.TrimSpace(o.Place + " " + place)
	}
	return n
}

// readSide reads a word that puts the last object beside the next one.
func (r *sceneReader) readSide() int {
	side, n := r.words.match(r.i, sides)
	if n == 0 {
		return 0
	}
	r.endPhrase(false)
	if last := len(r.scene.Objects) - 1; last >= 0 && r.scene.Objects[last].Side == "" {
		r.side, r.relative = side, last
	}
	return n
}

// endPhrase ends a noun phrase. A noun that nobody knows becomes an emblem when the phrase names what is to be drawn.
func (r *sceneReader) endPhrase(names bool) {
	if !r.found && r.first {
		switch {
		case len(r.unknown) > 0:
			label := strings.Join(r.unknown[max(len(r.unknown)-2, 0):], " ")
			r.add(strings.ToValidUTF8(label[:min(len(label), paint.MaxLabel)], ""))
		case r.hue != "" && !plainHue[r.hue]: // "a tomato" is a colour of CSS, and more
			hue := r.hue
			r.add(hue)
		}
	}
	r.ignored = append(r.ignored, r.unknown...)
	r.unknown, r.found, r.hue = nil, false, ""
	r.next = paint.Object{}
	r.first = names
}

// plainHue are colours that are nothing else.
var plainHue = wordSet(`red green blue yellow orange black white gray grey brown pink purple cyan magenta turquoise beige
	violet indigo teal navy maroon crimson scarlet golden silvery`)
