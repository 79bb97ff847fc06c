// SPDX-License-Identifier: Apache-2.0

package conformance

import "time"

// An Outcome is what came of a check.
type Outcome string

// The outcomes.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"    // the agent does what it must not, or not what it must
	Missing Outcome = "missing" // the agent advertises what it does not have
	Warn    Outcome = "warn"    // the agent does not do what it should; no failure
	Skip    Outcome = "skip"    // there was nothing to check
)

// A Result is what came of one check over one interface.
type Result struct {
	Check        string        `json:"check"`
	Title        string        `json:"title"`
	Outcome      Outcome       `json:"outcome"`
	Profile      string        `json:"profile"`
	Transport    string        `json:"transport,omitzero"` // empty for the card
	Clause       string        `json:"clause,omitzero"`
	Level        string        `json:"level,omitzero"`
	Requirements []string      `json:"requirements,omitempty"` // ids in docs/requirements.md
	Duration     time.Duration `json:"-"`

	// Reason says what was wrong, or why the check was skipped.
	Reason string `json:"reason,omitzero"`
	// The rest is there when something was wrong. Request and Answer are shortened, and secrets are left out.
	Expected string `json:"expected,omitzero"`
	Request  string `json:"request,omitzero"`
	Answer   string `json:"answer,omitzero"`
	Advice   string `json:"advice,omitzero"`
}

// Bad reports whether the agent broke the standard.
func (r *Result) Bad() bool { return r.Outcome == Fail || r.Outcome == Missing }

// A Report is what came of a run.
type Report struct {
	URL     string   `json:"url"`
	Agent   string   `json:"agent"` // as its card names it
	Results []Result `json:"results"`
}

// Count returns how many checks had an outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Outcome == o {
			n++
		}
	}
	return n
}

// Conforms reports whether the agent broke the standard nowhere.
func (r *Report) Conforms() bool { return r.Count(Fail)+r.Count(Missing) == 0 }
