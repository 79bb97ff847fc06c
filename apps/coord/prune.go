// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"context"
	"log/slog"
	"time"

	"github.com/dragoman-a2a/dragoman/store"
)

// DefaultEventRetention is how long events are kept unless HubOptions say otherwise.
const DefaultEventRetention = 30 * 24 * time.Hour

const (
	// pruneEvery is how often it is looked for events that are old.
	pruneEvery = time.Hour
	// pruneAtOnce is how many events go in one transaction, so that nobody waits for it.
	pruneAtOnce = 1000
)

// prune has the Store drop what is old, until the Hub ends.
func (h *Hub) prune() {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		if err := h.opts.Store.Prune(h.ctx, time.Now().Add(-h.opts.EventRetention)); err != nil && h.ctx.Err() == nil {
			h.opts.Logger.Warn("old events cannot be dropped", slog.String("error", err.Error()))
		}
		select {
		case <-ticker.C:
		case <-h.ctx.Done():
			return
		}
	}
}

// Prune drops events from before a time that are part of a snapshot, the newest one of which stays.
func (s *Tables) Prune(ctx context.Context, before time.Time) error {
	projects, err := s.Projects(ctx)
	if err != nil {
		return err
	}
	for _, project := range projects {
		for more := true; more; {
			if more, err = s.pruneSome(ctx, project, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// pruneSome drops some events of a project, and reports whether there may be more.
func (s *Tables) pruneSome(ctx context.Context, project string, before time.Time) (more bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		more = false // it may be run again
		result, err := tx.ExecContext(ctx, `DELETE FROM coord_events WHERE project = $1 AND seq <= (
			SELECT max(seq) FROM (
				SELECT seq, at FROM coord_events
				WHERE project = $1 AND seq < (SELECT seq FROM coord_projects WHERE project = $1)
				ORDER BY seq LIMIT $2
			) AS oldest WHERE at < $3)`, project, pruneAtOnce, before.UnixMilli())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		more = n == pruneAtOnce
		return err
	})
	return more, err
}
