// SPDX-License-Identifier: Apache-2.0

package expenses_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func data(text string) a2a.Part {
	return a2a.Part{Content: a2a.Data(text), MediaType: "application/json"}
}

// filled is a form that is filled in, but for what is left out of it.
func filled(id, purpose string) a2a.Part {
	return data(`{"request_id":"` + id + `","date":"2026-11-20","amount":"20","purpose":"` + purpose + `"}`)
}

// membersOf are the names in the form that a task asks with.
func membersOf(t *testing.T, task *a2a.Task) []string {
	t.Helper()
	var members map[string]any
	for _, p := range task.Status.Message.Parts {
		if raw, ok := p.Content.(a2a.Data); ok {
			if err := json.Unmarshal(raw, &members); err != nil {
				t.Fatal(err)
			}
		}
	}
	return slices.Sorted(maps.Keys(members))
}

func sample(o func() expenses.Options) wiretest.Sample {
	return wiretest.Sample{Agent: func() agent.Agent { return expenses.New(o()) }, Card: expenses.Card()}
}

func TestOverTheWire(t *testing.T) {
	t.Parallel()
	wiretest.Same(t, sample(options), func(t *testing.T, c *wiretest.Caller) {
		form := c.Say(t, "reimburse $20")
		wiretest.Want(t, form, asks, "request_id_1000001")
		c.WantProgress(t, "Processing the reimbursement request...")
		if got := membersOf(t, form); !slices.Equal(got, []string{"form", "form_data", "instructions", "type"}) {
			t.Errorf("the form has %v", got)
		}
		again := c.Send(t, wiretest.Answer(form, filled("request_id_1000001", "")))
		wiretest.Want(t, again, asks, "purpose")
		wiretest.Want(t, c.Send(t, wiretest.Answer(form, filled("request_id_7654321", "lunch"))), asks,
			`no request "request_id_7654321"`)
		wiretest.Want(t, c.Send(t, wiretest.Answer(form, filled("request_id_1000001", "lunch with clients"))), done,
			"approved")

		stranger := c.Say(t, "reimburse me")
		wiretest.Want(t, stranger, asks, "request_id_1000002")
		wiretest.Want(t, c.Send(t, wiretest.InContext(stranger, filled("request_id_1000001", "lunch"))),
			a2a.TaskStateRejected, "no request")
		wiretest.Want(t, c.Send(t, wiretest.Answer(stranger, a2a.TextPart("cancel"))), off,
			"Request request_id_1000002 was withdrawn.")
	})
}
