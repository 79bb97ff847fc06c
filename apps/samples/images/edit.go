// SPDX-License-Identifier: Apache-2.0

package images

import (
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// An Edit is one change of a picture. Its JSON is what a language model is asked for.
type Edit struct {
	Do         string        `json:"do"`                   // one of [Edits]
	Subject    string        `json:"subject,omitempty"`    // the object it is about; "" is what the picture is about
	Colour     string        `json:"colour,omitempty"`     // of recolour, background, border
	Text       string        `json:"text,omitempty"`       // of caption; "" removes it
	Background string        `json:"background,omitempty"` // of background
	Style      string        `json:"style,omitempty"`      // of style
	Size       string        `json:"size,omitempty"`       // of size: small, medium or large
	Place      string        `json:"place,omitempty"`      // of move
	Object     *paint.Object `json:"object,omitempty"`     // of add and replace
	Filter     *paint.Filter `json:"filter,omitempty"`     // of filter
}

// Edits are what an Edit can do.
var Edits = []string{"recolour", "add", "remove", "replace", "background", "style", "caption", "border", "size", "move", "filter"}

// editVerbs begin a clause that changes a picture.
var editVerbs = wordSet(`make turn change add remove delete erase drop rotate flip mirror crop resize scale shrink enlarge blur invert darken
	brighten lighten recolour recolor colour color tint paint put move write replace swap convert frame zoom caption label include
	insert set switch give undo revert pixelate desaturate grayscale sepia render redraw fill dye place get`)

// createVerbs begin a new picture when an article follows.
var createVerbs = wordSet(`draw paint generate create make produce show render design sketch give`)

// pronouns stand for the picture or for what it shows.
var pronouns = wordSet(`it them this that its everything image picture photo photograph drawing`)

// readEdits finds the changes that words ask for. No edits and not unclear means that the words are about a new
// picture.
func readEdits(w words, quotes []string, text string, have bool) (edits []Edit, unclear bool) {
	w = prepared(w)
	if !aboutPicture(w, have) {
		return nil, false
	}
	e := &editReader{text: text, quotes: quotes}
	for _, clause := range clauses(w) {
		e.read(clause)
	}
	return e.edits, e.unclear
}

// prepared joins what "and" would cut in two.
func prepared(w words) words {
	text := " " + strings.Join(w, " ") + " "
	for _, form := range []string{"black and white", "black & white", "b&w", "greyscale", "gray scale", "grey scale", "monochrome"} {
		text = strings.ReplaceAll(text, " "+form+" ", " grayscale ")
	}
	text = strings.ReplaceAll(text, " zoom in ", " zoom ")
	return strings.Fields(text)
}

// aboutPicture tells whether words are about the picture there is, and not about a new one.
func aboutPicture(w words, have bool) bool {
	for len(w) > 0 && (slices.Contains([]string{"please", "now", "then", "and", "can", "could", "you", "ok", "okay", "also", ","}, w[0])) {
		w = w[1:]
	}
	if len(w) == 0 {
		return false
	}
	verb, next := w[0], w.at(1)
	if createVerbs[verb] && (next == "a" || next == "an" || next == "another" || next == "me" || next == "some") && !have {
		return false
	}
	if createVerbs[verb] && (next == "a" || next == "an" || next == "another" || next == "me") {
		return false
	}
	if createVerbs[verb] {
		if _, counted := count(next); counted {
			return false
		}
	}
	switch {
	case editVerbs[verb] && (pronouns[next] || next == "the" || !createVerbs[verb]):
		return true
	case !have:
		return false
	case editVerbs[verb] && next == "":
		return true
	case w.has("it", "them", "upside down", "grayscale"):
		return true
	}
	return isAside(w)
}

// isAside tells whether words name only how a picture looks: "bigger", "in blue", "at night", "as a sketch".
func isAside(w words) bool {
	scene, ignored := readScene(w, nil, "")
	if len(scene.Objects) > 0 || len(ignored) > 0 {
		return w.has("bigger", "smaller", "larger", "brighter", "darker", "lighter", "contrast", "sepia", "blurry", "inverted", "border") && len(w) <= 5
	}
	// A background alone is a new picture unless something leads up to it: "at night", "with a blue background".
	lead := slices.Contains(grounds, w[0]) || w[0] == "with" || w[0] == "as" || w[0] == "more" || w[0] == "less"
	return w.anyColour() != "" && scene.Background.Kind == "" || scene.Style != "" && scene.Background.Kind == "" || lead && scene.Background.Kind != ""
}

// clauses cuts at "and", "then" and commas.
func clauses(w words) []words {
	var all []words
	var now words
	for _, word := range append(w, ",") {
		if word != "and" && word != "then" && word != "," && word != "but" {
			now = append(now, word)
			continue
		}
		if len(now) > 0 {
			all = append(all, now)
		}
		now = nil
	}
	return all
}

// An editReader goes through clauses. A clause without a verb does what the one before it did.
type editReader struct {
	text    string
	quotes  []string
	verb    string
	edits   []Edit
	unclear bool
}

func (e *editReader) add(edit Edit) bool {
	e.edits = append(e.edits, edit)
	return true
}

func (e *editReader) filter(f paint.Filter) bool { return e.add(Edit{Do: "filter", Filter: &f}) }

// read reads one clause: the first reader that knows it takes it.
func (e *editReader) read(w words) {
	for _, word := range w {
		if editVerbs[word] {
			e.verb = word
			break
		}
	}
	if w.has("please", "thanks", "thank") && len(w) == 1 {
		return
	}
	for _, read := range []func(words) bool{e.caption, e.turn, e.geometry, e.tones, e.border, e.remove, e.replace, e.insert, e.move, e.background, e.style, e.recolour, e.size} {
		if read(w) {
			return
		}
	}
	e.unclear = true
}

func (e *editReader) caption(w words) bool {
	if w.has("text", "caption", "title", "words", "writing", "label") && w.has("remove", "delete", "erase", "without", "no") {
		return e.add(Edit{Do: "caption"})
	}
	if i := slices.Index(w, quoted); i >= 0 && len(e.quotes) > 0 {
		text := e.quotes[0]
		e.quotes = e.quotes[1:]
		return e.add(Edit{Do: "caption", Text: cutRunes(text, paint.MaxCaption)})
	}
	if (w.at(0) == "write" || w.at(0) == "caption") && len(w) > 1 {
		rest := slices.DeleteFunc(slices.Clone(w[1:]), func(s string) bool { return s == "on" || s == "it" })
		return len(rest) > 0 && e.add(Edit{Do: "caption", Text: cutRunes(strings.Join(rest, " "), paint.MaxCaption)})
	}
	return false
}

// turn reads rotations and reflections.
func (e *editReader) turn(w words) bool {
	upside := w.has("upside down", "upside-down")
	degrees, _, numbered := w.amount()
	switch {
	case w.has("flip", "flipped", "mirror", "mirrored", "reflect"):
		do := "mirror"
		if upside || w.has("vertically", "vertical", "top to bottom") {
			do = "flip"
		}
		return e.filter(paint.Filter{Do: do})
	case upside:
		return e.filter(paint.Filter{Do: "rotate", Amount: 180})
	case w.has("rotate", "rotated", "rotation", "spin", "tilt") || w.at(0) == "turn" && (numbered || w.has("left", "right", "clockwise", "counterclockwise")):
		if !numbered {
			degrees = 90
		}
		if w.has("left", "counterclockwise", "anticlockwise", "counter-clockwise", "anti-clockwise") {
			degrees = -degrees
		}
		return e.filter(paint.Filter{Do: "rotate", Amount: degrees})
	}
	return false
}

// geometry reads what changes the sides of the picture.
func (e *editReader) geometry(w words) bool {
	width, height, sized := sizeIn(strings.Join(w, " "))
	value, percent, numbered := w.amount()
	whole := w.has("image", "picture", "photo", "resize", "scale", "resized") || sized
	switch {
	case w.has("crop", "cropped", "trim", "cut"):
		switch {
		case sized:
			return e.filter(paint.Filter{Do: "crop", Width: width, Height: height})
		case numbered && percent:
			return e.filter(paint.Filter{Do: "crop", Amount: value / 100})
		}
		return e.filter(paint.Filter{Do: "crop", Amount: 0.75})
	case w.has("zoom"):
		return e.filter(paint.Filter{Do: "crop", Amount: 0.5})
	case sized:
		return e.filter(paint.Filter{Do: "resize", Width: width, Height: height})
	case whole && percent:
		return e.filter(paint.Filter{Do: "scale", Amount: value / 100})
	case numbered && w.has("wide", "width"):
		return e.filter(paint.Filter{Do: "resize", Width: int(value)})
	case numbered && w.has("high", "tall", "height"):
		return e.filter(paint.Filter{Do: "resize", Height: int(value)})
	case w.has("half"):
		return e.filter(paint.Filter{Do: "scale", Amount: 0.5})
	case w.has("double", "twice"):
		return e.filter(paint.Filter{Do: "scale", Amount: 2})
	}
	return false
}

// tones reads what changes every pixel.
func (e *editReader) tones(w words) bool {
	by := func(usual float64) float64 {
		switch {
		case w.has("slightly", "little", "bit"):
			return usual / 2
		case w.has("much", "very", "lot", "really"):
			return usual * 2
		}
		return usual
	}
	switch {
	case w.has("grayscale", "desaturate"):
		return e.filter(paint.Filter{Do: "grayscale"})
	case w.has("invert", "inverted", "negative"):
		return e.filter(paint.Filter{Do: "invert"})
	case w.has("sepia", "vintage", "old-fashioned"):
		return e.filter(paint.Filter{Do: "sepia"})
	case w.has("blur", "blurry", "blurred", "blurrier", "soften", "softer"):
		return e.filter(paint.Filter{Do: "blur", Amount: by(8)})
	case w.has("pixelate"):
		return e.filter(paint.Filter{Do: "pixelate"})
	case w.has("contrast"):
		if w.has("less", "lower", "reduce", "decrease") {
			return e.filter(paint.Filter{Do: "contrast", Amount: -by(0.3)})
		}
		return e.filter(paint.Filter{Do: "contrast", Amount: by(0.3)})
	case w.has("brighter", "brighten", "lighter", "lighten"):
		return e.filter(paint.Filter{Do: "brightness", Amount: by(0.3)})
	case w.has("darker", "darken", "dimmer"):
		return e.filter(paint.Filter{Do: "brightness", Amount: -by(0.3)})
	case w.at(0) == "tint":
		return w.anyColour() != "" && e.filter(paint.Filter{Do: "tint", Colour: w.anyColour()})
	}
	return false
}

func (e *editReader) border(w words) bool {
	if !w.has("border", "frame") {
		return false
	}
	if w.has("remove", "delete", "without", "no") {
		return e.add(Edit{Do: "border"})
	}
	colour := w.anyColour()
	if colour == "" {
		colour = "black"
	}
	return e.add(Edit{Do: "border", Colour: colour})
}

func (e *editReader) remove(w words) bool {
	if !slices.Contains([]string{"remove", "delete", "erase", "drop"}, e.verb) && w.at(0) != "without" {
		return false
	}
	if w.has("background", "backdrop") {
		return e.add(Edit{Do: "background", Background: "plain"})
	}
	scene, _ := readScene(w.after(e.verb), nil, "")
	for _, name := range subjectsOf(scene) {
		e.add(Edit{Do: "remove", Subject: name})
	}
	return len(scene.Objects) > 0
}

// replace reads "replace the cat with a dog" and "turn it into a dog".
func (e *editReader) replace(w words) bool {
	link := -1
	for i, word := range w {
		if word == "into" || (word == "with" || word == "by" || word == "for" || word == "to") && (e.verb == "replace" || e.verb == "swap" || e.verb == "change" || e.verb == "turn") {
			link = i
		}
	}
	if link < 0 {
		return false
	}
	to, _ := readScene(w[link+1:], nil, "")
	if len(to.Objects) == 0 || to.Objects[0].Subject == to.Objects[0].Colour { // "change its colour to gold"
		return false
	}
	edit := Edit{Do: "replace", Object: &to.Objects[0]}
	for i := range w[:link] {
		if name, n := w.subject(i); n > 0 {
			edit.Subject = name
		}
	}
	return e.add(edit)
}

func (e *editReader) insert(w words) bool {
	if !slices.Contains([]string{"add", "include", "insert", "put", "place", "give"}, e.verb) {
		return false
	}
	if e.verb != "add" && e.verb != "give" && w.has("it", "them") && w[0] == e.verb {
		return false // "put it in space", "put it on the left"
	}
	scene, _ := readScene(w.after(e.verb), nil, "")
	for i := range scene.Objects {
		e.add(Edit{Do: "add", Object: &scene.Objects[i]})
	}
	if scene.Background.Kind != "" && len(scene.Objects) == 0 {
		e.add(Edit{Do: "background", Background: scene.Background.Kind, Colour: scene.Background.Colour})
	}
	return len(scene.Objects) > 0 || scene.Background.Kind != ""
}

func (e *editReader) move(w words) bool {
	place := w.meaning(places)
	if place == "" || e.verb != "move" && e.verb != "put" && e.verb != "place" {
		return false
	}
	return e.add(Edit{Do: "move", Subject: w.anySubject(), Place: place})
}

func (e *editReader) background(w words) bool {
	kind, colour := w.background(), w.anyColour()
	switch {
	case w.has("background", "backdrop") && (kind != "" || colour != ""):
		if kind == "" {
			kind = "plain"
		}
	case kind == "" || w.anySubject() != "" && colour != "":
		return false
	}
	return e.add(Edit{Do: "background", Background: kind, Colour: colour})
}

func (e *editReader) style(w words) bool {
	style := w.meaning(styles)
	if style == "" || style == "photorealistic" && w.has("photo") && w.anyColour() != "" {
		return false
	}
	return e.add(Edit{Do: "style", Style: style})
}

func (e *editReader) recolour(w words) bool {
	colour := w.anyColour()
	if colour == "" {
		return false
	}
	subject := w.anySubject()
	if subject != "" {
		if name, ok := paint.Find(colour); ok && name == subject { // "orange" is the colour here
			subject = ""
		}
	}
	return e.add(Edit{Do: "recolour", Subject: subject, Colour: colour})
}

func (e *editReader) size(w words) bool {
	switch {
	case w.has("bigger", "larger", "big", "large", "huge", "enlarge", "grow", "giant"):
		return e.add(Edit{Do: "size", Subject: w.anySubject(), Size: "large"})
	case w.has("smaller", "small", "tiny", "little", "shrink"):
		return e.add(Edit{Do: "size", Subject: w.anySubject(), Size: "small"})
	}
	return false
}

// after returns what follows a word; all when it does not occur.
func (w words) after(word string) words { return w[slices.Index(w, word)+1:] }

// anySubject finds the first thing that can be drawn.
func (w words) anySubject() string {
	for i := range w {
		if name, n := w.subject(i); n > 0 {
			return name
		}
	}
	return ""
}
