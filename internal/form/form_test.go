// SPDX-License-Identifier: Apache-2.0

package form

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

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
	f := Parse(jsontext.Value(expenseForm))
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
	if got := string(f.Answer()); got != `{"amount":"20","request_id":"request_id_1234567"}` {
		t.Errorf("known is %s", got)
	}
	if got := string(f.Skeleton()); got != `{"date":"","amount":"20","purpose":"","request_id":"request_id_1234567"}` {
		t.Errorf("the skeleton is %s", got)
	}
}

func TestParseFormRefusesOtherData(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `null`, `{}`, `[]`, `"form"`, `{"type":"form"}`,
		`{"type":"form","form":{"properties":{}}}`,
		`{"type":"form","form":{"properties":["a"]}}`, `{"type":"form","form":7}`,
		`{"type":"receipt","form":{"properties":{"a":{}}}}`} {
		if f := Parse(jsontext.Value(data)); f != nil {
			t.Errorf("%s is the form %+v", data, f)
		}
	}
}

func TestParseFormBearsOddMembers(t *testing.T) {
	t.Parallel()
	f := Parse(jsontext.Value(
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
		field      Field
		text, want string // "!" and what the error says
	}{
		{Field{kind: "string"}, " lunch ", `"lunch"`},
		{Field{kind: "string"}, "12", `"12"`},
		{Field{kind: "string", format: "number"}, "12.50", `"12.50"`},
		{Field{kind: "number"}, "12.50", `12.50`},
		{Field{kind: "number"}, "much", "!number"},
		{Field{kind: "integer"}, "3", `3`},
		{Field{kind: "integer"}, "3.5", "!whole number"},
		{Field{kind: "boolean"}, "Yes", `true`},
		{Field{kind: "boolean"}, "false", `false`},
		{Field{kind: "boolean"}, "perhaps", "!yes or no"},
		{Field{kind: "array"}, `["a"]`, `["a"]`},
		{Field{kind: "array"}, "a", `["a"]`},
		{Field{kind: "array", items: "string"}, `x, say "y"`, `["x","say \"y\""]`},
		{Field{kind: "array", items: "integer"}, "1, 2", `[1,2]`},
		{Field{kind: "array", items: "integer"}, "1, two", "!a list, such as 1, 2"},
		{Field{kind: "array", items: "object"}, "x", "!a list in JSON, such as [...]"},
		{Field{kind: "array"}, `["a"`, `!a list, such as x, y, or in JSON ["x", "y"]`},
		{Field{kind: "object"}, "x", `!an object in JSON, such as {"name": "value"}`},
		{Field{kind: "string", format: "date"}, "2026-11-21", `"2026-11-21"`},
		{Field{kind: "string", format: "date"}, "yesterday", "!date such as"},
		{Field{choices: choices}, "eur", `"EUR"`},
		{Field{choices: choices}, "7", `7`},
		{Field{choices: choices}, "USD", "!one of EUR|7"},
		{Field{kind: "string", required: true}, " ", "!needed"},
		{Field{kind: "number"}, "", ""},
		{Field{}, `say "hi"`, `"say \"hi\""`},
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
	f := Parse(jsontext.Value(expenseForm))
	_, err := f.Complete(jsontext.Value(`{"amount":20,"date":"<transaction date>","tip":1,"request_id":"r"}`))
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, want := range []string{"amount: it must be of the type string", "date: it is needed",
		"purpose: it is needed", "tip: the form has no such field"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := f.Complete(jsontext.Value(`{"date":"2026-11-20","amount":"abc","purpose":"lunch"}`)); err == nil ||
		err.Error() != "amount: it has no number in it" {
		t.Error(err)
	}
	if _, err := f.Complete(jsontext.Value(`[]`)); err == nil {
		t.Error("an array was taken")
	}
}

// An answer may leave out values that the form knows.
func TestCompleteAddsWhatTheFormKnows(t *testing.T) {
	t.Parallel()
	f := Parse(jsontext.Value(expenseForm))
	got, err := f.Complete(jsontext.Value(`{"date":"2026-11-20","purpose":"lunch"}`))
	if want := `{"date":"2026-11-20","purpose":"lunch","amount":"20","request_id":"request_id_1234567"}`; err != nil ||
		string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	got, err = f.Complete(jsontext.Value(`{"date":"2026-11-20","amount":"7 EUR","purpose":"lunch"}`))
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
	f := Parse(jsontext.Value(strictForm))
	for doc, want := range map[string]string{
		`{"amount":"abc"}`:                      "amount: it does not fit",
		`{"amount":"20"}`:                       "; write something like 20 USD",
		`{"amount":"20 USD","people":0}`:        "people: it does not fit: minimum",
		`{"amount":"20 USD","note":"too long"}`: "note: it does not fit: maxLength",
		`{"amount":"20 USD","id":"r2"}`:         "id: it is not for you to change",
	} {
		if _, err := f.Complete(jsontext.Value(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", doc, err, want)
		}
	}
	got, err := f.Complete(jsontext.Value(`{"amount":"20 USD","id":"r1","odd":7,"note":""}`))
	if want := `{"amount":"20 USD","id":"r1","odd":7,"note":""}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got := string(f.Skeleton()); strings.Contains(got, "clerk") || !strings.Contains(got, `"id":"r1"`) {
		t.Errorf("the skeleton is %s", got)
	}
	if prompt, hint := f.fields[0].prompt(0); prompt != "  Amount (such as 20 USD): " || hint != "" {
		t.Errorf("the prompt is %q, %q", prompt, hint)
	}
}

func TestFormFieldTakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field      Field
		line, want string // "!" for an error
	}{
		{Field{value: jsontext.Value(`"20 USD"`)}, "", `"20 USD"`},
		{Field{value: jsontext.Value(`"20 USD"`)}, "5 EUR", `"5 EUR"`},
		{Field{value: jsontext.Value(`"20 USD"`)}, "/clear", ``},
		{Field{value: jsontext.Value(`"20 USD"`), required: true}, "/clear", `!`},
		{Field{value: jsontext.Value(`"soon"`), kind: "string", format: "date"}, "", `!`},
		{Field{}, "", ``},
		{Field{required: true}, "", `!`},
	} {
		before := test.field.value
		err := test.field.take(test.line)
		if test.want == "!" && (err == nil || string(test.field.value) != string(before)) ||
			test.want != "!" && (err != nil || string(test.field.value) != test.want) {
			t.Errorf("%q: %s, %v; want %s", test.line, test.field.value, err, test.want)
		}
	}
}

// Text that does not fit beside the answer stands in the line above.
func TestFormPromptLeavesRoomForTheAnswer(t *testing.T) {
	t.Parallel()
	long := jsontext.Value(`"` + strings.Repeat("x", 200) + `"`)
	f := Field{name: strings.Repeat("n", 100), value: long, choices: []jsontext.Value{long, long}, required: true}
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
	parts := []a2a.Part{a2a.TextPart("Please fill this"), data(jsontext.Value(`{"type":"form"}`)),
		data(jsontext.Value(expenseForm))}
	if Find(parts) == nil || Find(parts[:2]) != nil {
		t.Error("the form was not found, or something else was")
	}
}

func TestFormLeavesOutWhatATextSays(t *testing.T) {
	t.Parallel()
	data := data(jsontext.Value(strings.Replace(expenseForm, `"instructions":null`, `"instructions":"Say more."`,
		1)))
	for text, want := range map[string]string{"Request 7: Say more.": "", "Something is wrong": "Say more."} {
		if f := Find([]a2a.Part{a2a.TextPart(text), data}); f == nil || f.instructions != want {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

func FuzzParseForm(f *testing.F) {
	f.Add(expenseForm)
	f.Add(
		`{"type":"form","form":{"properties":{"a":{"enum":[1,"x",null]},"a ":{"type":["null"]}}},"form_data":{"a":{}}}`)
	f.Fuzz(func(t *testing.T, data string) {
		form := Parse(jsontext.Value(data))
		if form == nil {
			return
		}
		if doc := form.Skeleton(); !doc.IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Errorf("the skeleton is no JSON: %s", doc)
		}
		form.Print(new(terminal.Printer))
		for i := range form.fields {
			form.fields[i].read("x")
		}
	})
}

func data(text jsontext.Value) a2a.Part {
	return a2a.Part{Content: a2a.Data(text), MediaType: "application/json"}
}

func TestFormPromptsLeaveRoom(t *testing.T) {
	t.Parallel()
	f := Field{name: strings.Repeat("n", 100), value: []byte(fmt.Sprintf("%q", strings.Repeat("x", 200)))}
	for _, columns := range []int{80, 40} {
		prompt, above := f.prompt(columns)
		if utf8.RuneCountInString(prompt) > columns*7/10 || !strings.HasSuffix(prompt, ": ") ||
			!strings.Contains(above, "[xxx") {
			t.Errorf("%q\n%q", prompt, above)
		}
	}
}
