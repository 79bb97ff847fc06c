// SPDX-License-Identifier: Apache-2.0

package coord

// InUse returns how many projects are in memory.
func InUse(h *Hub) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.projects)
}

func (h *Hub) find(project string) *running {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.projects[project]
}

// Announced returns the turn of the newest announcement of a session that has not been answered yet.
func Announced(h *Hub, project, session string) int64 {
	r := h.find(project)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.announced[session]
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
