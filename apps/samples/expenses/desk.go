// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/shopspring/decimal"
)

// A Request is one request for reimbursement. Fields that are not known are empty; those that are wrong are kept as
// they were written, until somebody corrects them.
type Request struct {
	ID      string `json:"id"` // "": there is none yet
	Date    string `json:"date,omitzero"`
	Amount  string `json:"amount,omitzero"`
	Purpose string `json:"purpose,omitzero"`
}

// missing names the fields that are empty and about which nothing else is wrong.
func (r Request) missing(problems map[string]string) []string {
	var names []string
	for _, f := range []struct{ name, value string }{{fieldDate, r.Date}, {fieldAmount, r.Amount},
		{fieldPurpose, r.Purpose}} {
		if f.value == "" && problems[f.name] == "" {
			names = append(names, f.name)
		}
	}
	return names
}

// values are what a message says about the fields; empty ones say nothing.
type values struct {
	Date    string `json:"date"`
	Amount  string `json:"amount"`
	Purpose string `json:"purpose"`
}

type actionKind int

const (
	say      actionKind = iota // nothing: the text is the answer
	create                     // a new request with the values
	submit                     // the values for the request, which is to be approved
	withdraw                   // the request is taken back
	pass                       // more than is read: the text says so
)

// An action is what a message wants done. Engines make actions of texts; the desk carries them out.
type action struct {
	kind     actionKind
	id       string // of the request it is about; "": that of the task
	values   values
	problems map[string]string // what could not be read, by field
	text     string            // of say and pass
}

type outcomeKind int

const (
	showForm outcomeKind = iota
	approve
	takeBack
	refuse
	tell
)

// An outcome is what the agent does about a message.
type outcome struct {
	kind     outcomeKind
	request  Request
	problems map[string]string // of showForm
	text     string
}

// A desk has the request of the task, in the light of which a message is dealt with.
type desk struct {
	request  Request
	now      time.Time
	limit    decimal.Decimal
	currency string
	newID    func() string
}

// newRequestID returns an id that is hard to guess by accident.
func newRequestID() string {
	return fmt.Sprintf("request_id_%d", 1_000_000+rand.IntN(9_000_000))
}

// do carries an action out. It is the one place where requests change.
func (d *desk) do(a action) outcome {
	known := d.request.ID != ""
	switch {
	case a.id != "" && a.id != d.request.ID:
		return d.refuseID(a.id)
	case (a.kind == say || a.kind == pass) && known:
		return outcome{kind: showForm, request: d.request, text: a.text}
	case a.kind == say:
		return outcome{kind: tell, text: a.text}
	case a.kind == pass:
		return outcome{kind: refuse, text: a.text}
	case a.kind == withdraw && !known:
		return outcome{kind: tell, text: "There is no open request that could be withdrawn."}
	case a.kind == withdraw:
		return outcome{kind: takeBack, text: fmt.Sprintf("Request %s was withdrawn.", d.request.ID)}
	case !known:
		d.request.ID = d.newID()
	}
	r := &d.request
	problems := d.fill(r, a)
	// A new form is always shown first: nobody is paid for a sentence that was misread.
	if a.kind == create || !known || len(problems)+len(r.missing(nil)) > 0 {
		return outcome{kind: showForm, request: *r, problems: problems}
	}
	text := fmt.Sprintf("Your reimbursement request %s has been approved: %s for %s on %s.", r.ID, r.Amount, r.Purpose,
		r.Date)
	return outcome{kind: approve, request: *r, text: text}
}

// refuseID answers an id that this task does not have, which may be that of somebody else's request: the answer is the
// same whether it exists or not.
func (d *desk) refuseID(id string) outcome {
	text := fmt.Sprintf("There is no request %q in this task.", short(id))
	if d.request.ID != "" {
		return outcome{kind: showForm, request: d.request, problems: map[string]string{fieldID: text}}
	}
	return outcome{kind: refuse, text: text + " To make one, say what you paid, and for what."}
}

// fill takes the values into the request and checks all fields.
func (d *desk) fill(r *Request, a action) (problems map[string]string) {
	problems = make(map[string]string)
	maps.Copy(problems, a.problems)
	_, currency, _ := splitAmount(r.Amount)
	for _, f := range []struct {
		field      *string
		name, said string
		check      func(string) (value, problem string)
	}{
		{&r.Date, fieldDate, a.values.Date, func(s string) (string, string) { return checkDate(s, d.now) }},
		{&r.Amount, fieldAmount, a.values.Amount, func(s string) (string, string) {
			return checkAmount(s, cmp.Or(currency, d.currency), d.limit)
		}},
		{&r.Purpose, fieldPurpose, a.values.Purpose, checkPurpose},
	} {
		*f.field = cmp.Or(clean(f.said), *f.field)
		if *f.field == "" || problems[f.name] != "" {
			continue
		}
		value, problem := f.check(*f.field)
		*f.field = value
		if problem != "" {
			problems[f.name] = problem
		}
	}
	return problems
}
