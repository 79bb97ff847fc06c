// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// The life of an operation: it waits until either the writer starts it or its caller gives up, whoever is first.
const (
	waiting int32 = iota
	started
	abandoned
)

type operation struct {
	ctx    context.Context
	fn     func(context.Context, *Tx) error
	state  atomic.Int32
	result chan error // holds one, so that the writer never waits for a caller
	err    error      // the function's own verdict; only the writer uses it
}

// writer owns the one connection that writes.
type writer struct {
	cfg   Config
	conn  *sql.Conn
	stmts statements

	begin, commit, rollback        *sql.Stmt
	savepoint, release, rollbackTo *sql.Stmt

	queue   chan *operation
	closing chan struct{} // closed: accept nothing more
	stopped chan struct{} // closed: the goroutine has ended

	commits, writes, failed atomic.Uint64
	accepted                atomic.Int64                  // operations that have no answer yet
	awaited                 atomic.Pointer[chan struct{}] // closed at the end of the next transaction
	health                  health

	// The rest is used by the goroutine only.
	batch []*operation
	alone bool  // the batch has one function: a rollback undoes nobody else
	lost  error // why the transaction cannot go on
}

func newWriter(ctx context.Context, conn *sql.Conn, cfg Config) (*writer, error) {
	w := &writer{
		cfg: cfg, conn: conn, stmts: statements{prepare: conn.PrepareContext},
		queue: make(chan *operation, cfg.MaxQueue), closing: make(chan struct{}), stopped: make(chan struct{}),
	}
	for stmt, text := range map[**sql.Stmt]string{
		&w.begin: cfg.Dialect.Begin, &w.commit: "COMMIT", &w.rollback: "ROLLBACK",
		&w.savepoint: "SAVEPOINT one", &w.release: "RELEASE SAVEPOINT one", &w.rollbackTo: "ROLLBACK TO SAVEPOINT one",
	} {
		var err error
		if *stmt, err = conn.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	go w.run()
	return w, nil
}

// Write runs fn in the writer's transaction and returns after what it wrote is
// durable. Functions that wait at the same time share one transaction.
//
// If fn returns an error, Write returns that error as it is and nothing that fn wrote is kept; the others of the group
// are not affected. A panic in fn becomes a [PanicError]. If the commit fails, every function of the group gets that
// error, also one that had failed by itself: what it saw is not true now. Deferred constraints are checked only then,
// so tables here must not have any.
//
// When ctx is done before fn is started, Write returns the context's cause and fn is never run. Later than that Write
// waits for the result. fn runs once, on the writer's goroutine: it must be short, must not call Write, and must not
// end the goroutine (as testing's FailNow does).
func (db *DB) Write(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return db.writer.do(&operation{ctx: ctx, fn: fn, result: make(chan error, 1)})
}

func (w *writer) do(op *operation) error {
	if err := op.ctx.Err(); err != nil {
		return context.Cause(op.ctx)
	}
	select {
	case <-w.closing:
		return ErrClosed
	default:
	}
	w.accepted.Add(1)
	defer w.accepted.Add(-1)
	select {
	case w.queue <- op:
	case <-op.ctx.Done():
		return context.Cause(op.ctx)
	case <-w.closing:
		return ErrClosed
	}
	var giveUp error
	select {
	case err := <-op.result:
		return err
	case <-op.ctx.Done():
		giveUp = context.Cause(op.ctx)
	case <-w.stopped: // it may have come into the queue after the writer looked last
		giveUp = ErrClosed
	}
	if op.state.CompareAndSwap(waiting, abandoned) {
		return giveUp
	}
	return <-op.result
}

// giveWay waits for the end of a transaction if there is something to write, and for a few milliseconds at most.
func (w *writer) giveWay(ctx context.Context) {
	over := make(chan struct{})
	if w.accepted.Load() == 0 || !w.awaited.CompareAndSwap(nil, &over) {
		return
	}
	limit := time.NewTimer(maxGiveWay)
	defer limit.Stop()
	select {
	case <-over:
	case <-limit.C:
		w.awaited.CompareAndSwap(&over, nil)
	case <-ctx.Done():
		w.awaited.CompareAndSwap(&over, nil)
	}
}

func (w *writer) close() error {
	close(w.closing)
	<-w.stopped
	w.stmts.close()
	for _, s := range []*sql.Stmt{w.begin, w.commit, w.rollback, w.savepoint, w.release, w.rollbackTo} {
		_ = s.Close() // the connection goes next
	}
	return w.conn.Close()
}

func (w *writer) run() {
	defer close(w.stopped)
	idle := time.NewTimer(w.cfg.IdleAfter)
	defer idle.Stop()
	if w.cfg.WhenIdle == nil {
		idle.Stop()
	}
	for {
		select {
		case op := <-w.queue:
			w.group(op)
			if w.cfg.WhenIdle != nil {
				idle.Reset(w.cfg.IdleAfter)
			}
		case <-idle.C:
			if !w.cfg.WhenIdle() {
				idle.Reset(w.cfg.IdleAfter)
			}
		case <-w.closing:
			w.finish()
			return
		}
	}
}

// finish runs what was accepted before the database was closed.
func (w *writer) finish() {
	for {
		select {
		case op := <-w.queue:
			w.group(op)
		default:
			return
		}
	}
}

// group commits op together with all that is waiting behind it.
func (w *writer) group(op *operation) {
	// The callers answered a moment ago are about to come back; letting them
	// run first makes the groups larger and the syncs fewer.
	runtime.Gosched()
	w.batch = w.take(w.batch[:0], op)
	if len(w.batch) == 0 {
		return
	}
	w.alone = len(w.batch) == 1
	done := w.transaction()
	clear(w.batch)
	if over := w.awaited.Swap(nil); over != nil {
		close(*over)
	}
	if done > 0 && w.cfg.AfterCommit != nil {
		w.cfg.AfterCommit(done)
	}
}

// take collects the operations whose callers still wait.
func (w *writer) take(batch []*operation, op *operation) []*operation {
	for {
		if op.state.CompareAndSwap(waiting, started) {
			batch = append(batch, op)
		}
		if len(batch) == w.cfg.MaxBatch {
			return batch
		}
		select {
		case op = <-w.queue:
		default:
			return batch
		}
	}
}

// transaction runs the batch, answers its callers, and returns how many functions it committed.
func (w *writer) transaction() int {
	w.lost = nil
	if _, err := w.begin.ExecContext(background); err != nil {
		err, _ = w.cfg.Dialect.Classify(err)
		w.health.failed(err)
		w.answerAll(fmt.Errorf("store: begin a transaction on %s: %w", w.cfg.Path, err))
		return 0
	}
	good := 0
	for _, op := range w.batch {
		op.err = w.call(op)
		if w.lost != nil {
			break
		}
		if op.err == nil {
			good++
		}
	}
	if err := w.settle(good); err != nil {
		w.health.failed(err)
		w.answerAll(err)
		return 0
	}
	if good > 0 {
		w.health.committed()
		w.commits.Add(1)
		w.writes.Add(uint64(good))
	}
	w.failed.Add(uint64(len(w.batch) - good))
	for _, op := range w.batch {
		op.result <- op.err
	}
	return good
}

// settle ends the transaction. An error means that nothing of it was kept.
func (w *writer) settle(good int) error {
	if w.lost == nil && good > 0 {
		_, err := w.commit.ExecContext(background)
		if err == nil {
			return nil
		}
		w.lose(err)
	}
	// The engine may have rolled back already; then this one fails, as it should.
	_, err := w.rollback.ExecContext(background)
	if w.lost != nil {
		return fmt.Errorf("store: write to %s: %w", w.cfg.Path, w.lost)
	}
	if err != nil {
		return fmt.Errorf("store: roll back on %s: %w", w.cfg.Path, err)
	}
	return nil
}

func (w *writer) answerAll(err error) {
	w.failed.Add(uint64(len(w.batch)))
	for _, op := range w.batch {
		op.result <- err
	}
}

// call runs one function and undoes it alone if it fails.
func (w *writer) call(op *operation) (err error) {
	tx := Tx{w: w}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		if ended := tx.end(err != nil); ended != nil {
			err = ended
		}
	}()
	return op.fn(op.ctx, &tx)
}

// check classifies a statement's error and remembers one after which the transaction cannot go on.
func (w *writer) check(err error) error {
	err, lost := w.cfg.Dialect.Classify(err)
	if lost && w.lost == nil {
		w.lost = err
	}
	return err
}

// lose marks the transaction as one that cannot go on.
func (w *writer) lose(err error) error {
	if w.lost == nil {
		w.lost, _ = w.cfg.Dialect.Classify(err)
	}
	return w.lost
}
