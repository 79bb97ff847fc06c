// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestEnumNames(t *testing.T) {
	t.Parallel()
	for state := TaskStateUnspecified; state <= TaskStateAuthRequired; state++ {
		name := state.String()
		if !strings.HasPrefix(name, "TASK_STATE_") {
			t.Errorf("state %d is called %s", int32(state), name)
		}
		for _, text := range []string{name, fmt.Sprint(int32(state))} {
			if got, err := ParseTaskState(text); got != state || err != nil {
				t.Errorf("%s: got %v, %v", text, got, err)
			}
		}
	}
	if got := TaskStateInputRequired.String() + Role(9).String() + TaskState(
		-1).String(); got != "TASK_STATE_INPUT_REQUIRED9-1" {
		t.Error(got)
	}
	if role, err := ParseRole("ROLE_AGENT"); role != RoleAgent || err != nil {
		t.Errorf("got %v, %v", role, err)
	}
	for _, text := range []string{"", "working", "9", "-1", "1e400", "TASK_STATE_", " 1", "TASK_STATE_WORKING "} {
		if _, err := ParseTaskState(text); !errors.Is(err, ErrInvalidParams) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestEnumJSON(t *testing.T) {
	t.Parallel()
	type both struct {
		Role  Role
		State TaskState
	}
	want := both{RoleAgent, TaskStateCanceled}
	const text = `{"Role":"ROLE_AGENT","State":"TASK_STATE_CANCELED"}`
	v1, err1 := stdjson.Marshal(want)
	v2, err2 := json.Marshal(want)
	if string(v1) != text || string(v2) != text {
		t.Errorf("got %s, %v and %s, %v", v1, err1, v2, err2)
	}
	var got1, got2 both
	if err := stdjson.Unmarshal(v1, &got1); err != nil || got1 != want {
		t.Errorf("got %v, %v", got1, err)
	}
	if err := json.Unmarshal([]byte(`{"Role":2,"State":"5"}`), &got2); err != nil || got2 != want {
		t.Errorf("got %v, %v", got2, err)
	}
	if _, err := json.Marshal(Role(3)); err == nil {
		t.Error("an unknown role was written")
	}
}
