// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/store"
)

//go:embed migrations
var migrations embed.FS

// An Agent is one that the console talks to.
type Agent struct {
	ID      string         `json:"id"`
	URL     string         `json:"url"`
	Card    jsontext.Value `json:"card"` // in the form of 1.0
	AddedAt time.Time      `json:"addedAt"`
	SeenAt  time.Time      `json:"seenAt"` // when the card was fetched
}

// A Conversation is what was said with one agent. Its events are entries.
type Conversation struct {
	ID        string        `json:"id"`
	Agent     string        `json:"agent"`
	Title     string        `json:"title"`
	Context   a2a.ContextID `json:"context"`
	Task      a2a.TaskID    `json:"task"`  // the last one
	State     string        `json:"state"` // of it, such as "input-required"
	Pinned    bool          `json:"pinned"`
	Last      int64         `json:"last"` // number of the last entry
	CreatedAt time.Time     `json:"createdAt"`
	UpdatedAt time.Time     `json:"updatedAt"`
}

// The kinds of entries.
const (
	kindSaid  = "said"  // a message of the user
	kindEvent = "event" // a StreamResponse of the agent
	kindError = "error" // a failure, why no event came
)

// An Entry is one step of a conversation.
type Entry struct {
	Seq  int64          `json:"seq"`
	At   time.Time      `json:"at"`
	Kind string         `json:"kind"`
	Body jsontext.Value `json:"body"`
}

// errUnknown is what is not there.
var errUnknown = errors.New("there is no such thing")

// tables are what the console remembers.
type tables struct{ db *store.DB }

func openTables(ctx context.Context, db *store.DB) (*tables, error) {
	files, err := fs.Sub(migrations, "migrations/"+db.Dialect().Name)
	if err != nil {
		return nil, fmt.Errorf("console: there are no tables for %s", db.Dialect().Name)
	}
	if err := db.Migrate(ctx, "console", files); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return &tables{db}, nil
}

const agentColumns = `id, url, card, added_at, seen_at`

func scanAgent(scan func(...any) error) (a Agent, err error) {
	var added, seen int64
	var card []byte
	err = scan(&a.ID, &a.URL, &card, &added, &seen)
	a.Card, a.AddedAt, a.SeenAt = card, time.UnixMilli(added).UTC(), time.UnixMilli(seen).UTC()
	return a, known(err)
}

const conversationColumns = `id, agent, title, context, task, state, pinned, last, created_at, updated_at`

func scanConversation(scan func(...any) error) (c Conversation, err error) {
	var created, updated int64
	err = scan(&c.ID, &c.Agent, &c.Title, &c.Context, &c.Task, &c.State, &c.Pinned, &c.Last, &created, &updated)
	c.CreatedAt, c.UpdatedAt = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	return c, known(err)
}

func scanEntry(scan func(...any) error) (e Entry, err error) {
	var at int64
	var body []byte
	err = scan(&e.Seq, &at, &e.Kind, &body)
	e.At, e.Body = time.UnixMilli(at).UTC(), body
	return e, known(err)
}

func known(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errUnknown
	}
	return err
}

// all reads every row of a query.
func all[T any](ctx context.Context, q store.Querier, scan func(func(...any) error) (T, error), query string,
	args ...any) ([]T, error) {
	list := []T{}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

func (t *tables) agents(ctx context.Context) ([]Agent, error) {
	return all(ctx, t.db, scanAgent, `SELECT `+agentColumns+` FROM console_agents ORDER BY added_at, id`)
}

func (t *tables) agent(ctx context.Context, id string) (Agent, error) {
	return scanAgent(t.db.QueryRowContext(ctx, `SELECT `+agentColumns+` FROM console_agents WHERE id = $1`, id).Scan)
}

// putAgent adds an agent, or replaces the card of the one with its URL, and returns it as it is then.
func (t *tables) putAgent(ctx context.Context, a Agent) (Agent, error) {
	err := t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO console_agents (`+agentColumns+`) VALUES ($1, $2, $3, $4, $4)
			ON CONFLICT (url) DO UPDATE SET card = excluded.card, seen_at = excluded.seen_at`,
			a.ID, a.URL, []byte(a.Card), a.AddedAt.UnixMilli())
		if err != nil {
			return err
		}
		a, err = scanAgent(tx.QueryRowContext(ctx, `SELECT `+agentColumns+` FROM console_agents WHERE url = $1`,
			a.URL).Scan)
		return err
	})
	return a, err
}

func (t *tables) deleteAgent(ctx context.Context, id string) error {
	return t.change(ctx, `DELETE FROM console_agents WHERE id = $1`, id)
}

// maxConversations is how many conversations a list has.
const maxConversations = 1000

// conversations returns those whose title has a text, newest first, the pinned ones before.
func (t *tables) conversations(ctx context.Context, text string) ([]Conversation, error) {
	pattern := "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(text)) + "%"
	return all(ctx, t.db, scanConversation, `SELECT `+conversationColumns+` FROM console_conversations
		WHERE lower(title) LIKE $1 ESCAPE '\' ORDER BY pinned DESC, updated_at DESC LIMIT $2`, pattern, maxConversations)
}

// running returns the conversations whose task had not ended.
func (t *tables) running(ctx context.Context) ([]Conversation, error) {
	return all(ctx, t.db, scanConversation, `SELECT `+conversationColumns+` FROM console_conversations
		WHERE state IN ('submitted', 'working', 'auth-required', 'sending')`)
}

func (t *tables) conversation(ctx context.Context, id string) (Conversation, error) {
	return scanConversation(t.db.QueryRowContext(ctx, `SELECT `+conversationColumns+
		` FROM console_conversations WHERE id = $1`, id).Scan)
}

func (t *tables) addConversation(ctx context.Context, c Conversation) error {
	return t.change(ctx, `INSERT INTO console_conversations (`+conversationColumns+`)
		VALUES ($1, $2, $3, '', '', '', 0, 0, $4, $4)`, c.ID, c.Agent, c.Title, c.CreatedAt.UnixMilli())
}

func (t *tables) setTitle(ctx context.Context, id, title string) error {
	return t.change(ctx, `UPDATE console_conversations SET title = $2 WHERE id = $1`, id, title)
}

func (t *tables) pin(ctx context.Context, id string, pinned bool) error {
	return t.change(ctx, `UPDATE console_conversations SET pinned = $2 WHERE id = $1`, id, pinned)
}

func (t *tables) deleteConversation(ctx context.Context, id string) error {
	return t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM console_entries WHERE conversation = $1`, id); err != nil {
			return err
		}
		return changed(tx.ExecContext(ctx, `DELETE FROM console_conversations WHERE id = $1`, id))
	})
}

// change runs one statement, and fails with errUnknown if that changed nothing.
func (t *tables) change(ctx context.Context, query string, args ...any) error {
	return t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return changed(tx.ExecContext(ctx, query, args...))
	})
}

func changed(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errUnknown)
	}
	return nil
}

// A step is what an entry changes in its conversation; empty fields change nothing.
type step struct {
	kind  string
	body  []byte
	task  a2a.TaskID
	ctx   a2a.ContextID
	state string
	title string // of a conversation without one
}

// append adds an entry. It fails with errUnknown if the conversation is no more.
func (t *tables) append(ctx context.Context, id string, at time.Time, s step) error {
	return t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE console_conversations SET last = last + 1, updated_at = $2,
			task = CASE WHEN $3 = '' THEN task ELSE $3 END, context = CASE WHEN $4 = '' THEN context ELSE $4 END,
			state = CASE WHEN $5 = '' THEN state ELSE $5 END, title = CASE WHEN title = '' THEN $6 ELSE title END
			WHERE id = $1`, id, at.UnixMilli(), string(s.task), string(s.ctx), s.state, s.title))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO console_entries (conversation, seq, at, kind, body)
			SELECT id, last, $2, $3, $4 FROM console_conversations WHERE id = $1`, id, at.UnixMilli(), s.kind, s.body)
		return err
	})
}

// entriesPerRead bounds what one look at a conversation reads.
const entriesPerRead = 200

// entries returns the next entries after one.
func (t *tables) entries(ctx context.Context, id string, after int64) ([]Entry, error) {
	return all(ctx, t.db, scanEntry, `SELECT seq, at, kind, body FROM console_entries
		WHERE conversation = $1 AND seq > $2 ORDER BY seq LIMIT $3`, id, after, entriesPerRead)
}
