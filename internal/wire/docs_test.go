// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v01"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

var update = flag.Bool("update", false, "write the examples of docs/generations.md and the tables of docs/errors.md")

// The examples of docs/generations.md are what the dialects make of their first column.
func TestExamplesOfTheDocs(t *testing.T) {
	t.Parallel()
	const file = "../../docs/generations.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	kind, rows := "", 0
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "<!-- rows: "):
			kind = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- rows: "), " -->")
		case strings.HasPrefix(line, "#"):
			kind = ""
		case kind != "" && strings.HasPrefix(line, "| `"):
			rows++
			first := strings.Trim(strings.Split(line, "|")[1], " `")
			want := "| `" + first + "` | " + shown(t, v03.Dialect, kind, first) + " | " +
				shown(t, v01.Dialect, kind, first) + " |"
			if line != want && !*update {
				t.Errorf("line %d is\n%s\nand should be\n%s", i+1, line, want)
			}
			lines[i] = want
		}
	}
	if rows < 20 {
		t.Errorf("only %d examples were found", rows)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// shown returns an object of 1.0 in a dialect, as it stands in a table.
func shown(t *testing.T, d wire.Dialect, kind, text string) string {
	t.Helper()
	var all []string
	switch kind {
	case "state":
		all = []string{member(t, result(t, d, `{"id":"t","contextId":"c","status":{"state":`+text+`}}`), "status",
			"state")}
	case "part":
		task := result(t, d,
			`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a",`+
				`"parts":[`+text+`]}]}`)
		all = []string{member(t, task, "artifacts", "parts")}
		all[0] = strings.TrimSuffix(strings.TrimPrefix(all[0], "["), "]")
	case "task":
		all = []string{string(result(t, d, text))}
	case "event":
		ev, err := a2a.DecodeStreamResponse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		request := &a2a.SendMessageRequest{NewTaskID: "t", Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("x"))}
		_, err = d.NewStreamEncoder(wire.OpStreamMessage, request).Encode(a2a.StreamEvent{Event: ev},
			func(_ string, payload []byte) {
				all = append(all, string(payload))
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	return "`" + strings.Join(all, "` `") + "`"
}

func result(t *testing.T, d wire.Dialect, text string) []byte {
	t.Helper()
	task := new(a2a.Task)
	if err := a2a.Unmarshal([]byte(text), task); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := d.AppendResult(nil, wire.OpGetTask, &a2a.GetTaskRequest{ID: "t"}, task)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// member digs into an object, and into the first element of a list on the way.
func member(t *testing.T, text []byte, names ...string) string {
	t.Helper()
	v := jsontext.Value(text)
	for _, name := range names {
		if v.Kind() == '[' {
			var list []jsontext.Value
			if err := json.Unmarshal(v, &list); err != nil || len(list) == 0 {
				t.Fatalf("%v in %s", err, text)
			}
			v = list[0]
		}
		var object map[string]jsontext.Value
		if err := json.Unmarshal(v, &object); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		v = object[name]
	}
	return string(v)
}
