// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// Each tool answers any arguments with one text of JSON, and the same as an object.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", "[]", `{"project_id":null}`, `{"a":1,"a":2}`,
		`{"project_id":"p","session_name":"a","task_id":1,"branch":"b","description":null,"priority":"high",` +
			`"todo_item":"t","limit":"1e3","minutes":-1e9}`,
		`{"project_id":"p","from_session":"a","to_session":"b","query":"?","timeout":1e-9,"wait_for_response":"no",` +
			`"peek":1,"todo_id":"x","status":"blocked"}`,
		`{"project_id":"p","session_name":"a","paths":["a","b/",""],"file_path":"**/[a","operation":"create",` +
			`"mode":"shared","ttl_seconds":0.1,"wait_seconds":1e9,"fencing_token":-1}`,
		`{"project_id":"p","session_name":"a","query_id":"\ud800","response":"","name":"I","definition":"{}",` +
			`"message_type":"","content":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := readArgs(raw)
		if err != nil {
			return
		}
		for i := range tools {
			tool := &tools[i]
			fresh := &args{values: a.values}
			c := tool.command(fresh)
			if fresh.err != nil {
				if err := fresh.err.Error(); !strings.Contains(err, " must be ") {
					t.Errorf("%s: %s", tool.name, err)
				}
				continue
			}
			if q, ok := c.(coord.Ask); ok { // else nobody would be there to answer
				q.Wait = false
				c = q
			}
			if l, ok := c.(coord.Announce); ok {
				l.Wait = 0
				c = l
			}
			result, _ := coord.NewProject("p").Do(time.Unix(1e9, 0), "", c)
			content, err := contentOf(result, tool.list, `"unread":1`)
			if err != nil {
				t.Fatalf("%s: %+v: %v", tool.name, result, err)
			}
			text := content.Content[0].(*sdk.TextContent).Text
			if v := jsontext.Value(text); !v.IsValid() {
				t.Errorf("%s: %s", tool.name, text)
			}
			var object map[string]any
			if err := json.Unmarshal(content.StructuredContent.(jsontext.Value), &object); err != nil {
				t.Errorf("%s: %s: %v", tool.name, content.StructuredContent, err)
			}
		}
	})
}

func TestArgumentsThatAreNoObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `"x"`, `{`} {
		if _, err := readArgs([]byte(text)); err == nil || err.Error() != "the arguments are not a JSON object" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A number that is too large is told what is allowed.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`1e9`: "", `"-5.5"`: "", `1e12`: "timeout must be a number up to 1000000000",
		`"1e999"`: "timeout must be a number up to 1000000000",
		`"soon"`:  "timeout must be a number", `"NaN"`: "timeout must be a number", `{}`: "timeout must be a number",
	} {
		a, err := readArgs([]byte(`{"timeout":` + text + `}`))
		if err != nil {
			t.Fatal(err)
		}
		a.number("timeout", 0)
		got := ""
		if a.err != nil {
			got = a.err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
