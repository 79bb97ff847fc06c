// SPDX-License-Identifier: Apache-2.0

// Package gctune sets the garbage collector and the limit of memory for servers. A library does not: that is for the
// program to choose.
package gctune

import (
	"errors"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// percent is how far garbage may grow, of what lives. A server keeps tens of megabytes alive and makes short-lived
	// garbage with each request, so this saves about a fifth of its processor time.
	percent = 400
	// least is how many bytes count as alive at least. A server that keeps little, such as a coordinator with some
	// agents, would else collect several times a second, and each time makes those wait whose calls it is at.
	least = 16 << 20
	// most is how many bytes garbage may take beyond what lives, or as much as lives, if that is more. A server that
	// works on a hundred megabytes of large messages would else hold four times of them in garbage.
	most = 256 << 20
)

// floor counts as alive. Nothing is ever written to it, so that it takes addresses and no memory.
var floor atomic.Value

// Tune lets garbage grow further than Go does by itself, unless the variable GOGC is set. Garbage takes up to 80 MB
// then, or four times of what lives, if that is more, but not more than 256 MB, unless more lives.
//
// It also keeps the program within four fifths of the memory that its container has, unless the variable GOMEMLIMIT is
// set: near that the collector runs more often. The rest is for the database, which is outside of Go's memory.
func Tune(logger *slog.Logger) {
	limit(logger, memlimit.FromCgroup)
	if os.Getenv("GOGC") != "" {
		return
	}
	floor.Store(make([]byte, least))
	debug.SetGCPercent(percent)
	follow(&cycle{percent: percent})
}

// ofContainer is the part of a container's memory that Go may use.
const ofContainer = 0.8

func limit(logger *slog.Logger, container memlimit.Provider) {
	bytes, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(ofContainer), memlimit.WithProvider(container))
	switch {
	case errors.Is(err, memlimit.ErrCgroupsNotSupported), errors.Is(err, memlimit.ErrNoCgroup): // no container
	case err != nil:
		logger.Warn("cannot find out how much memory the container has; set GOMEMLIMIT", "error", err)
	case bytes > 0:
		logger.Info("keeping within the memory of the container", "limit", bytes)
	}
}

// A cycle is garbage at the end of each collection.
type cycle struct {
	percent int // that is set
	_       *byte
}

// follow sets the percentage anew after each collection.
func follow(c *cycle) {
	runtime.SetFinalizer(c, func(c *cycle) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		if now := percentOf(sample[0].Value.Uint64()); now != c.percent {
			debug.SetGCPercent(now)
			c.percent = now
		}
		follow(c)
	})
}

// percentOf returns the percentage for as many bytes that live. It is in steps, as setting it stops the program for a
// moment.
func percentOf(live uint64) int {
	const step = 25
	return min(percent, int(max(most, live)*100/max(live, 1))/step*step)
}
