// SPDX-License-Identifier: Apache-2.0

package images

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// A Request is what a message asks for. Its JSON is what a language model is asked for.
type Request struct {
	Action   Action       `json:"action"`
	Scene    *paint.Scene `json:"scene,omitempty"`    // of Create
	Edits    []Edit       `json:"edits,omitempty"`    // of Change, in order
	Question string       `json:"question,omitempty"` // of Ask
	Prompt   string       `json:"prompt,omitempty"`   // of a model: what the finished picture shows
	Format   string       `json:"format,omitempty"`   // the media type asked for; "" when none was

	Ignored []string `json:"-"` // words that were not understood
}

// Action is what a [Request] is about.
type Action string

// The actions.
const (
	Create Action = "create" // a new picture
	Change Action = "edit"   // another version of the picture there is
	Ask    Action = "ask"    // too little was said
)

// Questions that the rules ask.
const (
	askSubject = "What should the picture show? Say a subject and, if you like, a style and colours: \"a white rabbit in the snow, watercolour\"."
	askPicture = "There is no picture in this conversation yet. Send one, or say what to draw."
	askEdit    = "What should be done with the picture? For example: make it blue, add a tree, rotate it, crop it, make it grayscale."
)

// maxText is how many characters of a message are read.
const maxText = 10_000

// Read understands a text by rules. have says whether there is a picture that it may be about.
func Read(text string, have bool) Request {
	text = cutRunes(text, maxText)
	w, quotes := lex(text)
	r := Request{Format: formatIn(text)}
	edits, unclear := readEdits(w, quotes, text, have)
	switch {
	case edits == nil && !unclear:
		r.Scene, r.Ignored = readScene(w, quotes, text)
		r.Action = Create
	case !have:
		return Request{Action: Ask, Question: askPicture}
	case unclear && len(edits) == 0:
		return Request{Action: Ask, Question: askEdit}
	default:
		r.Action, r.Edits = Change, edits
	}
	if r.Action == Create && isVague(r.Scene) {
		if have && r.Format != "" { // "as jpeg": the same picture in another form
			return Request{Action: Change, Format: r.Format}
		}
		return Request{Action: Ask, Question: askSubject}
	}
	if r.Scene != nil {
		r.Scene.Seed = seed(text)
	}
	return r
}

func isVague(s *paint.Scene) bool {
	return len(s.Objects) == 0 && s.Background.Kind == "" && s.Caption == ""
}

// seed is the same for the same words, however they are spaced and capitalized.
func seed(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(strings.ToLower(strings.Join(strings.Fields(text), " "))))
	return h.Sum32()
}

// subjectsOf lists what a scene shows.
func subjectsOf(s *paint.Scene) []string {
	var all []string
	for _, o := range s.Objects {
		if !slices.Contains(all, o.Subject) {
			all = append(all, o.Subject)
		}
	}
	return all
}
