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

// Service puts the errors of the protocol in front of the agent's own service: the message "error KIND" is refused.
// KIND is the reason that A2A gives an error, such as TASK_NOT_FOUND (A2A 1.0 §5.4). Everything else passes.
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
	if err := fault(req); err != nil {
		return nil, err
	}
	return s.Service.SendMessage(ctx, req)
}

// StreamMessage implements [a2a.Service].
func (s *service) StreamMessage(ctx context.Context, req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	if err := fault(req); err != nil {
		return nil, err
	}
	return s.Service.StreamMessage(ctx, req)
}

// fault returns the error that a message asks for; nil for none.
func fault(req *a2a.SendMessageRequest) error {
	if req.Message == nil {
		return nil
	}
	cmd, rest := find(strings.TrimSpace(req.Message.Text()))
	kind, ok := kindOf(rest)
	if cmd == nil || cmd.words != "error" || !ok { // the agent says which there are
		return nil
	}
	e := a2a.NewError(kind, "You asked for this error: "+kind.String()+".")
	if kind == a2a.ErrRateLimited || kind == a2a.ErrUnavailable {
		e.RetryAfter = time.Second
	}
	return e
}

// kindOf returns the kind that a name means, in any case, with "-" or " " for "_".
func kindOf(name string) (a2a.Kind, bool) {
	return wire.KindOfReason(strings.ToUpper(strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimSpace(name))))
}

func kinds() []string {
	names := make([]string, len(wire.Table))
	for i, row := range wire.Table {
		names[i] = row.Reason
	}
	return names
}
