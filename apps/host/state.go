// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
)

// taskState is kept with a task of the host.
type taskState struct {
	Message a2a.MessageID `json:"message"` // the last one that was taken
	Request a2a.MessageID `json:"request"` // what the newest plan is for
	Rounds  int           `json:"rounds"`  // how often the planner was asked for this request
	Steps   []*step       `json:"steps,omitempty"`
	Asked   *asked        `json:"asked,omitzero"`   // the host's own question that is open
	Counted int           `json:"counted,omitzero"` // steps that there have been
	Used    used          `json:"used,omitzero"`    // of the planner's budget, in the turn of Message
}

type used struct {
	Calls  int   `json:"calls"`
	Tokens int   `json:"tokens"`
	Nanos  int64 `json:"nanos"`
}

func (u *used) add(b plan.Budget) {
	u.Calls += b.Calls
	u.Tokens += b.Tokens
	u.Nanos += int64(b.Time)
}

// leaves is what is left of a budget. Members at zero or below are used up.
func (u used) leaves(of plan.Budget) plan.Budget {
	return plan.Budget{Calls: of.Calls - u.Calls, Tokens: of.Tokens - u.Tokens, Time: of.Time - time.Duration(u.Nanos)}
}

type stepState string

const (
	planned  stepState = "planned"
	running  stepState = "working"
	waiting  stepState = "input-required"
	authWait stepState = "auth-required"
	done     stepState = "completed"
	failed   stepState = "failed"
	skipped  stepState = "skipped"
	canceled stepState = "canceled"
)

func (s stepState) ended() bool {
	return s == done || s == failed || s == skipped || s == canceled
}

func (s stepState) open() bool { return s == waiting || s == authWait }

type step struct {
	plan.Step
	Request a2a.MessageID `json:"request"` // that it is for
	Key     string        `json:"key"`     // of the agent in the directory
	Name    string        `json:"name"`    // of the agent
	State   stepState     `json:"state"`

	// of the message that is sent, or was sent last: a repetition has it too
	MessageID a2a.MessageID `json:"messageId"`
	Answer    a2a.MessageID `json:"answer,omitzero"`   // the user's message that answers the agent's question
	Say       string        `json:"say,omitzero"`      // the text of that answer, when it is not the message as it is
	Child     a2a.TaskID    `json:"child,omitzero"`    // the agent's task
	Context   a2a.ContextID `json:"context,omitzero"`  // the agent's
	Ask       string        `json:"ask,omitzero"`      // the agent's open question, shortened
	Form      string        `json:"form,omitzero"`     // the id of the form that the agent asks to fill
	Error     string        `json:"error,omitzero"`    // why it failed
	Value     *plan.Value   `json:"value,omitzero"`    // for later steps
	Digest    string        `json:"digest,omitzero"`   // what the agent said, shortened
	Files     []string      `json:"files,omitempty"`   // names of what else it gave
	Relayed   bool          `json:"relayed,omitzero"`  // it gave artifacts
	Lost      bool          `json:"lost,omitzero"`     // it failed as its agent could not be reached
	Rejected  bool          `json:"rejected,omitzero"` // it failed as its agent will not do it

	question []a2a.Part // the agent's open question, as long as the turn that heard it runs
	closing  []a2a.Part // what the agent said at the end, likewise
	output   []a2a.Part // what it gave, likewise
}

type asked struct {
	About   string        `json:"about"`   // askedAgent or askedStep
	Message a2a.MessageID `json:"message"` // the user's, which waits for the answer
	Choices []string      `json:"choices,omitempty"`
}

const (
	askedAgent = "agent" // which agent a request is for; the choices are aliases
	askedStep  = "step"  // whose question a message answers; the choices are ids of steps
)

func (st *taskState) number() string {
	st.Counted = max(st.Counted, len(st.Steps)) + 1
	return strconv.Itoa(st.Counted)
}

// keptSteps is how many steps that have ended a task remembers, besides those for its newest request.
const keptSteps = 20

// forget drops the oldest steps for earlier requests: all that there is of a task is saved with each change.
func (st *taskState) forget() {
	st.Counted = max(st.Counted, len(st.Steps))
	past := 0
	var kept []*step
	for _, s := range slices.Backward(st.Steps) {
		if s.State.ended() && s.Request != st.Request {
			if past++; past > keptSteps {
				continue
			}
		}
		kept = append(kept, s)
	}
	slices.Reverse(kept)
	st.Steps = kept
}

func (st *taskState) step(id string) *step {
	if at := slices.IndexFunc(st.Steps, func(s *step) bool { return s.ID == id }); at >= 0 {
		return st.Steps[at]
	}
	return nil
}

func (st *taskState) current() []*step {
	return st.those(func(s *step) bool { return s.Request == st.Request })
}

func (st *taskState) open() []*step {
	return st.those(func(s *step) bool { return s.State.open() })
}

func (st *taskState) those(fit func(*step) bool) (steps []*step) {
	for _, s := range st.Steps {
		if fit(s) {
			steps = append(steps, s)
		}
	}
	return steps
}

// conversation is what the tasks of a context share.
type conversation struct {
	Last     string                   `json:"last,omitzero"`      // alias of the agent that worked last
	Contexts map[string]a2a.ContextID `json:"contexts,omitempty"` // of agents that did not take the host's, by key
	Tasks    map[string]a2a.TaskID    `json:"tasks,omitempty"`    // the agents' last ones, by key, to refer to
	Open     []openStep               `json:"open,omitempty"`     // steps that wait for an answer, over all tasks
	Told     string                   `json:"told,omitzero"`      // who the user was told cannot be reached
}

// openStep is a step that waits, and the task of the host that it belongs to.
type openStep struct {
	Task a2a.TaskID `json:"task"`
	Step step       `json:"step"`
}

// maxOpen is how many waiting steps a conversation remembers beyond their own tasks.
const maxOpen = 20

// save keeps the state of the task. x.mu is held.
func (x *run) save(ctx context.Context) error {
	if err := x.t.SaveTask(ctx, x.state); err != nil {
		return fmt.Errorf("save the task: %w", err)
	}
	return nil
}

// converse changes what the tasks of the context share.
func (x *run) converse(ctx context.Context, change func(*conversation)) error {
	mu := &x.h.contexts[crc32.ChecksumIEEE([]byte(x.ownContext()))%uint32(len(x.h.contexts))]
	mu.Lock()
	defer mu.Unlock()
	var c conversation
	if _, err := x.t.LoadContext(ctx, &c); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	before, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return err
	}
	change(&c)
	if after, err := json.Marshal(c, json.Deterministic(true)); err != nil || string(after) == string(before) {
		return err
	}
	if err := x.t.SaveContext(ctx, c); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	return nil
}

func (x *run) conversation(ctx context.Context) (c conversation, err error) {
	err = x.converse(ctx, func(now *conversation) { c = *now })
	return c, err
}

// noteOpen brings the conversation's list of waiting steps up to date with this task.
func (x *run) noteOpen(ctx context.Context) error {
	return x.converse(ctx, func(c *conversation) {
		c.Open = slices.DeleteFunc(c.Open, func(o openStep) bool { return o.Task == x.t.TaskID() })
		for _, s := range x.state.Steps {
			c.Open = slices.DeleteFunc(c.Open,
				func(o openStep) bool { return s.Child != "" && o.Step.Key == s.Key && o.Step.Child == s.Child })
			if s.State.open() {
				c.Open = append(c.Open, openStep{x.t.TaskID(), *s})
			}
			if s.Child != "" && s.Key != "" {
				set(&c.Tasks, s.Key, s.Child)
			}
			if s.State == done || s.State.open() {
				c.Last = s.Agent
			}
		}
		c.Open = c.Open[max(0, len(c.Open)-maxOpen):]
	})
}

func set[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = make(map[string]V)
	}
	(*m)[key] = v
}
