// SPDX-License-Identifier: Apache-2.0

// Package coordscript plays conversations with a coordinator's tools, to test it with clients of all kinds.
package coordscript

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Client calls tools.
type Client interface {
	// Call calls a tool with arguments in JSON.
	Call(ctx context.Context, tool, arguments string) (Answer, error)
}

// An Answer is what came of a call.
type Answer struct {
	Text       string         // of its one block
	Structured jsontext.Value // its structured content
	Failed     bool           // its isError
}

// Play plays a script, each part of it with a client of its own, and returns the script with the answers that came. The
// error says which of them are others than the script has, or are not the same as their structured content. A line of a
// script is
//
//	who> tool {arguments}   a call, of the client that is called who
//	who< answer             its text: what it has to be to the last character; with <! the call has failed
//	who~ tool {arguments}   a call that is repeated until its answer is no empty list; whose answer comes next
//
// or begins with #. Where an answer has a time, the script has $T, and where it has the second part of an id, that is
// $1 for the first id that answers have, $2 for the second one, and so on, in calls too.
func Play(ctx context.Context, script string, dial func(who string) (Client, error)) (played string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p := &player{ctx: ctx, dial: dial, clients: map[string]Client{}, calls: map[string]chan result{}}
	lines := strings.Split(script, "\n")
	var faults []error
	for i, line := range lines {
		lines[i], err = p.line(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", i+1, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return strings.Join(lines, "\n"), errors.Join(faults...)
}

// patience is how long a script may take.
const patience = 2 * time.Minute

type player struct {
	ctx     context.Context
	dial    func(who string) (Client, error)
	clients map[string]Client
	calls   map[string]chan result // whose answer comes next
	ids     []string
}

type result struct {
	answer Answer
	err    error
}

var lineForm = regexp.MustCompile(`^(\w+)([>~<]!?) (.*)$`)

// line plays a line and returns it as it is.
func (p *player) line(line string) (string, error) {
	m := lineForm.FindStringSubmatch(line)
	if m == nil {
		if line != "" && line[0] != '#' {
			return line, fmt.Errorf("%q is no line of a script", line)
		}
		return line, nil
	}
	who, mark, rest := m[1], m[2], m[3]
	if mark[0] != '<' {
		return line, p.begin(who, rest, mark == "~")
	}
	call := p.calls[who]
	if call == nil {
		return line, errors.New("there is no call that this could answer")
	}
	delete(p.calls, who)
	var got result
	select {
	case got = <-call:
	case <-p.ctx.Done():
		return line, fmt.Errorf("there is no answer: %w", context.Cause(p.ctx))
	}
	if got.err != nil {
		return line, got.err
	}
	text, newMark := p.general(got.answer.Text), "<"
	if got.answer.Failed {
		newMark = "<!"
	}
	err := same(got.answer)
	if text != rest || newMark != mark {
		err = errors.Join(err, fmt.Errorf("the answer is\n%s %s\nand should be\n%s %s", newMark, text, mark, rest))
	}
	return who + newMark + " " + text, err
}

// begin begins a call. One that does not wait for others comes to its end before the next line.
func (p *player) begin(who, call string, again bool) error {
	c := p.clients[who]
	if c == nil {
		var err error
		if c, err = p.dial(who); err != nil {
			return err
		}
		p.clients[who] = c
	}
	tool, arguments, _ := strings.Cut(call, " ")
	arguments, err := p.known(arguments)
	if err != nil {
		return err
	}
	done := make(chan result, 1)
	p.calls[who] = done
	run := func() {
		for {
			answer, err := c.Call(p.ctx, tool, arguments)
			if err == nil && again && answer.Text == "[]" {
				continue
			}
			done <- result{answer, err}
			return
		}
	}
	if again || strings.Contains(arguments, `"timeout":`) || strings.Contains(arguments, `"wait_seconds":`) {
		go run()
		return nil
	}
	run()
	return nil
}

var (
	someTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)
	someID   = regexp.MustCompile(`\b\d{10}\.\d{9}\b`)
	idName   = regexp.MustCompile(`\$\d+`)
)

// general returns an answer with names for times and ids.
func (p *player) general(text string) string {
	text = someTime.ReplaceAllString(text, `"$$T"`)
	return someID.ReplaceAllStringFunc(text, func(id string) string {
		for i, known := range p.ids {
			if known == id {
				return fmt.Sprint("$", i+1)
			}
		}
		p.ids = append(p.ids, id)
		return fmt.Sprint("$", len(p.ids))
	})
}

// known returns a call with ids for their names.
func (p *player) known(text string) (_ string, err error) {
	text = idName.ReplaceAllStringFunc(text, func(name string) string {
		var n int
		if _, scan := fmt.Sscanf(name, "$%d", &n); scan != nil || n < 1 || n > len(p.ids) {
			err = fmt.Errorf("no id is called %s", name)
			return name
		}
		return p.ids[n-1]
	})
	return text, err
}

// same checks that the structured content says what the text says: the same object, or one that has the array.
func same(a Answer) error {
	var want any
	if err := json.Unmarshal([]byte(a.Text), &want); err != nil {
		return fmt.Errorf("the text %s is no JSON: %w", a.Text, err)
	}
	var object map[string]any
	if err := json.Unmarshal(a.Structured, &object); err != nil {
		return fmt.Errorf("the structured content %s is no object: %w", a.Structured, err)
	}
	if list, ok := want.([]any); ok {
		name := "messages"
		if _, ok := object[name]; !ok {
			name = "changes"
		}
		want = map[string]any{name: list, "count": float64(len(list))}
	}
	x, errX := json.Marshal(want, json.Deterministic(true))
	y, errY := json.Marshal(object, json.Deterministic(true))
	if err := errors.Join(errX, errY); err != nil {
		return err
	}
	if string(x) != string(y) {
		return fmt.Errorf("the text is\n%s\nand the structured content\n%s", x, y)
	}
	return nil
}
