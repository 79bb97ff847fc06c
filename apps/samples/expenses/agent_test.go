// SPDX-License-Identifier: Apache-2.0

package expenses_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses/rules"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// now is a Saturday.
func now() time.Time { return time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC) }

// options give requests the ids 1000001, 1000002 and so on.
func options() expenses.Options {
	var mu sync.Mutex
	n := 1_000_000
	return expenses.Options{Now: now, NewID: func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("request_id_%d", n)
	}}
}

func newHarness(t *testing.T, o expenses.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, expenses.New(o), &agenttest.Options{Card: expenses.Card(), OutputModes: modes})
}

// formOf returns the form that a task waits for.
func formOf(t *testing.T, r *agenttest.Result) (form document) {
	t.Helper()
	if r.State() != a2a.TaskStateInputRequired {
		t.Fatalf("state %v: %s", r.State(), r.Text())
	}
	for _, p := range r.Task.Status.Message.Parts {
		if data, ok := p.Content.(a2a.Data); ok {
			if err := json.Unmarshal(data, &form); err != nil {
				t.Fatal(err)
			}
			return form
		}
	}
	t.Fatalf("no form in %+v", r.Task.Status.Message)
	return form
}

// document is the form as clients get it.
type document struct {
	Schema       jsontext.Value    `json:"form"`
	Data         expenses.FormData `json:"form_data"`
	Instructions *string           `json:"instructions"`
	Errors       map[string]string `json:"errors"`
}

// receiptOf returns the receipt of a completed task.
func receiptOf(t *testing.T, r *agenttest.Result) expenses.Receipt {
	t.Helper()
	if r.State() != a2a.TaskStateCompleted || len(r.Task.Artifacts) != 1 {
		t.Fatalf("state %v: %s", r.State(), r.Text())
	}
	var receipt expenses.Receipt
	for _, p := range r.Task.Artifacts[0].Parts {
		if data, ok := p.Content.(a2a.Data); ok {
			if err := json.Unmarshal(data, &receipt); err != nil {
				t.Fatal(err)
			}
		}
	}
	return receipt
}

// reply answers a result with data, in its task or, when that is not to be, in its context.
func reply(h *agenttest.Harness, to *agenttest.Result, sameTask bool, data string) *agenttest.Result {
	m := a2a.NewMessage(a2a.RoleUser, a2a.Part{Content: a2a.Data(data)})
	m.ContextID = to.Task.ContextID
	if sameTask {
		m.TaskID = to.Task.ID
	}
	return h.SendMessage(m)
}

// The document is the one that clients of the first samples know, member by member.
func TestFormDocument(t *testing.T) {
	t.Parallel()
	r := newHarness(t, options()).Send("Can you reimburse me $20 for my lunch with the clients?")
	var raw map[string]any
	data := r.Task.Status.Message.Parts[1]
	if err := json.Unmarshal(data.Content.(a2a.Data), &raw); err != nil {
		t.Fatal(err)
	}
	if keys := slices.Sorted(maps.Keys(raw)); !slices.Equal(keys,
		[]string{"form", "form_data", "instructions", "type"}) {
		t.Errorf("members %v", keys)
	}
	want := `map[amount:20 USD date:<transaction date> purpose:lunch with the clients request_id:request_id_1000001]`
	if got := fmt.Sprint(raw["form_data"]); got != want || raw["type"] != "form" {
		t.Errorf("%s, want %s", got, want)
	}
	form := raw["form"].(map[string]any)
	if got := fmt.Sprint(form["required"]); got != "[request_id date amount purpose]" || form["type"] != "object" {
		t.Errorf("form %v", form)
	}
	for name, want := range map[string]string{
		"date": "Date|Date of expense|date", "amount": "Amount|Amount of expense|number",
		"purpose": "Purpose|Purpose of expense|<nil>", "request_id": "Request ID|Request id|<nil>",
	} {
		p := form["properties"].(map[string]any)[name].(map[string]any)
		if got := fmt.Sprintf("%v|%v|%v", p["title"], p["description"], p["format"]); got != want ||
			p["type"] != "string" {
			t.Errorf("%s: %v", name, p)
		}
	}
	var mimeType string
	if _, err := data.Metadata.Get("mimeType", &mimeType); err != nil || mimeType != "application/json" ||
		data.MediaType != mimeType {
		t.Errorf("part %+v", data)
	}
	if text := r.StatusText(); !strings.Contains(text, "Date: missing") || !strings.Contains(text, "Amount: 20 USD") ||
		!strings.Contains(text, "fill in the date.") {
		t.Errorf("in words: %s", text)
	}
}

// The schema in the form is one that an answer can be checked with.
func TestFormIsAJSONSchema(t *testing.T) {
	t.Parallel()
	form := formOf(t, newHarness(t, options()).Send("$20 lunch with clients"))
	s, err := schema.Compile(form.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check([]byte(`{"request_id":"1","date":"2026-11-20","amount":"20","purpose":"lunch"}`)); err != nil {
		t.Error(err)
	}
	if err := s.Check([]byte(`{"request_id":"1","date":"2026-11-20","amount":"20"}`)); err == nil ||
		!strings.Contains(err.Error(), "purpose") {
		t.Errorf("without a purpose: %v", err)
	}
}

// A line of a conversation: what is said, what a model makes of it, and what comes of it.
type line struct {
	say   string
	model llmtest.Step
	state a2a.TaskState
	want  string // in the text
}

const (
	asks = a2a.TaskStateInputRequired
	done = a2a.TaskStateCompleted
	off  = a2a.TaskStateCanceled
)

func calls(name, args string) llmtest.Step {
	return llmtest.Calls(llmtest.Call{Name: name, Args: args})
}

// dialogues are conversations of one task that go the same way with rules and with a model.
var dialogues = map[string][]line{
	"prefilled and filled by a word": {
		{"Can you reimburse me $20 for my lunch with the clients?",
			calls("create_request_form", `{"amount":"20 USD","purpose":"lunch with the clients"}`), asks,
			"Please fill in the date.\nDate: missing\nAmount: 20 USD\nPurpose: lunch with the clients"},
		{"yesterday", calls("fill_request_form", `{"date":"2026-11-20"}`), done,
			"Your reimbursement request request_id_1000001 has been approved: 20 USD for lunch with the clients on " +
				"2026-11-20."},
	},
	"the dollars that a host converted": {
		{"reimburse lunch for 21.62 USD", calls("create_request_form", `{"amount":"21.62 USD","purpose":"lunch"}`),
			asks, "Date: missing\nAmount: 21.62 USD\nPurpose: lunch"},
		{"on 2026-11-19", calls("fill_request_form", `{"date":"2026-11-19"}`), done,
			"21.62 USD for lunch on 2026-11-19"},
	},
	"complete, so it only has to be agreed to": {
		{"I paid 45 EUR for the taxi to the airport yesterday",
			calls("create_request_form", `{"amount":"45 EUR","purpose":"taxi to the airport","date":"2026-11-20"}`),
			asks, "Please check the form and send it back, or say yes."},
		{"Yes, please.", calls("reimburse", `{"request_id":"request_id_1000001"}`), done,
			"45 EUR for taxi to the airport on 2026-11-20"},
	},
	"nothing is known": {
		{"I would like a reimbursement", calls("create_request_form", `{}`), asks,
			"Please fill in the date, amount and purpose."},
		{"30 dollars for books", calls("fill_request_form", `{"amount":"30 USD","purpose":"books"}`), asks,
			"Please fill in the date."},
		{"what do you mean?", llmtest.Text("The day of the expense."), asks, "Please fill in the date."},
		{"2026-03-05", calls("fill_request_form", `{"date":"2026-03-05"}`), done, "30 USD for books on 2026-03-05"},
	},
	"changed": {
		{"reimburse $20 for lunch today",
			calls("create_request_form", `{"amount":"20 USD","purpose":"lunch","date":"2026-11-21"}`), asks,
			"Amount: 20 USD"},
		{"make it 25 USD", calls("fill_request_form", `{"amount":"25 USD"}`), done, "25 USD for lunch on 2026-11-21"},
	},
	"a date to come": {
		{"reimburse $20 for lunch tomorrow",
			calls("create_request_form", `{"amount":"20 USD","purpose":"lunch","date":"tomorrow"}`), asks,
			"The date 2026-11-22 is in the future."},
		{"today", calls("fill_request_form", `{"date":"today"}`), done, "on 2026-11-21"},
	},
	"withdrawn": {
		{"reimburse $20 for lunch", calls("create_request_form", `{"amount":"20 USD","purpose":"lunch"}`), asks,
			"request_id_1000001"},
		{"rejected form entry", calls("withdraw_request", `{}`), off, "Request request_id_1000001 was withdrawn."},
	},
	"nothing to withdraw": {
		{"cancel it", calls("withdraw_request", `{}`), done, "There is no open request"},
	},
	"an id that is not there": {
		{"approve request_id_7654321", calls("reimburse", `{"request_id":"request_id_7654321"}`), a2a.TaskStateRejected,
			`There is no request "request_id_7654321" in this task.`},
	},
	"by key and value": { // which no model is asked about
		{"reimburse me", calls("create_request_form", `{}`), asks, "Please fill in the date, amount and purpose."},
		{"date: 2026-11-20\nAmount: 1,200.50 EUR\n- Purpose: hotel in Berlin", llmtest.Step{}, done,
			"1200.50 EUR for hotel in Berlin on 2026-11-20"},
	},
	"as JSON in a text": {
		{"reimburse lunch", calls("create_request_form", `{"purpose":"lunch"}`), asks, "Purpose: lunch"},
		{`{"date": "2026-11-20", "amount": 12.5}`, llmtest.Step{}, done, "12.50 USD for lunch on 2026-11-20"},
	},
	"as JSON in fences": {
		{"reimburse lunch", calls("create_request_form", `{"purpose":"lunch"}`), asks, "Purpose: lunch"},
		{"```json\n{\"form_data\":{\"date\":\"2026-11-20\",\"amount\":\"20 EUR\"}}\n```", llmtest.Step{}, done,
			"20 EUR for lunch on 2026-11-20"},
	},
	"broken JSON": {
		{"reimburse lunch", calls("create_request_form", `{"purpose":"lunch"}`), asks, "Purpose: lunch"},
		{`{"date": `, llmtest.Step{}, asks, "That is no JSON object with the fields of the form."},
	},
}

func converse(t *testing.T, o expenses.Options, lines []line) {
	t.Helper()
	h := newHarness(t, o)
	var last *agenttest.Result
	for _, l := range lines {
		if last == nil {
			last = h.Send(l.say)
		} else {
			last = h.Reply(last, l.say)
		}
		if last.State() != l.state || !strings.Contains(last.Text(), l.want) {
			t.Fatalf("%q: %v: %s\nwant %v: %s", l.say, last.State(), last.Text(), l.state, l.want)
		}
	}
}

func TestDialogues(t *testing.T) {
	t.Parallel()
	for name, lines := range dialogues {
		t.Run("rules/"+name, func(t *testing.T) {
			t.Parallel()
			converse(t, options(), lines)
		})
		t.Run("model/"+name, func(t *testing.T) {
			t.Parallel()
			var script []llmtest.Step
			for _, l := range lines {
				if l.model.Text != "" || l.model.Calls != nil {
					script = append(script, l.model)
				}
			}
			o := options()
			o.Model = llmtest.New(t, script...).Model()
			converse(t, o, lines)
		})
	}
}

func TestSubmissions(t *testing.T) {
	t.Parallel()
	const id = `"request_id":"request_id_1000001"`
	for name, row := range map[string]struct {
		data     string
		problems map[string]string // nil: approved
	}{
		"bare": {`{` + id + `,"date":"2026-11-20","amount":"20 USD","purpose":"lunch"}`, nil},
		"as a response": {`{"type":"form_response","form_data":{` + id +
			`,"date":"2026-11-20","amount":"20","purpose":"lunch"}}`, nil},
		"id beside":            {`{` + id + `,"form_data":{"date":"2026-11-20","amount":"20","purpose":"lunch"}}`, nil},
		"without id":           {`{"date":"2026-11-20","amount":20,"purpose":"lunch"}`, nil},
		"only what is missing": {`{"date":"yesterday"}`, nil},
		// it is known from the request
		"missing purpose": {`{` + id + `,"date":"2026-11-20","amount":"20","purpose":"  "}`, nil},
		"placeholder": {`{` + id + `,"date":"<transaction date>","amount":"20","purpose":"lunch"}`,
			map[string]string{}},
		"null":      {`{"date":null}`, map[string]string{}},
		"future":    {`{"date":"2030-01-01"}`, map[string]string{"date": "in the future"}},
		"no date":   {`{"date":"soon"}`, map[string]string{"date": "not understood"}},
		"no amount": {`{"date":"2026-11-20","amount":"a lot"}`, map[string]string{"amount": "no number"}},
		"too much": {`{"date":"2026-11-20","amount":"10000.01 USD"}`,
			map[string]string{"amount": "most that can be reimbursed"}},
		"negative":      {`{"date":"2026-11-20","amount":-20}`, map[string]string{"amount": "more than 0"}},
		"short purpose": {`{"date":"2026-11-20","purpose":"x1"}`, map[string]string{"purpose": "too short"}},
		"several": {`{"date":"soon","amount":"0","purpose":"?"}`,
			map[string]string{"date": "not understood", "amount": "more than 0", "purpose": "too short"}},
		"wrong types": {`{"date":["2026-11-20"],"purpose":{"a":1}}`,
			map[string]string{"date": "must be a text", "purpose": "must be a text"}},
		"somebody else's id": {`{"request_id":"request_id_7654321","date":"2026-11-20"}`,
			map[string]string{"request_id": `no request "request_id_7654321"`}},
		"id of a wrong type": {`{"request_id":{},"date":"2026-11-20"}`,
			map[string]string{"request_id": "must be a text"}},
		"no object":           {`["2026-11-20"]`, map[string]string{}},
		"form_data no object": {`{"form_data":"2026-11-20"}`, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, options())
			r := reply(h, h.Send("$20 lunch with clients"), true, row.data)
			if row.problems == nil {
				if got := receiptOf(t, r); got.ID != "request_id_1000001" || got.Status != "approved" ||
					got.Date != "2026-11-20" || got.Amount != "20 USD" || !strings.HasPrefix(got.Purpose, "lunch") {
					t.Errorf("receipt %+v", got)
				}
				return
			}
			form := formOf(t, r)
			if len(form.Errors) != len(row.problems) || form.Data.ID != "request_id_1000001" {
				t.Errorf("errors %v of %+v", form.Errors, form.Data)
			}
			for field, want := range row.problems {
				if !strings.Contains(form.Errors[field], want) || !strings.Contains(*form.Instructions, want) {
					t.Errorf("%s: %q, want %q; instructions %q", field, form.Errors[field], want, *form.Instructions)
				}
			}
			if r = reply(h, r, true, `{"date":"2026-11-20","amount":"20 USD","purpose":"lunch"}`); receiptOf(t,
				r).Amount != "20 USD" {
				t.Errorf("corrected: %s", r.Text())
			}
		})
	}
}

// Wrong values stay in the form, so that the user can correct them instead of writing them again.
func TestWrongValuesAreKept(t *testing.T) {
	t.Parallel()
	h := newHarness(t, options())
	r := reply(h, h.Send("reimburse me"), true,
		`{"date":"2026-11-20","amount":"20,5,1","purpose":"a\u0000\u202eb taxi\u001b[31m"}`)
	form := formOf(t, r)
	if form.Data.Amount != "20,5,1" || form.Data.Date != "2026-11-20" || form.Data.Purpose != "a b taxi [31m" {
		t.Errorf("%+v", form.Data)
	}
}

func TestFilledWithoutBeingAsked(t *testing.T) {
	t.Parallel()
	h := newHarness(t, options())
	m := a2a.NewMessage(a2a.RoleUser,
		a2a.Part{Content: a2a.Data(`{"date":"2026-11-20","amount":"20","purpose":"lunch"}`)})
	if form := formOf(t, h.SendMessage(m)); form.Data.Amount != "20 USD" || len(form.Errors) > 0 {
		t.Errorf("%+v", form)
	}
}

func TestCancelWithdraws(t *testing.T) {
	t.Parallel()
	h := newHarness(t, options())
	first := h.Send("$20 lunch with clients")
	task, err := h.Service.CancelTask(h.Context(), &a2a.CancelTaskRequest{ID: first.Task.ID})
	if err != nil || task.Status.State != off {
		t.Fatalf("%+v %v", task, err)
	}
	if r := reply(h, first, false,
		`{"request_id":"request_id_1000001","date":"2026-11-20"}`); r.State() != a2a.TaskStateRejected {
		t.Errorf("%v %s", r.State(), r.Text())
	}
}

func TestOutputModes(t *testing.T) {
	t.Parallel()
	for modes, want := range map[string]string{"": "text data", "text/plain": "text", "application/json": "data",
		"text/plain application/json": "text data"} {
		h := newHarness(t, options(), strings.Fields(modes)...)
		first := h.Send("$20 lunch with clients")
		second := h.Reply(first, "yesterday")
		if got := kinds(first.Task.Status.Message.Parts); got != want {
			t.Errorf("%q: the form is %s", modes, got)
		}
		if got := kinds(second.Task.Artifacts[0].Parts); got != want {
			t.Errorf("%q: the receipt is %s", modes, got)
		}
	}
}

func kinds(parts []a2a.Part) string {
	var all []string
	for _, p := range parts {
		switch p.Content.(type) {
		case a2a.Text:
			all = append(all, "text")
		case a2a.Data:
			all = append(all, "data")
		}
	}
	return strings.Join(all, " ")
}

// Clients before 1.0 that draw forms say that they accept text and images only.
func TestOldClientsGetForms(t *testing.T) {
	t.Parallel()
	h := newHarness(t, options())
	ctx := a2a.WithCall(h.Context(), &a2a.Call{Generation: a2a.Generation01})
	sent, err := h.Service.SendMessage(ctx, &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("$20 lunch with clients")),
		Configuration: &a2a.SendConfiguration{AcceptedOutputModes: []string{"text", "text/plain", "image/png"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(sent.(*a2a.Task).Status.Message.Parts); got != "text data" {
		t.Errorf("the form is %s", got)
	}
}

// If the rules do not understand a message, the agent refuses it in one sentence that names --llm. Such a message
// neither approves nor ends a request.
func TestRefuses(t *testing.T) {
	t.Parallel()
	h := newHarness(t, options())
	for _, say := range []string{"Tell me a joke", "", "reimburse 20 EUR and 30 USD for lunch"} {
		if r := h.Send(say); r.State() != a2a.TaskStateRejected || r.StatusText() != rules.Refusal ||
			len(r.Task.Artifacts) > 0 {
			t.Errorf("%q: %v %s", say, r.State(), r.Text())
		}
	}
	if n := strings.Count(rules.Refusal, "."); n != 1 || !strings.Contains(rules.Refusal, "--llm") {
		t.Errorf("the refusal is %q", rules.Refusal)
	}
	first := h.Send("reimburse lunch for 20 USD")
	if r := h.Reply(first, "what do you mean?"); r.State() != asks ||
		!strings.Contains(r.StatusText(), rules.Refusal+" Please fill in the date.") {
		t.Errorf("%v %s", r.State(), r.Text())
	}
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	h, long := newHarness(t, options()), "reimburse "+strings.Repeat("lunch ", 2000)
	if r := h.Send(long); r.State() != a2a.TaskStateRejected ||
		!strings.Contains(r.StatusText(), "too long: I read up to 8192 bytes") {
		t.Errorf("%v %s", r.State(), r.Text())
	}
	// As an answer it is no end of the request.
	if r := h.Reply(h.Send("reimburse lunch for 20 USD"), long); r.State() != asks ||
		!strings.Contains(r.StatusText(), "too long") {
		t.Errorf("%v %s", r.State(), r.Text())
	}
}

func TestRandomIDs(t *testing.T) {
	t.Parallel()
	h := newHarness(t, expenses.Options{})
	seen := make(map[string]bool)
	for range 5 {
		id := formOf(t, h.Send("reimburse me")).Data.ID
		if len(id) != len("request_id_1234567") || !strings.HasPrefix(id, "request_id_") || seen[id] {
			t.Errorf("id %q", id)
		}
		seen[id] = true
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := expenses.Card()
	if card.Name != "Reimbursement Agent" || len(card.Skills) != 1 || card.Skills[0].ID != "process_reimbursement" {
		t.Errorf("%+v", card)
	}
	h := newHarness(t, options())
	for _, example := range card.Skills[0].Examples {
		if form := formOf(t, h.Send(example)); strings.HasPrefix(form.Data.Amount, "<") ||
			strings.HasPrefix(form.Data.Purpose, "<") {
			t.Errorf("example %q: %+v", example, form.Data)
		}
	}
}
