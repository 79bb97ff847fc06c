// SPDX-License-Identifier: Apache-2.0

package form

import (
	"context"
	"errors"
	"strings"

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

// aliases are other names that people try.
var aliases = map[string]string{"/exit": wordQuit, "/q": wordQuit, "/?": wordHelp}

const (
	formHelp     = "Enter keeps what stands in brackets, /clear empties a field, {...} in JSON answers all of them."
	formCommands = "/later leaves the form, /cancel cancels the task, /quit leaves."
)

// Fill fails with these when the person leaves the form: to go on with it later, to cancel the task, or to leave the
// program.
var (
	ErrLater    = errors.New("the form was left")
	ErrWithdraw = errors.New("the form was withdrawn")
	ErrQuit     = errors.New("quit")
)

// An Asker asks a person for the fields of forms.
type Asker struct {
	*terminal.Terminal
	In terminal.Prompter
	// Elsewhere reports whether a word is a command where no form is asked for; nil for none.
	Elsewhere func(word string) bool
}

// filling is a person's way through a form.
type filling struct {
	*Asker
	f    *Form
	told bool // how to say something that belongs in no field
}

// Fill asks a person for each field of a form and returns the answer. A line that is an object answers the whole form.
// It fails with ErrLater, ErrWithdraw, ErrQuit, and as the prompter fails. before is the form that was answered last,
// or nil: its values stand for those that the agent did not keep.
func (a *Asker) Fill(ctx context.Context, f, before *Form) (jsontext.Value, error) {
	if before != nil {
		f.carry(before)
	}
	a.Tell("The agent asks for a form. %s", formHelp)
	a.Tell(formCommands)
	if f.instructions != "" {
		a.Tell(terminal.Indent+"Instructions: %s", f.instructions)
	}
	w := &filling{Asker: a, f: f}
	for {
		if whole, err := w.fields(ctx); err != nil || whole != nil {
			return whole, err
		}
		if send, err := w.confirm(ctx); err != nil || send {
			return f.Answer(), err
		}
	}
}

// ask returns a line that is no command of forms.
func (w *filling) ask(ctx context.Context, prompt string) (string, error) {
	for {
		line, err := w.In.Ask(ctx, prompt)
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//") {
			return line[1:], nil
		}
		word, _, _ := strings.Cut(strings.ToLower(line), " ")
		if alias, ok := aliases[word]; ok {
			word = alias
		}
		switch word {
		case wordLater:
			return "", ErrLater
		case wordCancel:
			return "", ErrWithdraw
		case wordQuit:
			return "", ErrQuit
		case wordHelp:
			w.Tell(formHelp)
			w.Tell(formCommands)
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
	if w.Elsewhere != nil && w.Elsewhere(word) {
		w.Tell("%s is not for forms; leave this one first, with %s.", word, wordLater)
		return
	}
	w.Tell("There is no command %s here; to answer with what begins with /, type that twice. %s", word, formCommands)
}

// misfit says why a line is no answer, and the first time what to do with one that is meant for something else.
func (w *filling) misfit(field *Field, err error) {
	w.Tell(terminal.Indent+"%s: %v", field.label(), err)
	if !w.told {
		w.Tell("To say something else than what the form asks for, leave it with %s.", wordLater)
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
		w.Tell("Enter sends the form, n goes through it again.")
	}
}

// fields goes through the fields. It returns an answer when one line had it all.
func (w *filling) fields(ctx context.Context) (whole jsontext.Value, err error) {
	for i := range w.f.fields {
		field := &w.f.fields[i]
		if field.readOnly {
			if field.value != nil {
				w.Tell(terminal.Indent+"%s: %s", field.label(), plain(field.value))
			}
			continue
		}
		if whole, err := w.field(ctx, field); err != nil || whole != nil {
			return whole, err
		}
	}
	return nil, nil
}

func (w *filling) field(ctx context.Context, field *Field) (whole jsontext.Value, err error) {
	prompt, above := field.prompt(w.Columns())
	if above != "" {
		w.Tell("%s", above)
	}
	if field.problem != "" {
		w.Tell(terminal.Indent+"%s: %s", field.label(), field.problem)
		field.problem = "" // it is about the value that is changed now
	}
	for {
		line, err := w.ask(ctx, prompt)
		if err != nil {
			return nil, err
		}
		if doc := jsontext.Value(line); doc.Kind() == '{' && field.kind != "object" && doc.IsValid() {
			if whole, err = w.f.Complete(doc); err == nil {
				return whole, nil
			}
			w.Tell(terminal.Indent+"The answer does not fit the form: %v", err)
			continue
		}
		if err := field.take(line); err != nil {
			w.misfit(field, err)
			continue
		}
		return nil, nil
	}
}

// Complete completes the commands of forms at a terminal.
func Complete(line string) []string {
	var all []string
	for _, word := range []string{wordLater, wordCancel, wordClear, wordHelp, wordQuit} {
		if strings.HasPrefix(word, line) && line != "" {
			all = append(all, word)
		}
	}
	return all
}
