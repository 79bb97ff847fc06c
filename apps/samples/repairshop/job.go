// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop/rules"
)

// A phase is how far a repair is.
type phase string

const (
	phaseIntake   phase = ""         // asks what is wrong, and with which car
	phaseDiagnose phase = "diagnose" // the mechanic looks at it
	phaseEstimate phase = "estimate" // the customer decides
	phaseOrder    phase = "order"    // the supplier takes the order
	phaseDelivery phase = "delivery" // the part is on its way
	phaseRepair   phase = "repair"   // the mechanic repairs it
	phaseDone     phase = "done"
)

// A ticket is what the manager keeps of a repair.
type ticket struct {
	Phase     phase         `json:"phase"`
	Read      a2a.MessageID `json:"read"` // the last message that was read
	Car       Car           `json:"car"`
	Complaint string        `json:"complaint"`
	Axle      string        `json:"axle"`
	Since     string        `json:"since"`
	Asked     bool          `json:"asked"` // for a picture, which is optional

	Diagnosis Diagnosis `json:"diagnosis"`
	Estimate  Estimate  `json:"estimate"`
	Ordered   Order     `json:"ordered"`
	Arrives   time.Time `json:"arrives"`
}

// An Estimate is what a repair will cost and when it can be done.
type Estimate struct {
	Car          Car    `json:"car"`
	Problem      string `json:"problem"`
	Part         string `json:"part"`
	PartPrice    Money  `json:"partPrice"`
	Work         Money  `json:"work"`
	Total        Money  `json:"total"`
	Currency     string `json:"currency"`
	DeliveryDays int    `json:"deliveryDays"` // until the part is there
}

const hourlyRate Money = 90_00

func newEstimate(d Diagnosis) Estimate {
	e := Estimate{
		Car: d.Job.Car, Problem: clean(d.Problem), Part: clean(d.Offer.Name), PartPrice: d.Offer.Price, Currency: "USD",
		DeliveryDays: d.Offer.DeliveryDays,
		Work:         hourlyRate * Money(d.Minutes) / 60,
	}
	e.Total = e.PartPrice + e.Work
	return e
}

// String says an estimate in words, without the question.
func (e Estimate) String() string {
	part := "The part is in stock."
	if e.DeliveryDays > 0 {
		part = fmt.Sprintf("The part is out of stock and takes %s.", days(e.DeliveryDays))
	}
	return fmt.Sprintf("%s: %s. %s $%s and work $%s make $%s. %s", e.Car, lowerFirst(e.Problem), e.Part, e.PartPrice,
		e.Work, e.Total, part)
}

// read takes what a message of the customer says, as far as the phase has a use for it. The error, if any, ends the
// turn: the customer wants no more.
func (k *ticket) read(t *agent.Turn) error {
	text := t.Text()
	if rules.Ends(text) && (k.Phase == phaseIntake || k.Phase == phaseDiagnose || k.Phase == phaseEstimate) {
		return agent.Withdraw(a2a.TextPart("All right, nothing was done, and there is nothing to pay."))
	}
	agrees, clear := rules.Agrees(text)
	switch {
	case k.Phase == phaseIntake:
		k.readComplaint(t.Message(), text)
	case k.Phase == phaseEstimate && agrees:
		k.Phase = phaseOrder
	case k.Phase == phaseEstimate && clear:
		return agent.Withdraw(a2a.TextPart("All right, we leave it as it is. Nothing was ordered, and there is " +
			"nothing to pay."))
	}
	return nil
}

// readComplaint takes car, complaint and all that comes with them.
func (k *ticket) readComplaint(m *a2a.Message, text string) {
	asked := k.Complaint != "" // then only the car, or more about the complaint, was asked for
	k.Car = rules.ReadCar(text, k.Car, asked)
	k.Complaint = cmp.Or(k.Complaint, rules.Complaint(text))
	k.Axle = cmp.Or(rules.Axle(text), k.Axle)
	k.Since = cmp.Or(clean(rules.Since(text)), k.Since)
	k.Asked = k.Asked || slices.ContainsFunc(m.Parts, isPicture) // it is here already
}

func isPicture(p a2a.Part) bool {
	switch p.Content.(type) {
	case a2a.Raw, a2a.URL:
		return true
	}
	return false
}

// question asks for what is still missing, "" if nothing is.
func (k *ticket) question() string {
	missing := k.Car.Missing()
	switch {
	case k.Complaint == "" && missing != "":
		return `What is wrong, and with which car? For example: "My Toyota Camry 2018 is making a rattling noise."`
	case k.Complaint == "":
		return fmt.Sprintf(
			`What is wrong with the %s? For example: "it makes a rattling noise", "the brakes squeal",`+
				` or "it does not start".`, k.Car)
	case missing != "":
		return fmt.Sprintf(`Which car is it? I need %s, as in "Toyota Camry 2018".`, missing)
	case !k.Asked:
		return `Since when? And can you send a picture or a video of it? If not, say "no".`
	}
	return ""
}

// describe says the complaint in words, for the mechanic.
func (k *ticket) describe() string {
	text := fmt.Sprintf("Please find out what is wrong with a %s: %s", k.Car, rules.Describe(k.Complaint))
	if k.Axle != "" {
		text += ", at the " + k.Axle
	}
	if k.Since != "" {
		text += ", " + k.Since
	}
	return text + "."
}

// maxPictures is how many of the customer's files the mechanic gets.
const maxPictures = 5

func pictures(t *agent.Turn) []a2a.Part {
	var all []a2a.Part
	for _, m := range t.Task().History {
		for _, p := range m.Parts {
			if m.Role == a2a.RoleUser && isPicture(p) {
				all = append(all, p)
			}
		}
	}
	return all[max(0, len(all)-maxPictures):]
}

// explain tells the customer what another agent did not do. Other errors stay: they are questions, or the turn is over.
func explain(err error) error {
	failed, ok := errors.AsType[*agent.DelegateError](err)
	if !ok {
		return err
	}
	who, _, _ := strings.Cut(strings.ToLower(failed.Name), "/")
	text := "did not take the request."
	switch {
	case failed.Refused():
	case failed.Task == nil:
		text = "cannot be reached now. Please try again later."
	default:
		text = strings.TrimSpace("could not do it. " + clean(failed.Task.Status.Message.Text()))
	}
	return agent.Public(fmt.Sprintf("Our %s %s", who, text), err)
}
