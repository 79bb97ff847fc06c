// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop/rules"
)

// The actions of a [Job].
const (
	ActionDiagnose = "diagnose"
	ActionRepair   = "repair"
)

// Car is a make, a model and a year.
type Car = rules.Car

// A Job is what the mechanic is to do. It is sent as data, or read from text.
type Job struct {
	Action    string `json:"action"`
	Car       Car    `json:"car"`
	Complaint string `json:"complaint"`      // "rattle", "leak" and so on
	Code      string `json:"code,omitempty"` // the error code, once it is known
	Axle      string `json:"axle,omitempty"` // "front" or "rear", where it matters
}

// A Diagnosis is what the mechanic found.
type Diagnosis struct {
	Job     Job      `json:"job"` // with what was found out
	Codes   []string `json:"codes,omitempty"`
	Problem string   `json:"problem"`
	Minutes int      `json:"minutes"` // of work
	Offer   Offer    `json:"offer"`   // of the part that is needed
}

// A Report says what was repaired.
type Report struct {
	Car     Car      `json:"car"`
	Problem string   `json:"problem"`
	Done    []string `json:"done"`
}

// Money is an amount in US cents. Its text, and its JSON, is "64.00".
type Money int64

// String writes "64.00".
func (m Money) String() string { return fmt.Sprintf("%d.%02d", m/100, m%100) }

// MarshalText implements [encoding.TextMarshaler].
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. It takes what MarshalText writes, up to a million.
func (m *Money) UnmarshalText(text []byte) error {
	amount, err := decimal.NewFromString(string(text))
	*m = Money(amount.Shift(2).IntPart())
	if err != nil || m.String() != string(text) || *m < 0 || *m > 1_000_000_00 {
		return fmt.Errorf("%q is no price such as 64.00", text)
	}
	return nil
}

var repairPattern = regexp.MustCompile(`(?i)^\W*(?:please\s+)?(?:repair|fix|replace)\b`)

// read takes what the message says about the job: data as a whole, or else words.
func (j *Job) read(t *agent.Turn) {
	if t.Message() == nil || j.readData(t.Message()) {
		return
	}
	text := t.Text()
	if j.Action == "" {
		j.Action = ActionDiagnose
		if repairPattern.MatchString(text) {
			j.Action = ActionRepair
		}
	}
	j.Car = rules.ReadCar(text, j.Car, true)
	j.Complaint = cmp.Or(rules.Complaint(text), j.Complaint)
	j.Axle = cmp.Or(rules.Axle(text), j.Axle)
}

func (j *Job) readData(m *a2a.Message) bool {
	for _, p := range m.Parts {
		next := *j
		if data, ok := p.Content.(a2a.Data); ok && json.Unmarshal(data, &next) == nil {
			*j = next
			return true
		}
	}
	return false
}

// question asks for what is missing, "" if nothing is.
func (j *Job) question() string {
	switch missing := j.Car.Missing(); {
	case missing != "":
		return fmt.Sprintf("Which car is it? I need %s, as in \"Toyota Camry 2018\".", missing)
	case j.Complaint == "":
		return `What is wrong with it? For example: "it makes a rattling noise".`
	}
	return ""
}

// ordered reports whether the message is the whole order of a repair as data, of which there is nothing to understand.
// It is one also when the turn was interrupted.
func (j *Job) ordered(t *agent.Turn) bool {
	order := *j
	if m := t.Message(); m != nil && !order.readData(m) {
		return false
	}
	return order.Action == ActionRepair && order.question() == ""
}
