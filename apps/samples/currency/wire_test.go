// SPDX-License-Identifier: Apache-2.0

package currency_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func sample(o func() currency.Options) wiretest.Sample {
	return wiretest.Sample{Agent: func() agent.Agent { return currency.New(o()) }, Card: currency.Card()}
}

// spoken is the conversation over the wire; a model looks up the same.
var spoken = []line{
	{say: "1 USD to INR", lookups: lookups("1 USD INR"), state: done, want: has("1 USD = 85.49 INR")},
	{say: "How much is 1 USD?", state: asks, want: has("Into which currency")},
	{say: "CAD", lookups: lookups("1 USD CAD"), state: done, want: has("1 USD = 1.4328 CAD")},
	{say: "100 GPB in USD", lookups: lookups("100 GPB USD"), state: asks,
		want: has("The bundled snapshot has no rates for GPB")},
}

func TestOverTheWire(t *testing.T) {
	t.Parallel()
	t.Run("rules", func(t *testing.T) {
		t.Parallel()
		wiretest.Same(t, sample(func() currency.Options { return currency.Options{} }), speak)
	})
	t.Run("model", func(t *testing.T) {
		t.Parallel()
		wiretest.Same(t,
			sample(func() currency.Options { return currency.Options{Model: sensible(t, spoken).Model()} }), speak)
	})
}

// speak holds the conversation.
func speak(t *testing.T, c *wiretest.Caller) {
	t.Helper()
	var last *a2a.Task
	for _, l := range spoken {
		m := wiretest.Message(l.say)
		if last != nil && last.Status.State == asks {
			m = wiretest.Answer(last, m.Parts...)
		}
		last = c.Send(t, m)
		wiretest.Want(t, last, l.state, l.want[0])
		if len(last.Artifacts) == 0 {
			continue
		}
		if want := []string{"Looking up the exchange rates...", "Processing the exchange rates..."}; c.Streams &&
			!slices.Equal(c.Progress, want) {
			t.Errorf("%q: the stream says %q", l.say, c.Progress)
		}
	}
}

// A refusal is a rejected task in each way in which a client can ask.
func TestRefusalOverTheWire(t *testing.T) {
	t.Parallel()
	wiretest.Same(t, sample(func() currency.Options { return currency.Options{} }),
		func(t *testing.T, c *wiretest.Caller) {
			wiretest.Want(t, c.Say(t, "USD to EUR last Friday"), a2a.TaskStateRejected, "--llm")
		})
}

func TestCancelOverTheWire(t *testing.T) {
	t.Parallel()
	waits := func() currency.Options {
		return currency.Options{Rates: &scripted{rates: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}}
	}
	wiretest.Each(t, sample(waits), func(t *testing.T, c *wiretest.Caller) {
		c.Cancel(t, c.Begin(t, "100 USD in GBP").ID)
	})
}

// A caller that resubscribes to a finished task gets the task, and the stream ends. The server refuses this in 1.0,
// where the caller gets the task with GetTask.
func TestComingBackToAFinishedTask(t *testing.T) {
	t.Parallel()
	wiretest.Same(t, sample(func() currency.Options { return currency.Options{} }),
		func(t *testing.T, c *wiretest.Caller) {
			task := c.Say(t, "100 USD in GBP")
			events, err := c.Client.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: task.ID})
			if c.Generation == a2a.Generation10 {
				if !errors.Is(err, a2a.ErrUnsupportedOperation) || c.Get(t, task.ID).Status.State != done {
					t.Errorf("subscribe: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var last a2a.TaskState
			for e, err := range events {
				if err != nil {
					t.Fatal(err)
				}
				switch e := e.Event.(type) {
				case *a2a.Task:
					last = e.Status.State
				case *a2a.StatusUpdate:
					last = e.Status.State
				}
			}
			if last != done {
				t.Errorf("the stream ends with %v", last)
			}
		})
}
