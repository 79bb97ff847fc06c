// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

// auditTimeout is how long a record may wait to be written.
const auditTimeout = 5 * time.Second

// policy returns that of the options, behind a gate that is shut while the audit log cannot be written.
func (s *Server) policy(o *Options) auth.Policy {
	var all auth.Policies
	if o.Audit != nil {
		all = append(all, auditGate{s})
	}
	if o.Policy != nil {
		all = append(all, o.Policy)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

type auditGate struct{ *Server }

// Decide refuses everything while the last record could not be written. The refusal is a record again, which opens the
// gate once it can be.
func (g auditGate) Decide(context.Context, auth.Access) error {
	if g.unaudited.Load() {
		return &a2a.Error{Kind: a2a.ErrUnavailable, RetryAfter: time.Second,
			Message: "the audit log cannot be written, so nothing is done; try again later"}
	}
	return nil
}

// audit records an operation, or a caller who was refused.
func (s *Server) audit(x *binding.Exchange, start time.Time) {
	refused := x.Err != nil && (x.Err.Kind == a2a.ErrUnauthenticated || x.Err.Kind == a2a.ErrPermissionDenied)
	if s.options.Audit == nil || x.Operation == wire.OpNone && !refused {
		return
	}
	id, agent := x.Caller()
	r := audit.Record{Time: start.UTC(), Subject: id.Subject, Client: id.Client, Agent: agent,
		Operation: x.Operation.String(), Task: string(x.Task), Context: string(x.Context), Result: "ok",
		RequestID: x.RequestID}
	if x.Err != nil {
		r.Result = wire.RowOf(x.Err.Kind).Reason
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.R.Context()), auditTimeout)
	defer cancel()
	err := s.options.Audit.Append(ctx, r)
	if failed := err != nil; s.unaudited.Swap(failed) != failed {
		s.options.Logger.LogAttrs(ctx, slog.LevelError, "audit log", slog.Bool("writable", !failed),
			slog.Any("error", err))
	}
}
