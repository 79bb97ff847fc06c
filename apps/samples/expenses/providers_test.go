// SPDX-License-Identifier: Apache-2.0

package expenses_test

import (
	"net/http"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	lines := append(dialogues["nothing is known"], line{
		"Tell me a joke", llmtest.Text("Sorry, I only deal with the reimbursement of expenses."), done,
		"Sorry, I only deal with",
	})
	down := wiretest.Outcome{State: a2a.TaskStateFailed, Text: "The language model could not be asked."}
	wiretest.Providers(t, wiretest.Engine{
		Sample: func(m llm.Model) wiretest.Sample {
			return sample(func() expenses.Options {
				o := options()
				o.Model = m
				return o
			})
		},
		Opening: func() *a2a.Message { return wiretest.Message("$20 lunch") },
		Converse: func(t *testing.T, c *wiretest.Caller) {
			var last *a2a.Task
			for _, l := range lines {
				m := wiretest.Message(l.say)
				if last != nil && last.Status.State == asks {
					m = wiretest.Answer(last, m.Parts...)
				}
				last = c.Send(t, m)
				wiretest.Want(t, last, l.state, l.want)
			}
			form := c.Say(t, lines[0].say)
			c.WantProgress(t, "Processing the reimbursement request...")
			wiretest.Want(t, c.Send(t, wiretest.Answer(form, filled("request_id_1000002", "lunch with clients"))), done,
				"approved")
		},
		Thinks: func(_ *testing.T, r *llmtest.Request) llmtest.Step {
			for _, l := range lines {
				if l.say == r.LastUser() {
					return l.model
				}
			}
			return llmtest.Fail(http.StatusBadRequest, "nobody said "+r.LastUser())
		},
		Down: down, Busy: wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: done, Text: "only deal with the reimbursement"},
	})
}
