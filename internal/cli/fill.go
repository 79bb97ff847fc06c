// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// The words that are commands wherever a form asks for something.
const (
	wordLater  = "/later"
	wordCancel = "/cancel"
	wordQuit   = "/quit"
	wordClear  = "/clear"
	wordHelp   = "/help"
)

const (
	formHelp     = "Enter keeps what stands in brackets, /clear empties a field, {...} in JSON answers all of them."
	formCommands = "/later leaves the form, /cancel cancels the task, /quit leaves."
)

// errLater and errWithdraw say that the person left the form: to go on with it later, or to cancel the task.
var (
	errLater    = errors.New("the form was left")
	errWithdraw = errors.New("the form was withdrawn")
)

// filling is a person's way through a form.
type filling struct {
	c  *command
	in terminal.Prompter
	f  *form

	told bool // how to say something that belongs in no field
}

// fill asks a person for each field of the form that the task waits for and returns the answer. A line that is an
// object answers the whole form. It fails with errLater, errWithdraw, errQuit, and with what ask fails with.
func (c *command) fill(ctx context.Context, in terminal.Prompter, seen *seen) (jsontext.Value, error) {
	f := seen.form
	if seen.filled != nil {
		f.carry(seen.filled)
	}
	seen.filled = f
	c.Tell("The agent asks for a form. %s", formHelp)
	c.Tell(formCommands)
	if f.instructions != "" {
		c.Tell(terminal.Indent+"Instructions: %s", f.instructions)
	}
	w := &filling{c: c, in: in, f: f}
	for {
		if whole, err := w.fields(ctx); err != nil || whole != nil {
			return whole, err
		}
		if send, err := w.confirm(ctx); err != nil || send {
			return f.answer(), err
		}
	}
}

// ask returns a line that is no command of forms.
func (w *filling) ask(ctx context.Context, prompt string) (string, error) {
	for {
		line, err := w.in.Ask(ctx, prompt)
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//") {
			return line[1:], nil
		}
		word, _, _ := strings.Cut(strings.ToLower(line), " ")
		if alias, ok := chatAliases[word]; ok {
			word = alias
		}
		switch word {
		case wordLater:
			return "", errLater
		case wordCancel:
			return "", errWithdraw
		case wordQuit:
			return "", errQuit
		case wordHelp:
			w.c.Tell(formHelp)
			w.c.Tell(formCommands)
		case wordClear:
			return line, nil
		default:
			if !strings.HasPrefix(line, "/") {
				return line, nil
			}
			w.notHere(word)
		}
	}
}

// notHere says of a word that it is no command of forms.
func (w *filling) notHere(word string) {
	if isChatCommand(word) {
		w.c.Tell("%s is not for forms; leave this one first, with %s.", word, wordLater)
		return
	}
	w.c.Tell("There is no command %s here; to answer with what begins with /, type that twice. %s", word, formCommands)
}

// misfit says why a line is no answer, and the first time what to do with one that is meant for something else.
func (w *filling) misfit(field *formField, err error) {
	w.c.Tell(terminal.Indent+"%s: %v", field.label(), err)
	if !w.told {
		w.c.Tell("To say something else than what the form asks for, leave it with %s.", wordLater)
	}
	w.told = true
}

func (w *filling) confirm(ctx context.Context) (send bool, err error) {
	for {
		line, err := w.ask(ctx, "Send it? [Y/n] ")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(line) {
		case "", "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		w.c.Tell("Enter sends the form, n goes through it again.")
	}
}

// fields goes through the fields. It returns an answer when one line had it all.
func (w *filling) fields(ctx context.Context) (whole jsontext.Value, err error) {
	for i := range w.f.fields {
		field := &w.f.fields[i]
		if field.readOnly {
			if field.value != nil {
				w.c.Tell(terminal.Indent+"%s: %s", field.label(), plain(field.value))
			}
			continue
		}
		if whole, err := w.field(ctx, field); err != nil || whole != nil {
			return whole, err
		}
	}
	return nil, nil
}

func (w *filling) field(ctx context.Context, field *formField) (whole jsontext.Value, err error) {
	prompt, above := field.prompt(w.c.Columns())
	if above != "" {
		w.c.Tell("%s", above)
	}
	if field.problem != "" {
		w.c.Tell(terminal.Indent+"%s: %s", field.label(), field.problem)
		field.problem = "" // it is about the value that is changed now
	}
	for {
		line, err := w.ask(ctx, prompt)
		if err != nil {
			return nil, err
		}
		if doc := jsontext.Value(line); doc.Kind() == '{' && field.kind != "object" && doc.IsValid() {
			if whole, err = w.f.complete(doc); err == nil {
				return whole, nil
			}
			w.c.Tell(terminal.Indent+"The answer does not fit the form: %v", err)
			continue
		}
		if err := field.take(line); err != nil {
			w.misfit(field, err)
			continue
		}
		return nil, nil
	}
}

// take makes what a person typed the field's value. Nothing keeps the value that there is.
func (f *formField) take(line string) error {
	switch {
	case line == "" && f.value != nil:
		return f.check(f.value)
	case strings.EqualFold(line, wordClear):
		line = ""
	}
	value, err := f.read(line)
	if err == nil {
		f.value = value
	}
	return err
}

// How many letters of a prompt, and of a value in it, are shown: the line has to have room for the answer.
const (
	maxPrompt = 56
	maxShown  = 40
)

// prompt returns what a field is asked for with: its name, what belongs there, and the value that it has. What belongs
// there is in a line above when the field is described, or when all that is too long; so is the value, on a terminal
// whose columns would not leave half a line for the answer. 0 columns are any number.
func (f *formField) prompt(columns int) (prompt, above string) {
	room := maxPrompt
	if columns > 0 {
		room = min(room, columns*7/10)
	}
	label, value := terminal.Indent+terminal.Short(terminal.Inline(f.label()), maxShown), ""
	if f.value != nil {
		value = " [" + terminal.Short(terminal.Inline(plain(f.value)), maxShown) + "]"
	}
	hint := f.hint()
	if hint != "" {
		hint = " (" + terminal.Inline(hint) + ")"
	}
	described := f.description != "" && f.description != f.label()
	if prompt = label + hint + value + ": "; !described && utf8.RuneCountInString(prompt) <= room {
		return prompt, ""
	}
	above = label + hint
	if described {
		above = label + ": " + f.description + hint
	}
	prompt = label + value + ": "
	if columns > 0 && utf8.RuneCountInString(prompt) > room {
		above += value
		prompt = terminal.Short(label, room-len(": ")) + ": "
	}
	return prompt, above
}
