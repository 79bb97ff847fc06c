// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"slices"
	"time"
)

// The changes that can be announced.
var changeTypes = []string{"create", "modify", "delete", "refactor"}

// Announce says what a session is about to change, and leases it: as long as the session lives, and TTL at most if that
// is set. All paths are leased, or none. With Wait a lease that is not to be had at once is waited for in a queue, in
// order.
type Announce struct {
	Session     string
	Paths       []string // files, folders that end in a slash, or patterns with *, ** and ?
	ChangeType  string
	Description string
	Mode        string        // ModeExclusive, if it is empty, or ModeShared
	TTL         time.Duration // 0 means none
	Wait        time.Duration // at most MaxWait
	// Details asks for what the API reference of A2AMCP does not have: the token and what belongs to it.
	Details bool
}

// Locked is the result of [Announce] that was granted.
type Locked struct {
	Status    string           `json:"status"` // locked
	FilePath  string           `json:"file_path"`
	Message   string           `json:"message"`
	*LockMore `json:",inline"` // nil unless asked for
}

// LockMore is what [Announce] with Details says of a lease.
type LockMore struct {
	ID        string   `json:"lock_id"`
	Paths     []string `json:"paths"`
	Token     int64    `json:"fencing_token"`
	ExpiresAt *Time    `json:"expires_at"`
}

// Conflict is the result of [Announce] that was not granted.
type Conflict struct {
	Status     string           `json:"status"` // conflict
	Error      string           `json:"error"`
	Lock       LockInfo         `json:"lock_info"`
	Suggestion string           `json:"suggestion"`
	*MoreLocks `json:",inline"` // nil unless asked for
}

// LockInfo is what others see of a lease.
type LockInfo struct {
	Session     string `json:"session"`
	LockedAt    Time   `json:"locked_at"`
	ChangeType  string `json:"change_type"`
	Description string `json:"description"`
}

// MoreLocks is what [Announce] with Details says of a conflict.
type MoreLocks struct {
	Holders []string `json:"holders"`
	Waiting int      `json:"waiting"` // claims in the queue for any of the paths
}

func (c Announce) who() (string, bool) { return c.Session, true }

func (c Announce) run(t *turn) Result {
	claim, f := c.claim(t)
	if f != nil {
		return *f
	}
	t.expire()
	if own := t.own(claim); own != nil {
		return t.renew(own, claim.TTL, c)
	}
	if t.state.Leases.len() >= maxLeases {
		return tooMany("leases in this project", maxLeases)
	}
	blockers := t.blockers(claim, len(t.state.Queue))
	switch {
	case len(blockers) == 0:
		return c.granted(t.grant(claim))
	case c.Wait <= 0:
		return c.conflict(t, claim)
	case len(t.state.Queue) >= maxQueue:
		return tooMany("claims in the queue of this project", maxQueue)
	}
	if cycle := t.cycle(c.Session, blockers); cycle != nil {
		return deadlock(cycle)
	}
	t.emit(Event{Kind: KindQueued, Session: c.Session, Claim: claim})
	return waiting{claim: claim, as: &c, limit: min(c.Wait, MaxWait)}
}

// claim checks what is announced.
func (c Announce) claim(t *turn) (*Claim, *Failure) {
	bad := func(f Failure) (*Claim, *Failure) { return nil, &f }
	if c.Mode == "" {
		c.Mode = ModeExclusive
	}
	switch {
	case len(c.Paths) == 0:
		return bad(invalid("file_path is missing"))
	case len(c.Paths) > maxPaths:
		return bad(tooMany("paths", maxPaths))
	case !slices.Contains(changeTypes, c.ChangeType):
		return bad(invalid("change_type must be one of %v", changeTypes))
	case c.Mode != ModeExclusive && c.Mode != ModeShared:
		return bad(invalid("mode must be %s or %s", ModeExclusive, ModeShared))
	case c.TTL < 0 || c.Wait < 0:
		return bad(invalid("ttl_seconds and wait_seconds must not be below 0"))
	}
	if f := badText("description", c.Description, maxShort); f != nil {
		return nil, f
	}
	claim := &Claim{
		ID: t.id("lock"), Session: c.Session, Mode: c.Mode, ChangeType: c.ChangeType, Description: c.Description,
		TTL: c.TTL.Seconds(), Time: t.now,
	}
	if s := t.session(c.Session); s.active() {
		claim.Branch = s.Agent.Branch
	}
	for _, name := range c.Paths {
		p, err := t.state.Settings.clean(name)
		if err != nil {
			return bad(invalid("%v", err))
		}
		if !slices.Contains(claim.Paths, p) {
			claim.Paths = append(claim.Paths, p)
		}
	}
	return claim, nil
}

// against reports whether two claims cannot be granted at once.
func (t *turn) against(a, b *Claim) bool {
	switch {
	case a.Session == b.Session, a.Mode == ModeShared && b.Mode == ModeShared:
		return false
	case t.state.Settings.PerBranch && a.Branch != b.Branch:
		return false
	}
	return t.state.Settings.anyOverlap(a.Paths, b.Paths)
}

// blockers returns the sessions that are in the way of a claim: those that hold what it wants, and those whose claims
// for it come first in the queue, of which the first n count.
func (t *turn) blockers(claim *Claim, n int) []string {
	var all []string
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, lease := range t.state.Leases.all() {
		if t.against(claim, &lease.Claim) {
			add(lease.Session)
		}
	}
	for _, earlier := range t.state.Queue[:n] {
		if t.against(claim, earlier) {
			add(earlier.Session)
		}
	}
	return all
}

// own returns the lease by which the session has all of a claim already.
func (t *turn) own(claim *Claim) *Lease {
	for _, lease := range t.state.Leases.all() {
		if lease.Session != claim.Session || lease.Mode == ModeShared && claim.Mode != ModeShared {
			continue
		}
		if !slices.ContainsFunc(claim.Paths, func(p string) bool {
			return !slices.ContainsFunc(lease.Paths, func(q string) bool { return t.state.Settings.covers(q, p) })
		}) {
			return lease
		}
	}
	return nil
}

// renew answers an announcement of what the session holds. That it is told so again is no further change.
func (t *turn) renew(own *Lease, ttl float64, c Announce) Result {
	if ttl > 0 || !own.ExpiresAt.IsZero() {
		lease := *own
		lease.TTL = ttl
		lease.ExpiresAt = until(t.now, ttl)
		t.emit(Event{Kind: KindRenewed, Session: c.Session, Lease: &lease})
		own = &lease
	}
	return c.granted(own)
}

func until(now time.Time, ttl float64) time.Time {
	if ttl == 0 {
		return time.Time{}
	}
	return now.Add(time.Duration(ttl * float64(time.Second)))
}

func (t *turn) grant(claim *Claim) *Lease {
	lease := &Lease{Claim: *claim, Token: t.state.Token + 1, LockedAt: t.now, ExpiresAt: until(t.now, claim.TTL)}
	t.emit(Event{Kind: KindLocked, Session: claim.Session, Lease: lease})
	return lease
}

func (c Announce) granted(lease *Lease) Result {
	path := lease.Paths[0]
	if len(c.Paths) == 1 {
		path = c.Paths[0] // as the caller writes it
	}
	l := Locked{Status: "locked", FilePath: path, Message: "File locked successfully. Remember to release when done."}
	if c.Details {
		l.LockMore = &LockMore{ID: lease.ID, Paths: lease.Paths, Token: lease.Token}
		if !lease.ExpiresAt.IsZero() {
			l.LockMore.ExpiresAt = timeOf(lease.ExpiresAt)
		}
	}
	return l
}

// conflict says who is in the way.
func (c Announce) conflict(t *turn, claim *Claim) Result {
	result := Conflict{Status: "conflict", Suggestion: "Query that agent about their progress or wait"}
	more := &MoreLocks{Holders: []string{}}
	for _, lease := range t.state.Leases.all() {
		if !t.against(claim, &lease.Claim) {
			continue
		}
		if len(more.Holders) == 0 {
			result.Lock = LockInfo{Session: lease.Session, LockedAt: Time(lease.LockedAt), ChangeType: lease.ChangeType, Description: lease.Description}
		}
		if !slices.Contains(more.Holders, lease.Session) {
			more.Holders = append(more.Holders, lease.Session)
		}
	}
	for _, queued := range t.state.Queue {
		if !t.against(claim, queued) {
			continue
		}
		if len(more.Holders) == 0 && more.Waiting == 0 {
			result.Lock = LockInfo{Session: queued.Session, LockedAt: Time(queued.Time), ChangeType: queued.ChangeType, Description: queued.Description}
		}
		more.Waiting++
	}
	result.Error = "File is locked by " + result.Lock.Session
	if c.Details {
		result.MoreLocks = more
	}
	return result
}

// free notes what an event that is about to happen takes out of the way of others.
func (t *turn) free(e *Event) {
	switch e.Kind {
	case KindReleased, KindExpired:
		if lease := t.state.Leases.get(e.ID); lease != nil {
			t.freed = append(t.freed, &lease.Claim)
		}
	case KindUnqueued:
		if i := slices.IndexFunc(t.state.Queue, func(c *Claim) bool { return c.ID == e.ID }); i >= 0 {
			t.freed = append(t.freed, t.state.Queue[i])
		}
	}
}

// hand grants what is waited for and can be had now, in the order of the queue. Only claims that something was in the way
// of which is so no longer can be granted: that something was in the way of the others still holds.
func (t *turn) hand() {
	freed := t.freed
	t.freed = nil
	t.handTo(func(claim *Claim) bool {
		return slices.ContainsFunc(freed, func(f *Claim) bool { return t.against(claim, f) })
	})
}

// handTo grants those claims that might be granted now and can.
func (t *turn) handTo(might func(*Claim) bool) {
	for i := 0; i < len(t.state.Queue); {
		claim := t.state.Queue[i]
		if !might(claim) || len(t.blockers(claim, i)) > 0 {
			i++
			continue
		}
		t.grant(claim) // takes it out of the queue
	}
}

// expire frees leases whose time is up.
func (t *turn) expire() {
	freed := false
	for id, lease := range t.state.Leases.all() {
		if !lease.ExpiresAt.IsZero() && !t.now.Before(lease.ExpiresAt) {
			t.emit(Event{Kind: KindExpired, Session: lease.Session, ID: id, Text: "its time is up"})
			freed = true
		}
	}
	if freed {
		t.hand()
	}
}

// freeLeases frees all leases of a session and gives up its claims. The caller hands on what is free.
func (t *turn) freeLeases(name, why string) {
	for id, lease := range t.state.Leases.all() {
		if lease.Session == name {
			t.emit(Event{Kind: KindReleased, Session: name, ID: id, Text: why})
		}
	}
	for _, claim := range slices.Clone(t.state.Queue) {
		if claim.Session == name {
			t.emit(Event{Kind: KindUnqueued, Session: name, ID: claim.ID, Text: why})
		}
	}
}

// Release frees what a session has leased.
type Release struct {
	Session string
	Path    string // a path of the lease; all of the lease is freed
	Token   int64  // if it is not 0, that of the lease
}

// Released is the result of [Release].
type Released struct {
	Status   string `json:"status"` // released
	FilePath string `json:"file_path"`
}

// NotLocked is the result of [Release] of what nobody has leased.
type NotLocked struct {
	Status  string `json:"status"` // not_locked
	Message string `json:"message"`
}

func (c Release) who() (string, bool) { return c.Session, true }

func (c Release) run(t *turn) Result {
	path, err := t.state.Settings.clean(c.Path)
	if err != nil {
		return invalid("%v", err)
	}
	t.expire()
	var other *Lease
	for id, lease := range t.state.Leases.all() {
		if !slices.ContainsFunc(lease.Paths, func(p string) bool { return t.state.Settings.fold(p) == t.state.Settings.fold(path) }) {
			continue
		}
		if lease.Session != c.Session {
			other = lease
			continue
		}
		if c.Token != 0 && c.Token != lease.Token {
			return Failure{Status: "error", Error: fmt.Sprintf("token %d is not that of the lease; it was lost and had again meanwhile", c.Token), Code: CodeStale}
		}
		t.emit(Event{Kind: KindReleased, Session: c.Session, ID: id})
		t.hand()
		return Released{Status: "released", FilePath: c.Path}
	}
	if other != nil {
		return Failure{Status: "error", Error: fmt.Sprintf("File is locked by %s, not you", other.Session)}
	}
	return NotLocked{Status: "not_locked", Message: "File was not locked"}
}

// CheckLock tells whether a session may change a path: whether it holds a lease of it, with this token if it is not 0. It
// is for what stands between an agent and its files.
type CheckLock struct {
	Session, Path string
	Token         int64
}

// LockState is the result of [CheckLock].
type LockState struct {
	Status string    `json:"status"` // held, free, conflict
	Lock   *LockInfo `json:"lock_info,omitzero"`
	Token  int64     `json:"fencing_token,omitzero"`
}

func (c CheckLock) who() (string, bool) { return c.Session, true }

func (c CheckLock) run(t *turn) Result {
	path, err := t.state.Settings.clean(c.Path)
	if err != nil {
		return invalid("%v", err)
	}
	t.expire()
	asked := &Claim{Session: c.Session, Paths: []string{path}, Mode: ModeExclusive}
	if s := t.session(c.Session); s.active() {
		asked.Branch = s.Agent.Branch
	}
	own := t.own(asked)
	if own != nil && (c.Token == 0 || c.Token == own.Token) {
		return LockState{Status: "held", Token: own.Token}
	}
	for _, lease := range t.state.Leases.all() {
		if t.against(asked, &lease.Claim) {
			return LockState{Status: "conflict", Lock: &LockInfo{
				Session: lease.Session, LockedAt: Time(lease.LockedAt), ChangeType: lease.ChangeType, Description: lease.Description,
			}}
		}
	}
	if c.Token != 0 {
		return Failure{Status: "error", Error: fmt.Sprintf("token %d is not that of a lease of %s; the lease was lost", c.Token, c.Path), Code: CodeStale}
	}
	return LockState{Status: "free"}
}

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
}

func (ListLocks) who() (string, bool) { return "", false }

func (ListLocks) run(t *turn) Result {
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
	return LockEntry{ID: c.ID, Session: c.Session, Paths: c.Paths, Mode: c.Mode, ChangeType: c.ChangeType, Description: c.Description, Since: Time(c.Time)}
}

// RecentChanges lists the changes that were announced, newest first.
type RecentChanges struct {
	Limit int           // 1 or more; 0 means 20
	Since time.Duration // how far back; 0 means as far as is known
}

// ChangeInfo is a [Change] in an answer.
type ChangeInfo struct {
	Session     string `json:"session"`
	FilePath    string `json:"file_path"`
	ChangeType  string `json:"change_type"`
	Description string `json:"description"`
	Timestamp   Time   `json:"timestamp"`
}

func (RecentChanges) who() (string, bool) { return "", false }

func (c RecentChanges) run(t *turn) Result {
	if c.Limit < 0 {
		return invalid("limit must be 1 or more")
	}
	if c.Limit == 0 {
		c.Limit = 20
	}
	all := []ChangeInfo{}
	for _, change := range slices.Backward(t.state.Changes) {
		if len(all) == c.Limit || c.Since > 0 && t.now.Sub(change.Time) > c.Since {
			break
		}
		all = append(all, ChangeInfo{
			Session: change.Session, FilePath: change.FilePath, ChangeType: change.ChangeType, Description: change.Description, Timestamp: Time(change.Time),
		})
	}
	return all
}
