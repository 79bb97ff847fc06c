// SPDX-License-Identifier: Apache-2.0

// Package offline stands in for a language model that reads what a picture should show. It refuses each text that has a
// word it does not know: a picture of something else is worse than none.
package offline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// Refusal is the answer to a request that cannot be met.
var Refusal = "Offline this agent draws simple scenes of a few things (" + strings.Join(paint.Subjects(), ", ") +
	"), recolours, turns and mirrors pictures; start it with --llm to have anything else drawn."

// Words that a text may have, beside subjects, colours and backgrounds.
var (
	fillers = strings.Fields("please draw paint create generate show me a an the picture image photo photograph of with and in on at it them this " +
		"is to can could you i want now as some something under above over background jpeg jpg png degrees by clockwise make turn " +
		"change recolour recolor colour color")
	adding    = strings.Fields("add put insert")
	removing  = strings.Fields("remove delete erase")
	changing  = strings.Fields("make turn change recolour recolor colour color paint")
	meant     = strings.Fields("it the this them that")
	filters   = map[string]string{"rotate": "rotate", "mirror": "mirror", "flip": "mirror", "grayscale": "grayscale", "greyscale": "grayscale", "invert": "invert"}
	numbers   = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
	area      = regexp.MustCompile(`\b(\d{1,5})\s*[x×]\s*(\d{1,5})\b`)
	formats   = map[string]string{"jpeg": paint.JPEG, "jpg": paint.JPEG, "png": paint.PNG}
	wordBreak = func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '#' }
)

// A parser reads the words of a text.
type parser struct {
	request paint.Request
	scene   paint.Scene
	verb    string       // add, remove or recolour: what is done with the things that are named
	next    paint.Object // its colour and number have been read, and the thing has not
}

// Read reads a text; have says whether there is a picture that it may be about. ok is false if it cannot be read.
func Read(text string, have bool) (r paint.Request, ok bool) {
	p := &parser{}
	if m := area.FindStringSubmatch(text); m != nil {
		p.scene.Width, _ = strconv.Atoi(m[1])
		p.scene.Height, _ = strconv.Atoi(m[2])
	}
	words := strings.FieldsFunc(strings.ToLower(area.ReplaceAllString(text, "")), wordBreak)
	for i, word := range words {
		after := ""
		if i+1 < len(words) {
			after = words[i+1]
		}
		if !p.read(word, after) {
			return r, false
		}
	}
	named := p.flush()
	edits := p.verb != "" || len(p.request.Edits) > 0
	if !named || p.next != (paint.Object{}) || edits && (len(p.scene.Objects) > 0 || p.scene.Width > 0) {
		return r, false
	}
	if edits && p.scene.Background != (paint.Background{}) {
		p.edit(paint.Edit{Do: "background", Background: p.scene.Background})
	}
	if edits && len(p.request.Edits) == 0 {
		p.request.Question = paint.AskEdit
	}
	p.request.Action, p.request.Scene = paint.Create, &p.scene
	if edits || len(p.scene.Objects) == 0 && p.scene.Background.Kind == "" && have && p.request.Format != "" {
		p.request.Action, p.request.Scene = paint.Change, nil
	}
	return p.request.Completed(text, have), true
}

func (p *parser) edit(e paint.Edit) { p.request.Edits = append(p.request.Edits, e) }

// flush gives the colour that follows a thing to the edit of that thing. It reports whether all things got theirs.
func (p *parser) flush() bool {
	if p.verb != "recolour" {
		return true
	}
	last := len(p.request.Edits) - 1
	waits := last >= 0 && p.request.Edits[last].Do == "recolour" && p.request.Edits[last].Colour == ""
	switch colour := p.next.Colour; {
	case waits:
		p.request.Edits[last].Colour = colour
		p.next.Colour = ""
		return colour != ""
	case colour != "":
		p.edit(paint.Edit{Do: "recolour", Colour: colour})
		p.next.Colour = ""
	}
	return true
}

// begin begins with a verb.
func (p *parser) begin(verb string) bool {
	done := p.flush()
	p.verb = verb
	return done
}

// place says where the last thing is, or which way the picture is turned.
func (p *parser) place(word string) bool {
	n := len(p.request.Edits)
	switch {
	case p.turning():
		if word == "left" {
			p.request.Edits[n-1].Filter.Amount *= -1
		}
	case n > 0 && p.request.Edits[n-1].Object != nil:
		p.request.Edits[n-1].Object.Place = word
	case p.verb == "" && len(p.scene.Objects) > 0:
		p.scene.Objects[len(p.scene.Objects)-1].Place = word
	default:
		return false
	}
	return true
}

// read reads one word. It reports whether it knows the word.
func (p *parser) read(word, after string) bool {
	subject, known := paint.Find(word)
	_, isColour := paint.Colour(word)
	number := slices.Index(numbers, word)
	digits, err := strconv.Atoi(word)
	switch {
	case word == "left" || word == "right":
		return p.place(word)
	case slices.Contains(adding, word):
		return p.begin("add")
	case slices.Contains(removing, word):
		return p.begin("remove")
	case slices.Contains(changing, word) && slices.Contains(meant, after):
		return p.begin("recolour")
	case filters[word] != "":
		amount := 0.0
		if word == "rotate" {
			amount = 90
		}
		done := p.begin("recolour")
		p.edit(paint.Edit{Do: "filter", Filter: &paint.Filter{Do: filters[word], Amount: amount}})
		return done
	case err == nil && p.turning() && strings.Contains(" 90 180 270 ", " "+word+" "):
		p.request.Edits[len(p.request.Edits)-1].Filter.Amount = float64(digits)
	case number > 0 || err == nil && digits > 0 && digits <= paint.MaxCount:
		p.next.Count = max(number, digits)
	case known:
		return p.thing(subject)
	case word == "night":
		if p.scene.Background.Night = p.scene.Background.Kind != ""; !p.scene.Background.Night {
			p.scene.Background.Kind = word
		}
	case slices.Contains(paint.Backgrounds, word):
		p.scene.Background.Night = p.scene.Background.Kind == "night"
		p.scene.Background.Kind = word
	case word == "background" && p.next.Colour != "":
		p.scene.Background.Colour, p.next.Colour = p.next.Colour, ""
	case isColour && p.next.Colour == "":
		p.next.Colour = word
	default:
		if formats[word] != "" {
			p.request.Format = formats[word]
		}
		return slices.Contains(fillers, word)
	}
	return true
}

// turning reports whether the last edit turns the picture.
func (p *parser) turning() bool {
	n := len(p.request.Edits)
	return n > 0 && p.request.Edits[n-1].Filter != nil && p.request.Edits[n-1].Filter.Do == "rotate"
}

// thing takes a thing that is named for the verb, or for the scene.
func (p *parser) thing(subject string) bool {
	if p.verb == "recolour" { // the colour follows
		p.edit(paint.Edit{Do: "recolour", Subject: subject})
		return p.next == paint.Object{}
	}
	o := p.next
	o.Subject, p.next = subject, paint.Object{}
	switch p.verb {
	case "add":
		p.edit(paint.Edit{Do: "add", Object: &o})
	case "remove":
		p.edit(paint.Edit{Do: "remove", Subject: subject})
		return o == paint.Object{Subject: subject}
	default:
		p.scene.Objects = append(p.scene.Objects, o)
	}
	return true
}
