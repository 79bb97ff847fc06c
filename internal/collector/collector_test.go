// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestTune(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	defer floor.Store([]byte{})
	goal := func() uint64 {
		runtime.GC()
		sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	t.Setenv("GOGC", "100")
	Tune()
	if got := goal(); got >= least {
		t.Errorf("with GOGC the goal is %d bytes", got)
	}
	t.Setenv("GOGC", "")
	Tune()
	if got := goal(); got < least*(100+percent)/100 {
		t.Errorf("the goal is %d bytes", got)
	}
}

// Garbage takes four times of what lives, 256 MB at most, or as much as lives.
func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 400, 16 << 20: 400, 64 << 20: 400, 65 << 20: 375, 128 << 20: 200, 256 << 20: 100, 1 << 30: 100,
	} {
		if got := percentOf(live); got != want {
			t.Errorf("%d MB live: %d, want %d", live>>20, got, want)
		}
	}
}

var kept []byte

// The percentage follows what lives.
func TestTuneFollows(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	defer floor.Store([]byte{})
	t.Setenv("GOGC", "")
	Tune()
	kept = make([]byte, 300<<20) // never written, so that it takes addresses only
	defer func() { kept = nil }()
	for range 100 {
		runtime.GC()
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		if metrics.Read(sample); sample[0].Value.Uint64() == 100 {
			return
		}
	}
	t.Error("the percentage stays")
}
