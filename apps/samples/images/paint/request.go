// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"hash/fnv"
	"strings"
)

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
