// SPDX-License-Identifier: Apache-2.0

package coord

// InUse returns how many projects are in memory.
func InUse(h *Hub) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.projects)
}

func (h *Hub) find(project string) *projectActor {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.projects[project]
}

// AnnouncedAgain reports whether a session's lease was announced more than once.
func AnnouncedAgain(h *Hub, project, session string) bool {
	r := h.find(project)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, lease := range r.project.state.Leases.all() {
		if lease.Session == session {
			return lease.again
		}
	}
	return false
}

// Freeze keeps commands of a project from running.
func Freeze(h *Hub, project string) (free func()) {
	r := h.find(project)
	r.mu.Lock()
	return r.mu.Unlock
}

// Users returns how many calls and loops use a project.
func Users(h *Hub, project string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.projects[project].users
}

// Newest returns the number of a project's newest event, kept or not.
func Newest(h *Hub, project string) int64 {
	r := h.find(project)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.project.state.Seq
}

// Waiting reports whether a call waits for a query or a claim.
func Waiting(h *Hub, project, id string) bool {
	r := h.find(project)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiters[id] != nil
}
