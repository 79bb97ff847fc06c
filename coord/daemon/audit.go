// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"log/slog"
	"sync"
	"time"
)

// maxRefusals is how many refusals a minute are in the log: everybody can be refused, as often as he likes.
const maxRefusals = 60

// An audit writes to the log who was refused. What was done is in the events of projects.
type audit struct {
	log *slog.Logger

	mu     sync.Mutex
	minute time.Time // when counting began
	count  int
}

// refused notes that somebody may not do something in a project. The name is that of the token, "" when there is none that
// is known.
func (a *audit) refused(project, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.minute) >= time.Minute {
		a.minute, a.count = now, 0
	}
	switch a.count++; {
	case a.count <= maxRefusals:
		a.log.Warn("a call was refused", slog.String("project", project), slog.String("token", name))
	case a.count == maxRefusals+1:
		a.log.Warn("more refusals are not written down within this minute")
	}
}
