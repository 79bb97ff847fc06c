// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// traveller plans trips. It employs an agent that books trains, and one that knows the weather.
type traveller struct {
	trains, weather a2a.Service // clients, or services of this process
}

// Run is run from its beginning in each turn: what was delegated before is not done again.
func (a traveller) Run(ctx context.Context, t *agent.Turn) error {
	booked, err := t.Delegate(ctx, "Trains", a.trains,
		a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Book a train to Vienna")))
	if err != nil {
		return err // a question, or what went wrong, in words for the caller
	}
	forecast, err := t.Delegate(ctx, "Weather", a.weather, a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Vienna")))
	if err != nil {
		return err
	}
	if err := t.PassOn(booked); err != nil { // the ticket
		return err
	}
	return t.Complete(a2a.TextPart("Take an umbrella? " + forecast.Text()))
}

// Resumable says that a turn that a restart interrupted is run again.
func (traveller) Resumable() bool { return true }

// Delegates says who does what, so that a cancel reaches them also after a restart.
func (a traveller) Delegates() map[string]a2a.Service {
	return map[string]a2a.Service{"Trains": a.trains, "Weather": a.weather}
}

// An agent delegates to two other agents. It passes their questions to the caller, and each answer to the agent that
// asked.
func ExampleTurn_Delegate() {
	ctx := context.Background()
	eng, err := engine.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Shutdown(ctx)
	trains := eng.Agent("trains", agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if len(t.Task().History) < 2 {
			return t.Ask(a2a.TextPart("On which day?"))
		}
		return t.Artifact("ticket", a2a.TextPart("Vienna, "+t.Text()))
	}), nil)
	weather := eng.Agent("weather", agent.Func(func(ctx context.Context, t *agent.Turn) error {
		return t.Complete(a2a.TextPart("Rain in " + t.Text() + "."))
	}), nil)
	service := eng.Agent("traveller", traveller{trains, weather}, nil)

	var task *a2a.Task
	for _, text := range []string{"I need a trip", "Monday"} {
		message := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
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
	fmt.Println("Ticket:", task.Artifact("ticket").Text())
	// Output:
	// On which day?
	// Take an umbrella? Rain in Vienna.
	// Ticket: Vienna, Monday
}
