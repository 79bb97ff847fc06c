// SPDX-License-Identifier: Apache-2.0

package flaky

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// errorTask is what the ids of tasks begin with that only bring an error.
const errorTask = "error-"

// Service puts the errors of the protocol in front of the agent's own service: the message "error KIND" is refused,
// "break KIND" is taken and its answer is lost, and the task "error-KIND" cannot be had. KIND is the reason that A2A
// gives an error, such as TASK_NOT_FOUND (A2A 1.0 §5.4). Everything else passes.
func Service(svc a2a.Service) a2a.Service { return &service{svc} }

type service struct{ a2a.Service }

// Capabilities are those of the service behind, for the card.
func (s *service) Capabilities() a2a.AgentCapabilities {
	if c, ok := s.Service.(interface{ Capabilities() a2a.AgentCapabilities }); ok {
		return c.Capabilities()
	}
	return a2a.AgentCapabilities{}
}

// SendMessage implements [a2a.Service].
func (s *service) SendMessage(ctx context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	refusal, broken := faults(req)
	if refusal != nil {
		return nil, refusal
	}
	result, err := s.Service.SendMessage(ctx, req)
	if err == nil && broken != nil {
		return nil, broken
	}
	return result, err
}

// StreamMessage implements [a2a.Service].
func (s *service) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	refusal, broken := faults(req)
	if refusal != nil {
		return nil, refusal
	}
	events, err := s.Service.StreamMessage(ctx, req)
	if err != nil || broken == nil {
		return events, err
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		for e, err := range events {
			if yield(e.WithMore(false), err) {
				yield(a2a.StreamEvent{}, broken) // after the first event, so that the client knows the task
			}
			return
		}
	}, nil
}

// GetTask implements [a2a.Service].
func (s *service) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	if err := faultOf(req.ID); err != nil {
		return nil, err
	}
	return s.Service.GetTask(ctx, req)
}

// CancelTask implements [a2a.Service].
func (s *service) CancelTask(ctx context.Context, req *a2a.CancelTaskRequest) (*a2a.Task, error) {
	if err := faultOf(req.ID); err != nil {
		return nil, err
	}
	return s.Service.CancelTask(ctx, req)
}

// Subscribe implements [a2a.Service].
func (s *service) Subscribe(ctx context.Context, req *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	if err := faultOf(req.ID); err != nil {
		return nil, err
	}
	return s.Service.Subscribe(ctx, req)
}

// faults returns the errors that a message asks for: one before it is taken, one after. Both are mostly nil.
func faults(req *a2a.SendMessageRequest) (refusal, broken error) {
	if req.Message == nil {
		return nil, nil
	}
	cmd, rest := find(strings.TrimSpace(req.Message.Text()))
	if cmd == nil || cmd.words != "error" && cmd.words != "break" {
		return nil, nil
	}
	kind, ok := kindOf(rest)
	if !ok {
		return nil, nil // the agent says which there are
	}
	if cmd.words == "error" {
		return newFault(kind), nil
	}
	return nil, newFault(kind)
}

// faultOf returns the error that a task's id asks for, nil if none.
func faultOf(id a2a.TaskID) error {
	name, ok := strings.CutPrefix(string(id), errorTask)
	if !ok {
		return nil
	}
	if kind, ok := kindOf(name); ok {
		return newFault(kind)
	}
	return nil
}

// newFault returns an error as a real one of its kind would be: with what was wrong, or when to come back.
func newFault(kind a2a.Kind) error {
	e := a2a.NewError(kind, "You asked for this error: "+kind.String()+".")
	switch kind {
	case a2a.ErrInvalidParams:
		e.Violations = []a2a.Violation{{Field: "message.parts[0].text", Description: "asks for an error"}}
	case a2a.ErrRateLimited, a2a.ErrUnavailable:
		e.RetryAfter = time.Second
	}
	return e
}

// kindOf returns the kind that a name means, in any case, with "-" or " " for "_".
func kindOf(name string) (a2a.Kind, bool) {
	return wire.KindOfReason(strings.ToUpper(strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(name))))
}

// kinds are the names of all kinds.
func kinds() []string {
	names := make([]string, len(wire.Table))
	for i, row := range wire.Table {
		names[i] = row.Reason
	}
	return names
}
