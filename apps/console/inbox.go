// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/store"
)

// maxPush bounds a notification.
const maxPush = 8 << 20

// An inbox is where an agent posts notifications about one task.
type inbox struct {
	id, agent string
	task      a2a.TaskID
	token     string
}

// openInbox makes an inbox for a task, and asks its agent to post there.
func (a taskAPI) openInbox(_ http.ResponseWriter, r *http.Request) (any, error) {
	var wanted struct {
		Base string `json:"base"` // the address of the page, which agents can reach as well
	}
	if err := read(r, &wanted); err != nil {
		return nil, err
	}
	base, err := url.Parse(wanted.Base)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, a2a.InvalidParams("base", "must be the http or https address of the console")
	}
	box := inbox{rand.Text(), r.PathValue("id"), a2a.TaskID(r.PathValue("task")), rand.Text()}
	one, err := a.c.client(r.Context(), box.agent)
	if err != nil {
		return nil, err
	}
	if err := a.c.tables.addInbox(r.Context(), box); err != nil {
		return nil, err
	}
	config, err := one.CreatePushConfig(r.Context(), &a2a.PushConfig{TaskID: box.task, Token: box.token,
		URL: base.JoinPath("push", box.id).String()})
	if err != nil {
		return nil, errors.Join(err, a.c.tables.deleteInbox(context.WithoutCancel(r.Context()), box.id))
	}
	return map[string]string{"url": config.URL}, nil
}

// receive takes a notification. What came, and the verdict on it, is on the wire.
func (c *Console) receive(w http.ResponseWriter, r *http.Request) {
	box, err := c.tables.inbox(r.Context(), r.PathValue("inbox"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPush+1))
	if err != nil {
		http.Error(w, "the notification is too large or ended early", http.StatusRequestEntityTooLarge)
		return
	}
	row := &wireRow{Dir: wirePush, Agent: box.agent, Verb: r.Method, Method: "push notification",
		URL: redact.URL(r.URL, func(string) bool { return false }), Headers: headersOf(r.Header),
		Status: http.StatusNoContent}
	row.setBody(text, int64(len(text)))
	_, row.About = aboutOf(text)
	row.About = "accepted: " + row.About
	receiver := push.Receiver{Checks: push.Checks{Token: box.token},
		Expects: func(id a2a.TaskID) bool { return id == box.task },
		Receive: func(context.Context, *push.Received) error { return nil },
		Refused: func(_ *http.Request, status int, why error) {
			row.Status, row.Failed, row.About = status, true, "refused: "+why.Error()
		}}
	r.Body = io.NopCloser(bytes.NewReader(text))
	receiver.ServeHTTP(w, r)
	c.wire.add(row)
}

func (t *tables) addInbox(ctx context.Context, b inbox) error {
	return t.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO console_inboxes (id, agent, task, token) VALUES ($1, $2, $3, $4)`,
			b.id, b.agent, string(b.task), b.token)
		return err
	})
}

func (t *tables) inbox(ctx context.Context, id string) (b inbox, err error) {
	err = t.db.QueryRowContext(ctx, `SELECT id, agent, task, token FROM console_inboxes WHERE id = $1`, id).
		Scan(&b.id, &b.agent, &b.task, &b.token)
	return b, known(err)
}

func (t *tables) deleteInbox(ctx context.Context, id string) error {
	return t.change(ctx, `DELETE FROM console_inboxes WHERE id = $1`, id)
}
