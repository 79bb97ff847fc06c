// SPDX-License-Identifier: Apache-2.0

package expenses

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ArtifactName is the name of the artifact that carries the [Receipt].
const ArtifactName = "receipt"

// Options configure the agent.
type Options struct {
	Model    llm.Model        // reads what people write; nil: rules do
	Now      func() time.Time // nil: time.Now
	Limit    int              // the most that can be reimbursed at once, in any currency; 0: 10,000
	Currency string           // of amounts that name none, such as "EUR"; "": "USD"
	NewID    func() string    // makes ids of requests; nil: "request_id_" and seven random digits
}

const (
	defaultLimit    = 10_000
	defaultCurrency = "USD"
)

// maxText is how much of a text is read, in bytes: an expense is told in a sentence.
const maxText = 8 << 10

// New returns the reimbursement agent. A message becomes
//
//   - an input-required task whose status message has the form, in words and as data (an [agent.Form]), as often as something
//     is missing or wrong;
//   - a completed task with one artifact, the receipt, when the filled form is right;
//   - a canceled task when the request is withdrawn in words. A cancel of the task withdraws it as well;
//   - a rejected task when it is about a request that this conversation does not have, or that was withdrawn, or when it is
//     not understood; or
//   - a completed task in which a model declines what is not about expenses.
//
// Requests are kept as state of the context, so that the filled form may come with or without the id of the task that
// asked for it. Those of other contexts, and of other callers, are not there.
func New(o Options) agent.Agent {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.NewID == nil {
		o.NewID = newRequestID
	}
	o.Currency = or(o.Currency, defaultCurrency)
	return &clerk{options: o}
}

// clerk implements [agent.Agent] and [agent.Canceler].
type clerk struct {
	options Options
}

// kept is what is saved of a context.
type kept struct {
	Requests []Request `json:"requests"`
}

// Run deals with one message.
func (c *clerk) Run(ctx context.Context, t *agent.Turn) error {
	if err := t.Working(a2a.TextPart("Processing the reimbursement request...")); err != nil {
		return err
	}
	d, err := c.open(ctx, t)
	if err != nil {
		return err
	}
	a, err := c.understand(ctx, t, d)
	if err != nil {
		return err
	}
	out := d.do(a)
	if err := d.save(ctx, t); err != nil {
		return err
	}
	return out.end(t)
}

// Cancel withdraws the request of the task.
func (c *clerk) Cancel(ctx context.Context, t *agent.Turn) error {
	d, err := c.open(ctx, t)
	if err != nil {
		return err
	}
	if r, ok := d.find(d.own); ok && r.Status == Open {
		d.withdraw(r)
		return d.save(ctx, t)
	}
	return nil
}

// open loads what is known of the conversation and of the task.
func (c *clerk) open(ctx context.Context, t *agent.Turn) (*desk, error) {
	o := c.options
	d := &desk{now: o.Now(), limit: decimal.NewFromInt(int64(o.Limit)), currency: o.Currency, newID: o.NewID}
	var all kept
	if _, err := t.LoadContext(ctx, &all); err != nil {
		return nil, fmt.Errorf("load the conversation: %w", err)
	}
	d.requests = all.Requests
	var own Request
	if found, err := t.LoadTask(ctx, &own); err != nil || !found {
		return d, err
	}
	d.own = own.ID
	// Two tasks of one context save at once, and the last one wins: what the task itself knows is not lost by that.
	if shared, ok := d.find(own.ID); !ok || shared.Status == Open {
		d.put(own)
	}
	return d, nil
}

// save keeps the requests, and the one of the task.
func (d *desk) save(ctx context.Context, t *agent.Turn) error {
	if own, ok := d.find(d.own); ok {
		if err := t.SaveTask(ctx, own); err != nil {
			return fmt.Errorf("save the request: %w", err)
		}
	}
	if err := t.SaveContext(ctx, kept{d.requests}); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	return nil
}

// understand makes an action of the message: of a filled form by the rules of the form, of anything else
// by the model or without one.
func (c *clerk) understand(ctx context.Context, t *agent.Turn, d *desk) (action, error) {
	text := t.Text()
	s, problem, ok := readSubmission(t.Message())
	switch {
	case problem != "":
		return action{kind: say, text: problem}, nil
	case ok:
		return s.action(), nil
	case len(text) > maxText:
		return action{kind: pass, text: fmt.Sprintf("That text is too long: I read up to %d bytes.", maxText)}, nil
	}
	now := situation{today: d.now.UTC().Format(time.DateOnly)}
	if r, known := d.current(); known { // also when it is closed: then what the text wants of it is refused
		now.request, now.own = r, r.ID == d.own
	}
	if c.options.Model != nil {
		return readByModel(ctx, c.options.Model, now, text)
	}
	return readByRules(now, text), nil
}

// end ends the turn with the outcome.
func (o outcome) end(t *agent.Turn) error {
	switch o.kind {
	case showForm:
		return o.form().Ask(t, a2a.TextPart(o.formText()))
	case approve:
		parts, err := parts(t, o.text, o.request.receipt())
		if err != nil {
			return err
		}
		return t.Artifact(ArtifactName, parts...)
	case takeBack:
		return agent.Withdraw(a2a.TextPart(o.text))
	case refuse:
		return agent.Reject(a2a.TextPart(o.text))
	}
	return t.Reply(a2a.TextPart(o.text))
}

// parts are a text and a document, as far as the client accepts them.
func parts(t *agent.Turn, text string, doc any) ([]a2a.Part, error) {
	data, err := a2a.DataPart(doc)
	if err != nil {
		return nil, err
	}
	data.MediaType = "application/json"
	if err := data.Metadata.Set("mimeType", data.MediaType); err != nil {
		return nil, err
	}
	switch {
	case !t.Accepts("application/json"):
		return []a2a.Part{a2a.TextPart(text)}, nil
	case !t.Accepts("text/plain"):
		return []a2a.Part{data}, nil
	}
	return []a2a.Part{a2a.TextPart(text), data}, nil
}
