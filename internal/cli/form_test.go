// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// expenseForm is the form of the protocol's first samples, to the letter.
const expenseForm = `{"type":"form","form":{"type":"object","properties":{
 "date":{"type":"string","format":"date","title":"Date","description":"Date of expense"},
 "amount":{"type":"string","format":"number","title":"Amount","description":"Amount of expense"},
 "purpose":{"type":"string","title":"Purpose","description":"Purpose of expense"},
 "request_id":{"type":"string","title":"Request ID","description":"Request id"}},
 "required":["request_id","date","amount","purpose"]},
 "form_data":{"request_id":"request_id_1234567","date":"<transaction date>","amount":"20","purpose":""},
 "instructions":null}`

func TestParseFormOfTheFirstSamples(t *testing.T) {
	t.Parallel()
	f := parseForm(jsontext.Value(expenseForm))
	if f == nil || len(f.fields) != 4 {
		t.Fatalf("%+v", f)
	}
	var names []string
	for _, field := range f.fields {
		names = append(names, field.name)
		if !field.required {
			t.Errorf("%s is not required", field.name)
		}
	}
	if got := strings.Join(names, " "); got != "date amount purpose request_id" {
		t.Errorf("the fields are %s", got)
	}
	// Placeholders and empty texts are no values.
	if got := string(f.answer()); got != `{"amount":"20","request_id":"request_id_1234567"}` {
		t.Errorf("known is %s", got)
	}
	if got := string(f.skeleton()); got != `{"date":"","amount":"20","purpose":"","request_id":"request_id_1234567"}` {
		t.Errorf("the skeleton is %s", got)
	}
}

func TestParseFormRefusesOtherData(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `null`, `{}`, `[]`, `"form"`, `{"type":"form"}`,
		`{"type":"form","form":{"properties":{}}}`,
		`{"type":"form","form":{"properties":["a"]}}`, `{"type":"form","form":7}`,
		`{"type":"receipt","form":{"properties":{"a":{}}}}`} {
		if f := parseForm(jsontext.Value(data)); f != nil {
			t.Errorf("%s is the form %+v", data, f)
		}
	}
}

func TestParseFormBearsOddMembers(t *testing.T) {
	t.Parallel()
	f := parseForm(jsontext.Value(
		`{"type":"form","form":{"properties":{"a":{"type":["null","integer"],"title":7},"b":true},"required":["a"]},` +
			`"form_data":[],"instructions":{},"errors":{"a":"too small"}}`))
	if f == nil || len(f.fields) != 2 || f.fields[0].kind != "integer" || f.fields[0].problem != "too small" ||
		f.fields[1].kind != "" {
		t.Errorf("%+v", f)
	}
}

func TestFormFieldReads(t *testing.T) {
	t.Parallel()
	choices := []jsontext.Value{jsontext.Value(`"EUR"`), jsontext.Value(`7`)}
	for _, test := range []struct {
		field      formField
		text, want string // "!" and what the error says
	}{
		{formField{kind: "string"}, " lunch ", `"lunch"`},
		{formField{kind: "string"}, "12", `"12"`},
		{formField{kind: "string", format: "number"}, "12.50", `"12.50"`},
		{formField{kind: "number"}, "12.50", `12.50`},
		{formField{kind: "number"}, "much", "!number"},
		{formField{kind: "integer"}, "3", `3`},
		{formField{kind: "integer"}, "3.5", "!whole number"},
		{formField{kind: "boolean"}, "Yes", `true`},
		{formField{kind: "boolean"}, "false", `false`},
		{formField{kind: "boolean"}, "perhaps", "!yes or no"},
		{formField{kind: "array"}, `["a"]`, `["a"]`},
		{formField{kind: "array"}, "a", `["a"]`},
		{formField{kind: "array", items: "string"}, `x, say "y"`, `["x","say \"y\""]`},
		{formField{kind: "array", items: "integer"}, "1, 2", `[1,2]`},
		{formField{kind: "array", items: "integer"}, "1, two", "!a list, such as 1, 2"},
		{formField{kind: "array", items: "object"}, "x", "!a list in JSON, such as [...]"},
		{formField{kind: "array"}, `["a"`, `!a list, such as x, y, or in JSON ["x", "y"]`},
		{formField{kind: "object"}, "x", `!an object in JSON, such as {"name": "value"}`},
		{formField{kind: "string", format: "date"}, "2026-11-21", `"2026-11-21"`},
		{formField{kind: "string", format: "date"}, "yesterday", "!date such as"},
		{formField{choices: choices}, "eur", `"EUR"`},
		{formField{choices: choices}, "7", `7`},
		{formField{choices: choices}, "USD", "!one of EUR|7"},
		{formField{kind: "string", required: true}, " ", "!needed"},
		{formField{kind: "number"}, "", ""},
		{formField{}, `say "hi"`, `"say \"hi\""`},
	} {
		got, err := test.field.read(test.text)
		want, fails := strings.CutPrefix(test.want, "!")
		if fails && (err == nil || !strings.Contains(err.Error(), want)) ||
			!fails && (err != nil || string(got) != want) {
			t.Errorf("%+v, %q: %s, %v; want %s", test.field, test.text, got, err, test.want)
		}
	}
}

func TestCompleteNamesEachProblem(t *testing.T) {
	t.Parallel()
	f := parseForm(jsontext.Value(expenseForm))
	_, err := f.complete(jsontext.Value(`{"amount":20,"date":"<transaction date>","tip":1,"request_id":"r"}`))
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, want := range []string{"amount: it must be of the type string", "date: it is needed",
		"purpose: it is needed", "tip: the form has no such field"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := f.complete(jsontext.Value(`{"date":"2026-11-20","amount":"abc","purpose":"lunch"}`)); err == nil ||
		err.Error() != "amount: it has no number in it" {
		t.Error(err)
	}
	if _, err := f.complete(jsontext.Value(`[]`)); err == nil {
		t.Error("an array was taken")
	}
}

// What the form knows need not be said again.
func TestCompleteAddsWhatTheFormKnows(t *testing.T) {
	t.Parallel()
	f := parseForm(jsontext.Value(expenseForm))
	got, err := f.complete(jsontext.Value(`{"date":"2026-11-20","purpose":"lunch"}`))
	if want := `{"date":"2026-11-20","purpose":"lunch","amount":"20","request_id":"request_id_1234567"}`; err != nil ||
		string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	got, err = f.complete(jsontext.Value(`{"date":"2026-11-20","amount":"7 EUR","purpose":"lunch"}`))
	if err != nil || !strings.Contains(string(got), `"amount":"7 EUR"`) {
		t.Errorf("%s, %v", got, err)
	}
}

// strictForm uses what a schema can say of its fields.
const strictForm = `{"type":"form","form":{"type":"object","properties":{
 "amount":{"type":"string","title":"Amount","pattern":"^[0-9.]+ [A-Z]{3}$","examples":["20 USD"]},
 "people":{"type":"integer","minimum":1},
 "note":{"type":"string","maxLength":5},
 "odd":{"$ref":"https://example.com/schema.json"},
 "id":{"type":"string","readOnly":true},
 "clerk":{"type":"string","readOnly":true}},
 "required":["amount","id","clerk"]},"form_data":{"id":"r1","note":"tea"}}`

func TestFormHoldsValuesAgainstTheSchema(t *testing.T) {
	t.Parallel()
	f := parseForm(jsontext.Value(strictForm))
	for doc, want := range map[string]string{
		`{"amount":"abc"}`:                      "amount: it does not fit",
		`{"amount":"20"}`:                       "; write something like 20 USD",
		`{"amount":"20 USD","people":0}`:        "people: it does not fit: minimum",
		`{"amount":"20 USD","note":"too long"}`: "note: it does not fit: maxLength",
		`{"amount":"20 USD","id":"r2"}`:         "id: it is not for you to change",
	} {
		if _, err := f.complete(jsontext.Value(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", doc, err, want)
		}
	}
	got, err := f.complete(jsontext.Value(`{"amount":"20 USD","id":"r1","odd":7,"note":""}`))
	if want := `{"amount":"20 USD","id":"r1","odd":7,"note":""}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got := string(f.skeleton()); strings.Contains(got, "clerk") || !strings.Contains(got, `"id":"r1"`) {
		t.Errorf("the skeleton is %s", got)
	}
	if prompt, hint := f.fields[0].prompt(0); prompt != "  Amount (such as 20 USD): " || hint != "" {
		t.Errorf("the prompt is %q, %q", prompt, hint)
	}
}

func TestFormFieldTakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field      formField
		line, want string // "!" for an error
	}{
		{formField{value: jsontext.Value(`"20 USD"`)}, "", `"20 USD"`},
		{formField{value: jsontext.Value(`"20 USD"`)}, "5 EUR", `"5 EUR"`},
		{formField{value: jsontext.Value(`"20 USD"`)}, "/clear", ``},
		{formField{value: jsontext.Value(`"20 USD"`), required: true}, "/clear", `!`},
		{formField{value: jsontext.Value(`"soon"`), kind: "string", format: "date"}, "", `!`},
		{formField{}, "", ``},
		{formField{required: true}, "", `!`},
	} {
		before := test.field.value
		err := test.field.take(test.line)
		if test.want == "!" && (err == nil || string(test.field.value) != string(before)) ||
			test.want != "!" && (err != nil || string(test.field.value) != test.want) {
			t.Errorf("%q: %s, %v; want %s", test.line, test.field.value, err, test.want)
		}
	}
}

// What does not fit beside the answer in the line stands above it.
func TestFormPromptLeavesRoomForTheAnswer(t *testing.T) {
	t.Parallel()
	long := jsontext.Value(`"` + strings.Repeat("x", 200) + `"`)
	f := formField{name: strings.Repeat("n", 100), value: long, choices: []jsontext.Value{long, long}, required: true}
	prompt, hint := f.prompt(0)
	if len(prompt) > 100 || !strings.HasSuffix(prompt, "...]: ") || !strings.Contains(hint, "xxx|xxx") {
		t.Errorf("%q\n%q", prompt, hint)
	}
	if got := terminal.Promptable("Clerk \U0001F469\u200d\U0001F4BB\x1b[2J> "); strings.ContainsAny(got, "\u200d\x1b") {
		t.Errorf("the editor refuses %q", got)
	}
}

func TestFindFormAmongParts(t *testing.T) {
	t.Parallel()
	parts := []a2a.Part{a2a.TextPart("Please fill this"), jsonPart(jsontext.Value(`{"type":"form"}`)),
		jsonPart(jsontext.Value(expenseForm))}
	if findForm(parts) == nil || findForm(parts[:2]) != nil {
		t.Error("the form was not found, or something else was")
	}
}

func TestFormLeavesOutWhatATextSays(t *testing.T) {
	t.Parallel()
	data := jsonPart(jsontext.Value(strings.Replace(expenseForm, `"instructions":null`, `"instructions":"Say more."`,
		1)))
	for text, want := range map[string]string{"Request 7: Say more.": "", "Something is wrong": "Say more."} {
		if f := findForm([]a2a.Part{a2a.TextPart(text), data}); f == nil || f.instructions != want {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

// A form is asked for as long as the status that brought it; one of an artifact stays.
func TestSeenForgetsTheFormOfAnEarlierStatus(t *testing.T) {
	t.Parallel()
	form := jsonPart(jsontext.Value(expenseForm))
	status := func(parts ...a2a.Part) a2a.Event {
		return &a2a.StatusUpdate{TaskID: "t",
			Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired, Message: &a2a.Message{Parts: parts}}}
	}
	var s seen
	for _, test := range []struct {
		event a2a.Event
		asks  bool
	}{
		{&a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateInputRequired,
			Message: &a2a.Message{Parts: []a2a.Part{form}}}}, true},
		{status(a2a.TextPart("Which one is this for?")), false},
		{status(a2a.TextPart("Please fill this"), form), true},
		{status(a2a.TextPart("Which one is this for?")), false},
		{&a2a.ArtifactUpdate{TaskID: "t", Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{form}}}, true},
		{status(a2a.TextPart("Please fill this")), true},
	} {
		if s.note(test.event); s.asksForm() != test.asks {
			t.Errorf("after %+v a form is asked for: %v", test.event, s.asksForm())
		}
	}
}

// What hosts write for programs beside a text is for --verbose.
func TestTextLeavesOutEchoes(t *testing.T) {
	t.Parallel()
	plan, other := jsonPart(jsontext.Value(`{"type":"plan","steps":[]}`)),
		jsonPart(jsontext.Value(`{"type":"receipt"}`))
	text := a2a.TextPart("Plan:")
	for _, test := range []struct {
		all   bool
		parts []a2a.Part
		want  string // of the labels
	}{
		{false, []a2a.Part{text, plan}, "Message Text"},
		{false, []a2a.Part{plan}, "Message Data"},
		{false, []a2a.Part{text, other}, "Message Text Data"},
		{true, []a2a.Part{text, plan}, "Message Media type Text Media type Data"},
	} {
		p := printer{&terminal.Printer{All: test.all}}
		p.message("Message", &a2a.Message{Role: a2a.RoleAgent, Parts: test.parts})
		var labels []string
		for line := range strings.Lines(p.Buf.String()) {
			label, _, _ := strings.Cut(strings.TrimSpace(line), ":")
			labels = append(labels, label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("%s; want %s", got, test.want)
		}
	}
}

func FuzzParseForm(f *testing.F) {
	f.Add(expenseForm)
	f.Add(
		`{"type":"form","form":{"properties":{"a":{"enum":[1,"x",null]},"a ":{"type":["null"]}}},"form_data":{"a":{}}}`)
	f.Fuzz(func(t *testing.T, data string) {
		form := parseForm(jsontext.Value(data))
		if form == nil {
			return
		}
		if doc := form.skeleton(); !doc.IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("the skeleton is no JSON: %s", doc)
		}
		p := printer{new(terminal.Printer)}
		p.form(form)
		for i := range form.fields {
			form.fields[i].read("x")
		}
	})
}
