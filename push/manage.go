// SPDX-License-Identifier: Apache-2.0

package push

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// An Action is what [Manage] does with configs.
type Action string

// The actions.
const (
	List  Action = "list"
	Retry Action = "retry" // deliver again, at once, from the event that failed
	Drop  Action = "drop"  // delete
)

// A Selection names configs, by all of its fields that are set.
type Selection struct {
	Task    a2a.TaskID `json:"task,omitzero"`
	Config  string     `json:"config,omitzero"`
	Failing bool       `json:"failing,omitzero"` // whose last delivery failed, the parked ones too
	Since   time.Time  `json:"since,omitzero"`   // that began to fail since then
}

// A Status is how the deliveries to a config go.
type Status struct {
	Agent    string     `json:"agent"`
	Tenant   string     `json:"tenant,omitzero"`
	Owner    string     `json:"owner,omitzero"`
	Task     a2a.TaskID `json:"task"`
	Config   string     `json:"config"`
	Host     string     `json:"host"`              // of the URL, whose path may hold a secret
	Attempts int        `json:"attempts,omitzero"` // that failed, of the event that is to be delivered
	Next     time.Time  `json:"next,omitzero"`     // when it is tried again
	Failing  time.Time  `json:"failing,omitzero"`  // since when
	Parked   time.Time  `json:"parked,omitzero"`   // since when nothing is tried
	Failure  string     `json:"failure,omitzero"`  // of the last try
}

// managed is how many configs one call of Manage looks at.
const managed = 256

// Manage does something with the selected configs of all owners, for the operator. Each call looks at a page of
// configs; go on with next until it is "". It returns how those that were selected stood before. It may run beside a
// [Sender] on the journal.
func Manage(ctx context.Context, j journal.Journal, do Action, sel Selection, page string) (found []Status,
	next string, err error) {
	cursors, next, err := j.AllCursors(ctx, page, managed)
	if err != nil {
		return nil, "", err
	}
	for i := range cursors {
		c := &cursors[i]
		rec, err := decode(c.Data)
		if err != nil {
			rec = new(record) // it can be dropped
		}
		if !sel.has(c, rec) {
			continue
		}
		switch do {
		case List:
		case Retry:
			err = retry(ctx, j, c)
		case Drop:
			err = j.DeleteCursor(ctx, c.Key, c.Name)
		default:
			err = fmt.Errorf("push: there is no action %q", do)
		}
		if do != List && err != nil {
			return nil, "", err
		}
		found = append(found, statusOf(c, rec))
	}
	return found, next, nil
}

func (s *Selection) has(c *journal.DueCursor, rec *record) bool {
	return (s.Task == "" || s.Task == c.Key.ID) && (s.Config == "" || s.Config == c.Name) &&
		(!s.Failing || !rec.Failing.IsZero()) && !rec.Failing.Before(s.Since)
}

func statusOf(c *journal.DueCursor, rec *record) Status {
	st := Status{Agent: c.Key.Agent, Tenant: c.Key.Tenant, Owner: c.Key.Owner, Task: c.Key.ID, Config: c.Name,
		Attempts: c.Attempts, Failing: rec.Failing, Parked: rec.Parked, Failure: rec.Failure}
	if c.Attempts > 0 && rec.Parked.IsZero() {
		st.Next = c.Due
	}
	if u, err := url.Parse(rec.URL); err == nil {
		st.Host = u.Host
	}
	return st
}

// retry makes a config due from the event that failed. The sender may change the config meanwhile.
func retry(ctx context.Context, j journal.Journal, c *journal.DueCursor) error {
	for range 5 {
		rec, err := decode(c.Data)
		if err != nil {
			return err
		}
		next := c.Cursor
		next.Delivered, next.Attempts, next.Due = reached(&c.Cursor), 0, time.Time{}
		rec.Parked, rec.Reached = time.Time{}, 0
		next.Data = rec.encode()
		if err := j.SwapCursor(ctx, c.Key, c.Cursor, next); !errors.Is(err, journal.ErrConflict) {
			return err
		}
		all, err := j.Cursors(ctx, c.Key)
		if errors.Is(err, journal.ErrNotFound) {
			return nil // the task was pruned
		}
		if err != nil {
			return err
		}
		there := false
		for i := range all {
			if all[i].Name == c.Name {
				c.Cursor, there = all[i], true
			}
		}
		if !there {
			return nil
		}
	}
	return fmt.Errorf("push: the config %s of the task %s changes all the time; retry it later", c.Name, c.Key.ID)
}
