// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/store"
)

// The directions of what is on the wire.
const (
	wireRequest = "request"
	wireAnswer  = "answer" // to a request; of a stream its header
	wireEvent   = "event"  // of a stream
	wireEnd     = "end"    // why a stream broke, or a request got no answer
	wirePush    = "push"   // a notification that an agent posted
)

const (
	maxWire      = 10_000   // rows
	maxWireBytes = 64 << 20 // of all bodies together
	maxWireBody  = 64 << 10 // of one body
	maxAbout     = 200      // bytes
	wireBatch    = 200      // rows that are written together
	wireQueue    = 1_000    // rows that wait to be written
	wireTrim     = 200      // rows after which the oldest are deleted
	wirePerRead  = 1_000    // rows of one look
	wireOverlong = 8 << 10  // bytes behind those of a body in which a credential may end
)

// A wireRow is one thing that passed, without credentials.
type wireRow struct {
	Seq      int64     `json:"seq"`
	Exchange int64     `json:"exchange"`
	At       time.Time `json:"at"`
	Dir      string    `json:"dir"`
	Agent    string    `json:"agent"` // its id; the console may not have it
	Verb     string    `json:"verb"`  // of HTTP, or gRPC
	URL      string    `json:"url"`
	Method   string    `json:"method"` // of A2A, as it is on the wire
	Status   int       `json:"status"` // of HTTP
	Code     int       `json:"code"`   // of a JSON-RPC error
	Failed   bool      `json:"failed"`
	About    string    `json:"about"` // what it says, in a few words
	Took     int64     `json:"took"`  // microseconds since the request
	Size     int64     `json:"size"`
	Cut      bool      `json:"cut"` // only the beginning of the body is kept

	Headers map[string]string `json:"headers,omitempty"` // a list leaves them out
	Body    string            `json:"body,omitzero"`
}

// setBody keeps the beginning of a body that has size bytes, of which text has the first ones.
func (r *wireRow) setBody(text []byte, size int64) {
	body := strings.ToValidUTF8(redact.Body(string(text)), "\uFFFD")
	r.Size, r.Cut = size, int64(len(text)) < size || len(body) > maxWireBody
	r.Body = strings.ToValidUTF8(body[:min(len(body), maxWireBody)], "")
}

// A wireLog keeps the rows in the database, the newest ones.
type wireLog struct {
	tables   *tables
	news     *news
	logger   *slog.Logger
	queue    chan *wireRow
	done     chan struct{}
	exchange atomic.Int64

	mu     sync.RWMutex
	closed bool
}

func openWire(ctx context.Context, t *tables, logger *slog.Logger) (*wireLog, error) {
	l := &wireLog{tables: t, news: newNews(), logger: logger, queue: make(chan *wireRow, wireQueue),
		done: make(chan struct{})}
	var last int64
	err := t.db.QueryRowContext(ctx, `SELECT COALESCE(max(exchange), 0) FROM console_wire`).Scan(&last)
	if err != nil {
		return nil, err
	}
	l.exchange.Store(last)
	go l.write()
	return l, nil
}

// add keeps a row. If the database is slow, what passes waits for it.
func (l *wireLog) add(r *wireRow) {
	if r.At.IsZero() {
		r.At = time.Now()
	}
	r.About = clip(redact.Text(r.About))
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.closed {
		l.queue <- r
	}
}

func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxAbout {
		return s
	}
	return strings.ToValidUTF8(s[:maxAbout], "") + "…"
}

// close writes what is waiting.
func (l *wireLog) close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.queue)
	}
	l.mu.Unlock()
	<-l.done
	l.news.close()
}

func (l *wireLog) write() {
	defer close(l.done)
	since := 0
	for first := range l.queue {
		batch := []*wireRow{first}
		for more := true; more && len(batch) < wireBatch; {
			select {
			case r, ok := <-l.queue:
				if more = ok; ok {
					batch = append(batch, r)
				}
			default:
				more = false
			}
		}
		since += len(batch)
		trim := since >= wireTrim
		if trim {
			since = 0
		}
		if err := l.tables.addWire(context.Background(), batch, trim); err != nil {
			l.logger.Error("what passed on the wire was not kept", "error", err)
		}
		l.news.tell("wire")
	}
}

const wireColumns = `seq, exchange, at, dir, agent, verb, url, method, status, code, failed, about, took, size, cut`

func scanWire(scan func(...any) error) (r wireRow, err error) {
	var at int64
	err = scan(&r.Seq, &r.Exchange, &at, &r.Dir, &r.Agent, &r.Verb, &r.URL, &r.Method, &r.Status, &r.Code, &r.Failed,
		&r.About, &r.Took, &r.Size, &r.Cut)
	r.At = time.UnixMicro(at).UTC()
	return r, known(err)
}

func scanWireWhole(scan func(...any) error) (r wireRow, err error) {
	var headers, body []byte
	r, err = scanWire(func(to ...any) error { return scan(append(to, &headers, &body)...) })
	if err == nil {
		err = json.Unmarshal(headers, &r.Headers)
	}
	r.Body = string(body)
	return r, err
}

func (t *tables) addWire(ctx context.Context, rows []*wireRow, trim bool) error {
	return t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, r := range rows {
			headers, err := json.Marshal(r.Headers, jsontext.AllowInvalidUTF8(true))
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `INSERT INTO console_wire (exchange, at, dir, agent, verb, url, method, status,
				code, failed, about, took, size, cut, headers, body)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`, r.Exchange,
				r.At.UnixMicro(), r.Dir, r.Agent, r.Verb, r.URL, r.Method, r.Status, r.Code, r.Failed, r.About, r.Took,
				r.Size, r.Cut, headers, []byte(r.Body))
			if err != nil {
				return err
			}
		}
		if !trim {
			return nil
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM console_wire WHERE seq <= (SELECT COALESCE(max(seq), 0) FROM (
			SELECT seq, row_number() OVER newest AS n, sum(length(body)) OVER newest AS bytes FROM console_wire
			WINDOW newest AS (ORDER BY seq DESC)) WHERE n > $1 OR bytes > $2)`, maxWire, maxWireBytes)
		return err
	})
}

// wire returns the next rows after one, without headers and bodies.
func (t *tables) wire(ctx context.Context, after int64) ([]wireRow, error) {
	return all(ctx, t.db, scanWire, `SELECT `+wireColumns+` FROM console_wire WHERE seq > $1 ORDER BY seq LIMIT $2`,
		after, wirePerRead)
}

// wireWhole returns rows as they are kept: up to so many after one.
func (t *tables) wireWhole(ctx context.Context, after int64, most int) ([]wireRow, error) {
	return all(ctx, t.db, scanWireWhole, `SELECT `+wireColumns+`, headers, body FROM console_wire
		WHERE seq > $1 ORDER BY seq LIMIT $2`, after, most)
}

func (t *tables) wireRow(ctx context.Context, seq int64) (wireRow, error) {
	return scanWireWhole(t.db.QueryRowContext(ctx, `SELECT `+wireColumns+`, headers, body FROM console_wire
		WHERE seq = $1`, seq).Scan)
}

func (t *tables) clearWire(ctx context.Context) error {
	return t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM console_wire`)
		return err
	})
}
