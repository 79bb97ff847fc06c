// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"context"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// modelFunc is a model without a network, for tests with a clock of their own.
type modelFunc func(r *llm.Request) llm.Message

func (modelFunc) Name() string { return "test" }

func (f modelFunc) Ask(_ context.Context, r *llm.Request, _ func(string)) (*llm.Response, error) {
	return &llm.Response{Message: f(r), Finish: llm.FinishStop}, nil
}
