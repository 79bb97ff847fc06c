// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// taskState is what is kept of a task once it has delegated something: the delegations, and what the agent saved. Until
// then the state is just what the agent saved.
type taskState struct {
	Delegations map[string]*delegation `json:"dragoman:delegations"`
	Asking      string                 `json:"asking,omitzero"` // the delegation whose question the caller is asked
	Agent       jsontext.Value         `json:"agent,omitzero"`  // also an empty list or text
}

// parseTaskState reads what is kept of a task.
func parseTaskState(raw []byte) taskState {
	var s taskState
	if json.Unmarshal(raw, &s) == nil && s.Delegations != nil {
		return s
	}
	return taskState{Agent: raw} // as the agent saved it
}

// loadTaskState returns what is kept of the task.
func (t *Turn) loadTaskState(ctx context.Context) (taskState, error) {
	raw, err := t.backend.TaskState(ctx)
	if err != nil {
		return taskState{}, fmt.Errorf("agent: state of the task: %w", err)
	}
	return parseTaskState(raw), nil
}

// changeTaskState changes what is kept of the task, and returns after the commit.
func (t *Turn) changeTaskState(ctx context.Context, change func(*taskState)) error {
	t.stateMu.Lock()
	defer t.stateMu.Unlock()
	s, err := t.loadTaskState(ctx)
	if err != nil {
		return err
	}
	change(&s)
	raw := []byte(s.Agent)
	if s.Delegations != nil {
		if raw, err = json.Marshal(s, json.Deterministic(true)); err != nil {
			return fmt.Errorf("agent: state of the task: %w", err)
		}
	}
	return t.backend.Save(ctx, raw, nil)
}
