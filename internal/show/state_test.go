// SPDX-License-Identifier: Apache-2.0

package show

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

func TestStateOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]a2a.TaskState{
		"": a2a.TaskStateUnspecified, "working": a2a.TaskStateWorking, "Input-Required": a2a.TaskStateInputRequired,
		"auth_required": a2a.TaskStateAuthRequired, "TASK_STATE_CANCELED": a2a.TaskStateCanceled,
	} {
		if got, ok := StateOf(in); !ok || got != want {
			t.Errorf("StateOf(%q) = %v, %v", in, got, ok)
		}
	}
	if _, ok := StateOf("asleep"); ok {
		t.Error("a state that does not exist was taken")
	}
}
