// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
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

// queue is where operations wait for the next of its writers.
type queue struct {
	waiting chan *operation
	closing chan struct{} // closed: accept nothing more
	stopped chan struct{} // closed: all writers have ended
	writers []*writer

	commits, writes, failed atomic.Uint64
	accepted                atomic.Int64                  // operations that have no answer yet
	awaited                 atomic.Pointer[chan struct{}] // closed at the end of the next transaction
	health                  *health
}

// writer owns one connection that writes.
type writer struct {
	*queue
	cfg   Config
	begin []string // the statements that start a transaction
	conn  *sql.Conn
	on    runner

	// The rest is used by the goroutine only.
	batch []*operation
	ctx   context.Context // of the transaction
	alone bool            // the batch has one function: a rollback undoes nobody else
	lost  error           // why the transaction cannot go on
}

// newQueue starts writers, each on a connection of its own. Their transactions start with these statements.
func newQueue(ctx context.Context, cfg Config, h *health, writers int, begin ...string) (*queue, error) {
	q := &queue{health: h, waiting: make(chan *operation, cfg.MaxQueue), closing: make(chan struct{}),
		stopped: make(chan struct{})}
	for range writers {
		w := &writer{queue: q, cfg: cfg, begin: begin}
		if err := w.connect(ctx); err != nil {
			return nil, errors.Join(err, q.disconnect())
		}
		q.writers = append(q.writers, w)
	}
	var all sync.WaitGroup
	for _, w := range q.writers {
		all.Go(w.run)
	}
	go func() {
		all.Wait()
		close(q.stopped)
	}()
	return q, nil
}

func (w *writer) connect(ctx context.Context) error {
	conn, err := w.cfg.Writer.Conn(ctx)
	if err != nil {
		return err
	}
	w.conn, w.on = conn, w.cfg.Dialect.runner(conn)
	return nil
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
// waits for the result. fn runs on the writer's goroutine: it must be short, must not call Write, and must not end the
// goroutine (as testing's FailNow does). No other function given to Write runs at the same time, not on another node
// either. Where [Dialect.Again] is set fn may run again after its writes were undone.
func (db *DB) Write(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return db.writer.do(ctx, fn)
}

// Change is [DB.Write] for a function that locks what its writes depend on: the rows that it selects with
// [Dialect.Lock]. Where the engine lets several write at a time, such functions run beside each other and beside those
// of Write, here and on other nodes.
func (db *DB) Change(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return db.changers.do(ctx, fn)
}

// tries is how often a function runs that the engine picked to be undone, as after a deadlock.
const tries = 10

func (q *queue) do(ctx context.Context, fn func(context.Context, *Tx) error) error {
	for try := 1; ; try++ {
		err := q.once(&operation{ctx: ctx, fn: fn, result: make(chan error, 1)})
		if try == tries || !errors.Is(err, ErrAgain) {
			return err
		}
	}
}

func (q *queue) once(op *operation) error {
	if err := op.ctx.Err(); err != nil {
		return context.Cause(op.ctx)
	}
	select {
	case <-q.closing:
		return ErrClosed
	default:
	}
	q.accepted.Add(1)
	defer q.accepted.Add(-1)
	select {
	case q.waiting <- op:
	case <-op.ctx.Done():
		return context.Cause(op.ctx)
	case <-q.closing:
		return ErrClosed
	}
	var giveUp error
	select {
	case err := <-op.result:
		return err
	case <-op.ctx.Done():
		giveUp = context.Cause(op.ctx)
	case <-q.stopped: // it may have come into the queue after the writer looked last
		giveUp = ErrClosed
	}
	if op.state.CompareAndSwap(waiting, abandoned) {
		return giveUp
	}
	return <-op.result
}

// giveWay waits for the end of a transaction if there is something to write, and for a few milliseconds at most.
func (q *queue) giveWay(ctx context.Context) {
	over := make(chan struct{})
	if q.accepted.Load() == 0 || !q.awaited.CompareAndSwap(nil, &over) {
		return
	}
	limit := time.NewTimer(maxGiveWay)
	defer limit.Stop()
	select {
	case <-over:
	case <-limit.C:
		q.awaited.CompareAndSwap(&over, nil)
	case <-ctx.Done():
		q.awaited.CompareAndSwap(&over, nil)
	}
}

func (q *queue) close() error {
	close(q.closing)
	<-q.stopped
	return q.disconnect()
}

func (q *queue) disconnect() error {
	var errs []error
	for _, w := range q.writers {
		if cache, ok := w.on.(*statements); ok {
			cache.close()
		}
		if err := w.conn.Close(); !errors.Is(err, sql.ErrConnDone) { // as of one that was lost and not replaced
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (w *writer) run() {
	idle := time.NewTimer(w.cfg.IdleAfter)
	defer idle.Stop()
	if w.cfg.WhenIdle == nil {
		idle.Stop()
	}
	for {
		select {
		case op := <-w.waiting:
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
		case op := <-w.waiting:
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
		case op = <-w.waiting:
		default:
			return batch
		}
	}
}

// transaction runs the batch, answers its callers, and returns how many functions it committed.
func (w *writer) transaction() int {
	w.lost = nil
	cancel := w.limit()
	defer cancel()
	if err := w.start(); err != nil {
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

// limit sets the context of the transaction's statements. Without a limit it cannot be cancelled, which also spares the
// driver a goroutine for each statement.
func (w *writer) limit() context.CancelFunc {
	w.ctx = context.Background()
	if w.cfg.Dialect.Timeout == 0 {
		return func() {}
	}
	var cancel context.CancelFunc
	w.ctx, cancel = context.WithTimeout(w.ctx, w.cfg.Dialect.Timeout)
	return cancel
}

// start begins a transaction, on a new connection if the one there was is lost.
func (w *writer) start() error {
	err := w.exec(w.begin...)
	if err == nil || !w.cfg.Dialect.Remote {
		return err
	}
	_ = w.conn.Close() // nothing was begun on it, or nothing that it could keep
	if err := w.connect(w.ctx); err != nil {
		return err
	}
	return w.exec(w.begin...)
}

func (w *writer) exec(texts ...string) error {
	for _, text := range texts {
		if _, err := w.on.ExecContext(w.ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// settle ends the transaction. An error means that nothing of it was kept.
func (w *writer) settle(good int) error {
	if w.lost == nil && good > 0 {
		err := w.exec("COMMIT")
		if err == nil {
			return nil
		}
		w.lose(err)
	}
	// The engine may have rolled back already; then this one fails, as it should.
	err := w.exec("ROLLBACK")
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
