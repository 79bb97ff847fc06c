// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// maxRefusals is how many refusals a minute are in the log: every caller can cause any number.
const maxRefusals = 60

// An Audit logs refused calls, 60 times a minute at most in all. Make one with [NewAudit].
type Audit struct {
	log *slog.Logger

	mu     sync.Mutex
	minute time.Time // when counting began
	count  int
}

// NewAudit returns an Audit that writes to a log.
func NewAudit(log *slog.Logger) *Audit { return &Audit{log: log} }

type callKey struct{}

// Describe says what a context is for, for the log of a refusal.
func Describe(ctx context.Context, call ...slog.Attr) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// maxNoted is how many bytes of what a caller has said are in the log.
const maxNoted = 200

func noted(key, text string) slog.Attr {
	if len(text) > maxNoted {
		text = strings.ToValidUTF8(text[:maxNoted], "") + "..."
	}
	return slog.String(key, text)
}

// Refused logs that a caller may not do in a project what [Describe] says of ctx, and why. The name is that of the
// token, "" for none.
func (a *Audit) Refused(ctx context.Context, project, name, why string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.minute) >= time.Minute {
		a.minute, a.count = now, 0
	}
	switch a.count++; {
	case a.count <= maxRefusals:
		attrs := []slog.Attr{noted("project", project), slog.String("token", name)}
		call, _ := ctx.Value(callKey{}).([]slog.Attr)
		for _, said := range call {
			attrs = append(attrs, noted(said.Key, said.Value.String()))
		}
		a.log.LogAttrs(context.WithoutCancel(ctx), slog.LevelWarn, "a call was refused",
			append(attrs, noted("cause", why))...)
	case a.count == maxRefusals+1:
		a.log.Warn("more refusals are not written down within this minute")
	}
}
