// SPDX-License-Identifier: Apache-2.0

package coord

const maxChecked = 1000

// Conflicts tells which of some paths others have leased, for gates such as that of a repository. It needs no session
// and changes nothing. If very many paths with wildcards are leased, it takes paths for leased rather than look for
// long.
type Conflicts struct {
	Session string // whose leases are no conflict; "" for nobody's
	Branch  string // of the change, unless the session is that of an agent, which has said it
	// Paths are files, or folders that end in a slash, without wildcards. A file that nobody could lease, for its
	// characters or length, conflicts with leases of its folder and of patterns that match it.
	Paths []string
}

// ConflictList is the result of [Conflicts], with one entry for each path that somebody else has leased.
type ConflictList struct {
	Conflicts []PathConflict `json:"conflicts"`
}

// PathConflict is a path and the first lease of another session that is about it.
type PathConflict struct {
	FilePath string `json:"file_path"`
	LockInfo `json:",inline"`
}

func (c Conflicts) run(t *tx) Result {
	if len(c.Paths) > maxChecked {
		return tooMany("paths to look up", maxChecked)
	}
	t.expire()
	if s := t.state.Sessions.get(c.Session); s != nil && s.active() {
		c.Branch = s.Agent.Branch
	}
	list := ConflictList{Conflicts: []PathConflict{}}
	for n, lease := range c.find(t) {
		if lease != nil {
			list.Conflicts = append(list.Conflicts, PathConflict{c.Paths[n], lease.info(lease.LockedAt)})
		}
	}
	return list
}

// find returns for each path the first lease that is in its way, nil where there is none.
func (c Conflicts) find(t *tx) []*Lease {
	asked := &Claim{Session: c.Session, Branch: c.Branch, Mode: ModeExclusive, Literal: true}
	var places []int // of those that are paths
	for n, name := range c.Paths {
		if path := t.state.Settings.named(name); path != "" {
			asked.Paths, places = append(asked.Paths, path), append(places, n)
		}
	}
	found := make([]*Lease, len(c.Paths))
	set := newPathSet(&t.state.Settings, asked.Paths, true)
	w := &t.state.work
	*w = 0
	for _, lease := range t.state.index.near(asked.Paths) {
		if !t.state.mayConflict(asked, &lease.Claim) {
			continue
		}
		take := func(n int) bool {
			if at := places[n]; found[at] == nil {
				found[at] = lease
			}
			return true
		}
		for _, p := range lease.Paths {
			if !isPattern(p) || !w.tooMuch() {
				set.each(p, lease.Literal, w, take)
				continue
			}
			for n := range asked.Paths {
				take(n)
			}
		}
	}
	return found
}
