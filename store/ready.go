// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// healthyFor is how long a commit shows that the next one would succeed.
	healthyFor = 5 * time.Second
	// sickFor is how long a failed transaction shows that the next one would
	// fail, unless one succeeds. After it, somebody has to try.
	sickFor = 30 * time.Second
	// probeTime is how long Ready waits for the writer.
	probeTime = time.Second
)

// health is what the last transactions say of the next one.
type health struct {
	success atomic.Int64 // Unix nanoseconds of the last commit
	failure atomic.Pointer[failure]
}

type failure struct {
	err error
	at  time.Time
}

func (h *health) committed() {
	h.success.Store(time.Now().UnixNano())
	if h.failure.Load() != nil {
		h.failure.Store(nil)
	}
}

// failed notes an error that is of the database and not of a statement.
func (h *health) failed(err error) {
	if errors.Is(err, ErrDiskFull) || errors.Is(err, ErrBusy) || errors.Is(err, ErrReadOnly) ||
		errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnreachable) {
		h.failure.Store(&failure{err, time.Now()})
	}
}

// Ready returns nil if the database can be written to, else why not: the error of the last transaction, or of one that
// changes nothing, which it makes where the last ones were too long ago to tell. It waits for a second at most.
func (db *DB) Ready(ctx context.Context) error {
	h := db.writer.health
	if f := h.failure.Load(); f != nil && time.Since(f.at) < sickFor {
		return f.err
	}
	if time.Since(time.Unix(0, h.success.Load())) < healthyFor {
		return nil
	}
	probe := db.probing.DoChan("", func() (any, error) { // ends with the database at the latest
		return nil, db.Write(context.Background(), func(ctx context.Context, tx *Tx) error {
			_, err := tx.ExecContext(ctx, db.cfg.Dialect.Probe)
			return err
		})
	})
	limit := time.NewTimer(probeTime)
	defer limit.Stop()
	select {
	case over := <-probe:
		return over.Err
	case <-limit.C:
		return fmt.Errorf("store: %w: a write to %s takes longer than %v", ErrBusy, db.cfg.Path, probeTime)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
