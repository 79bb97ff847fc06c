// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// today is a day of a test; an agent asks the clock.
const today = "2026-11-22"

// tripSchema is the JSON Schema of a trip.
const tripSchema = `{
	"type": "object",
	"properties": {
		"to":   {"type": "string", "title": "To"},
		"day":  {"type": "string", "title": "Day", "format": "date"},
		"seat": {"type": "string", "title": "Seat", "enum": ["window", "aisle"]}
	},
	"required": ["to", "day"]
}`

type trip struct {
	To   string `json:"to,omitzero"`
	Day  string `json:"day,omitzero"`
	Seat string `json:"seat,omitzero"`
}

// book books a trip, once the form is filled.
func book(ctx context.Context, t *agent.Turn) error {
	var wanted trip
	filled, err := t.FormAnswer(&wanted)
	if err != nil {
		return err // the form again, with what is wrong in it
	}
	if !filled {
		return t.AskForm(tripSchema, trip{Seat: "aisle"})
	}
	if wanted.Day < today {
		return agent.Form{Schema: tripSchema, Values: wanted,
			Errors: map[string]string{"day": "lies in the past"}}.Ask(t)
	}
	return t.Complete(a2a.TextPart(fmt.Sprintf("Booked: %s on %s, %s seat.", wanted.To, wanted.Day, wanted.Seat)))
}

// An agent asks for data by a form, and reads the answer into a struct.
func ExampleTurn_AskForm() {
	ctx := context.Background()
	eng, err := engine.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Shutdown(ctx)
	service := eng.Agent("travel", agent.Func(book), nil)

	var task *a2a.Task
	for _, answer := range []a2a.Part{
		a2a.TextPart("I need a train"),
		{Content: a2a.Data(`{"to": "Vienna", "seat": "roof"}`)},
		{Content: a2a.Data(`{"day": "2026-11-01", "seat": "aisle"}`)},
		a2a.TextPart("day: 2026-12-01, seat: window"), // in words, from people who see no forms
	} {
		message := a2a.NewMessage(a2a.RoleUser, answer)
		if task != nil {
			message.TaskID = task.ID
		}
		result, err := service.SendMessage(ctx, &a2a.SendMessageRequest{Message: message})
		if err != nil {
			fmt.Println(err)
			return
		}
		task = result.(*a2a.Task)
		fmt.Println(task.Status.Message.Text())
	}
	// Output:
	// Please answer with these lines, filled in:
	// To:
	// Day:
	// Seat: aisle (window, aisle; optional)
	// Please answer with these lines, filled in:
	// To: Vienna
	// Day: (is missing)
	// Seat: roof (must be one of window, aisle; optional)
	// Please answer with these lines, filled in:
	// To: Vienna
	// Day: 2026-11-01 (lies in the past)
	// Seat: aisle (window, aisle; optional)
	// Booked: Vienna on 2026-12-01, window seat.
}
