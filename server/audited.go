// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

// auditTimeout is how long a record may wait to be written.
const auditTimeout = 5 * time.Second

// An auditor records operations. As a Policy it refuses everything while the last record could not be written. The
// refusal is a record again, which ends that once it can be written.
type auditor struct {
	log    *audit.Log
	logger *slog.Logger
	failed atomic.Bool // the last record could not be written
}

// Decide implements auth.Policy.
func (a *auditor) Decide(context.Context, auth.Access) error {
	if a.failed.Load() {
		return &a2a.Error{Kind: a2a.ErrUnavailable, RetryAfter: time.Second,
			Message: "the audit log cannot be written, so nothing is done; try again later"}
	}
	return nil
}

// record records an operation, or a caller who was refused.
func (a *auditor) record(x *binding.Exchange, start time.Time) {
	refused := x.Err != nil && (x.Err.Kind == a2a.ErrUnauthenticated || x.Err.Kind == a2a.ErrPermissionDenied)
	if x.Operation == wire.OpNone && !refused {
		return
	}
	id, agent := x.Caller()
	r := audit.Record{Time: start.UTC(), Subject: id.Subject, Client: id.Client, Actors: id.Actors, Agent: agent,
		Operation: x.Operation.String(), Task: string(x.Task), Context: string(x.Context), Result: "ok",
		RequestID: x.RequestID, Trace: x.Trace()}
	if x.Err != nil {
		r.Result = wire.RowOf(x.Err.Kind).Reason
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.R.Context()), auditTimeout)
	defer cancel()
	err := a.log.Append(ctx, r)
	if failed := err != nil; a.failed.Swap(failed) != failed {
		a.logger.LogAttrs(ctx, slog.LevelError, "audit log", slog.Bool("writable", !failed), slog.Any("error", err))
	}
}

// policy returns that of the options, behind the auditor where there is one.
func (o *Options) policy(a *auditor) auth.Policy {
	switch {
	case a == nil:
		return o.Policy
	case o.Policy == nil:
		return a
	}
	return auth.Policies{a, o.Policy}
}
