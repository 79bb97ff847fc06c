// SPDX-License-Identifier: Apache-2.0

// Package collector sets the garbage collector for servers. A library does not: that is for the program to choose.
package collector

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

const (
	// percent is how far garbage may grow, of what lives. A server keeps tens of megabytes alive and makes short-lived garbage
	// with each request, so this saves about a fifth of its processor time.
	percent = 400
	// least is how many bytes count as alive at least. A server that keeps little, such as a coordinator with some agents,
	// would else collect several times a second, and each time makes those wait whose calls it is at.
	least = 16 << 20
)

// floor counts as alive. Nothing is ever written to it, so that it takes addresses and no memory.
var floor atomic.Value

// Tune lets garbage grow further than Go does by itself, unless the variable GOGC is set. Garbage takes up to 80 MB then,
// or four times of what lives, if that is more.
func Tune() {
	if os.Getenv("GOGC") != "" {
		return
	}
	floor.Store(make([]byte, least))
	debug.SetGCPercent(percent)
}
