// SPDX-License-Identifier: Apache-2.0

package wiretest

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// byChance are the members of tasks that no two of them have in common.
var byChance = cmp.Options{
	cmpopts.IgnoreTypes(a2a.TaskID(""), a2a.ContextID(""), a2a.MessageID(""), a2a.ArtifactID(""), time.Time{},
		a2a.Generation("")),
	cmpopts.IgnoreUnexported(a2a.Task{}, a2a.Message{}, a2a.Artifact{}),
	cmp.Transformer("data", func(d a2a.Data) string { return canonical(jsontext.Value(d)) }),
	cmp.Transformer("metadata", canonical),
	cmp.Transformer("raw", digest),
}

// canonical is JSON without what does not count in it, and gRPC does not keep: its spaces and the order of members.
func canonical(value jsontext.Value) string {
	sorted := value.Clone()
	if err := sorted.Canonicalize(); err != nil {
		return fmt.Sprintf("%s, which is no JSON: %v", value, err)
	}
	return string(sorted)
}

// digest stands for a file, which nobody wants to read byte by byte.
func digest(raw a2a.Raw) string {
	return fmt.Sprintf("%d bytes with digest %x", len(raw), sha256.Sum256(raw))
}

// compare compares the tasks that came of a conversation in one way with those of the first way: in 1.0 all there is,
// and otherwise what people see of them, as older generations have no place for the rest.
func compare(t *testing.T, w way, want, got []*a2a.Task) {
	t.Helper()
	diff := ""
	if w.generation == a2a.Generation10 {
		diff = cmp.Diff(want, got, byChance)
	} else {
		diff = cmp.Diff(seen(want), seen(got))
	}
	if diff != "" {
		t.Errorf("the tasks are not the same as over %s (-) but (+):\n%s", ways[0], diff)
	}
}

// seen is what people see of tasks, line by line.
func seen(tasks []*a2a.Task) []string {
	var all []string
	for i, task := range tasks {
		all = append(all, fmt.Sprintf("task %d is %v", i+1, task.Status.State))
		if m := task.Status.Message; m != nil {
			all = append(all, contents(m.Parts)...)
		}
		for _, a := range task.Artifacts {
			all = append(all, "artifact "+a.Name)
			all = append(all, contents(a.Parts)...)
		}
	}
	return all
}

func contents(parts []a2a.Part) []string {
	var all []string
	for _, p := range parts {
		switch content := p.Content.(type) {
		case a2a.Data:
			all = append(all, "data "+canonical(jsontext.Value(content)))
		case a2a.Raw:
			all = append(all, digest(content))
		default:
			all = append(all, fmt.Sprintf("%T %s", content, content))
		}
	}
	return all
}
