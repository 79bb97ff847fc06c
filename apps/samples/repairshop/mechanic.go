// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// Names of the artifacts that carry the mechanic's results.
const (
	DiagnosisName = "diagnosis"
	ReportName    = "report"
)

// NewMechanic returns the mechanic, who has a [Job] done, sent as data or in words ("diagnose the rattling noise of a
// Toyota Camry 2018"). A diagnosis uses the scanner and the manual, and asks the supplier for the part; a repair uses
// the manual and the lift. When it matters which axle it is, the mechanic asks.
func NewMechanic(supplier a2a.Service, o Options) agent.Agent { return &mechanic{supplier, o} }

// mechanic implements [agent.Agent], [agent.Resumable] and [agent.Delegator].
type mechanic struct {
	supplier a2a.Service
	opts     Options
}

// Resumable says that a turn that was interrupted can be run again.
func (*mechanic) Resumable() bool { return true }

const toOffer = "Supplier"

// Delegates says who does it, so that a cancel reaches them also after a restart.
func (m *mechanic) Delegates() map[string]a2a.Service {
	return map[string]a2a.Service{toOffer: m.supplier}
}

// workOrder is what is kept of a task.
type workOrder struct {
	Job  Job           `json:"job"`
	Done int           `json:"done"`           // steps of the repair
	Talk []llm.Message `json:"talk,omitempty"` // with a model: what was said

	codes []string // that the scanner has read in this turn
}

// Run does one job. A model or the rules find out what it is; the rest is the same.
func (m *mechanic) Run(ctx context.Context, t *agent.Turn) error {
	var w workOrder
	if _, err := t.LoadTask(ctx, &w); err != nil {
		return fmt.Errorf("load the work order: %w", err)
	}
	tools, err := openBench(ctx, m.opts.Tools)
	if err != nil {
		return err
	}
	defer tools.Close()
	next, question := m.diagnose, ""
	if m.opts.Model != nil && !w.Job.ordered(t) {
		next = m.conclude
		question, err = m.understand(ctx, t, tools, &w)
	} else {
		w.Job.read(t)
		question = w.Job.question()
	}
	switch {
	case err != nil:
		return err
	case question != "":
		return w.ask(ctx, t, question)
	case w.Job.Action == ActionRepair:
		return m.repair(ctx, t, tools, &w)
	}
	return next(ctx, t, tools, &w)
}

// ask asks the customer, and keeps the question.
func (w *workOrder) ask(ctx context.Context, t *agent.Turn, question string) error {
	w.Talk = append(w.Talk, llm.Assistant(question))
	if err := t.SaveTask(ctx, w); err != nil {
		return err
	}
	return t.Ask(a2a.TextPart(question))
}

// pause shows what is done and takes the time for it.
func (m *mechanic) pause(ctx context.Context, t *agent.Turn, text string) error {
	if err := t.Working(a2a.TextPart(text)); err != nil {
		return err
	}
	return retry.Sleep(ctx, m.opts.Pace)
}

// complaintsOfEngines are those that error codes explain.
var complaintsOfEngines = []string{"light", "rattle", "rough"}

func (m *mechanic) diagnose(ctx context.Context, t *agent.Turn, tools *bench, w *workOrder) error {
	j := &w.Job
	if err := m.pause(ctx, t, fmt.Sprintf("Scanning the %s for error codes.", j.Car)); err != nil {
		return err
	}
	if err := tools.scan(ctx, w); err != nil {
		return failed(ctx, err)
	}
	if j.Code = ""; len(w.codes) > 0 && slices.Contains(complaintsOfEngines, j.Complaint) {
		j.Code = w.codes[0]
	}
	if err := m.pause(ctx, t, "Looking it up in the repair manual."); err != nil {
		return err
	}
	return m.conclude(ctx, t, tools, w)
}

// whichAxle is asked where it matters.
const whichAxle = "Is it at the front or at the rear?"

// conclude makes a diagnosis of a job, and has the part offered.
func (m *mechanic) conclude(ctx context.Context, t *agent.Turn, tools *bench, w *workOrder) error {
	p, err := tools.procedure(ctx, w.Job)
	if err != nil {
		return failed(ctx, err)
	}
	if len(p.Axles) > 0 {
		return w.ask(ctx, t, whichAxle)
	}
	offer, err := m.offer(ctx, t, w.Job.Car, p.Part)
	if err != nil {
		return err
	}
	d := Diagnosis{Job: w.Job, Codes: w.codes, Problem: p.Problem, Minutes: p.Minutes, Offer: offer}
	return reply.Artifact(t, DiagnosisName, fmt.Sprintf("%s. %s", d.Problem, offer.describe(d.Job.Car)), d)
}

func (m *mechanic) offer(ctx context.Context, t *agent.Turn, car Car, part string) (o Offer, err error) {
	question := fmt.Sprintf("Do you have part #%s in stock for a %s?", part, car)
	task, err := t.Delegate(ctx, toOffer, m.supplier, a2a.NewMessage(a2a.RoleUser, a2a.TextPart(question)))
	if err == nil {
		err = task.Artifact(OfferName).Decode(&o)
	}
	if failed, ok := errors.AsType[*agent.DelegateError](err); ok {
		err = agent.Public("The supplier of parts does not answer. Please try again later.", failed)
	}
	return o, err
}

func (m *mechanic) repair(ctx context.Context, t *agent.Turn, tools *bench, w *workOrder) (err error) {
	p, err := tools.procedure(ctx, w.Job)
	if err != nil {
		return failed(ctx, err)
	}
	if len(p.Axles) > 0 {
		return w.ask(ctx, t, whichAxle)
	}
	const height = 2
	if err := m.pause(ctx, t, fmt.Sprintf("Raising the platform to %d m.", height)); err != nil {
		return err
	}
	lower, err := tools.raise(ctx, height)
	if lower != nil {
		defer func() { err = errors.Join(err, failed(ctx, lower())) }()
	}
	if err != nil {
		return failed(ctx, err)
	}
	for ; w.Done < len(p.Steps); w.Done++ {
		if err := t.SaveTask(ctx, w); err != nil {
			return err
		}
		if err := m.pause(ctx, t, fmt.Sprintf("Step %d of %d: %s.", w.Done+1, len(p.Steps),
			lowerFirst(p.Steps[w.Done]))); err != nil {
			return err
		}
	}
	if err := m.pause(ctx, t, "Lowering the platform."); err != nil {
		return err
	}
	text := fmt.Sprintf("The %s is repaired. %s: that is done.", w.Job.Car, p.Problem)
	return reply.Artifact(t, ReportName, text, Report{Car: w.Job.Car, Problem: p.Problem, Done: p.Steps})
}
