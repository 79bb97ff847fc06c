// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"cmp"
	"slices"
	"time"
)

// ListLocks lists all leases and the claims that wait, in order.
type ListLocks struct{}

// LockList is the result of [ListLocks].
type LockList struct {
	Leases []LockEntry `json:"leases"`
	Queue  []LockEntry `json:"queue"`
}

// LockEntry is a lease or a claim in a [LockList].
type LockEntry struct {
	ID          string   `json:"lock_id"`
	Session     string   `json:"session"`
	Paths       []string `json:"paths"`
	Mode        string   `json:"mode"`
	ChangeType  string   `json:"change_type"`
	Description string   `json:"description"`
	Since       Time     `json:"since"`
	Token       int64    `json:"fencing_token,omitzero"`
	ExpiresAt   *Time    `json:"expires_at,omitzero"`
	Auto        bool     `json:"auto,omitzero"` // a hook has leased it
}

func (ListLocks) run(t *tx) Result {
	t.expire()
	list := LockList{Leases: []LockEntry{}, Queue: []LockEntry{}}
	for _, lease := range t.state.Leases.all() {
		entry := lease.Claim.entry()
		entry.Since, entry.Token = Time(lease.LockedAt), lease.Token
		if !lease.ExpiresAt.IsZero() {
			entry.ExpiresAt = timeOf(lease.ExpiresAt)
		}
		list.Leases = append(list.Leases, entry)
	}
	for _, claim := range t.state.Queue {
		list.Queue = append(list.Queue, claim.entry())
	}
	return list
}

func (c *Claim) entry() LockEntry {
	return LockEntry{
		ID: c.ID, Session: c.Session, Paths: c.Paths, Mode: c.Mode, ChangeType: c.ChangeType,
		Description: c.Description, Since: Time(c.Time), Auto: c.Auto,
	}
}

// RecentChanges lists the changes that were announced, newest first.
type RecentChanges struct {
	Limit int           // how many at most; 0 means 20
	Since time.Duration // how far back; 0 means as far as is known
	// Details asks for what the API reference of A2AMCP does not have: what became of the lease.
	Details bool
}

// ChangeInfo is a [Change] in an answer.
type ChangeInfo struct {
	Session     string `json:"session"`
	FilePath    string `json:"file_path"`
	ChangeType  string `json:"change_type"`
	Description string `json:"description"`
	Timestamp   Time   `json:"timestamp"`
	State       string `json:"state,omitzero"` // with Details: announced, or a state of a Change
}

func (c RecentChanges) run(t *tx) Result {
	switch {
	case c.Limit < 0:
		return invalid("limit must be 0, for the default, or more")
	case c.Since < 0:
		return invalid("minutes must be 0, for all that is known, or more")
	}
	if c.Limit == 0 {
		c.Limit = 20
	}
	t.expire()
	all := []ChangeInfo{}
	for _, change := range slices.Backward(t.state.Changes) {
		if len(all) == c.Limit || c.Since > 0 && t.now.Sub(change.Time) > c.Since {
			break
		}
		info := ChangeInfo{
			Session: change.Session, FilePath: change.FilePath, ChangeType: change.ChangeType,
			Description: change.Description, Timestamp: Time(change.Time),
		}
		if c.Details {
			info.State = cmp.Or(change.State, "announced")
		}
		all = append(all, info)
	}
	return all
}
