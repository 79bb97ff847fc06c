// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The words that leave a form.
const (
	wordLater  = "/later"
	wordCancel = "/cancel"
)

// errLater and errWithdraw say that the person left the form: to go on with it later, or to cancel the task.
var (
	errLater    = errors.New("the form was left")
	errWithdraw = errors.New("the form was withdrawn")
)

// fill asks for each field of the form that the task waits for and returns the answer. What is known already is
// suggested, and taken for an empty line. A line that is an object answers the whole form. It fails with errLater,
// errWithdraw and what ask fails with.
func (c *command) fill(ctx context.Context, in prompter, seen *seen) (jsontext.Value, error) {
	f := seen.form
	if seen.filled != nil {
		f.carry(seen.filled)
	}
	seen.filled = f
	c.tell("The agent asks for a form. %s leaves it, %s cancels the task.", wordLater, wordCancel)
	if f.instructions != "" {
		c.tell(indent+"Instructions: %s", f.instructions)
	}
	for {
		if whole, err := c.fillOnce(ctx, in, f); err != nil || whole != nil {
			return whole, err
		}
		if !in.person() {
			return f.answer(), nil
		}
		line, err := in.ask(ctx, "Send it? [Y/n] ", "")
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "", "y", "yes":
			return f.answer(), nil
		case wordLater:
			return nil, errLater
		case wordCancel:
			return nil, errWithdraw
		}
	}
}

// fillOnce goes through the fields. It returns an answer when one line had it all.
func (c *command) fillOnce(ctx context.Context, in prompter, f *form) (whole jsontext.Value, err error) {
	for i := range f.fields {
		field := &f.fields[i]
		if field.readOnly && field.value != nil {
			c.tell(indent+"%s: %s", field.label(), plain(field.value))
			continue
		}
		if whole, err := c.fillField(ctx, in, f, field); err != nil || whole != nil {
			return whole, err
		}
	}
	return nil, nil
}

func (c *command) fillField(ctx context.Context, in prompter, f *form, field *formField) (whole jsontext.Value, err error) {
	if field.description != "" && field.description != field.label() {
		c.tell(indent+"%s: %s", field.label(), field.description)
	}
	if field.problem != "" {
		c.tell(indent+"%s: %s", field.label(), field.problem)
		field.problem = "" // it is about the value that is changed now
	}
	prompt := indent + field.label()
	if hint := field.hint(); hint != "" {
		prompt += " (" + hint + ")"
	}
	suggestion := ""
	if field.value != nil {
		suggestion = plain(field.value)
	}
	for {
		line, err := in.ask(ctx, prompt+": ", suggestion)
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		switch line {
		case wordLater:
			return nil, errLater
		case wordCancel:
			return nil, errWithdraw
		case "":
			if !in.person() { // who sees the suggestion can delete it
				line = suggestion
			}
		}
		if doc := jsontext.Value(line); doc.Kind() == '{' && field.kind != "object" && doc.IsValid() {
			if err := f.checkAnswer(doc); err != nil {
				return nil, usagef("the answer does not fit the form: %v", err)
			}
			return doc, nil
		}
		value, err := field.read(line)
		if err == nil {
			field.value = value
			return nil, nil
		}
		if !in.person() {
			return nil, usagef("%s: %v", field.name, err).withHint("give one line for each field of the form, or all of it as one line of JSON")
		}
		c.tell(indent+"%s: %v", field.label(), err)
		suggestion = line
	}
}

// tell says something to whoever reads along that is no result and no warning. What an agent says is indented, so that it
// cannot pass for what this program says.
func (c *command) tell(format string, args ...any) {
	fmt.Fprintln(c.err, inline(fmt.Sprintf(format, args...)))
}
