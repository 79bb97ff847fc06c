// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"strings"
)

// Release frees leased paths of a session. Path, Token and Auto select them; all that are given must match.
type Release struct {
	Session string
	// as it was announced, "" for all; a pattern that was not announced is a file of that name
	Path    string
	Token   int64 // that of the lease; 0 for any
	Auto    bool  // only leases that a hook has taken, and that the session has not announced itself since
	Literal bool  // the path has no wildcards, whatever it looks like
}

// Released is the result of [Release].
type Released struct {
	Status   string   `json:"status"` // released
	FilePath string   `json:"file_path"`
	Paths    []string `json:"paths,omitzero"` // all that are free now, when none was named
}

// NotLocked is the result of [Release] of what nobody has leased.
type NotLocked struct {
	Status  string `json:"status"` // not_locked
	Message string `json:"message"`
}

func (c Release) session() string { return c.Session }

func (c Release) run(t *tx) Result {
	path := ""
	if c.Path != "" || c.Token == 0 && !c.Auto {
		var err error
		if path, err = t.state.Settings.clean(c.Path, c.Literal); err != nil {
			return invalid("%v", err)
		}
	}
	t.expire()
	freed := t.release(c, path)
	// no pattern of its own: a file of that name, which a hook has leased
	if len(freed) == 0 && isPattern(path) && !c.Literal {
		if file, err := t.state.Settings.clean(c.Path, true); err == nil {
			freed = t.release(c, file)
		}
	}
	switch {
	case len(freed) == 0 && path == "":
		return c.noSuchLease()
	case len(freed) == 0:
		return c.nothingFreed(t, path)
	}
	t.grantQueued()
	if path == "" {
		return Released{Status: "released", FilePath: freed[0], Paths: freed}
	}
	return Released{Status: "released", FilePath: c.Path}
}

// release frees a path, or all with "", in each lease that the command is about, and returns what is free.
func (t *tx) release(c Release, path string) []string {
	var freed []string
	for id, lease := range t.state.index.of(c.Session) {
		if c.Auto && !lease.Auto || c.Token != 0 && c.Token != lease.Token {
			continue
		}
		var rest []string
		for _, p := range lease.Paths {
			if path == "" || t.state.Settings.same(p, path) {
				freed = append(freed, p)
			} else {
				rest = append(rest, p)
			}
		}
		switch {
		case len(rest) == 0:
			t.emit(Event{Kind: KindReleased, Session: c.Session, ID: id})
		case len(rest) < len(lease.Paths):
			less := *lease
			less.Paths = rest
			t.emit(Event{Kind: KindRenewed, Session: c.Session, Lease: &less, Text: path + " was released"})
		}
	}
	return freed
}

func (c Release) noSuchLease() Result {
	if c.Token != 0 {
		return Failure{Status: "error", Error: fmt.Sprintf("token %d does not match a lease of %s; the lease was lost",
			c.Token, c.Session), Code: CodeStale}
	}
	return NotLocked{Status: "not_locked", Message: "There is no such lock"}
}

// nothingFreed says why a path is none that the command could free.
func (c Release) nothingFreed(t *tx, path string) Result {
	var other, mine, wider *Lease
	for _, lease := range t.state.index.near([]string{path}) {
		listed := slices.ContainsFunc(lease.Paths, func(p string) bool { return t.state.Settings.same(p, path) })
		switch {
		case listed && lease.Session == c.Session:
			mine = lease
		case listed:
			other = lease
		case lease.Session == c.Session && lease.covers(&t.state.Settings, path, true):
			wider = lease
		}
	}
	switch {
	case mine != nil && c.Token != 0:
		return Failure{Status: "error", Error: fmt.Sprintf("token %d does not match the lease: the lease was lost "+
			"and granted again in the meantime", c.Token), Code: CodeStale}
	case other != nil:
		return Failure{Status: "error", Error: fmt.Sprintf("File is locked by %s, not you", other.Session)}
	case wider != nil && !c.Auto:
		return Failure{Status: "error", Error: "File is part of your lock of " + strings.Join(wider.Paths, ", ") +
			", which stays locked until you release it"}
	}
	return NotLocked{Status: "not_locked", Message: "File was not locked"}
}

// CheckLock tells whether a session may change a path: by a lease of its own, with this token if it is not 0.
type CheckLock struct {
	Session, Path string
	Token         int64
	Literal       bool // the path has no wildcards, whatever it looks like
}

// LockState is the result of [CheckLock].
type LockState struct {
	Status string    `json:"status"` // held, free, conflict
	Lock   *LockInfo `json:"lock_info,omitzero"`
	Token  int64     `json:"fencing_token,omitzero"`
}

func (c CheckLock) session() string { return c.Session }

func (c CheckLock) run(t *tx) Result {
	path, err := t.state.Settings.clean(c.Path, c.Literal)
	if err != nil {
		return invalid("%v", err)
	}
	t.expire()
	asked := &Claim{Session: c.Session, Paths: []string{path}, Mode: ModeExclusive, Literal: true}
	if s := t.session(c.Session); s.active() {
		asked.Branch = s.Agent.Branch
	}
	for _, lease := range t.state.index.of(c.Session) {
		if (c.Token == 0 || c.Token == lease.Token) && t.state.satisfies(lease, asked) && t.state.allows(lease, path) {
			return LockState{Status: "held", Token: lease.Token}
		}
	}
	for _, lease := range t.state.index.near(asked.Paths) {
		if t.state.conflictsWith(asked, &lease.Claim) {
			return LockState{Status: "conflict", Lock: new(lease.info(lease.LockedAt))}
		}
	}
	if c.Token != 0 {
		return Failure{Status: "error", Error: fmt.Sprintf("token %d does not match a lease of %s; the lease was lost",
			c.Token, c.Path), Code: CodeStale}
	}
	return LockState{Status: "free"}
}

// allows reports whether a lease is about a path, which is a file unless it has wildcards or ends in a slash.
func (s *state) allows(lease *Lease, path string) bool {
	return lease.covers(&s.Settings, path, true) || !isPattern(path) && !strings.HasSuffix(path, "/") &&
		slices.ContainsFunc(lease.Paths, func(p string) bool { return s.Settings.takes(p, path) })
}
