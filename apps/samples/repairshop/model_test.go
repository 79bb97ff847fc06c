// SPDX-License-Identifier: Apache-2.0

package repairshop_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

// engines are the options with rules and with a model that makes sense of the tests.
func engines(t *testing.T) map[string]repairshop.Options {
	t.Helper()
	model := llmtest.Func(t, func(r *llmtest.Request) llmtest.Step { return think(t, r) })
	return map[string]repairshop.Options{"rules": {}, "model": {Model: model.Model()}}
}

var (
	jobPattern = regexp.MustCompile(`\{.*\}`)
	carPattern = regexp.MustCompile(`(?:an?|of a) (\w+) (\w+) (?:from )?(\d{4})`)
)

// understood is what a sensible model understands of what was said to it, step by step.
func understood(t *testing.T, messages []llm.Message) repairshop.Job {
	t.Helper()
	var j repairshop.Job
	for _, m := range messages {
		if m.Role != llm.RoleUser {
			continue
		}
		if data := jobPattern.FindString(m.Text); data != "" {
			if err := json.Unmarshal([]byte(data), &j); err != nil {
				t.Error(err)
			}
			continue
		}
		if car := carPattern.FindStringSubmatch(m.Text); car != nil {
			if err := json.Unmarshal([]byte(`{"make":"`+car[1]+`","model":"`+car[2]+`","year":`+car[3]+`}`),
				&j.Car); err != nil {
				t.Error(err)
			}
		}
		for word, complaint := range map[string]string{"clunk": "clunk", "squeal": "squeal", "rattl": "rattle"} {
			if strings.Contains(m.Text, word) {
				j.Complaint = complaint
			}
		}
		for _, axle := range []string{"front", "rear"} {
			if strings.Contains(m.Text, axle) {
				j.Axle = axle
			}
		}
		if strings.HasPrefix(m.Text, "Fix") {
			j.Action = repairshop.ActionRepair
		}
	}
	return j
}

// think is what a sensible model does: it scans, looks up, and says what it has found.
func think(t *testing.T, r *llmtest.Request) llmtest.Step {
	call := func(tool string, args map[string]any) llmtest.Step {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Error(err)
		}
		return llmtest.Calls(llmtest.Call{Name: tool, Args: string(raw)})
	}
	j := understood(t, r.Messages)
	switch {
	case j.Car.Year == 0:
		return call("ask", map[string]any{"question": "Which car is it?"})
	case j.Complaint == "":
		return call("ask", map[string]any{"question": "What is wrong with it?"})
	}
	job := map[string]any{"make": j.Car.Make, "model": j.Car.Model, "year": j.Car.Year, "complaint": j.Complaint}
	if j.Axle != "" {
		job["axle"] = j.Axle
	}
	if j.Action == repairshop.ActionRepair {
		return call("repair", job)
	}
	results := r.Results()
	if len(results) == 0 {
		id := strings.ToUpper(strings.ReplaceAll(j.Car.String(), " ", "-"))
		return call("scan_vehicle_for_error_codes", map[string]any{"vehicle_id": id})
	}
	page := map[string]any{"vehicle_make": j.Car.Make, "vehicle_model": j.Car.Model, "axle": j.Axle,
		"complaint": j.Complaint}
	var scanned struct {
		Codes []string `json:"error_codes"`
	}
	if json.Unmarshal([]byte(results[0].Text), &scanned) == nil && len(scanned.Codes) > 0 &&
		slices.Contains([]string{"light", "rattle", "rough"}, j.Complaint) {
		job["code"], page["error_code"] = scanned.Codes[0], scanned.Codes[0]
	}
	if len(results) == 1 {
		return call("get_repair_procedure", page)
	}
	if strings.Contains(results[1].Text, "axles") {
		return call("ask", map[string]any{"question": "Is it at the front or at the rear?"})
	}
	return call("diagnosis", job)
}

func mechanicWith(t *testing.T, m llm.Model) wiretest.Sample {
	o := repairshop.Options{Model: m}
	return wiretest.Sample{Card: repairshop.MechanicCard(), Agent: func() agent.Agent {
		return repairshop.NewMechanic(repairshop.Open(newEngine(t, nil), repairshop.Options{}).Supplier, o)
	}}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	down := wiretest.Outcome{State: a2a.TaskStateFailed, Text: "The language model could not be asked."}
	wiretest.Providers(t, wiretest.Engine{
		Sample:  func(m llm.Model) wiretest.Sample { return mechanicWith(t, m) },
		Opening: func() *a2a.Message { return wiretest.Message("Diagnose a Toyota Camry 2018 that rattles") },
		Converse: func(t *testing.T, c *wiretest.Caller) {
			wiretest.Want(t, c.Say(t, "Diagnose a Toyota Camry 2018 that rattles"), a2a.TaskStateCompleted,
				"ylinders misfire because of a worn ignition coil. Part #12345")
			c.WantProgress(t, "Scanning the car for error codes.")
			asked := c.Say(t, "Diagnose a Mazda CX5 2016 that squeals")
			wiretest.Want(t, asked, a2a.TaskStateInputRequired, "front or at the rear")
			wiretest.Want(t, c.Send(t, wiretest.Answer(asked, a2a.TextPart("rear"))), a2a.TaskStateCompleted,
				"he rear brake pads are worn")
		},
		Thinks: think,
		Names:  true,
		Down:   down, Busy: wiretest.Outcome{State: a2a.TaskStateFailed, Text: "is busy"},
		Refused: wiretest.Outcome{State: a2a.TaskStateRejected, Text: "refuses"},
	})
}

// The mechanic checks the job that a model describes. A repair that is ordered as data needs no model.
func TestModelsMistakes(t *testing.T) {
	t.Parallel()
	diagnosis := func(args string) llmtest.Step {
		return llmtest.Calls(llmtest.Call{Name: "diagnosis", Args: args})
	}
	const right = `{"make":"Toyota","model":"Camry","year":2018,"complaint":"squeal","axle":"front"}`
	for name, row := range map[string]struct {
		script []llmtest.Step
		want   string
	}{
		"a code that nobody read": {[]llmtest.Step{diagnosis(
			`{"make":"Toyota","model":"Camry","year":2018,"complaint":"rattle","code":"P0300"}`), diagnosis(right)},
			"COMPLETED: The front brake pads"},
		"no year": {[]llmtest.Step{diagnosis(
			`{"make":"Toyota","model":"Camry","year":0,"complaint":"rattle"}`), diagnosis(right)},
			"COMPLETED: The front brake pads"},
		"another complaint": {[]llmtest.Step{diagnosis(
			`{"make":"Toyota","model":"Camry","year":2018,"complaint":"flies"}`), diagnosis(right)},
			"COMPLETED: The front brake pads"},
		"no axle": {[]llmtest.Step{diagnosis(
			`{"make":"Toyota","model":"Camry","year":2018,"complaint":"squeal"}`)},
			"INPUT_REQUIRED: Is it at the front or at the rear?"},
		"the lift": {[]llmtest.Step{llmtest.Calls(
			llmtest.Call{Name: "raise_platform", Args: `{"height_meters":2}`}), diagnosis(right)},
			"COMPLETED: The front brake pads"},
		"words alone": {[]llmtest.Step{llmtest.Text("Which car?")}, "INPUT_REQUIRED: Which car?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTools()
			o := repairshop.Options{Model: llmtest.New(t, row.script...).Model(), Tools: s.open}
			c := &talk{t: t, svc: repairshop.Open(newEngine(t, nil), o).Mechanic}
			if got := c.words("look at it"); !strings.HasPrefix(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
			if slices.Contains(s.calls(), "raise_platform") {
				t.Error("the model has moved the lift")
			}
		})
	}
	order, err := a2a.DataPart(repairshop.Job{Action: repairshop.ActionRepair,
		Car: repairshop.Car{Make: "Mazda", Model: "3", Year: 2016}, Complaint: "squeal", Axle: "front"})
	if err != nil {
		t.Fatal(err)
	}
	c := &talk{t: t, svc: repairshop.Open(newEngine(t, nil),
		repairshop.Options{Model: llmtest.New(t).Model()}).Mechanic}
	if got := c.say(order); !strings.HasPrefix(got, "COMPLETED: The Mazda 3 2016 is repaired.") {
		t.Error(got)
	}
}
