// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// repeated returns a JSON array of n times the element.
func repeated(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// A list in a request is refused at the first element over its limit, not after all of it was decoded: as many as fill
// a body must cost no more than as many as are allowed. It does not run in parallel, because it counts allocations.
func TestListsOfRequestsAreBounded(t *testing.T) {
	const message = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"%s":%s}}`
	for _, test := range []struct {
		form, name, element string
		limit               int
		field               string
	}{
		{`{"message":{"messageId":"m","%s":%s}}`, "parts", `{"text":"x"}`, MaxParts, "message.parts"},
		{message, "extensions", `"e"`, MaxNames, "message.extensions"},
		{message, "referenceTaskIds", `"t"`, MaxNames, "message.referenceTaskIds"},
		{message, "reference_task_ids", `"t"`, MaxNames, "message.reference_task_ids"},
		{`{"configuration":{"%s":%s}}`, "acceptedOutputModes", `"a/b"`, MaxNames, "configuration.acceptedOutputModes"},
	} {
		text := fmt.Appendf(nil, test.form, test.name, repeated(test.element, test.limit))
		if err := Unmarshal(text, new(SendMessageRequest)); err != nil {
			t.Errorf("%s, %d elements: %v", test.field, test.limit, err)
		}
		text = fmt.Appendf(nil, test.form, test.name, repeated(test.element, 200_000))
		allocations := testing.AllocsPerRun(1, func() {
			err := Unmarshal(text, new(SendMessageRequest))
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != ErrInvalidParams || len(e.Violations) != 1 || e.Violations[0].Field != test.field ||
				!strings.Contains(e.Violations[0].Description, fmt.Sprint(test.limit)) {
				t.Errorf("%s: %v", test.field, err)
			}
		})
		if allocations > 5000 {
			t.Errorf("%s: %v allocations", test.field, allocations)
		}
	}
}

// The decoder does not limit the number of parts, artifacts, messages or references of a task.
func TestListsOfTasksAreNotBounded(t *testing.T) {
	t.Parallel()
	const n = 10_000
	parts := repeated(`{"text":"x"}`, n)
	var task Task
	text := `{"id":"t","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m","parts":` + parts + `}},
		"artifacts":[{"artifactId":"a","parts":` + parts + `}],
		"history":[{"messageId":"m","parts":` + parts + `,"referenceTaskIds":` + repeated(`"t"`, n) + `}]}`
	if err := Unmarshal([]byte(text), &task); err != nil {
		t.Fatal(err)
	}
	if len(task.Status.Message.Parts) != n || len(task.Artifacts[0].Parts) != n || len(task.History[0].Parts) != n ||
		len(task.History[0].ReferenceTaskIDs) != n {
		t.Error("a list of the task is not as long as it was")
	}
}
