// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// The schemas of the generation, oldest first.
var schemaNames = []string{
	"pre-0.1-2025-04-08-47b436f3", "pre-0.1-2025-04-15-43fd3e37", "pre-0.1-2025-04-15-7fba74e5",
	"pre-0.1-2025-04-30-16d9fe15", "v0.1.0",
}

// paramsOf and resultOf are what the schemas call the parameters and the results of operations. Those of April have no
// name for what goes into a stream but those of the two events.
var (
	paramsOf = map[wire.Operation]string{
		wire.OpSendMessage: "TaskSendParams", wire.OpStreamMessage: "TaskSendParams", wire.OpGetTask: "TaskQueryParams",
		wire.OpCancelTask: "TaskIdParams", wire.OpSubscribe: "TaskQueryParams",
		wire.OpCreatePushConfig: "TaskPushNotificationConfig", wire.OpGetPushConfig: "TaskIdParams",
	}
	resultOf = map[wire.Operation]string{
		wire.OpSendMessage: "Task", wire.OpGetTask: "Task", wire.OpCancelTask: "Task",
		wire.OpCreatePushConfig: "TaskPushNotificationConfig", wire.OpGetPushConfig: "TaskPushNotificationConfig",
	}
)

var compiled = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, name := range schemaNames {
		text, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource("https://a2a.example/"+name, doc); err != nil {
			return nil, err
		}
	}
	return c, nil
})

var compiling sync.Mutex

// misfit returns why text is no object of that name in one of the schemas, nil if it is one in all.
func misfit(t rapid.TB, object string, text []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	compiling.Lock()
	defer compiling.Unlock()
	c, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range schemaNames {
		schema, err := c.Compile("https://a2a.example/" + name + "#/$defs/" + object)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			return err
		}
	}
	return nil
}

// fits checks what we write: it is an object of that name in every schema, in one line, without a null that the
// generation has as the lack of something.
func fits(t rapid.TB, object string, text []byte) {
	t.Helper()
	if err := misfit(t, object, text); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	if bytes.ContainsAny(text, "\r\n") {
		t.Errorf("more than one line: %q", text)
	}
}

// eventName returns which of the two events a payload is.
func eventName(payload []byte) string {
	if strings.Contains(string(payload), `,"artifact":{`) {
		return "TaskArtifactUpdateEvent"
	}
	return "TaskStatusUpdateEvent"
}

// The schemas are really held against what we write: they refuse what is wrong.
func TestSchemasRefuse(t *testing.T) {
	t.Parallel()
	for object, text := range map[string]string{
		"Task":                       `{"id":"t","status":{"state":"rejected"}}`,
		"TaskStatusUpdateEvent":      `{"id":"t"}`,
		"TaskArtifactUpdateEvent":    `{"id":"t","artifact":{"parts":[{"type":"data","data":[1]}]}}`,
		"TaskSendParams":             `{"id":"t","message":{"parts":[]}}`,
		"TaskPushNotificationConfig": `{"id":"t","pushNotificationConfig":null}`,
		"TaskIdParams":               `{}`,
		"TaskQueryParams":            `{"id":"t","historyLength":"1"}`,
	} {
		if misfit(t, object, []byte(text)) == nil {
			t.Errorf("%s may be %s", object, text)
		}
	}
}
