// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"fmt"
	"slices"
	"strings"
)

// State is what a conversation has left: the files that were written last, what they were written for, and what is
// still open.
type State struct {
	Files []File `json:"files,omitempty"`
	Spec  Spec   `json:"spec,omitzero"`
	Open  bool   `json:"open,omitzero"` // Spec waits for what was asked about
}

// Kind is how an [Outcome] ends the turn.
type Kind int

// The kinds of outcome.
const (
	Deliver Kind = iota // files
	Ask                 // a question
	Refuse              // what is asked for is not done
)

// Outcome is the answer to a message.
type Outcome struct {
	Kind  Kind
	Text  string // the question, the refusal, or notes about the files
	Files []File
	Zip   bool // the files as one archive as well
}

// Answer answers a message by rules, and returns the state that its conversation has then. pasted is code that came
// with the message.
func Answer(state State, text string, pasted []File) (Outcome, State, error) {
	spec := Read(text)
	if spec.Path != "" {
		clean, ok := localPath(spec.Path)
		if !ok {
			return Outcome{Kind: Refuse, Text: fmt.Sprintf("I write files within one folder only, and %q leaves it. Name a path such as src/main.go.", plain(spec.Path))}, state, nil
		}
		spec.Path = clean
	}
	if len(pasted) > 0 {
		return answerPasted(state, spec, text, pasted)
	}
	if spec.Purpose == "" && !state.Open {
		if o, next, ok := followUp(state, spec, text); ok {
			return o, next, nil
		}
	}
	if state.Open {
		spec = merged(state.Spec, spec)
	}
	return writeSpec(state, spec)
}

// answerPasted deals with code that was sent: tests for it, or a tidier version.
func answerPasted(state State, spec Spec, text string, pasted []File) (Outcome, State, error) {
	var o Outcome
	var err error
	words := tokens(text)
	switch {
	case spec.Tests:
		o, err = testsOf(pasted)
	case hasWord(words, "refactor", "format", "tidy", "clean", "cleanup", "improve", "simplify", "beautify", "fix", "refactoring", "lint"):
		o = refactor(pasted)
	default:
		return Outcome{Kind: Ask, Text: "What should be done with this code? I can write unit tests for it or refactor it."}, State{Files: pasted}, nil
	}
	if err != nil || o.Kind != Deliver {
		return o, state, err
	}
	o.Zip = spec.Zip
	return o, State{Files: o.Files}, nil
}

// followUp deals with "add tests", "refactor it", "in Python, please" and "as zip", which are about the files there are.
func followUp(state State, spec Spec, text string) (Outcome, State, bool) {
	if len(state.Files) == 0 {
		return Outcome{}, state, false
	}
	words := tokens(text)
	switch {
	case spec.Tests:
		return addTests(state, spec)
	case hasWord(words, "refactor", "format", "tidy", "clean", "simplify"):
		o := refactor(state.Files)
		state.Files = o.Files
		return o, state, true
	case spec.Language != "" && state.Spec.Purpose != "":
		again := state.Spec
		again.Language, again.Path, again.Zip = spec.Language, spec.Path, spec.Zip
		o, next, err := writeSpec(state, again)
		return o, next, err == nil
	case spec.Zip:
		return Outcome{Files: state.Files, Zip: true}, state, true
	}
	return Outcome{}, state, false
}

// addTests writes tests for the files of the conversation: those of the templates, or skeletons.
func addTests(state State, spec Spec) (Outcome, State, bool) {
	if state.Spec.Purpose != "" {
		again := state.Spec
		again.Tests = true
		files, err := write(again)
		tests := slices.DeleteFunc(slices.Clone(files), func(f File) bool { return !isTest(f.Name) })
		if err == nil && len(tests) > 0 {
			state.Spec, state.Files = again, files
			return Outcome{Files: tests, Zip: spec.Zip}, state, true
		}
	}
	o, err := testsOf(slices.DeleteFunc(slices.Clone(state.Files), func(f File) bool { return isTest(f.Name) }))
	if err != nil {
		return Outcome{}, state, false
	}
	o.Files = slices.DeleteFunc(o.Files, func(f File) bool { return !isTest(f.Name) })
	for _, f := range o.Files {
		state.Files = append(slices.DeleteFunc(slices.Clone(state.Files), func(old File) bool { return old.Name == f.Name }), f)
	}
	return o, state, true
}

// merged fills what was open with what the answer says.
func merged(open, said Spec) Spec {
	if said.Purpose != "" {
		open.Purpose, open.Name, open.Fields = said.Purpose, said.Name, said.Fields
		open.Foreign, open.Respelt = said.Foreign, said.Respelt
	}
	if said.Language != "" {
		open.Language = said.Language
	}
	if said.Path != "" {
		open.Path = said.Path
	}
	if len(said.Fields) > 0 {
		open.Fields = said.Fields
	}
	open.Tests, open.Zip = open.Tests || said.Tests, open.Zip || said.Zip
	return open
}

// writeSpec writes files, or asks for what is missing.
func writeSpec(state State, s Spec) (Outcome, State, error) {
	if question := missing(s); question != "" {
		state.Spec, state.Open = s, true
		return Outcome{Kind: Ask, Text: question}, state, nil
	}
	var notes []string
	if len(s.Respelt) > 0 {
		notes = append(notes, "In names I spell "+strings.Join(s.Respelt, ", ")+".")
	}
	if lang := nearest(s.Purpose, s.Language); lang != s.Language {
		notes = append(notes, fmt.Sprintf("I have no template for %s in %s: this is %s.", titleOf(s.Purpose), languageOf(s.Language).title, languageOf(lang).title))
		s.Language, s.Path = lang, ""
	}
	files, err := write(s)
	if err != nil {
		return Outcome{}, state, err
	}
	if s.Tests && !slices.ContainsFunc(files, func(f File) bool { return isTest(f.Name) }) {
		if o, err := testsOf(files); err == nil && o.Kind == Deliver {
			files = append(files, slices.DeleteFunc(o.Files, func(f File) bool { return !isTest(f.Name) })...)
		} else {
			notes = append(notes, "I have no tests for it.")
		}
	}
	return Outcome{Files: files, Zip: s.Zip, Text: strings.Join(notes, " ")}, State{Files: files, Spec: s}, nil
}

// missing asks for what a spec does not say; "" when nothing is missing.
func missing(s Spec) string {
	switch {
	case s.Purpose == "" && s.Language == "":
		return "In which language, and what should the code do? For example: \"a rate limiter in Go\" or \"a Python class for a user with name and email\"."
	case s.Purpose == "":
		return fmt.Sprintf("What should the %s code do? Offline I can write %s.", languageOf(s.Language).title, purposeList())
	case s.Language == "":
		var titles []string
		for _, lang := range written(s.Purpose) {
			titles = append(titles, languageOf(lang).title)
		}
		return fmt.Sprintf("In which language should I write %s? I can in %s.", titleOf(s.Purpose), strings.Join(titles, ", "))
	case len(s.Foreign) > 0:
		return fmt.Sprintf("In names I use the letters a to z only. How should I spell %s? Please say it all once more, for example: \"a class User with name and email\".", strings.Join(s.Foreign, ", "))
	}
	return ""
}

func purposeList() string {
	var all []string
	for _, p := range purposes() {
		all = append(all, p.title)
	}
	return strings.Join(all, ", ")
}

func titleOf(id string) string {
	for _, p := range purposes() {
		if p.id == id {
			return p.title
		}
	}
	return id
}
