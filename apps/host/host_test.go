// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	reimbursement "github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

var serve = a2atest.Serve

// cardOf is a card of an agent with one skill.
func cardOf(name, description string, tags ...string) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: name, Description: description, Version: "1",
		DefaultInputModes: []string{"*/*"}, DefaultOutputModes: []string{"*/*"},
		Skills: []a2a.AgentSkill{{ID: strings.ToLower(name), Name: name, Description: description, Tags: tags}},
	}
}

// world is a host and the agents that it knows.
type world struct {
	*agenttest.Harness
	directory *host.Directory
}

// newWorld makes a host over agents at URLs. tune may change its options.
func newWorld(t *testing.T, tune func(*host.Options, *host.DirectoryOptions), urls ...string) *world {
	t.Helper()
	dirOptions, options := &host.DirectoryOptions{}, host.Options{ID: "the-host"}
	for _, url := range urls {
		dirOptions.Agents = append(dirOptions.Agents, host.AgentRef{Card: url})
	}
	if tune != nil {
		tune(&options, dirOptions)
	}
	d, err := host.NewDirectory(dirOptions)
	if err != nil {
		t.Fatal(err)
	}
	return newWorldOver(t, d, options)
}

// newWorldOver makes a host over a directory, which it closes at the end.
func newWorldOver(t *testing.T, d *host.Directory, options host.Options) *world {
	t.Helper()
	options.Directory = d
	h, err := host.New(options)
	if err != nil {
		t.Fatal(err)
	}
	harness := agenttest.New(t, h, &agenttest.Options{Card: host.Card(), Engine: &engine.Options{Logger: quiet}})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		harness.Engine.Shutdown(ctx)
		d.Close()
	})
	return &world{harness, d}
}

// expenses plays the reimbursement agent: a form first, approval when it comes back.
var expenses = agent.Func(func(ctx context.Context, t *agent.Turn) error {
	for _, p := range t.Message().Parts {
		if data, ok := p.Content.(a2a.Data); ok {
			var filled struct {
				Data map[string]string `json:"form_data"`
			}
			if err := json.Unmarshal(data, &filled); err != nil {
				return err
			}
			return t.Artifact("receipt",
				a2a.TextPart(fmt.Sprintf("%s: %s approved", filled.Data["request_id"], filled.Data["amount"])))
		}
	}
	if err := t.Working(a2a.TextPart("Processing the reimbursement request...")); err != nil {
		return err
	}
	form, err := a2a.DataPart(map[string]any{
		"type": "form", "form": map[string]any{"type": "object"},
		"form_data": map[string]string{"request_id": "request_id_1234567", "amount": amountIn(t.Text()),
			"purpose": t.Text()},
	})
	if err != nil {
		return err
	}
	return t.Ask(a2a.TextPart("Please fill the form."), form)
})

// amountIn returns the number in a text and the word after it.
func amountIn(text string) string {
	words := strings.Fields(text)
	at := slices.IndexFunc(words, func(w string) bool { return w[0] >= '0' && w[0] <= '9' })
	if at < 0 || at+1 == len(words) {
		return ""
	}
	return words[at] + " " + words[at+1]
}

func expensesCard() *a2a.AgentCard {
	return cardOf("Reimbursement Agent", "Handles the reimbursement of expenses of employees", "reimbursement")
}

// statuses returns what a stream showed as work.
func statuses(r *agenttest.Result) []string {
	var all []string
	for _, e := range r.Events {
		if u, ok := e.(*a2a.StatusUpdate); ok && u.Status.State == a2a.TaskStateWorking && u.Status.Message != nil {
			all = append(all, u.Status.Message.Text())
		}
	}
	return all
}

// dataOf returns the data of parts.
func dataOf(t *testing.T, parts []a2a.Part) []string {
	t.Helper()
	var all []string
	for _, p := range parts {
		if data, ok := p.Content.(a2a.Data); ok {
			all = append(all, string(data))
		}
	}
	return all
}

// form answers a form with its own data.
func form(t *testing.T, question *a2a.Message) a2a.Part {
	t.Helper()
	found := dataOf(t, question.Parts)
	if len(found) != 1 {
		t.Fatalf("%d forms in %+v", len(found), question)
	}
	var f struct {
		Data map[string]string `json:"form_data"`
	}
	if err := json.Unmarshal([]byte(found[0]), &f); err != nil {
		t.Fatal(err)
	}
	part, err := a2a.DataPart(map[string]any{"type": "form_response", "form_data": f.Data})
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// The sentence that the first samples of the protocol are shown with.
func TestConvertsThenFillsTheForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil,
		serve(t, expenses, expensesCard()),
		serve(t, currency.New(currency.Options{}), currency.Card()))
	r := w.Send("reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.")
	if r.State() != a2a.TaskStateInputRequired {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	all := strings.Join(statuses(r), "\n")
	if i, j := strings.Index(all, "→ Currency Agent: Looking up"),
		strings.Index(all, "→ Reimbursement Agent: Processing"); i < 0 || j < i {
		t.Errorf("statuses:\n%s", all)
	}
	found := dataOf(t, r.Task.Status.Message.Parts)
	if len(found) != 1 || !strings.Contains(found[0], `"amount":"21.58 USD"`) {
		t.Fatalf("the form is %s", found)
	}
	m := a2a.NewMessage(a2a.RoleUser, form(t, r.Task.Status.Message))
	m.TaskID, m.ContextID = r.Task.ID, r.Task.ContextID
	r = w.SendMessage(m)
	if r.State() != a2a.TaskStateCompleted || !strings.Contains(r.Text(), "request_id_1234567: 21.58 USD approved") ||
		!strings.Contains(r.Text(), "20 EUR = 21.5") {
		t.Errorf("%v: %s", r.State(), r.Text())
	}
}

// The same with the sample that fills its form by itself, as far as it knows, and wants the rest.
func TestConvertsThenFillsTheFormOfTheSample(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil,
		serve(t, reimbursement.New(reimbursement.Options{}), reimbursement.Card()),
		serve(t, currency.New(currency.Options{}), currency.Card()))
	r := w.Send("reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.")
	if r.State() != a2a.TaskStateInputRequired {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	found := dataOf(t, r.Task.Status.Message.Parts)
	if len(found) != 1 {
		t.Fatalf("forms %s", found)
	}
	var filled struct {
		Data reimbursement.FormData `json:"form_data"`
	}
	if err := json.Unmarshal([]byte(found[0]), &filled); err != nil || filled.Data.Amount != "21.58 USD" {
		t.Fatalf("%+v, %v", filled, err)
	}
	filled.Data.Date, filled.Data.Purpose = "yesterday", "lunch"
	part, err := a2a.DataPart(filled.Data)
	if err != nil {
		t.Fatal(err)
	}
	m := a2a.NewMessage(a2a.RoleUser, part)
	m.TaskID = r.Task.ID
	r = w.SendMessage(m)
	if r.State() != a2a.TaskStateCompleted || !strings.Contains(r.Text(), "approved") ||
		!strings.Contains(r.Text(), "21.58 USD") {
		t.Errorf("%v: %s", r.State(), r.Text())
	}
}

// fails is an agent that fails and says why.
func fails(why string) agent.Agent {
	return agent.Func(func(context.Context, *agent.Turn) error { return agent.Public(why, nil) })
}
