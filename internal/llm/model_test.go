// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"
	"iter"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// modelFunc is a model without a network, for tests with a clock of their own.
type modelFunc func(r *llm.Request) llm.Message

func (modelFunc) Name() string { return "test" }

func (f modelFunc) Stream(_ context.Context, r *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		m := f(r)
		for i, c := range m.ToolCalls {
			if !yield(llm.Delta{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments}},
				nil) {
				return
			}
		}
		yield(llm.Delta{Text: m.Text, Finish: llm.FinishStop}, nil)
	}
}
