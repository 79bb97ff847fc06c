// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"slices"
	"time"
)

// The changes that can be announced.
var changeTypes = []string{"create", "modify", "delete", "refactor"}

// Announce leases what a session is about to change: all paths or none, as long as the session lives and TTL at most.
// With Wait it waits for the lease in a queue.
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
	// Auto says that a hook announces on the agent's behalf. The agent's own leases stay as they are.
	Auto bool
	// Literal says that the paths have no wildcards, whatever they look like.
	Literal bool
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

func (c Announce) session() string { return c.Session }

func (c Announce) run(t *tx) Result {
	claim, f := c.claim(t)
	if f != nil {
		return f
	}
	t.expire()
	if own := t.own(claim); own != nil {
		return c.granted(t.renew(own, claim))
	}
	if f := t.crowded(claim); f != nil {
		return f
	}
	t.state.work = 0
	if f := t.overQuota(claim.Session, append(claim.Paths[:len(claim.Paths):len(claim.Paths)],
		claim.Description)...); f != nil {
		return f
	}
	blockers := t.blockers(claim, len(t.state.Queue))
	switch {
	case t.state.work.tooMuch():
		return Failure{Status: "error", Error: "there are too many paths with wildcards to compare; announce folders " +
			"or files, or begin the paths with folder names", Code: CodeLimit}
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

// crowded says why there is no room for one more claim.
func (t *tx) crowded(claim *Claim) *Failure {
	if t.state.Leases.len() >= maxLeases {
		return tooMany("leases in this project", maxLeases)
	}
	paths, patterns := len(claim.Paths)+t.state.index.paths, claim.patterns()
	wild := patterns > 0
	if wild {
		patterns += t.state.index.patterns
	}
	for _, waits := range t.state.Queue {
		paths += len(waits.Paths)
		if wild {
			patterns += waits.patterns()
		}
	}
	switch {
	case paths > maxAllPaths:
		return tooMany("paths in this project, leased and waited for; lease folders", maxAllPaths)
	case patterns > maxPatterns:
		return tooMany("paths with wildcards in this project, leased and waited for", maxPatterns)
	}
	return nil
}

func (c *Claim) patterns() int {
	n := 0
	for _, p := range c.Paths {
		if isPattern(p) {
			n++
		}
	}
	return n
}

func (c Announce) claim(t *tx) (*Claim, *Failure) {
	if c.Mode == "" {
		c.Mode = ModeExclusive
	}
	switch {
	case len(c.Paths) == 0:
		return nil, invalid("file_path is missing")
	case len(c.Paths) > maxPaths:
		return nil, tooMany("paths", maxPaths)
	case !slices.Contains(changeTypes, c.ChangeType):
		return nil, invalid("change_type must be one of %v", changeTypes)
	case c.Mode != ModeExclusive && c.Mode != ModeShared:
		return nil, invalid("mode must be %s or %s", ModeExclusive, ModeShared)
	case c.TTL < 0 || c.Wait < 0:
		return nil, invalid("ttl_seconds and wait_seconds must not be below 0")
	}
	if f := badText("description", c.Description, maxShort); f != nil {
		return nil, f
	}
	claim := &Claim{
		ID: t.id("lock"), Session: c.Session, Mode: c.Mode, ChangeType: c.ChangeType, Description: c.Description,
		TTL: c.TTL.Seconds(), Time: t.now, Auto: c.Auto, Literal: c.Literal,
	}
	if s := t.session(c.Session); s.active() {
		claim.Branch = s.Agent.Branch
	}
	for _, name := range c.Paths {
		p, err := t.state.Settings.clean(name, c.Literal)
		switch {
		case err != nil && len(c.Paths) > 1:
			return nil, invalid("one of the paths: %v", err)
		case err != nil:
			return nil, invalid("%v", err)
		}
		if !slices.Contains(claim.Paths, p) {
			claim.Paths = append(claim.Paths, p)
		}
	}
	if claim.patterns() > maxClaimPatterns {
		return nil, tooMany("paths with wildcards", maxClaimPatterns)
	}
	return claim, nil
}

// conflictsWith reports whether two claims cannot be granted at once.
func (s *state) conflictsWith(a, b *Claim) bool {
	return s.mayConflict(a, b) && a.overlap(&s.Settings, b, &s.work)
}

// mayConflict reports whether two claims cannot be granted at once if their paths meet.
func (s *state) mayConflict(a, b *Claim) bool {
	switch {
	case a.Session == b.Session, a.Mode == ModeShared && b.Mode == ModeShared:
		return false
	case s.Settings.PerBranch && a.Branch != "" && b.Branch != "" && a.Branch != b.Branch: // none is any
		return false
	}
	return true
}

// blockers returns the sessions in the way of a claim: holders, and those of the first n claims in the queue. The list
// ends early when it is too much work.
func (t *tx) blockers(claim *Claim, n int) []string {
	var all []string
	seen := map[string]bool{}
	add := func(other *Claim) {
		if t.state.conflictsWith(claim, other) && !seen[other.Session] {
			seen[other.Session] = true
			all = append(all, other.Session)
		}
	}
	for _, lease := range t.state.index.near(claim.Paths) {
		if t.state.work.tooMuch() {
			return all
		}
		add(&lease.Claim)
	}
	for _, earlier := range t.state.Queue[:n] {
		if t.state.work.tooMuch() {
			return all
		}
		add(earlier)
	}
	return all
}

// own returns the lease by which the session has all of a claim already; rather one that it has announced itself.
func (t *tx) own(claim *Claim) *Lease {
	var auto *Lease
	for _, lease := range t.state.index.of(claim.Session) {
		switch {
		case !t.state.satisfies(lease, claim) || !t.state.coversAll(lease, claim):
		case !lease.Auto:
			return lease
		case auto == nil:
			auto = lease
		}
	}
	return auto
}

// satisfies reports whether a lease of the session is enough for a claim, as far as it has its paths.
func (s *state) satisfies(lease *Lease, claim *Claim) bool {
	return (lease.Mode != ModeShared || claim.Mode == ModeShared) &&
		(!s.Settings.PerBranch || lease.Branch == "" || lease.Branch == claim.Branch)
}

func (s *state) coversAll(lease *Lease, claim *Claim) bool {
	return !slices.ContainsFunc(claim.Paths,
		func(p string) bool { return !lease.covers(&s.Settings, p, claim.Literal) })
}

// renew returns the session's existing lease for a claim. It emits an event only when a lease of a hook becomes the
// session's own, or the TTL changes.
func (t *tx) renew(own *Lease, claim *Claim) *Lease {
	lease, changed := *own, false
	if own.Auto && !claim.Auto {
		lease.Auto, lease.ChangeType, lease.Description = false, claim.ChangeType, claim.Description
		changed = true
	}
	if (own.Auto || !claim.Auto) && (claim.TTL > 0 || !own.ExpiresAt.IsZero()) {
		lease.TTL, lease.ExpiresAt = claim.TTL, until(t.now, claim.TTL)
		changed = true
	}
	if changed {
		t.emit(Event{Kind: KindRenewed, Session: claim.Session, Lease: &lease})
		own = &lease
	}
	own.again = true
	return own
}

func until(now time.Time, ttl float64) time.Time {
	if ttl == 0 {
		return time.Time{}
	}
	return now.Add(time.Duration(ttl * float64(time.Second)))
}

// grant makes a claim a lease, which may also satisfy other claims of the session.
func (t *tx) grant(claim *Claim) *Lease {
	lease := &Lease{Claim: *claim, Token: t.state.Token + 1, LockedAt: t.now, ExpiresAt: until(t.now, claim.TTL)}
	t.emit(Event{Kind: KindLocked, Session: claim.Session, Lease: lease})
	for _, waits := range slices.Clone(t.state.Queue) {
		if waits.Session != claim.Session {
			continue
		}
		if own := t.own(waits); own != nil {
			t.emit(Event{Kind: KindUnqueued, Session: waits.Session, ID: waits.ID, Lease: t.renew(own, waits)})
		}
	}
	return t.state.Leases.get(lease.ID)
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

func (c Announce) conflict(t *tx, claim *Claim) Result {
	result := Conflict{Status: "conflict", Suggestion: "Query that agent about their progress or wait"}
	more := &MoreLocks{Holders: []string{}}
	for _, lease := range t.state.index.near(claim.Paths) {
		if !t.state.conflictsWith(claim, &lease.Claim) {
			continue
		}
		if len(more.Holders) == 0 {
			result.Lock = lease.info(lease.LockedAt)
			result.Error = "File is locked by " + lease.Session
		}
		if !slices.Contains(more.Holders, lease.Session) {
			more.Holders = append(more.Holders, lease.Session)
		}
	}
	for _, queued := range t.state.Queue {
		if !t.state.conflictsWith(claim, queued) {
			continue
		}
		if len(more.Holders) == 0 && more.Waiting == 0 {
			result.Lock = queued.info(queued.Time)
			result.Error = "File is waited for by " + queued.Session + ", who comes first"
		}
		more.Waiting++
	}
	if c.Details {
		result.MoreLocks = more
	}
	return result
}

func (c *Claim) info(since time.Time) LockInfo {
	return LockInfo{Session: c.Session, LockedAt: Time(since), ChangeType: c.ChangeType, Description: c.Description}
}

// grantQueued grants what is waited for and can be had now, in the order of the queue.
func (t *tx) grantQueued() {
	for i := 0; i < len(t.state.Queue); {
		if t.state.Queue[i].blockers > 0 {
			i++
			continue
		}
		t.grant(t.state.Queue[i]) // takes it out of the queue, and maybe others
		i = 0
	}
}

// reindex makes the index of the leases, and counts for each claim in the queue what is in its way.
func (s *state) reindex() {
	s.index = newLeaseIndex(&s.Settings, s.Leases)
	for i, claim := range s.Queue {
		claim.blockers = s.countBlockers(claim, i)
	}
}

// countBlockers returns how many leases and how many of the first n claims in the queue are in the way of a claim.
func (s *state) countBlockers(claim *Claim, n int) int {
	ahead := 0
	for _, lease := range s.index.near(claim.Paths) {
		if s.conflictsWith(claim, &lease.Claim) {
			ahead++
		}
	}
	for _, earlier := range s.Queue[:n] {
		if s.conflictsWith(claim, earlier) {
			ahead++
		}
	}
	return ahead
}

// outOfTheWay says to claims that another one, or a lease, has gone.
func (s *state) outOfTheWay(gone *Claim, behind []*Claim) {
	for _, claim := range behind {
		if s.conflictsWith(claim, gone) {
			claim.blockers--
		}
	}
}

func (t *tx) expire() {
	if soonest := t.state.index.soonest; soonest.IsZero() || t.now.Before(soonest) {
		return
	}
	freed, next := false, time.Time{}
	for id, lease := range t.state.Leases.all() {
		switch {
		case lease.ExpiresAt.IsZero():
		case !t.now.Before(lease.ExpiresAt):
			t.emit(Event{Kind: KindExpired, Session: lease.Session, ID: id, Text: "its time is up"})
			freed = true
		case next.IsZero() || lease.ExpiresAt.Before(next):
			next = lease.ExpiresAt
		}
	}
	t.state.index.soonest = next
	if freed {
		t.grantQueued()
	}
}

// freeLeases frees all leases of a session and gives up its claims. The caller hands on what is free.
func (t *tx) freeLeases(name, why string) {
	for id := range t.state.index.of(name) {
		t.emit(Event{Kind: KindReleased, Session: name, ID: id, Text: why})
	}
	for _, claim := range slices.Clone(t.state.Queue) {
		if claim.Session == name {
			t.emit(Event{Kind: KindUnqueued, Session: name, ID: claim.ID, Text: why})
		}
	}
}
