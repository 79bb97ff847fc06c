// SPDX-License-Identifier: Apache-2.0

// Package postgres tells the nodes of a journal in PostgreSQL of each other's commits, by LISTEN and NOTIFY.
package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store/postgres"
)

const (
	// channel is the same for all programs that share the database.
	channel = "dragoman"
	// maxPayload is what a notification holds: PostgreSQL's limit is 8,000 bytes.
	maxPayload = 7900
	// maxPending bounds the keys that wait for the server. Nodes find further tasks by polling.
	maxPending = 10_000
	// maxPause bounds the pause between attempts to reach the server.
	maxPause = 5 * time.Second
	// timeout bounds one notification.
	timeout = 5 * time.Second
	// alive is how often the connection that listens is asked whether it still lives: a server that is gone without a
	// word would not be noticed.
	alive = 15 * time.Second
)

// Waker is a [journal.Waker] over two connections of its own. While one notification is on its way, the next ones are
// collected, so that their number does not grow with that of the commits. Make it by [NewWaker].
type Waker struct {
	config *pgx.ConnConfig
	logger *slog.Logger
	cancel context.CancelFunc
	loop   sync.WaitGroup

	mu      sync.Mutex
	pending map[journal.Key]bool
	some    chan struct{} // holds one
}

var _ journal.Waker = (*Waker)(nil)

// NewWaker connects to a database as [postgres.Open] does, when there is something to tell. The URL must not lead
// through a pooler in transaction mode, which does not pass on notifications. Close the waker after the engine.
func NewWaker(url string, logger *slog.Logger) (*Waker, error) {
	config, err := postgres.Config(url)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Waker{config: config, logger: logger, cancel: cancel, pending: make(map[journal.Key]bool),
		some: make(chan struct{}, 1)}
	w.loop.Go(func() { w.notifyLoop(ctx) })
	return w, nil
}

// Close sends what it can within a second, and ends the connection that notifies.
func (w *Waker) Close() error {
	w.cancel()
	w.loop.Wait()
	return nil
}

// Notify implements [journal.Waker].
func (w *Waker) Notify(_ context.Context, keys ...journal.Key) {
	w.mu.Lock()
	for _, key := range keys {
		if len(w.pending) < maxPending {
			w.pending[key] = true
		}
	}
	w.mu.Unlock()
	select {
	case w.some <- struct{}{}:
	default:
	}
}

func (w *Waker) notifyLoop(ctx context.Context) {
	var conn *pgx.Conn
	defer func() { hangUp(conn) }()
	for {
		select {
		case <-w.some:
			w.sendAll(ctx, &conn)
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			w.sendAll(ctx, &conn)
			return
		}
	}
}

func (w *Waker) sendAll(ctx context.Context, conn **pgx.Conn) {
	w.mu.Lock()
	payloads := pack(w.pending)
	clear(w.pending)
	w.mu.Unlock()
	for _, p := range payloads {
		// A notification that fails is not sent again: by the time that the server is back, the polls have found the
		// task.
		if err := w.send(ctx, conn, p); err != nil && ctx.Err() == nil {
			w.logger.DebugContext(ctx, "other nodes were not told of a commit and find it by polling", "error", err)
			return
		}
	}
}

func (w *Waker) send(ctx context.Context, conn **pgx.Conn, payload string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if *conn == nil || (*conn).IsClosed() {
		if *conn, err = pgx.ConnectConfig(ctx, w.config); err != nil {
			return err
		}
	}
	_, err = (*conn).Exec(ctx, `SELECT pg_notify($1, $2)`, channel, payload)
	if err != nil {
		hangUp(*conn)
		*conn = nil
	}
	return err
}

func hangUp(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // the server ends it by itself if this does not reach it
}

// pack makes notifications of keys. A key that is too long for one is left to the polls.
func pack(keys map[journal.Key]bool) []string {
	var payloads []string
	var open []byte
	flush := func() {
		if len(open) > 0 {
			payloads = append(payloads, string(open)+"]")
		}
		open = nil
	}
	for k := range keys {
		one, err := json.Marshal([...]string{k.Agent, k.Tenant, k.Owner, string(k.ID)})
		if err != nil || len(one)+2 > maxPayload {
			continue
		}
		if len(open)+len(one)+2 > maxPayload {
			flush()
		}
		separator := byte(',')
		if open == nil {
			separator = '['
		}
		open = append(append(open, separator), one...)
	}
	flush()
	return payloads
}

// unpack is the reverse of pack. It returns no keys for the notifications of other programs.
func unpack(payload string) []journal.Key {
	var all [][4]string
	if json.Unmarshal([]byte(payload), &all) != nil {
		return nil
	}
	keys := make([]journal.Key, len(all))
	for i, k := range all {
		keys[i] = journal.Key{Scope: journal.Scope{Agent: k[0], Tenant: k[1], Owner: k[2]}, ID: a2a.TaskID(k[3])}
	}
	return keys
}

// Listen implements [journal.Waker]. It connects again when the connection is lost.
func (w *Waker) Listen(ctx context.Context, f func(journal.Key)) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = 50*time.Millisecond, maxPause
	for {
		err := w.listen(ctx, f, pause.Reset)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.logger.WarnContext(ctx, "the database's notifications are lost; polling until they are back", "error", err)
		select {
		case <-time.After(pause.NextBackOff()):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *Waker) listen(ctx context.Context, f func(journal.Key), connected func()) error {
	conn, err := pgx.ConnectConfig(ctx, w.config)
	if err != nil {
		return err
	}
	defer hangUp(conn)
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	connected()
	for {
		n, err := next(ctx, conn)
		if err != nil {
			return err
		}
		if n != nil && n.Channel == channel {
			for _, key := range unpack(n.Payload) {
				f(key)
			}
		}
	}
}

// next waits for a notification. It returns none when the server was asked instead whether it is alive.
func next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	waiting, cancel := context.WithTimeout(ctx, alive)
	defer cancel()
	n, err := conn.WaitForNotification(waiting)
	if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return n, err
	}
	asking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return nil, conn.Ping(asking)
}
