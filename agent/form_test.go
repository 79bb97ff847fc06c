// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
)

const pizzaSchema = `{"type":"object","properties":{
	"order_id":{"type":"string","title":"Order","readOnly":true},
	"size":{"type":"string","title":"Size","enum":["S","M","L"]},
	"count":{"type":"integer","title":"How many","examples":[2]},
	"delivery_address":{"type":"string","description":"Where it goes"},
	"extra_cheese":{"type":"boolean"}},
	"required":["order_id","size","count"]}`

type pizza struct {
	OrderID string `json:"order_id"`
	Size    string `json:"size,omitzero"`
	Count   int    `json:"count,omitzero"`
	Address string `json:"delivery_address,omitzero"`
	Cheese  bool   `json:"extra_cheese,omitzero"`

	Approved bool `json:"approved,omitzero"` // by the pizzeria: no field of the form
}

// pizzeria takes orders by a form. Its card names no media types, so all it takes is text.
func pizzeria(got *pizza) agent.Agent {
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		ok, err := t.FormAnswer(got)
		if err != nil {
			return err
		}
		if !ok {
			return t.AskForm(pizzaSchema, pizza{OrderID: "o-1", Size: "M"})
		}
		return t.Complete(a2a.TextPart("Coming."))
	})
}

var textOnly = &a2a.AgentCard{Name: "Pizzeria", Description: "Takes orders", Version: "1"}

func TestFormAnswer(t *testing.T) {
	t.Parallel()
	whole := pizza{OrderID: "o-1", Size: "L", Count: 2, Address: "Main Street 1", Cheese: true}
	for name, test := range map[string]struct {
		answer   any // a string is a text, anything else data
		want     pizza
		problems map[string]string // nil: it is taken
	}{
		"data": {
			map[string]any{"size": "L", "count": 2, "delivery_address": "Main Street 1", "extra_cheese": true},
			whole, nil,
		},
		"wrapped":        {map[string]any{"type": "form", "form_data": whole}, whole, nil},
		"JSON in a text": {`{"size":"L","count":2,"delivery_address":"Main Street 1","extra_cheese":true}`, whole, nil},
		"in a fence": {
			"```json\n{\"size\":\"L\",\"count\":2,\"delivery_address\":\"Main Street 1\",\"extra_cheese\":true}\n```",
			whole, nil,
		},
		"lines":       {"Size: L\nhow many: 2\nDelivery address: Main Street 1\nextra_cheese: yes", whole, nil},
		"in one line": {"size: L, count: 2, delivery address: Main Street 1, extra cheese: yes", whole, nil},
		"what was known": {map[string]any{"count": 1},
			pizza{OrderID: "o-1", Size: "M", Count: 1, Address: "", Cheese: false}, nil},
		"number as text": {map[string]any{"count": "3"},
			pizza{OrderID: "o-1", Size: "M", Count: 3, Address: "", Cheese: false}, nil},
		"a whole number": {`{"count":3.0}`, pizza{OrderID: "o-1", Size: "M", Count: 3, Address: "", Cheese: false},
			nil},
		"with an exponent": {`{"count":1e2}`, pizza{OrderID: "o-1", Size: "M", Count: 100, Address: "", Cheese: false},
			nil},
		"of no field": {
			map[string]any{"count": 1, "approved": true}, pizza{OrderID: "o-1", Size: "M", Count: 1}, nil,
		},
		"no whole number": {
			`{"count":1.5}`, pizza{}, map[string]string{"count": "must be an integer"},
		},
		"not to change": {map[string]any{"order_id": "o-2", "count": 1},
			pizza{OrderID: "o-1", Size: "M", Count: 1, Address: "", Cheese: false}, nil},
		"missing": {
			map[string]any{"size": ""},
			pizza{}, map[string]string{"size": "is missing", "count": "is missing"},
		},
		"wrong type": {
			map[string]any{"count": "many", "size": "L"},
			pizza{}, map[string]string{"count": "must be an integer"},
		},
		"not of the enum": {
			map[string]any{"count": 1, "size": "XXL"},
			pizza{}, map[string]string{"size": "must be one of S, M, L"},
		},
		"does not fit": {`{"count":1e300}`, pizza{}, map[string]string{"count": "must be an integer"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got pizza
			h := agenttest.New(t, pizzeria(&got), &agenttest.Options{Card: textOnly})
			asked := h.Send("A pizza, please")
			if asked.State() != a2a.TaskStateInputRequired {
				t.Fatalf("got %v", asked)
			}
			var r *agenttest.Result
			if said, isText := test.answer.(string); isText {
				r = h.Reply(asked, said)
			} else {
				r = h.Fill(asked, test.answer)
			}
			if test.problems == nil {
				if r.State() != a2a.TaskStateCompleted || got != test.want {
					t.Errorf("%+v from %v", got, r)
				}
				return
			}
			form, ok := agent.FindForm(r.Task.Status.Message.Parts...)
			asks := ok && r.State() == a2a.TaskStateInputRequired
			if !asks || !reflect.DeepEqual(form.Errors, test.problems) || got != (pizza{}) {
				t.Fatalf("%+v of %v", form.Errors, r)
			}
			if r = h.Fill(r, map[string]any{"size": "L", "count": 2}); r.State() != a2a.TaskStateCompleted ||
				got.Count != 2 {
				t.Errorf("corrected: %v", r)
			}
		})
	}
}

// If a message does not answer the form, the agent decides what to do. This agent asks again.
func TestNoFormAnswer(t *testing.T) {
	t.Parallel()
	var got pizza
	h := agenttest.New(t, pizzeria(&got), nil)
	first := h.Fill(h.Send("Hi"), []int{1})
	if again := h.Reply(first, "What is this?"); again.State() != a2a.TaskStateInputRequired {
		t.Errorf("got %v", again)
	}
	for data, want := range map[string]a2a.TaskState{
		`{"count":"many"}`: a2a.TaskStateInputRequired, `{"count":4}`: a2a.TaskStateInputRequired,
	} {
		unasked := h.SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.Part{Content: a2a.Data(data)}))
		if unasked.State() != want {
			t.Errorf("data that nobody asked for, %s: %v", data, unasked)
		}
	}
	if got != (pizza{}) {
		t.Errorf("got %+v", got)
	}
}

// JSON is taken as the answer to a form only: any other message is held against the card.
func TestFormsNeedNoMediaTypes(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, pizzeria(new(pizza)), &agenttest.Options{Card: textOnly})
	asked := h.Send("Hi")
	send := func(id a2a.TaskID, part a2a.Part) error {
		m := a2a.NewMessage(a2a.RoleUser, part)
		m.TaskID = id
		_, err := h.Service.SendMessage(h.Context(), &a2a.SendMessageRequest{Message: m})
		return err
	}
	order := a2a.Part{Content: a2a.Data(`{"count":1}`)}
	for name, err := range map[string]error{
		"JSON to no task":   send("", order),
		"a picture":         send(asked.Task.ID, a2a.RawPart([]byte("x"), "image/png", "")),
		"to a missing task": send("none", order),
	} {
		if !errors.Is(err, a2a.ErrContentTypeNotSupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := send(asked.Task.ID, order); err != nil {
		t.Errorf("the answer: %v", err)
	}
}

func TestFormOnTheWire(t *testing.T) {
	t.Parallel()
	ask := func(t *agent.Turn) error { return t.AskForm(pizzaSchema, pizza{OrderID: "o-1", Size: "M"}) }
	const words = "Please answer with these lines, filled in:\nSize: M (S, M, L)\nHow many: (such as 2)\n" +
		"delivery_address: (Where it goes; optional)\nextra_cheese: (optional)"
	inOwnWords := func(t *agent.Turn) error { return t.AskForm(pizzaSchema, nil, a2a.TextPart("What?")) }
	withErrors := func(t *agent.Turn) error {
		problems := map[string]string{"size": "is sold out"}
		return agent.Form{Schema: pizzaSchema, Instructions: "Say it again.", Errors: problems}.Ask(t)
	}
	other := strings.NewReplacer("Please answer with these lines, filled in:", "Say it again.",
		"Size: M (S", "Size: (is sold out; S")
	for name, test := range map[string]struct {
		modes       []string
		ask         func(t *agent.Turn) error
		text        string
		form, fails bool
	}{
		"any":         {nil, ask, words, true, false},
		"JSON":        {[]string{"application/json"}, ask, "", true, false},
		"text":        {[]string{"text/plain"}, ask, words, false, false},
		"own words":   {nil, inOwnWords, "What?", true, false},
		"no schema":   {nil, func(t *agent.Turn) error { return t.AskForm(`{"type":"string"}`, nil) }, "", false, true},
		"not JSON":    {nil, func(t *agent.Turn) error { return t.AskForm(`{`, nil) }, "", false, true},
		"no object":   {nil, func(t *agent.Turn) error { return t.AskForm(pizzaSchema, "M") }, "", false, true},
		"with errors": {nil, withErrors, other.Replace(words), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := agenttest.New(t, agent.Func(func(_ context.Context, t *agent.Turn) error { return test.ask(t) }),
				&agenttest.Options{OutputModes: test.modes})
			r := h.Send("Hi")
			if test.fails {
				if r.State() != a2a.TaskStateFailed {
					t.Errorf("got %v", r)
				}
				return
			}
			if r.StatusText() != test.text {
				t.Errorf("words:\n%s\nwant:\n%s", r.StatusText(), test.text)
			}
			form, ok := agent.FindForm(r.Task.Status.Message.Parts...)
			if ok != test.form || ok && !strings.Contains(form.Schema, `"title":"How many"`) {
				t.Errorf("form %v in %v", ok, r)
			}
		})
	}
}

// Documents of strangers are read as far as they go.
func TestFindForm(t *testing.T) {
	t.Parallel()
	data := func(s string) a2a.Part { return a2a.Part{Content: a2a.Data(s)} }
	for doc, found := range map[string]bool{
		`{"type":"form","form":{"type":"object"},"form_data":{"a":1},"instructions":null}`: true,
		`{"type":"form","form":{},"form_data":7,"instructions":{},"errors":["x"]}`:         true,
		`{"type":"form","form":"a"}`: false, `{"type":"receipt","form":{}}`: false, `{"type":7,"form":{}}`: false,
		`["form"]`: false, `null`: false,
	} {
		form, ok := agent.FindForm(a2a.TextPart("words"), data(doc))
		if ok != found {
			t.Errorf("%s: %v", doc, form)
		}
		values, _ := form.Values.(map[string]jsontext.Value)
		if ok && (string(values["a"]) == "1") != strings.Contains(doc, `"a":1`) {
			t.Errorf("%s: values %v", doc, form.Values)
		}
	}
}
