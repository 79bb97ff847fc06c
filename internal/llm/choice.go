// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"errors"
	"sync"
)

// A Choice is what a model chooses by calling one of several tools. The first value counts, and ends the [Run].
type Choice[T any] struct {
	Value *T // nil: nothing was chosen

	mu sync.Mutex // calls come at the same time
}

// Make makes the choice, and returns what a tool returns. A second choice is an error.
func (c *Choice[T]) Make(value T) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Value != nil {
		return nil, errors.New("one choice is enough")
	}
	c.Value = &value
	return "the user sees the outcome", ErrStop
}
