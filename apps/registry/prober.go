// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// claimed is how long an agent belongs to who took it for a check: longer than any check takes.
const claimed = 5 * time.Minute

// A prober checks agents when they are due, a bounded number at a time.
type prober struct {
	claim       func(ctx context.Context, now, until time.Time, limit int) ([]target, error)
	nextDue     func(ctx context.Context) (time.Time, error)
	check       func(ctx context.Context, t *target) error
	interval    time.Duration
	concurrency int
	logger      *slog.Logger
}

// Run checks agents when they are due, until ctx ends. Several processes may run on one database: each check is made by
// one of them.
func (g *Registry) Run(ctx context.Context) {
	p := &prober{g.tables.claim, g.tables.nextDue, g.probe, g.opts.Interval, g.opts.Concurrency, g.opts.Logger}
	p.run(ctx)
}

// probe is a check that nobody waits for.
func (g *Registry) probe(ctx context.Context, t *target) error {
	seen, err := g.look(ctx, t)
	if err != nil {
		return err
	}
	if seen.err != nil {
		g.opts.Logger.DebugContext(ctx, "an agent is down", "agent", t.id, "alias", t.alias, "error", reason(seen.err))
	}
	if err := g.note(ctx, t, seen); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

func (p *prober) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, p.concurrency)
	for ctx.Err() == nil {
		now := time.Now()
		targets, err := p.claim(ctx, now, now.Add(claimed), p.concurrency)
		if err != nil {
			p.failed(ctx, err)
		}
		for i := range targets {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			running.Go(func() {
				defer func() { <-slots }()
				if err := p.check(ctx, &targets[i]); err != nil {
					p.failed(ctx, err)
				}
			})
		}
		if len(targets) < p.concurrency {
			p.wait(ctx)
		}
	}
}

// wait sleeps until a check is due. It looks again after half of an interval, in which agents may have been added.
func (p *prober) wait(ctx context.Context) {
	pause := p.interval / 2
	due, err := p.nextDue(ctx)
	if err != nil {
		p.failed(ctx, err)
	} else if !due.IsZero() {
		pause = min(pause, max(time.Until(due), p.interval/20))
	}
	_ = retry.Sleep(ctx, pause) // the loop looks at ctx
}

func (p *prober) failed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		p.logger.ErrorContext(ctx, "checking agents failed", "error", err)
	}
}
