// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
)

// ReceiptName is the name of the artifact that carries the manager's [Receipt].
const ReceiptName = "receipt"

// A Receipt says what was done and what it costs.
type Receipt struct {
	Estimate
	Order string   `json:"order"` // the number of the supplier's order
	Done  []string `json:"done"`
}

// NewManager returns the manager of the shop. A customer describes a car and its problem. The manager asks for missing
// details, has the mechanic diagnose the problem, and gives an estimate. The task waits until the customer says yes or
// no. Then the manager orders the part, waits for it, and has the car repaired. The result is a [Receipt], as text and
// as data.
//
// The manager shows messages of the mechanic and the supplier as they arrive. A manager that is stopped at any moment
// continues where it stopped, and neither orders nor repairs twice. Cancelling its task cancels the tasks of the other
// two.
func NewManager(mechanic, supplier a2a.Service, o Options) agent.Agent {
	return &manager{mechanic, supplier, o}
}

// manager implements [agent.Agent], [agent.Resumable] and [agent.Delegator].
type manager struct {
	mechanic, supplier a2a.Service
	opts               Options
}

// Resumable says that a turn that was interrupted can be run again.
func (*manager) Resumable() bool { return true }

// The names of the manager's delegations.
const (
	toDiagnose = "Mechanic/diagnosis"
	toOrder    = "Supplier"
	toRepair   = "Mechanic/repair"
)

// Delegates says who does what, so that a cancel reaches them also after a restart.
func (m *manager) Delegates() map[string]a2a.Service {
	return map[string]a2a.Service{toDiagnose: m.mechanic, toOrder: m.supplier, toRepair: m.mechanic}
}

// visit is one turn of the manager.
type visit struct {
	*manager
	t *agent.Turn
	k *ticket
}

// Run goes on with a repair until it is done, or the customer or the supplier has to do something.
func (m *manager) Run(ctx context.Context, t *agent.Turn) error {
	k := &ticket{}
	if _, err := t.LoadTask(ctx, k); err != nil {
		return fmt.Errorf("load the ticket: %w", err)
	}
	if msg := t.Message(); msg != nil && msg.ID != k.Read { // else a turn was interrupted, or the part is there
		k.Read = msg.ID
		if err := k.read(t); err != nil {
			return err
		}
	}
	v := &visit{m, t, k}
	steps := map[phase]func(context.Context) error{
		phaseIntake: v.intake, phaseDiagnose: v.diagnose, phaseEstimate: v.propose, phaseOrder: v.order,
		phaseDelivery: v.await,
		phaseRepair:   v.repair,
	}
	for k.Phase != phaseDone {
		if err := t.SaveTask(ctx, k); err != nil {
			return err
		}
		if err := steps[k.Phase](ctx); err != nil {
			return err
		}
	}
	return nil
}

func (v *visit) intake(ctx context.Context) error {
	q := v.k.question()
	if q == "" {
		v.k.Phase = phaseDiagnose
		return nil
	}
	if v.k.Complaint != "" && v.k.Car.Missing() == "" {
		v.k.Asked = true
	}
	if err := v.t.SaveTask(ctx, v.k); err != nil {
		return err
	}
	return v.t.Ask(a2a.TextPart(q))
}

// diagnose delegates the diagnosis to the mechanic. The customer answers the mechanic's questions.
func (v *visit) diagnose(ctx context.Context) error {
	k := v.k
	job, err := a2a.DataPart(Job{Action: ActionDiagnose, Car: k.Car, Complaint: k.Complaint, Axle: k.Axle})
	if err != nil {
		return err
	}
	content := append([]a2a.Part{a2a.TextPart(k.describe()), job}, pictures(v.t)...)
	if err := v.delegate(ctx, toDiagnose, DiagnosisName, &k.Diagnosis, content...); err != nil {
		return err
	}
	k.Estimate, k.Phase = newEstimate(k.Diagnosis), phaseEstimate
	return nil
}

// delegate has another agent do something, and reads the artifact of its result.
func (v *visit) delegate(ctx context.Context, to, artifact string, result any, parts ...a2a.Part) error {
	task, err := v.t.Delegate(ctx, to, v.Delegates()[to], a2a.NewMessage(a2a.RoleUser, parts...))
	if err == nil {
		err = task.Artifact(artifact).Decode(result)
	}
	return explain(err)
}

func (v *visit) propose(context.Context) error {
	text := a2a.TextPart(v.k.Estimate.String() + " Shall we do it?")
	data, err := a2a.DataPart(v.k.Estimate)
	if err != nil {
		return err
	}
	return v.t.Ask(text, data)
}

func (v *visit) order(ctx context.Context) error {
	k := v.k
	text := fmt.Sprintf("Order part #%s for a %s", k.Diagnosis.Offer.Part, k.Car)
	if err := v.delegate(ctx, toOrder, OrderName, &k.Ordered, a2a.TextPart(text)); err != nil {
		return err
	}
	k.Phase = phaseRepair
	if k.Ordered.DeliveryDays > 0 {
		k.Phase, k.Arrives = phaseDelivery, time.Now().Add(time.Duration(k.Ordered.DeliveryDays)*v.opts.Day)
	}
	return nil
}

// await waits for the part, without a turn.
func (v *visit) await(context.Context) error {
	if !time.Now().Before(v.k.Arrives) {
		v.k.Phase = phaseRepair
		return nil
	}
	if err := v.t.Working(a2a.TextPart(fmt.Sprintf("Order %s is on its way: %s.", clean(v.k.Ordered.ID),
		v.k.Ordered.when()))); err != nil {
		return err
	}
	return v.t.Suspend(v.k.Arrives)
}

// repair has the mechanic repair the car, and writes the receipt.
func (v *visit) repair(ctx context.Context) error {
	k := v.k
	job := k.Diagnosis.Job
	job.Action = ActionRepair
	data, err := a2a.DataPart(job)
	if err != nil {
		return err
	}
	var report Report
	text := fmt.Sprintf("Please repair a %s: %s.", k.Car, lowerFirst(k.Estimate.Problem))
	if err := v.delegate(ctx, toRepair, ReportName, &report, a2a.TextPart(text), data); err != nil {
		return err
	}
	k.Phase = phaseDone
	r := Receipt{Estimate: k.Estimate, Order: k.Ordered.ID, Done: report.Done}
	return reply.Artifact(v.t, ReceiptName, fmt.Sprintf("Your %s is repaired: %s. That is $%s.", k.Car,
		lowerFirst(k.Estimate.Problem), r.Total), r)
}
