// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// definitions has the compiled schema of each definition in each version's file; v0.2.3.json is v0.2.2.json.
var definitions = sync.OnceValues(func() (map[string][]*jsonschema.Schema, error) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		return nil, err
	}
	compiled := map[string][]*jsonschema.Schema{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(file, document); err != nil {
			return nil, err
		}
		for name := range document.(map[string]any)["definitions"].(map[string]any) {
			schema, err := c.Compile(file + "#/definitions/" + name)
			if err != nil {
				return nil, err
			}
			compiled[name] = append(compiled[name], schema)
		}
	}
	return compiled, nil
})

// fitsSchemas holds text against the definition of that name in each version that has it. The empty name is none.
func fitsSchemas(t tb, text []byte, name string) {
	t.Helper()
	if name == "" {
		return
	}
	for _, err := range misfits(t, text, name) {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
}

func misfits(t tb, text []byte, name string) (errs []error) {
	t.Helper()
	all, err := definitions()
	if err != nil {
		t.Fatal(err)
	}
	if len(all[name]) == 0 {
		t.Fatalf("no schema has %s", name)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, schema := range all[name] {
		if err := schema.Validate(value); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func definitionOf(e a2a.Event) string {
	switch e.(type) {
	case *a2a.Task:
		return "Task"
	case *a2a.Message:
		return "Message"
	case *a2a.StatusUpdate:
		return "TaskStatusUpdateEvent"
	}
	return "TaskArtifactUpdateEvent"
}

// The schemas are really held against what we write: each version refuses what is wrong.
func TestSchemasRefuse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text string }{
		{"Task", `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"kind":"task"}`},
		{"Message", `{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":[1]}]}`},
		{"TaskStatusUpdateEvent", `{"taskId":"t","contextId":"c","kind":"status-update","status":{"state":"working"}}`},
		{"TaskPushNotificationConfig",
			`{"taskId":"t","pushNotificationConfig":{"url":"u","authentication":{"scheme":"Bearer"}}}`},
	} {
		all, err := definitions()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(misfits(t, []byte(test.text), test.name)), len(all[test.name]); got != want || want != 8 {
			t.Errorf("%d of %d versions refuse %s", got, want, test.text)
		}
	}
}

// Every version's schema is there.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range strings.Fields("v0.2.0 v0.2.1 v0.2.2 v0.2.4 v0.2.5 v0.2.6 v0.3.0") {
		if _, err := os.Stat(fmt.Sprintf("testdata/%s.json", version)); err != nil {
			t.Error(err)
		}
	}
}
