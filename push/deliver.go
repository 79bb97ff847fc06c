// SPDX-License-Identifier: Apache-2.0

package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/journal"
)

const (
	// perTurn is how many events of one config are delivered before others of its host get their turn.
	perTurn = 32
	// maxRetryAfter bounds the wait that a webhook asks for.
	maxRetryAfter = 24 * time.Hour
)

// A job is a config that has something to deliver.
type job struct {
	journal.DueCursor
	rec   *record
	host  string
	until time.Time // when it is due if it is put off
}

type jobKey struct {
	task journal.Key
	name string
}

func (j *job) key() jobKey { return jobKey{j.Key, j.Name} }

// swap replaces the config's cursor. It returns false if the config was changed or removed meanwhile, or the journal
// failed: then whoever finds it due goes on.
func (s *Sender) swap(j *job, next journal.Cursor) bool {
	next.Data = j.rec.encode()
	next.Due = next.Due.Truncate(time.Millisecond)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 10*time.Second)
	defer cancel()
	err := s.journal.SwapCursor(ctx, j.Key, j.Cursor, next)
	if err != nil {
		if !errors.Is(err, journal.ErrConflict) {
			s.log.Warn("the journal does not take the progress of a push notification", "task", j.Key.ID,
				"config", j.Name, "error", err)
		}
		return false
	}
	j.Cursor = next
	return true
}

// claimed returns when a config becomes due for others if this process dies.
func (s *Sender) claimed() time.Time { return time.Now().Add(2 * s.opts.Timeout) }

// deliver delivers what a config is behind, up to perTurn events. The cursor moves after each event.
func (s *Sender) deliver(j *job) {
	next := j.Cursor
	next.Due = s.claimed()
	if !s.swap(j, next) {
		return
	}
	for range perTurn {
		events, err := s.journal.Events(s.ctx, j.Key, j.Delivered, perTurn)
		if err != nil {
			s.release(j)
			return
		}
		ev, last := j.first(events)
		next := j.Cursor
		next.Delivered, next.Attempts = last, 0
		if ev == nil { // nothing but what webhooks do not see
			if last == j.Delivered {
				s.release(j)
				return
			}
			next.Due = time.Time{}
			s.swap(j, next)
			return
		}
		began := time.Now()
		err = s.post(j, ev)
		s.note(j.host, err != nil)
		telemetry.PushDuration.Since(s.ctx, began, j.Key.Agent, s.outcome(j, err))
		if err != nil {
			s.failed(j, err)
			return
		}
		j.rec.Failing, j.rec.Failure = time.Time{}, ""
		next.Due = s.claimed()
		if !s.swap(j, next) {
			return
		}
	}
	s.release(j)
}

// first returns the first event that the webhook sees, and its number; or nil and the last number.
func (j *job) first(events []journal.Event) (*journal.Event, uint64) {
	last := j.Delivered
	for i := range events {
		ev := &events[i]
		last = ev.Seq
		switch event := ev.Wire.Event.(type) {
		case nil:
		case *a2a.ArtifactUpdate: // before 1.0 a webhook sees the task when its status changes
			if j.rec.Generation == a2a.Generation10 && !event.OnlyEnds() {
				return ev, last
			}
		default:
			return ev, last
		}
	}
	return nil, last
}

// release makes a config due again as soon as it has something to deliver.
func (s *Sender) release(j *job) {
	next := j.Cursor
	next.Due = time.Time{}
	s.swap(j, next)
}

// refusal is an answer of a webhook other than 2xx.
type refusal struct {
	status     int
	retryAfter time.Duration // 0: the webhook does not say
}

func (r *refusal) Error() string { return fmt.Sprintf("the webhook answered with status %d", r.status) }

// slows reports whether the answer asks for less traffic to the host.
func (r *refusal) slows() bool {
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// outcome names what follows from a try, for metrics: "" when it succeeded.
func (s *Sender) outcome(j *job, err error) string {
	if err == nil {
		return ""
	}
	answer, _ := errors.AsType[*refusal](err)
	gone := answer != nil && answer.status == http.StatusGone
	if s.ctx.Err() == nil && (gone || j.Attempts >= len(s.opts.Schedule)) {
		return "parked"
	}
	return "failed"
}

// failed schedules the next try, or parks the config after the last one.
func (s *Sender) failed(j *job, err error) {
	if s.ctx.Err() != nil { // it was interrupted
		s.release(j)
		return
	}
	now := time.Now()
	next := j.Cursor
	next.Attempts++
	if j.rec.Failing.IsZero() {
		j.rec.Failing = now
	}
	j.rec.Failure = err.Error()
	if s.outcome(j, err) == "parked" {
		j.rec.Parked, j.rec.Reached = now, j.Delivered
		next.Delivered, next.Due = journal.Parked, time.Time{}
		s.log.Warn("parked a push notification config: nothing is delivered to it until you retry it", "task", j.Key.ID,
			"config", j.Name, "host", j.host, "failing since", j.rec.Failing, "error", err)
		s.swap(j, next)
		return
	}
	wait := s.opts.Schedule[next.Attempts-1]
	wait += rand.N(wait/10 + 1)
	if answer, ok := errors.AsType[*refusal](err); ok {
		wait = max(wait, min(answer.retryAfter, maxRetryAfter))
		if answer.slows() {
			s.slow(j.host, answer.retryAfter)
		}
	}
	next.Due = now.Add(wait)
	s.log.Info("a push notification was not delivered", "task", j.Key.ID, "config", j.Name, "host", j.host,
		"attempt", next.Attempts, "next", wait, "error", err)
	s.swap(j, next)
}

// post makes one request. Errors name no URL, because its path may hold a secret.
func (s *Sender) post(j *job, ev *journal.Event) error {
	n, err := s.notification(j, ev)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, j.rec.URL, bytes.NewReader(n.body))
	if err != nil {
		return errors.New("the webhook's URL cannot be called")
	}
	if err := s.sign(req.Header, j, n); err != nil {
		return err
	}
	resp, err := s.http.Do(req)
	switch {
	case errors.Is(err, guard.ErrRefused):
		return guard.ErrRefused
	case err != nil:
		if timeout, ok := errors.AsType[interface {
			error
			Timeout() bool
		}](err); ok && timeout.Timeout() {
			return errors.New("the webhook did not answer in time")
		}
		return errors.New("the webhook cannot be reached")
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode/100 == 2 {
		return nil
	}
	return &refusal{resp.StatusCode, retryAfter(resp.Header.Get("Retry-After"))}
}

// retryAfter reads the header, which has seconds or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil {
		return max(0, time.Duration(min(seconds, int(maxRetryAfter/time.Second)))*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// notification makes the body, in the version in which the config was made: an event, or the task before 1.0.
func (s *Sender) notification(j *job, ev *journal.Event) (*notification, error) {
	sum := sha256.Sum256(fmt.Appendf(place(j.Key, j.Name), "%d", ev.Seq))
	n := &notification{id: "msg_" + base64.RawURLEncoding.EncodeToString(sum[:18]), at: time.Now(),
		media: wire.MediaTypeA2A}
	event := ev.Wire.Event
	if j.rec.Generation != a2a.Generation10 {
		snap, err := s.journal.Load(s.ctx, j.Key)
		if err != nil {
			return nil, err
		}
		event, n.media = snap.Task, wire.MediaTypeJSON
	}
	if s.opts.Shown != nil {
		event = s.opts.Shown(j.Key, j.rec.Base, event)
	}
	var err error
	if task, ok := event.(*a2a.Task); ok && j.rec.Generation != a2a.Generation10 {
		dialect := binding.DialectOf(j.rec.Generation)
		if dialect == nil {
			return nil, fmt.Errorf("push: there is no protocol version %q", j.rec.Generation)
		}
		n.body, err = dialect.AppendResult(nil, wire.OpGetTask, nil, task)
	} else {
		n.body, err = a2a.AppendStreamResponse(nil, event)
	}
	return n, err
}

// sign sets the headers of a notification.
func (s *Sender) sign(h http.Header, j *job, n *notification) error {
	h.Set("Content-Type", n.media)
	h.Set("User-Agent", "dragoman-push")
	h.Set(HeaderID, n.id)
	h.Set(HeaderTimestamp, strconv.FormatInt(n.at.Unix(), 10))
	token, err := s.open(j.Key, j.Name, j.rec.Token)
	if err != nil {
		return err
	}
	if token != "" {
		h.Set(HeaderToken, token)
	}
	credentials, err := s.open(j.Key, j.Name, j.rec.Credentials)
	if err != nil {
		return err
	}
	if known, ok := schemes[strings.ToLower(j.rec.Scheme)]; ok && credentials != "" {
		known.set(h, credentials, n)
	}
	switch {
	case h.Get("Authorization") != "":
	case s.opts.Signer != nil:
		signed, err := s.token(j, n)
		if err != nil {
			return fmt.Errorf("the notification cannot be signed: %w", err)
		}
		h.Set("Authorization", "Bearer "+signed)
	case strings.EqualFold(j.rec.Scheme, "bearer"):
		return errors.New("the webhook expects a signed token, and there is no key to sign with")
	}
	return nil
}
