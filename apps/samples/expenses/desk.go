// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"crypto/rand"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Status says what became of a request.
type Status string

// The statuses of a request.
const (
	Open      Status = "open"
	Approved  Status = "approved"
	Withdrawn Status = "withdrawn"
)

// A Request is one request for reimbursement. Fields that are not known are empty; those that are wrong are kept as they
// were written, until somebody corrects them.
type Request struct {
	ID      string `json:"id"`
	Date    string `json:"date,omitzero"`
	Amount  string `json:"amount,omitzero"`
	Purpose string `json:"purpose,omitzero"`
	Status  Status `json:"status"`
}

// missing names the fields that are empty and about which nothing else is wrong.
func (r Request) missing(problems map[string]string) []string {
	var names []string
	for _, f := range []struct{ name, value string }{{fieldDate, r.Date}, {fieldAmount, r.Amount}, {fieldPurpose, r.Purpose}} {
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

// actionKind is what a message wants done.
type actionKind int

const (
	say      actionKind = iota // nothing: the text is the answer
	create                     // a new request with the values
	submit                     // the values for the open request, which is to be approved
	withdraw                   // the open request is taken back
	pass                       // more than is read: the text says so
)

// An action is what a message wants done. Engines make actions of texts; the desk carries them out.
type action struct {
	kind     actionKind
	id       string // of the request it is about; "": the open one
	values   values
	problems map[string]string // what could not be read, by field
	text     string            // of say and pass
}

// A situation is what is known when a text is read.
type situation struct {
	request Request // what the text may be about; the zero value when there is nothing
	own     bool    // the task is about that request
	today   string  // 2006-01-02
}

// outcomeKind is how a message ends.
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

// maxKept is how many requests are kept of a conversation: the newest.
const maxKept = 100

// A desk has the requests of a conversation, and the one of the task, in the light of which a message is dealt with.
type desk struct {
	requests []Request // oldest first
	own      string    // id of the request that the task is about; "" when there is none yet
	now      time.Time
	limit    decimal.Decimal
	currency string
	newID    func() string
}

// newRequestID returns an id that is hard to guess by accident.
func newRequestID() string {
	n, err := rand.Int(rand.Reader, big.NewInt(9_000_000))
	if err != nil {
		panic(err) // crypto/rand ends the program before it fails
	}
	return fmt.Sprintf("request_id_%d", n.Int64()+1_000_000)
}

func (d *desk) find(id string) (Request, bool) {
	i := slices.IndexFunc(d.requests, func(r Request) bool { return r.ID == id })
	if i < 0 {
		return Request{}, false
	}
	return d.requests[i], true
}

// put keeps a request, in the place of the one with its id.
func (d *desk) put(r Request) {
	i := slices.IndexFunc(d.requests, func(old Request) bool { return old.ID == r.ID })
	if i >= 0 {
		d.requests[i] = r
		return
	}
	d.requests = append(d.requests, r)
	if over := len(d.requests) - maxKept; over > 0 {
		d.requests = slices.Delete(d.requests, 0, over)
	}
}

// current is the request that a message without an id is about: that of the task or, when the task is new, the newest
// open one of the conversation.
func (d *desk) current() (Request, bool) {
	if d.own != "" {
		return d.find(d.own)
	}
	for _, r := range slices.Backward(d.requests) {
		if r.Status == Open {
			return r, true
		}
	}
	return Request{}, false
}

// do carries an action out. It is the one place where requests change.
func (d *desk) do(a action) outcome {
	r, known := d.current()
	if a.id != "" && a.id != r.ID {
		other, ok := d.find(a.id)
		if !ok {
			return d.refuseID(r, known, a.id)
		}
		r, known = other, true
	}
	switch {
	case (a.kind == say || a.kind == pass) && known && d.own != "" && r.Status == Open:
		return outcome{kind: showForm, request: r, text: a.text}
	case a.kind == say:
		return outcome{kind: tell, text: a.text}
	case a.kind == pass:
		return outcome{kind: refuse, text: a.text}
	case a.kind == withdraw && !known:
		return outcome{kind: tell, text: "There is no open request that could be withdrawn."}
	case a.kind == create, !known: // a form that was filled without having been asked for is shown before it counts
		return d.create(a)
	case r.Status == Withdrawn:
		return outcome{kind: refuse, request: r, text: fmt.Sprintf("Request %s was withdrawn. To claim the expense after all, make a new request.", r.ID)}
	case r.Status == Approved:
		return outcome{kind: approve, request: r, text: fmt.Sprintf("Your reimbursement request %s was approved already: %s.", r.ID, r.summary())}
	case a.kind == withdraw:
		return d.withdraw(r)
	}
	return d.submit(r, a)
}

// create begins a request. Its form is always shown first: nobody is paid for a sentence that was misread.
func (d *desk) create(a action) outcome {
	r := Request{ID: d.newID(), Status: Open}
	problems := d.fill(&r, a)
	d.put(r)
	d.own = r.ID
	return outcome{kind: showForm, request: r, problems: problems}
}

// submit fills the request and approves it when nothing is wrong or missing.
func (d *desk) submit(r Request, a action) outcome {
	problems := d.fill(&r, a)
	out := outcome{kind: showForm, problems: problems}
	if len(problems) == 0 && len(r.missing(nil)) == 0 {
		r.Status = Approved
		out = outcome{kind: approve, text: fmt.Sprintf("Your reimbursement request %s has been approved: %s.", r.ID, r.summary())}
	}
	d.put(r)
	d.own = or(d.own, r.ID)
	out.request = r
	return out
}

func (r Request) summary() string { return fmt.Sprintf("%s for %s on %s", r.Amount, r.Purpose, r.Date) }

func (d *desk) withdraw(r Request) outcome {
	r.Status = Withdrawn
	d.put(r)
	text := fmt.Sprintf("Request %s was withdrawn.", r.ID)
	if d.own != r.ID {
		return outcome{kind: tell, request: r, text: text} // the task that asked for the form is another one
	}
	return outcome{kind: takeBack, request: r, text: text}
}

// refuseID answers an id that this conversation does not have, which may be that of somebody else's request: the answer
// is the same whether it exists or not.
func (d *desk) refuseID(r Request, known bool, id string) outcome {
	text := fmt.Sprintf("There is no request %q in this conversation.", short(id))
	if known && r.ID == d.own && r.Status == Open {
		return outcome{kind: showForm, request: r, problems: map[string]string{fieldID: text}}
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
			return checkAmount(s, or(currency, d.currency), d.limit)
		}},
		{&r.Purpose, fieldPurpose, a.values.Purpose, checkPurpose},
	} {
		*f.field = or(clean(f.said), *f.field)
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
