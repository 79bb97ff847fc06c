// SPDX-License-Identifier: Apache-2.0

// Package rules stands in for a language model that reads what a picture should show. It refuses each text that has a
// word it does not know: a picture of something else is worse than none.
package rules

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// Refusal is the answer to a request that cannot be met.
var Refusal = "Offline this agent draws simple scenes of a few things (" + strings.Join(paint.Subjects(), ", ") +
	"), recolours, turns and mirrors pictures; start it with --llm to have anything else drawn."

var (
	size    = regexp.MustCompile(`\b(\d{1,5})\s*[x×]\s*(\d{1,5})\b`)
	format  = regexp.MustCompile(`\b(?:as )?(?:a )?(png|jpe?g)\b`)
	between = regexp.MustCompile(`\s*(?:[,.!?]|\bthen\b|\band\b)[\s,.!?]*`)
	opening = regexp.MustCompile(
		`^(?:(?:can|could) you )?(?:(?:draw|paint|create|generate|show)(?: me)? |make (?:me )?(an? ))`)
	about   = regexp.MustCompile(`^(?:an? )?(?:picture|image|scene|something)(?: of |$)`)
	colours = regexp.MustCompile(`^(?:make|turn|change|paint|colou?r|recolou?r) (?:it|this|them|the (\w+)) (\w+)$`)
	adding  = regexp.MustCompile(`^(?:add|put|insert) (.+)$`)
	removal = regexp.MustCompile(`^(?:remove|delete|erase) the (\w+)$`)
	turning = regexp.MustCompile(
		`^rotate(?: it| this| the \w+)?(?: by)?(?: (90|180|270)(?: degrees)?)?` +
			`(?: to the)?(?: (left|right|clockwise))?$`)
	mirrors = regexp.MustCompile(`^(mirror|flip)(?: it| this| the picture| the image)?$`)
	place   = regexp.MustCompile(` (?:on|to|at) the (left|right)$`)
	joints  = regexp.MustCompile(` (?:above|over|under|with|and|in|on|at) `)
	numbers = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
	filters = map[string]string{"mirror": "mirror", "flip": "mirror", "grayscale": "grayscale",
		"greyscale": "grayscale"}
)

// Read reads a text; have says whether there is a picture that it may be about. ok is false if it cannot be read.
func Read(text string, have bool) (r paint.Request, ok bool) {
	text, original := strings.ToLower(text), text
	var scene paint.Scene
	if m := size.FindStringSubmatch(text); m != nil {
		scene.Width, _ = strconv.Atoi(m[1])
		scene.Height, _ = strconv.Atoi(m[2])
		text = size.ReplaceAllString(text, "")
	}
	if m := format.FindStringSubmatch(text); m != nil {
		r.Format = "image/" + strings.Replace(m[1], "jpg", "jpeg", 1)
		text = format.ReplaceAllString(text, "")
	}
	said := false
	for _, clause := range between.Split(strings.Join(strings.Fields(text), " "), -1) {
		if clause = strings.TrimSpace(strings.TrimPrefix(clause, "please ")); clause == "" {
			continue
		}
		said = true
		if e, ok := edit(clause); ok {
			r.Edits = append(r.Edits, e)
		} else if len(r.Edits) > 0 || !draw(clause, &scene) {
			return r, false
		}
	}
	drawn := len(scene.Objects) > 0 || scene.Background.Kind != ""
	r.Action, r.Scene = paint.Create, &scene
	if len(r.Edits) > 0 || !said && have {
		r.Action, r.Scene = paint.Change, nil
	}
	return r.Completed(original, have), len(r.Edits) == 0 || !drawn
}

// edit reads a clause that changes a picture.
func edit(clause string) (e paint.Edit, ok bool) {
	if m := colours.FindStringSubmatch(clause); m != nil {
		_, isColour := paint.Colour(m[2])
		_, isThing := paint.Find(m[1])
		whole := m[1] == "" || m[1] == "picture" || m[1] == "image"
		switch {
		case filters[m[2]] != "" && whole:
			return filter(filters[m[2]], 0), true
		case whole:
			m[1] = ""
		}
		return paint.Edit{Do: "recolour", Subject: m[1], Colour: m[2]}, isColour && (whole || isThing)
	}
	if m := adding.FindStringSubmatch(clause); m != nil {
		o, ok := thing(m[1])
		return paint.Edit{Do: "add", Object: &o}, ok
	}
	if m := removal.FindStringSubmatch(clause); m != nil {
		return paint.Edit{Do: "remove", Subject: m[1]}, true
	}
	if m := turning.FindStringSubmatch(clause); m != nil {
		degrees, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			degrees = 90
		}
		if m[2] == "left" {
			degrees = -degrees
		}
		return filter("rotate", degrees), true
	}
	m := mirrors.FindStringSubmatch(clause)
	if m == nil {
		return e, false
	}
	return filter(filters[m[1]], 0), true
}

func filter(do string, amount float64) paint.Edit {
	return paint.Edit{Do: "filter", Filter: &paint.Filter{Do: do, Amount: amount}}
}

// draw reads a clause that names things and a background.
func draw(clause string, s *paint.Scene) bool {
	clause = about.ReplaceAllString(opening.ReplaceAllString(clause, "$1"), "")
	for _, phrase := range joints.Split(place.ReplaceAllString(clause, " @$1"), -1) {
		kind := strings.TrimPrefix(strings.TrimPrefix(phrase, "the "), "a ")
		b := &s.Background
		switch o, ok := thing(strings.Replace(phrase, " @", " on the ", 1)); {
		case phrase == "":
		case ok:
			s.Objects = append(s.Objects, o)
		case !slices.Contains(paint.Backgrounds, kind):
			return false
		case kind == "night" && b.Kind != "":
			b.Night = true
		default:
			b.Kind, b.Night = kind, b.Kind == "night"
		}
	}
	return true
}

func thing(phrase string) (o paint.Object, ok bool) {
	if m := place.FindStringSubmatch(phrase); m != nil {
		o.Place, phrase = m[1], place.ReplaceAllString(phrase, "")
	}
	words := strings.Fields(phrase)
	if len(words) > 1 {
		o.Count = max(slices.Index(numbers, words[0]), 0)
		if n, err := strconv.Atoi(words[0]); err == nil {
			o.Count = n
		}
		if o.Count > 0 || words[0] == "a" || words[0] == "an" || words[0] == "the" || words[0] == "some" {
			words = words[1:]
		}
	}
	if len(words) == 2 {
		if _, ok := paint.Colour(words[0]); ok {
			o.Colour, words = words[0], words[1:]
		}
	}
	if len(words) == 1 {
		o.Subject, ok = paint.Find(words[0])
	}
	return o, ok
}
