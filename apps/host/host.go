// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	outcome "github.com/dragoman-a2a/dragoman/internal/turn"
)

// Options configure a [Host]. The zero value of each member means its default.
type Options struct {
	Directory *Directory   // whom the host delegates to; required
	Planner   plan.Planner // nil: [plan.Rules]

	// ID names this host in the messages it sends, so that a request that comes back to it is refused. "" means a
	// random one; hosts that run as one, over one database, need one ID.
	ID string

	Parallel    int           // steps of one task that run at once; 0 means 4
	StepTimeout time.Duration // of one step, the agent's questions to the user not counted; 0 means 5 min
	// bytes that an agent may answer with in one step, and four times that if it replaces what it sent; 0 means 16 MiB
	MaxAnswer int64
	MaxEvents int         // events that an agent may send in one step; 0 means 100,000
	MaxSteps  int         // of one request; 0 means 30
	MaxText   int         // bytes of the text of a message; what is longer is rejected; 0 means 1 MiB
	MaxHops   int         // hosts that a request may have come through; 0 means 5
	Budget    plan.Budget // of the planner's language model in one turn; see there
}

// Defaults returns the options with every limit that is zero replaced by what that means.
func (o Options) Defaults() Options {
	o.Parallel = cmp.Or(o.Parallel, 4)
	o.StepTimeout = cmp.Or(o.StepTimeout, 5*time.Minute)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 16<<20)
	o.MaxEvents = cmp.Or(o.MaxEvents, 100_000)
	o.MaxSteps = cmp.Or(o.MaxSteps, 30)
	o.MaxText = cmp.Or(o.MaxText, 1<<20)
	o.MaxHops = cmp.Or(o.MaxHops, 5)
	o.Budget = plan.Budget{Calls: cmp.Or(o.Budget.Calls, 24), Tokens: cmp.Or(o.Budget.Tokens, 240_000),
		Time: cmp.Or(o.Budget.Time, 3*time.Minute)}
	return o
}

// Host is the orchestrating agent. It is an [agent.Agent], an [agent.Canceler] and an [agent.Resumable].
type Host struct {
	opts     Options
	contexts [64]sync.Mutex // of the conversations, by a hash of their ids
	rules    plan.Planner   // which tell whether a message is for somebody who does not wait, whoever plans
}

var (
	_ agent.Canceler  = (*Host)(nil)
	_ agent.Resumable = (*Host)(nil)
)

// New returns a host over a directory, which the caller closes after the host's last turn.
func New(o Options) (*Host, error) {
	if o.Directory == nil {
		return nil, errors.New("host: Options.Directory is missing; make one with NewDirectory")
	}
	if o.Planner == nil {
		o.Planner = plan.Rules()
	}
	o.ID = cmp.Or(o.ID, "host-"+string(a2a.NewTaskID()))
	return &Host{opts: o.Defaults(), rules: plan.Rules()}, nil
}

// Card describes the host. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Dragoman Host",
		Description:        "Passes requests on to other agents, several if need be, and brings back what they answer",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", "application/json", "*/*"},
		DefaultOutputModes: []string{"text/plain", "application/json", "*/*"},
		Skills: []a2a.AgentSkill{{
			ID:   "delegate",
			Name: "Delegate to other agents",
			Description: "Finds the agents that a request is for, asks them in the right order and gives one what " +
				"another answered",
			Tags: []string{"orchestration", "routing", "multi-agent"},
			Examples: []string{
				"What agents do you have?",
				"reimburse lunch for 20 EUR but needs to be converted to USD ahead of time.",
			},
		}},
	}
}

// Resumable implements [agent.Resumable]: after a restart the host goes on with the agents' tasks that it had begun.
func (h *Host) Resumable() bool { return true }

// metaHosts is the member of a message's metadata that lists the hosts it has come through.
const metaHosts = "dragoman.hosts"

// Run implements [agent.Agent].
func (h *Host) Run(ctx context.Context, t *agent.Turn) error {
	x := &run{h: h, t: t, ctx: ctx}
	had, err := t.LoadTask(ctx, &x.state)
	if err != nil {
		return fmt.Errorf("load the task: %w", err)
	}
	if err = x.refuse(); err == nil && !had {
		err = t.Working() // it can be seen and cancelled before anything that takes time: cards, and a planner
	}
	if err == nil {
		err = x.start(ctx, had)
	}
	if back, ok := errors.AsType[*userError](err); ok && len(x.state.open()) > 0 {
		x.preface, err = texts(back.say), x.save(ctx)
	}
	if err == nil {
		err = x.drive(ctx)
	}
	return x.end(ctx, err)
}

// Cancel implements [agent.Canceler]: the agents' tasks are cancelled with the host's.
func (h *Host) Cancel(ctx context.Context, t *agent.Turn) error {
	x := &run{h: h, t: t, ctx: ctx}
	if _, err := t.LoadTask(ctx, &x.state); err != nil {
		return fmt.Errorf("load the task: %w", err)
	}
	x.cancelChildren(ctx)
	return x.noteOpen(ctx)
}

type run struct {
	h         *Host
	t         *agent.Turn
	chain     []string // the hosts that the message has come through
	agents    []plan.Agent
	missing   []plan.Unreachable
	ctx       context.Context  // of the turn
	elsewhere map[string]*step // open steps of other tasks of the conversation, by what the planner calls them
	preface   []a2a.Part       // goes before what the agents ask

	mu      sync.Mutex // guards what follows, while steps run
	state   taskState
	shown   []childView // the children as last shown
	notices []string    // what the user is told before all else
}

// refuse rejects a message that is too long, or that came through this host already or through too many.
func (x *run) refuse() error {
	m := x.t.Message()
	if m == nil {
		return nil
	}
	if limit := x.h.opts.MaxText; len(textOf(m)) > limit {
		return agent.Reject(a2a.TextPart(fmt.Sprintf("That text is too long: I read up to %d bytes. Send longer text "+
			"as a file.", limit)))
	}
	if _, err := m.Metadata.Get(metaHosts, &x.chain); err != nil {
		return agent.Reject(a2a.TextPart(fmt.Sprintf("The message's metadata member %q is not a list of strings.",
			metaHosts)))
	}
	if slices.Contains(x.chain, x.h.opts.ID) {
		return agent.Reject(a2a.TextPart("This request came back to the host that sent it: an agent it was given to " +
			"passes requests on to this host. It is refused, as it would go round for ever."))
	}
	if len(x.chain) >= x.h.opts.MaxHops {
		return agent.Reject(a2a.TextPart(fmt.Sprintf("This request came through %d hosts, which is the limit.",
			len(x.chain))))
	}
	return nil
}

// end makes of an error how the turn ends. A task that ends leaves no agent waiting.
func (x *run) end(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		if errors.Is(err, agent.ErrCanceled) || errors.Is(err, agent.ErrTurnLimit) {
			x.leave(ctx)
		}
		return err
	}
	if !goesOn(err) && len(x.state.open()) > 0 {
		x.leave(ctx)
		err = cmp.Or(err, x.noteOpen(ctx))
	}
	back, ok := errors.AsType[*userError](err)
	if !ok {
		return err
	}
	if back.unreachable {
		if err := errors.Join(x.markUnreachable(), x.t.SetMetadata(MetaFailure, FailureUnreachable)); err != nil {
			return err
		}
	}
	return agent.Public(back.say, back.cause)
}

// leave cancels the agents' tasks, although the turn may be over.
func (x *run) leave(ctx context.Context) {
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelPatience)
	defer cancel()
	x.cancelChildren(detached)
}

// goesOn reports whether a task goes on after a turn that ended with an error.
func goesOn(err error) bool {
	o, ok := errors.AsType[*outcome.Outcome](err)
	return ok && (o.Kind == outcome.Ask || o.Kind == outcome.NeedAuth || o.Kind == outcome.Suspend)
}

// cancelPatience is how long the agents have to answer that they have cancelled their tasks.
const cancelPatience = 4 * time.Second
