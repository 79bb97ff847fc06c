// SPDX-License-Identifier: Apache-2.0

package coord

// maxChecked is how many paths are looked up at once.
const maxChecked = 10_000

// Conflicts tells which of some paths others have leased. It is for what stands at a gate, such as that of a repository:
// it needs no session and changes nothing.
type Conflicts struct {
	Session string   // whose leases are no conflict; "" for nobody's
	Branch  string   // of the change, unless the session is that of an agent, which has said it
	Paths   []string // files, or folders that end in a slash; there are no wildcards in them
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

func (Conflicts) who() (string, bool) { return "", false }

func (c Conflicts) run(t *turn) Result {
	if len(c.Paths) > maxChecked {
		return tooMany("paths to look up", maxChecked)
	}
	t.expire()
	if s := t.state.Sessions.get(c.Session); s != nil && s.active() {
		c.Branch = s.Agent.Branch
	}
	list := ConflictList{Conflicts: []PathConflict{}}
	for _, name := range c.Paths {
		path, err := t.state.Settings.clean(name, true)
		if err != nil {
			continue // what cannot be leased, nobody has
		}
		asked := &Claim{Session: c.Session, Branch: c.Branch, Paths: []string{path}, Mode: ModeExclusive, Literal: true}
		for _, lease := range t.state.Leases.all() {
			if t.state.against(asked, &lease.Claim) {
				list.Conflicts = append(list.Conflicts, PathConflict{name, *lease.info()})
				break
			}
		}
	}
	return list
}
