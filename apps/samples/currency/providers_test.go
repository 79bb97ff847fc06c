// SPDX-License-Identifier: Apache-2.0

package currency_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestProviders(t *testing.T) {
	t.Parallel()
	down := wiretest.Outcome{State: a2a.TaskStateFailed, Text: "The language model could not be asked."}
	wiretest.Providers(t, wiretest.Engine{
		Sample: func(m llm.Model) wiretest.Sample {
			return sample(func() currency.Options { return currency.Options{Model: m} })
		},
		Opening:  func() *a2a.Message { return wiretest.Message("1 USD to INR") },
		Converse: speak,
		Thinks:   func(_ *testing.T, r *llmtest.Request) llmtest.Step { return think(spoken, r) },
		Down:     down, Busy: wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: done, Text: "Sorry, I can only convert currencies"},
	})
}
