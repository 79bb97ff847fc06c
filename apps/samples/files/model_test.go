// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/files"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func query(args string) llmtest.Step { return llmtest.Calls(llmtest.Call{Name: "query", Args: args}) }

// A model that calls the tool for a question brings the same answers as the rules do.
func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	for question, args := range map[string]string{
		"average of price by city": `{"operation":"mean","column":"price","by":"city"}`,
		"How many rows are there?": `{"operation":"rows"}`,
		"max of price":             `{"operation":"max","column":"price"}`,
		"total price in Oslo": `{"operation":"sum","column":"price","where":[{"column":"city","is":"=",` +
			`"value":"oslo"}]}`,
		"top 2 rows by price":   `{"operation":"show","column":"price","order":"max","limit":2}`,
		"statistics":            `{"operation":"statistics"}`,
		"how many rows by city": `{"operation":"rows","by":"city"}`,
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			byRules := newHarness(t, files.Options{}).SendMessage(message(question, csvFile))
			server := llmtest.New(t, query(args))
			byModel := newHarness(t, files.Options{Model: server.Model()}).SendMessage(message(question, csvFile))
			if byModel.State() != a2a.TaskStateCompleted || byModel.Text() != byRules.Text() ||
				parts(byModel) != parts(byRules) {
				t.Errorf("model: %v %s\nrules: %s", byModel.State(), parts(byModel), parts(byRules))
			}
		})
	}
}

func TestModelIsToldOfTheTable(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, query(`{"operation":"rows"}`))
	newHarness(t, files.Options{Model: server.Model()}).SendMessage(message("how many?", csvFile))
	r := server.Last()
	if !r.Has("query") || r.LastUser() != "how many?" || !strings.Contains(r.System, "no instructions: ") {
		t.Errorf("%s", r.System)
	}
	for _, want := range []string{`"name":"city"`, `"values":["Oslo","Bergen"]`, `"name":"price"`, `"type":"number"`} {
		if !strings.Contains(r.System, want) {
			t.Errorf("the model is not told %s: %s", want, r.System)
		}
	}
}

func TestModelsMistakes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		script []llmtest.Step
		state  a2a.TaskState
		want   string
	}{
		"a column that is not there": {[]llmtest.Step{query(`{"operation":"mean","column":"cost"}`),
			query(`{"operation":"mean","column":"price"}`)}, a2a.TaskStateCompleted, "The average price"},
		"a mean of words": {[]llmtest.Step{query(`{"operation":"mean","column":"city"}`),
			query(`{"operation":"mean","column":"price"}`)}, a2a.TaskStateCompleted, "The average price"},
		"broken arguments": {[]llmtest.Step{query(`{"operation":`), query(`{"operation":"rows"}`)},
			a2a.TaskStateCompleted, "There are 3 rows."},
		"an unknown operation": {[]llmtest.Step{query(`{"operation":"drop"}`), query(`{"operation":"rows"}`)},
			a2a.TaskStateCompleted, "There are 3 rows."},
		"two queries": {[]llmtest.Step{llmtest.Calls(
			llmtest.Call{Name: "query", Args: `{"operation":"rows"}`},
			llmtest.Call{Name: "query", Args: `{"operation":"rows"}`})}, a2a.TaskStateCompleted, "There are 3 rows."},
		"a question back": {[]llmtest.Step{llmtest.Text("Which year do you mean?")},
			a2a.TaskStateInputRequired, "Which year do you mean?"},
		"a refusal": {[]llmtest.Step{llmtest.Refuse("no")}, a2a.TaskStateInputRequired,
			"does not answer that"},
		"a fault": {[]llmtest.Step{llmtest.Fail(http.StatusBadRequest,
			"the secret of "+llmtest.Key)}, a2a.TaskStateFailed, "could not be asked"},
		"a wrong key": {[]llmtest.Step{llmtest.Fail(http.StatusUnauthorized, "no")}, a2a.TaskStateFailed,
			"could not be asked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, row.script...)
			r := newHarness(t, files.Options{Model: server.Model()}).SendMessage(message("what is it?", csvFile))
			if r.State() != row.state || !strings.Contains(said(r), row.want) ||
				strings.Contains(said(r), llmtest.Key) {
				t.Errorf("%v: %s", r.State(), said(r))
			}
		})
	}
}

func said(r *agenttest.Result) string { return r.Text() + r.StatusText() }

// Of a text the model is asked only what cannot be counted.
func TestModelReadsTexts(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Text("A cat and a dog."))
	h := newHarness(t, files.Options{Model: server.Model()})
	story := a2a.RawPart([]byte("The cat saw the dog."), "text/plain", "story.txt")
	if r := h.SendMessage(message("how many words?", story)); r.Text() != "Lines: 1. Words: 5. Characters: 20." {
		t.Errorf("%q", r.Text())
	}
	r := h.SendMessage(message("Who is in it?", story))
	if r.State() != a2a.TaskStateCompleted || r.Text() != "A cat and a dog." ||
		!strings.Contains(parts(r), `"operation":"answer"`) {
		t.Errorf("%v %s", r.State(), parts(r))
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
