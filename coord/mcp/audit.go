// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// maxRefusals is how many refusals a minute are in the log: everybody can be refused, as often as he likes.
const maxRefusals = 60

// An Audit writes to a log who was refused, 60 times a minute at most in all. What was done is in the events of projects.
// Make one with [NewAudit].
type Audit struct {
	log *slog.Logger

	mu     sync.Mutex
	minute time.Time // when counting began
	count  int
}

// NewAudit returns an Audit that writes to a log.
func NewAudit(log *slog.Logger) *Audit { return &Audit{log: log} }

// Refused notes that somebody may not do something in a project. The name is that of the token, "" when there is none that
// is known.
func (a *Audit) Refused(project, name string, more ...slog.Attr) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.minute) >= time.Minute {
		a.minute, a.count = now, 0
	}
	switch a.count++; {
	case a.count <= maxRefusals:
		attrs := append([]slog.Attr{slog.String("project", project), slog.String("token", name)}, more...)
		a.log.LogAttrs(context.Background(), slog.LevelWarn, "a call was refused", attrs...)
	case a.count == maxRefusals+1:
		a.log.Warn("more refusals are not written down within this minute")
	}
}
